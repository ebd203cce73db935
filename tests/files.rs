//! Game files as seen from outside: what is read, how it is written, what is refused, and the whole of
//! the reference shelf where there is one.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::scratch::Scratch;
use crate::support::shelf;

/// Bytes of a WTHOR header and of a game, and where a game has its score and its moves.
const HEADER: usize = 16;
const GAME: usize = 68;
const SCORE: usize = 6;
const MOVES: usize = 8;

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_outflank"))
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A command that ends early does not read all of it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Standard output of a command that ends with this code.
fn out(arguments: &[&str], input: &[u8], code: i32) -> String {
    let output = run(arguments, input);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{told}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a command that fails tells of.
fn told(arguments: &[&str], input: &[u8], code: i32) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn stats(arguments: &[&str], input: &[u8], code: i32) -> Value {
    serde_json::from_str(&out(&[&["stats", "--json"], arguments].concat(), input, code)).unwrap()
}

fn text_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

const GAME_OF_CASE_02: &str = "d3c3e6d2d1e1b2c1a3a1b4b3d6b5f4e3f3e2a5g5b6b7f5f6c7g3h3c2e7c5h5d7g6e8f2h7g4g2f7h6g7f8a4c4h8a7g1f1a2h4c6b1c8h1b8g8d8a6h2a8";
const GGF: &str = "(;GM[Othello]PC[here]DT[2003.12.15]PB[a b]PW[c]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5/0.50/1.5]W[D6//2]B[C3];)";

#[test]
fn a_game_is_the_same_in_every_format() {
    for format in ["ggf", "sgf", "pgn", "transcript", "record", "wthor"] {
        let written = run(&["convert", "--to", format, GAME_OF_CASE_02], b"").stdout;
        let back = out(&["convert", "--to", "transcript", "-"], &written, 0);
        assert_eq!(back.trim_end(), GAME_OF_CASE_02, "{format}");
        let board = out(&["convert", "--to", "obf"], &written, 0);
        assert_eq!(
            board.trim_end(),
            "XXXXXXXXXXXXXXXOXXOXOXOOXXXXXOXXXXOXOXXOXXXOOOXOXXOOOXXOXOOOOOOO O;",
            "{format}"
        );
        let counted = stats(&["-"], &written, 0);
        assert_eq!((&counted["games"], &counted["passes"]), (&1.into(), &1.into()), "{format}");
        assert_eq!((&counted["black"], &counted["margin"]), (&1.into(), &16.0.into()), "{format}");
    }
}

#[test]
fn passes_may_be_written_or_left_out_in_files() {
    let (before, behind) = GAME_OF_CASE_02.split_at(16);
    let squares = |text: &str| -> Vec<String> {
        text.as_bytes().chunks(2).map(|square| String::from_utf8_lossy(square).into_owned()).collect()
    };
    let spaced = format!("{} pass {}", squares(before).join(" "), squares(behind).join(" "));
    let ggf = out(&["convert", "--to", "ggf", GAME_OF_CASE_02], b"", 0);
    assert!(ggf.contains("W[C1]B[PA]W[A3]"), "{ggf}");
    let file = format!(
        "{GAME_OF_CASE_02}\n{before}PA{behind}\n{spaced}\n{ggf}{before}@@@@{behind}\n{before}--{behind}"
    );
    let read = out(&["convert", "--to", "transcript", "-"], file.as_bytes(), 0);
    assert_eq!(read, format!("{GAME_OF_CASE_02}\n").repeat(6));
    let bad = told(&["convert", "--to", "transcript", "-"], b"f5PAd6\n", 1);
    assert!(bad.contains("item 2 'pass'"), "{bad}");
}

#[test]
fn a_game_that_was_stopped_keeps_its_result() {
    let ggf = "(;GM[Othello]PB[a]PW[b]RE[+16]TY[8]B[F5]W[D6]B[C3];)";
    for format in ["transcript", "sgf", "record"] {
        let written = out(&["convert", "--to", format, ggf], b"", 0);
        let back = out(&["convert", "--to", "ggf"], written.as_bytes(), 0);
        assert!(back.contains("RE[+16]"), "{format}: {written}{back}");
    }
    let resigned = out(&["convert", "--to", "record", &ggf.replace("+16", "-64:r")], b"", 0);
    assert!(resigned.contains(" or px=a po=b"), "{resigned}");
}

#[test]
fn what_is_written_is_read_as_the_same() {
    for (format, source) in [
        ("ggf", GGF),
        (
            "ggf",
            "(;GM[Othello]PB[]PW[]TY[10a]BO[10 -------------------- -------------------- ----O*--------*O---- -------------------- -------------------- *]B[D5];)",
        ),
        ("sgf", "(;GM[2]FF[4]SZ[8]PB[x\\]y]PW[two]RE[W+R]C[a remark];B[ef]V[1.5];W[ff]C[good])"),
        ("sgf", "(;GM[2]SZ[6]AB[cc][dd]AW[dc][cd]PL[W];W[bc])"),
        (
            "pgn",
            "[Event \"?\"]\n[Black \"one\"]\n[White \"two\"]\n[Result \"1-0\"]\n\n1. f5 d6 2. c3 {good} d3 1-0\n",
        ),
        ("record", "rp1 oct __6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__6__,x g6g5h4 xr px=A%20B"),
        ("transcript", "f5d6c3 % x40:24"),
        (
            "obf",
            "---------------------------OX------XO--------------------------- X; F5:+0; D3:-2; % name",
        ),
        ("token", "8/8/8/3ox3/3xo3/8/8/8,x"),
    ] {
        let once = out(&["convert", "--to", format], source.as_bytes(), 0);
        let twice = out(&["convert", "--to", format], once.as_bytes(), 0);
        assert_eq!(once, twice, "{source}");
    }
}

#[test]
fn names_dates_results_and_times_go_along() {
    let sgf = out(&["convert", "--to", "sgf", GGF], b"", 0);
    for part in ["PB[a b]", "PW[c]", "DT[2003.12.15]", "PC[here]", "SZ[8]", ";B[fe]V[0.5];W[df];B[cc]"] {
        assert!(sgf.contains(part), "{part}: {sgf}");
    }
    let back = out(&["convert", "--to", "ggf"], sgf.as_bytes(), 0);
    for part in ["PB[a b]", "PW[c]", "DT[2003.12.15]", "PC[here]", "B[F5/0.50]"] {
        assert!(back.contains(part), "{part}: {back}");
    }
    let pgn = out(&["convert", "--to", "pgn", GAME_OF_CASE_02], b"", 0);
    assert!(pgn.contains("[Result \"1-0\"]") && pgn.contains("5. -- a3"), "{pgn}");
    let record = out(&["convert", "--to", "record", GGF], b"", 0);
    assert!(record.trim_end().ends_with("f5d6c3 - px=a%20b po=c"), "{record}");
}

#[test]
fn what_a_format_cannot_hold_is_refused_by_name_and_the_rest_is_written() {
    let check = |format: &str, input: &str, n_written: usize, why: &str| {
        let output = run(&["convert", "--to", format, "-"], input.as_bytes());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{format} {input}: {told}");
        assert!(told.contains(why), "{format} {input}: {told}");
        assert!(told.contains("(line "), "{told}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).lines().count(),
            n_written,
            "{format} {input}"
        );
    };
    let holes = "_7/8/8/3ox3/3xo3/8/8/8,x\nf5d6\n";
    check("obf", holes, 1, "OBF has no holes");
    check("sgf", holes, 1, "holes");
    check("ggf", holes, 1, "88 only");
    check("obf", "6/6/2ox2/2xo2/6/6,x\nf5\n", 1, "8x8 only");
    check("transcript", "6/6/2ox2/2xo2/6/6,x\nf5\n", 1, "--variant");
    check("obf", "rp1 othello+anti 8/8/8/3ox3/3xo3/8/8/8,x f5 -\nf5\n", 1, "no rules but");
    check("sgf", "rp1 othello+anti 8/8/8/3ox3/3xo3/8/8/8,x f5 -\nf5\n", 1, "not the other rules");
    check("ggf", "rp1 othello+hand=32 8/8/8/3ox3/3xo3/8/8/8,x,h30.30 f5 -\nf5\n", 1, "limit of discs");
    let wthor = told(&["convert", "--to", "wthor", "-"], b"f5d6\n", 1);
    assert!(wthor.contains("unfinished and states no result"), "{wthor}");
    let wthor = told(&["convert", "--to", "wthor", "8/8/8/3ox3/3xo3/8/8/8,x"], b"", 1);
    assert!(wthor.contains("from the start only"), "{wthor}");
}

#[test]
fn a_bad_game_among_others_is_named_by_file_line_item_and_text() {
    let scratch = Scratch::new();
    let file = scratch.0.join("games.txt");
    fs::write(&file, "f5d6c3\nd3d4d5\nf5d6\n").unwrap();
    let output = run(&["convert", "--to", "transcript", text_of(&file)], b"");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"f5d6c3\nf5d6\n");
    for part in ["item 2 'd4'", "games.txt, line 2"] {
        assert_eq!(told.matches(part).count(), 1, "{told}");
    }
    // The output is none of the inputs.
    let same = ["convert", text_of(&file), "--to", "ggf", "-o", text_of(&file)];
    assert!(self::told(&same, b"", 2).contains("one of the inputs"));
    assert_eq!(fs::read(&file).unwrap(), b"f5d6c3\nd3d4d5\nf5d6\n");
    let from = self::told(&["convert", "--from", "what", "--to", "ggf"], b"", 2);
    assert!(from.contains("fen-edax"), "{from}");
}

