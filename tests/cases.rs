//! Acceptance cases that come from public bug reports of Othello programs, run on the binary.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::process::Engine;

const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";
const EIGHT: [&str; 8] = ["b d3", "w c3", "b e6", "w d2", "b d1", "w e1", "b b2", "w c1"];
const GAME: &str = "d3c3e6d2d1e1b2c1a3a1b4b3d6b5f4e3f3e2a5g5b6b7f5f6c7g3h3c2e7c5h5d7g6e8f2h7g4g2f7h6g7f8a4c4h8a7g1f1a2h4c6b1c8h1b8g8d8a6h2a8";
const GAME_END: &str = "XXXXXXXXXXXXXXXOXXOXOXOOXXXXXOXXXXOXOXXOXXXOOOXOXXOOOXXOXOOOOOOO";

fn ggf(moves: &str) -> String {
    format!("(;GM[Othello]PC[test]PB[one]PW[two]RE[?]TI[5:00]TY[8]{START}{moves};)")
}

fn tags(words: &[&str]) -> String {
    let mut side = ["B", "W"].iter().cycle();
    words.iter().map(|word| format!("{}[{}]", side.next().unwrap(), word.to_uppercase())).collect()
}

fn nboard_move(engine: &mut Engine) -> String {
    let line = engine.until(|line| line.starts_with("=== ")).pop().unwrap();
    line["=== ".len()..].split('/').next().unwrap().to_lowercase()
}

fn is_one_of(found: &str, legal: &[&str]) -> bool {
    legal.contains(&found.trim_start_matches("= ").to_lowercase().as_str())
}

fn eight_in_gtp(engine: &mut Engine) {
    assert_eq!(engine.gtp("clear_board"), "=");
    for play in EIGHT {
        assert_eq!(engine.gtp(&format!("play {play}")), "=", "play {play}");
    }
}

// ------------------------------------------------------------------------------------------------
// 01: a loaded game that ends with a pass

#[test]
fn nboard_asks_the_right_side_after_a_trailing_pass() {
    let moves = tags(&["d3", "c3", "e6", "d2", "d1", "e1", "b2", "c1", "pa"]);
    let mut engine = Engine::start(&[]);
    engine.send("nboard 2");
    engine.send("set depth 6");
    engine.send(&format!("set game {}", ggf(&moves)));
    engine.send("ping 1");
    engine.until(|line| line == "pong 1");
    engine.send("go");
    assert!(is_one_of(&nboard_move(&mut engine), &["a3", "b4", "d6"]), "{}", engine.told());
}

#[test]
fn nboard_offers_the_pass_that_is_due() {
    let moves = tags(&["d3", "c3", "e6", "d2", "d1", "e1", "b2", "c1"]);
    let mut engine = Engine::start(&[]);
    for line in ["nboard 2", "set depth 6", &format!("set game {}", ggf(&moves)), "ping 2"] {
        engine.send(line);
    }
    engine.until(|line| line == "pong 2");
    engine.send("hint 3");
    engine.send("ping 3");
    for line in engine.until(|line| line == "pong 3") {
        if let Some(rest) = line.strip_prefix("search ") {
            assert!(rest.starts_with("PA"), "{line}");
            let value = rest.split_whitespace().nth(1).unwrap();
            assert!(value.split(',').all(|v| v.parse::<f64>().is_ok_and(f64::is_finite)), "{line}");
        }
    }
    engine.send("go");
    assert_eq!(nboard_move(&mut engine), "pa");
}

#[test]
fn gtp_passes_may_be_written_or_left_out() {
    let mut engine = Engine::start(&[]);
    eight_in_gtp(&mut engine);
    assert_eq!(engine.gtp("genmove b"), "= pass");
    assert!(is_one_of(&engine.gtp("genmove w"), &["a3", "b4", "d6"]));
    eight_in_gtp(&mut engine);
    assert_eq!(engine.gtp("play b pass"), "=");
    assert!(is_one_of(&engine.gtp("genmove w"), &["a3", "b4", "d6"]));
    eight_in_gtp(&mut engine);
    assert!(is_one_of(&engine.gtp("genmove w"), &["a3", "b4", "d6"]));
}

#[test]
fn native_offers_only_the_pass() {
    let mut engine = Engine::start(&[]);
    engine.send("set autopass=off");
    engine.until(|line| line.starts_with("ok"));
    engine.send("line --OOO----X-O------XX-------XX------XX-------X------------------- X");
    engine.until(|line| line.starts_with("ok"));
    engine.send("moves");
    assert_eq!(engine.line(), "ok n=0 side=x");
    engine.send("play a3");
    assert!(engine.line().starts_with("err no_move sq=a3 legal=-"));
    engine.send("pass");
    assert!(engine.line().starts_with("+ pass x reason=no_move"));
    engine.until(|line| line.starts_with("ok"));
    engine.send("moves");
    let legal: Vec<String> = engine
        .until(|line| line.starts_with("ok"))
        .iter()
        .filter_map(|line| line.strip_prefix("+ legal ").map(|rest| rest[..2].to_owned()))
        .collect();
    assert_eq!(legal, ["a3", "b4", "d6"]);
}

// ------------------------------------------------------------------------------------------------
// 02: transcripts with and without written passes, undo across a pass

#[test]
fn four_spellings_of_one_game_end_the_same() {
    let with_pass = GAME.replacen("c1a3", "c1PAa3", 1);
    let spaced: String = with_pass
        .replace("PA", "--")
        .as_bytes()
        .chunks(2)
        .map(|pair| String::from_utf8_lossy(pair).replace("--", "pass") + " ")
        .collect();
    for spelling in [GAME, &with_pass, &spaced] {
        let mut engine = Engine::start(&["--protocol", "native"]);
        engine.send(&format!("replay {spelling}"));
        let state =
            engine.until(|line| line.starts_with("ok") || line.starts_with("err")).pop().unwrap();
        assert!(
            state.contains("count=40:24 over=1 reason=score winner=x official=40:24 margin=16"),
            "{state}"
        );
        engine.send("log");
        let log = engine.until(|line| line.starts_with("ok"));
        assert_eq!(log.last().map(String::as_str), Some("ok n=61"), "60 discs and one pass");
        engine.send("show");
        let rows: String = engine
            .until(|line| line.starts_with("ok"))
            .iter()
            .filter_map(|line| line.strip_prefix("+ row ")?.split(' ').nth(1).map(str::to_uppercase))
            .collect();
        assert_eq!(rows, GAME_END);
        engine.send("record");
        let record = engine.line();
        let record = record.strip_prefix("+ record ").expect("a record").to_owned();
        engine.line();
        engine.send(&format!("replay {record}"));
        let again =
            engine.until(|line| line.starts_with("ok") || line.starts_with("err")).pop().unwrap();
        assert_eq!(again, state, "{record}");
    }
}

#[test]
fn the_game_is_loaded_from_ggf_and_over_gtp() {
    let mut words: Vec<&str> = (0..GAME.len() / 2).map(|at| &GAME[2 * at..2 * at + 2]).collect();
    let mut gtp = Engine::start(&[]);
    gtp.gtp("clear_board");
    let mut sides: Vec<&str> = ["b", "w"].iter().copied().cycle().take(61).collect();
    sides.remove(8);
    for (side, word) in sides.iter().zip(&words) {
        assert_eq!(gtp.gtp(&format!("play {side} {word}")), "=", "{}", gtp.told());
    }
    assert_eq!(gtp.gtp("final_score"), "= B+16");
    words.insert(8, "pa");
    let mut nboard = Engine::start(&[]);
    nboard.send("nboard 2");
    nboard.send(&format!("set game {}", ggf(&tags(&words))));
    nboard.send("go");
    let line = nboard.until(|line| line.starts_with("===") || line.contains("game")).pop().unwrap();
    assert!(line.to_uppercase().contains("PA") || line.contains("over"), "{line}");
}