#[test]
fn names_of_a_new_binary_file_stand_beside_it() {
    let scratch = Scratch::new();
    let (file, again) = (scratch.0.join("x.wtb"), scratch.0.join("y.wtb"));
    let ggf = GGF.replace("RE[?]", "RE[+8.00:r]").replace("PB[a b]", "PB[Andr\u{e9}]");
    out(&["convert", "--to", "wthor", "-o", text_of(&file), "-"], ggf.as_bytes(), 0);
    let bytes = fs::read(&file).unwrap();
    assert_eq!((bytes.len(), bytes[HEADER + SCORE]), (HEADER + GAME, 36));
    assert!(scratch.0.join("x.jou").is_file() && scratch.0.join("x.trn").is_file());
    let back = out(&["convert", text_of(&file), "--to", "ggf"], b"", 0);
    assert!(back.contains("PB[Andr\u{e9}]PW[c]RE[+8]"), "{back}");
    // Numbers stay as long as all games have them, and so no names are written.
    out(&["convert", text_of(&file), "--to", "wthor", "-o", text_of(&again)], b"", 0);
    assert_eq!(fs::read(&again).unwrap()[4..], bytes[4..]);
    assert!(!scratch.0.join("y.jou").exists());
    // Names that are given keep their numbers, new ones come behind.
    let players = scratch.0.join("x.jou");
    let more = ggf.replace("PW[c]", "PW[d]");
    let third = scratch.0.join("z.wtb");
    out(
        &["convert", "--to", "wthor", "-o", text_of(&third), text_of(&players), "-"],
        more.as_bytes(),
        0,
    );
    let third = fs::read(&third).unwrap();
    assert_eq!((third[HEADER + 2], third[HEADER + 4]), (1, 3));
    // Endings are written as the one that was asked for.
    let capitals = scratch.0.join("C.WTB");
    out(&["convert", "--to", "wthor", "-o", text_of(&capitals), "-"], ggf.as_bytes(), 0);
    assert!(scratch.0.join("C.JOU").is_file() && scratch.0.join("C.TRN").is_file());
}