#[test]
fn gtp_undo_steps_over_a_written_pass_and_back() {
    let mut engine = Engine::start(&[]);
    eight_in_gtp(&mut engine);
    assert_eq!(engine.gtp("play b pass"), "=");
    assert_eq!(engine.gtp("play w a3"), "=");
    assert_eq!(engine.gtp("undo"), "=");
    assert!(is_one_of(&engine.gtp("genmove w"), &["a3", "b4", "d6"]));
    assert_eq!(engine.gtp("undo"), "=");
    assert_eq!(engine.gtp("undo"), "=");
    assert_eq!(engine.gtp("genmove b"), "= pass");
    assert_eq!(engine.gtp("undo"), "=");
    assert_eq!(engine.gtp("undo"), "=");
    assert_eq!(engine.gtp("play w c1"), "=");
}

#[test]
fn a_pass_that_is_not_forced_is_refused() {
    let mut engine = Engine::start(&[]);
    engine.gtp("clear_board");
    assert!(engine.gtp("play b pass").starts_with("? "));
    assert!(is_one_of(&engine.gtp("genmove b"), &["d3", "c4", "f5", "e6"]));
}

// ------------------------------------------------------------------------------------------------
// 03: a wrong transcript is refused with item number and reason

#[test]
fn a_wrong_transcript_is_refused_by_item_and_changes_nothing() {
    let many = "f5".repeat(100_000);
    let cases: &[(&str, u32, &str)] = &[
        ("d3d4d5", 2, "square_taken"),
        ("f5f5", 2, "square_taken"),
        ("f5a1", 2, "no_flip"),
        ("f5z9", 2, "bad_square"),
        ("f5d9", 2, "bad_square|off_board"),
        ("f50d", 1, "bad_square"),
        ("f5d", 2, "bad_square"),
        ("e6f4e3f6g5d6e7f5c5a1", 10, "game_over"),
        ("f5PAd6", 2, "has_move"),
        ("f5d6??c3", 3, "bad_square"),
        (&many, 2, "square_taken"),
    ];
    let mut engine = Engine::start(&["--protocol", "native"]);
    engine.send("play f5 d6 c3");
    engine.until(|line| line.starts_with("ok"));
    for (moves, item, codes) in cases {
        engine.send(&format!("replay {moves}"));
        let line = engine.line();
        let code = line.split(' ').nth(1).unwrap_or_default();
        assert!(codes.split('|').any(|c| c == code), "{line}");
        // `f50d` may also be read as `f5` and something that is no square.
        assert!(line.contains(&format!("item={item} ")) || line.contains("item=2 "), "{line}");
        assert!(line.len() < 1000);
    }
    engine.send("status");
    assert!(engine.line().contains("8/8/2x5/3xx3/3xxx2/3o4/8/8,o") || engine.told().contains(",o "));
    engine.send("go movetime=50");
    let best = engine.until(|line| line.starts_with("! best")).pop().unwrap();
    assert!(!best.contains("none") && !best.contains("failed"), "{best}");
}

#[test]
fn the_drawn_game_with_an_unwritten_pass_loads() {
    let drawn = "D3C5F6F5F4C3C4D2E2B4D1F3B5E3F2F1A4D6E6E7F7B6E8C6B3A5D7A3E1A6G1A2C2C7B8D8C8G8G6H6G5H5G4H4H3G7H8F8H7A8A7B7A1B2G3G2H2H1C1B1";
    let mut engine = Engine::start(&["--protocol", "native"]);
    engine.send(&format!("replay {drawn}"));
    let state = engine.until(|line| line.starts_with("ok") || line.starts_with("err")).pop().unwrap();
    assert!(state.contains("reason=tie winner=none official=32:32 margin=0"), "{state}");
}

// ------------------------------------------------------------------------------------------------
// 04: pipes

fn run_with_input(arguments: &[&str], input: &[u8]) -> (Vec<u8>, Option<i32>) {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_outflank"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().unwrap().write_all(input).expect("the engine reads");
    let output = child.wait_with_output().expect("the engine ends");
    (output.stdout, output.status.code())
}

#[test]
fn an_answer_comes_while_input_stays_open_and_eof_ends_the_engine() {
    for (ask, answer) in [(&["name"][..], "= outflank"), (&["nboard 2", "ping 1"][..], "pong 1")] {
        let mut engine = Engine::start(&[]);
        for line in ask {
            engine.send(line);
        }
        engine.until(|line| line.starts_with(answer));
        engine.close_input();
        assert!(engine.exit(Duration::from_secs(10)).success());
    }
}

#[test]
fn end_of_input_ends_a_deep_search() {
    let deep: [&[&str]; 3] = [
        &["outflank-set level 60", "genmove b"],
        &["nboard 2", "set depth 60", "hint 3"],
        &["rp 1", "go infinite"],
    ];
    for lines in deep {
        let mut engine = Engine::start(&[]);
        for line in lines {
            engine.send(line);
        }
        let begun = Instant::now();
        assert!(engine.exit(Duration::from_secs(20)).success(), "{lines:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{lines:?} ran on");
    }
}

#[test]
fn commands_sent_all_at_once_are_answered_in_order() {
    let (out, code) =
        run_with_input(&[], b"1 name\n2 boardsize 8\n3 clear_board\n4 genmove b\n5 quit\n");
    let text = String::from_utf8(out).unwrap();
    let ids: Vec<&str> = text
        .split("\n\n")
        .filter(|reply| !reply.trim().is_empty())
        .map(|reply| reply.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(ids, ["=1", "=2", "=3", "=4", "=5"], "{text}");
    assert_eq!(code, Some(0));
}

#[test]
fn the_last_line_needs_no_line_end_and_no_input_is_fine() {
    let (out, code) = run_with_input(&[], b"1 name");
    assert!(out.starts_with(b"=1"), "{out:?}");
    assert_eq!(code, Some(0));
    let (out, code) = run_with_input(&[], b"");
    assert_eq!((out.as_slice(), code), (&b""[..], Some(0)));
}

#[test]
fn a_reader_that_goes_away_ends_the_engine_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_outflank"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    {
        use std::io::Write;
        let stdin = child.stdin.as_mut().unwrap();
        stdin.write_all(b"nboard 2\nset depth 8\nhint 3\n").unwrap();
    }
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}

// ------------------------------------------------------------------------------------------------
// 06: text forms in a protocol session

#[test]
fn carriage_returns_and_byte_order_marks_do_no_harm() {
    let (out, code) =
        run_with_input(&[], b"\xEF\xBB\xBFname\r\nclear_board\r\nplay b f5\r\ngenmove w\r\nquit\r\n");
    let text = String::from_utf8(out).unwrap();
    let replies: Vec<&str> =
        text.split("\n\n").map(str::trim).filter(|reply| !reply.is_empty()).collect();
    assert_eq!(replies.len(), 5, "{text}");
    assert_eq!(&replies[..3], ["= outflank", "=", "="]);
    assert!(is_one_of(replies[3], &["d6", "f6", "f4"]), "{text}");
    assert!(!text.contains('\r'));
    assert_eq!(code, Some(0));
}

#[test]
fn numbered_and_spaced_moves_are_the_same_game() {
    let game = "e6f6f5d6d7f7e7f4g6h5g8g7f3g4g5h6c6f2h7b7f1d8h4h8c8e8c7f8a6a7b6g2d3a5b8e2a8d2c2h3d1e3g3c5a4c4e1c1b4b3b5h2b1a3a2b2g1c3";
    let pairs: Vec<&str> = (0..game.len() / 2).map(|at| &game[2 * at..2 * at + 2]).collect();
    let numbered: String = pairs
        .chunks(2)
        .enumerate()
        .map(|(index, pair)| format!("{}. {} {} ", index + 1, pair[0].to_uppercase(), pair[1]))
        .collect();
    let spaced = format!("  {}\t ", pairs.join(" \t ").to_uppercase());
    for spelling in [game, &numbered, &spaced] {
        let mut engine = Engine::start(&["--protocol", "native"]);
        engine.send(&format!("replay {spelling}"));
        let state =
            engine.until(|line| line.starts_with("ok") || line.starts_with("err")).pop().unwrap();
        assert!(
            state.contains("count=29:33 over=1 reason=score winner=o official=29:35 margin=6"),
            "{state}"
        );
    }
}