#[test]
fn turned_and_mirrored_games_and_boards_are_dropped() {
    let games = "f5d6c3\nf5 D6 c3\nd3c5f6\nf5f6\n1. e6 f4 2. c3\n";
    let output = run(&["dedup"], games.as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "f5d6c3\nf5f6\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 kept, 3 dropped"));
    let boards = "8/8/8/3ox3/3xxx2/8/8/8,o\n8/8/8/3ox3/2xxx3/8/8/8,o\n8/8/8/3ox3/3xxx2/8/8/8,x\n\
                  --------------------------XXX------XO--------------------------- O\n";
    let kept = out(&["dedup", "--json"], boards.as_bytes(), 0);
    let records: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Value> = records.iter().map(|record| &record["id"]).collect();
    assert_eq!(ids, [1, 2, 3], "{kept}");
    let positions = out(&["dedup", "--positions"], b"f5d6\nd3c5\nf5f6\n", 0);
    assert_eq!(positions.lines().count(), 2, "{positions}");
    assert!(told(&["dedup"], b"f5\nwhat\nf5\n", 1).contains("1 kept, 1 dropped, 1 failed"));
}

#[test]
fn collections_are_counted() {
    let text = format!("{GAME_OF_CASE_02}\nf5d6c3\ne6f4e3f6g5d6e7f5c5\n8/8/8/3ox3/3xo3/8/8/8,x\n");
    let found = stats(&[], text.as_bytes(), 0);
    let expected = [
        ("games", 3),
        ("boards", 1),
        ("positions", 3 + 1 + 60 + 3 + 9),
        ("moves", 72),
        ("finished", 2),
        ("black", 2),
        ("white", 0),
        ("unknown", 1),
        ("passes", 1),
        ("games_with_passes", 1),
        ("failed", 0),
    ];
    for (name, count) in expected {
        assert_eq!(found[name], count, "{name}");
    }
    assert_eq!(found["first_moves"], serde_json::json!({"d3": 1, "e6": 1, "f5": 1}));
    assert_eq!((&found["plies"]["min"], &found["plies"]["max"]), (&3.into(), &60.into()));
    assert_eq!(stats(&[], b"f5\nwhat\n", 1)["failed"], 1);
    assert!(out(&["stats"], b"f5d6\n", 0).contains("first moves"));
}