// ------------------------------------------------------------------------------------------------
// 05 and 06 on the command line

fn outflank(arguments: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_outflank")).args(arguments).output().expect("it runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn leaf_counts_do_not_depend_on_how_a_position_is_turned_or_coloured() {
    let board = "--OOO----X-O------XX-------XX------XX-------X-------------------";
    let squares: Vec<char> = board.chars().collect();
    for symmetry in 0..8 {
        for swap in [false, true] {
            let image: String = (0..64)
                .map(|at| {
                    let (mut row, mut column) = (at / 8, at % 8);
                    if symmetry & 1 != 0 {
                        row = 7 - row;
                    }
                    if symmetry & 2 != 0 {
                        column = 7 - column;
                    }
                    if symmetry & 4 != 0 {
                        (row, column) = (column, row);
                    }
                    match (squares[8 * row + column], swap) {
                        ('X', true) => 'O',
                        ('O', true) => 'X',
                        (cell, _) => cell,
                    }
                })
                .collect();
            let position = format!("{image} {}", if swap { 'O' } else { 'X' });
            for (convention, leaves) in [("ply", "3070"), ("free", "22278")] {
                let (text, code) = outflank(&["perft", "6", "--pass", convention, "--", &position]);
                assert_eq!(
                    (text.split(' ').nth(1), code),
                    (Some(leaves), Some(0)),
                    "{position} {convention}"
                );
            }
        }
    }
}

#[test]
fn files_that_people_paste_hold_the_same_game() {
    let game = "e6f6f5d6d7f7e7f4g6h5g8g7f3g4g5h6c6f2h7b7f1d8h4h8c8e8c7f8a6a7b6g2d3a5b8e2a8d2c2h3d1e3g3c5a4c4e1c1b4b3b5h2b1a3a2b2g1c3";
    let pairs: Vec<&str> = (0..game.len() / 2).map(|at| &game[2 * at..2 * at + 2]).collect();
    let numbered: Vec<String> = pairs
        .chunks(2)
        .enumerate()
        .map(|(index, pair)| format!("{}. {} {}", index + 1, pair[0].to_uppercase(), pair[1]))
        .collect();
    let over_lines: Vec<String> = numbered.chunks(5).map(|chunk| chunk.join(" ")).collect();
    assert_eq!(over_lines.len(), 6);
    let record = ggf(&tags(&pairs));
    let over_lines_ggf = record.replace("]W[", "]\nW[");
    let files = [
        (format!("{game}\n"), 1),
        (format!("{game}\r\n{game}"), 2),
        (format!("\u{feff}{game}\r\n"), 1),
        (format!("  {}\t\n", pairs.join(" \t").to_uppercase()), 1),
        (format!("{}\nf5d6\n", over_lines.join("\n")), 1),
        (format!("{record}\n"), 1),
        (format!("{over_lines_ggf}\n"), 1),
        (format!("{record}{record}\n"), 2),
    ];
    let path = std::env::temp_dir().join(format!("outflank-case-06-{}", std::process::id()));
    for (content, n_games) in &files {
        std::fs::write(&path, content).expect("a file can be written");
        let (text, code) = outflank(&["moves", "--json", path.to_str().expect("a plain path")]);
        let records: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(code, Some(0), "{content}\n{text}");
        for record in &records[..*n_games] {
            assert_eq!(
                (&record["count"]["x"], &record["count"]["o"]),
                (&29.into(), &33.into()),
                "{content}"
            );
            assert_eq!(record["official"]["o"].as_f64(), Some(35.0), "{content}\n{record}");
        }
    }
    // Text around a game is named by its line, and what is no game is not half read.
    std::fs::write(&path, format!("Game 12 one vs two 2024-01-01\n{game}\n")).expect("written");
    let (text, code) = outflank(&["moves", "--json", path.to_str().expect("a plain path")]);
    let first: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("a record")).expect("JSON");
    assert_eq!((&first["id"], first["error"].is_string(), code), (&1.into(), true, Some(1)), "{text}");
    std::fs::remove_file(&path).expect("the file is ours");
}