#[test]
fn the_last_board_of_a_game_is_asked_about_in_every_format() {
    for text in [
        GGF,
        "(;GM[2];B[fe];W[df];B[cc])",
        "1. f5 d6 2. c3",
        "+65-46+33:",
        "[Black \"x\"]\n\n1. f5 d6 2. c3 *\n",
    ] {
        let found = out(&["moves", "--json", "-"], text.as_bytes(), 0);
        let record: Value = serde_json::from_str(found.trim_end()).unwrap();
        assert_eq!(record["position"], "8/8/2x5/3xx3/3oxx2/3o4/8/8,o", "{text}");
    }
}

// ---------------------------------------------------------------------------------------------
// The reference shelf

/// Every file of the shelf but the database, with its games and single positions.
const SHELF: &[(&str, u64, u64)] = &[
    ("obf/fforum-1-19.obf", 0, 19),
    ("obf/fforum-20-39.obf", 0, 20),
    ("obf/fforum-40-59.obf", 0, 20),
    ("obf/fforum-60-79.obf", 0, 20),
    ("obf/hard-20.obf", 0, 138),
    ("obf/hard-25.obf", 0, 156),
    ("obf/hard-30.obf", 0, 145),
    ("obf/small-35.txt", 0, 30),
    ("xot/xot-small.txt", 3623, 0),
    ("xot/xot-large.txt", 10784, 0),
    ("wthor/nboard-test.WTB", 1, 0),
    ("ggf/ntest-TestGames.ggf", 12, 0),
    ("ggf/nboard-test.ggf", 1, 0),
    ("ggf/nboard-test2.ggf", 3, 0),
    ("misc/zebra-ffotest.scr", 0, 21),
    ("misc/zebra-openings.txt", 76, 0),
    ("misc/egaroucid-openings-boards.txt", 0, 71),
    ("misc/playstrategy.txt", 3, 0),
];

#[test]
fn every_file_of_the_shelf_is_read_and_counted() {
    let Some(folder) = shelf::find("data") else { return };
    for (name, games, boards) in SHELF {
        let file = folder.join(name);
        let found = stats(&[text_of(&file)], b"", 0);
        assert_eq!((&found["games"], &found["boards"]), (&(*games).into(), &(*boards).into()), "{name}");
    }
    for entry in fs::read_dir(folder.join("gpdb")).unwrap() {
        let file = entry.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        let n_lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
        // One of the files has lines that are wrong on purpose.
        let is_test = text_of(&file).ends_with("test-db.txt");
        let found = stats(&[text_of(&file)], b"", i32::from(is_test));
        let count = |name: &str| found[name].as_u64().unwrap() as usize;
        assert_eq!(count("boards") + count("failed"), n_lines, "{}", file.display());
        assert_eq!(count("failed") > 0, is_test, "{}", file.display());
    }
}

#[test]
fn every_move_of_the_first_ffo_positions_has_its_score() {
    let Some(folder) = shelf::find("data/obf") else { return };
    let text = fs::read_to_string(folder.join("fforum-1-19.obf")).unwrap();
    let lines: Vec<&str> = text.lines().take(3).collect();
    let solved = out(&["solve", "--all-moves", "--json"], lines.join("\n").as_bytes(), 0);
    assert_eq!(solved.lines().count(), lines.len());
    for (line, record) in lines.iter().zip(solved.lines()) {
        let record: Value = serde_json::from_str(record).unwrap();
        let mut found: Vec<(String, i64)> = record["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (entry["move"].as_str().unwrap().to_owned(), entry["score"].as_i64().unwrap()))
            .collect();
        let scores = line.split(';').skip(1).filter_map(|entry| entry.trim().split_once(':'));
        let mut listed: Vec<(String, i64)> =
            scores.map(|(at, score)| (at.to_lowercase(), score.parse().unwrap())).collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed, "{line}");
        assert_eq!(record["score"].as_i64(), listed.iter().map(|(_, score)| *score).max());
    }
}

/// The years of the database: all of them under `OUTFLANK_FULL=1`, otherwise some.
fn years() -> Option<Vec<PathBuf>> {
    let folder = shelf::find("data/wthor")?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wtb"));
    files.sort();
    if std::env::var_os("OUTFLANK_FULL").is_none() {
        files.retain(|file| ["1977", "1980", "2021"].iter().any(|year| text_of(file).contains(year)));
    }
    Some(files)
}

#[test]
fn the_database_goes_through_every_format_and_comes_back() {
    let Some(files) = years() else { return };
    let scratch = Scratch::new();
    for file in files {
        let original = fs::read(&file).unwrap();
        let copy = scratch.0.join("copy.wtb");
        out(&["convert", text_of(&file), "--to", "wthor", "-o", text_of(&copy)], b"", 0);
        assert!(fs::read(&copy).unwrap()[4..] == original[4..], "{}", file.display());
        for format in ["ggf", "sgf", "transcript"] {
            let written = out(&["convert", text_of(&file), "--to", format], b"", 0);
            let back = run(&["convert", "--to", "wthor", "-"], written.as_bytes()).stdout;
            assert_eq!(back.len(), original.len(), "{} {format}", file.display());
            let games = |bytes: &[u8]| -> Vec<Vec<u8>> {
                let game = |game: &[u8]| [&game[SCORE..=SCORE], &game[MOVES..]].concat();
                bytes[HEADER..].chunks_exact(GAME).map(game).collect()
            };
            assert!(games(&back) == games(&original), "{} {format}", file.display());
        }
    }
}

#[test]
fn players_of_the_database_have_names() {
    let Some(folder) = shelf::find("data/wthor") else { return };
    let file = folder.join("WTH_1999.wtb");
    let written = out(&["convert", text_of(&file), "--to", "pgn"], b"", 0);
    assert_eq!(written.matches("[Event ").count(), (522_596 - HEADER) / GAME);
    assert!(!written.contains("[Black \"?\"]") && written.contains("[Date \"1999\"]"));
}
