//! Files of every format as people have them: told by content, read in pieces of any size, written and
//! read back, and broken in every place.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use outflank_protocol::format::reader::{Entry, LONGEST_GAME, Reader, Reading};
use outflank_protocol::format::wthor::{GAME, HEADER, Header, MOVES, Record};
use outflank_protocol::format::{
    Content, FORMATS, FormatFault, by_name, ggf, lists, pgn, sgf, sniff, transcript,
};
use outflank_protocol::line::LONGEST_LINE;
use outflank_protocol::words::{GameText, HalfDiscs, MoveText, MoveWord, Side, ThorText};

fn entries_of(bytes: &[u8], piece: usize, reading: Reading) -> Vec<Entry> {
    let mut reader = Reader::new(reading);
    let mut entries = Vec::new();
    for part in bytes.chunks(piece) {
        reader.push(part, &mut entries);
    }
    reader.finish(&mut entries);
    entries
}

fn entries(bytes: &[u8]) -> Vec<Entry> {
    let reading = Reading { joins: true, ..Reading::default() };
    let whole = entries_of(bytes, 1 << 16, reading);
    for piece in [1, 7] {
        assert_eq!(entries_of(bytes, piece, reading), whole, "in pieces of {piece}");
    }
    whole
}

fn spelled(game: &GameText) -> String {
    let word = |word: &MoveWord| match word {
        MoveWord::Move(MoveText::Pass) => "--".to_owned(),
        MoveWord::Move(at) => at.to_string(),
        MoveWord::Unreadable(text) => format!("?{text}"),
    };
    game.moves.iter().map(|played| word(&played.word)).collect()
}

/// Line, format, and what it says: moves of a game, the token of a position, or an error.
fn told(bytes: &[u8]) -> Vec<(u64, &'static str, String)> {
    let said = |entry: Entry| {
        let text = match entry.content {
            Ok(Content::Game(game)) => spelled(&game),
            Ok(Content::Position(position)) => position.board.to_string(),
            Ok(Content::Names(..)) => "names".to_owned(),
            Err(fault) => format!("error: {fault}"),
        };
        (entry.line, entry.format, text)
    };
    entries(bytes).into_iter().map(said).collect()
}

fn game(text: &str) -> GameText {
    let mut found = entries(text.as_bytes());
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    match found.remove(0).content {
        Ok(Content::Game(game)) => *game,
        other => panic!("{text}: {other:?}"),
    }
}

const START: &str = "8/8/8/3ox3/3xo3/8/8/8,x";
const CELLS: &str = "---------------------------OX------XO---------------------------";
const GGF: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15]PB[a b]PW[c]RE[-2.00:r]TI[5:00]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5//1.5]W[d6/0.50/2]B[pass];)";
const QUARRY: &str = "(;GM[2]FF[4]\nCA[UTF-8]\nAP[Quarry:0.2.0]\nSZ[8]\nPB[one]\nPW[two]\nRE[B+36]\n;B[ef];W[ff];B[fe]\n)\n";
const EDAX_SGF: &str = "(;FF[4]GM[2]AP[edax:4.6]PB[x\\]y]SZ[8]AB[d5][e4]AW[d4][e5]PL[B]RE[W+R];B[f5]C[good (;) move];W[d6](;B[PA];W[c3])(;B[a1]))";
const PLAYOK: &str = "[Event \"?\"]\n[Site \"PlayOK\"]\n[Date \"2024.01.02\"]\n[Black \"one\"]\n[White \"two\"]\n[Result \"0-1\"]\n\n1. E6 f6 2. F5 d6 {a remark} 3. D7\n f7 (3... c3) 4. -- e7! 0-1\n";

fn thor_file() -> Vec<u8> {
    let header =
        Header { made: [20, 26, 1, 2], n_games: 2, year: 1999, size: 8, depth: 24, ..Header::default() };
    let mut moves = [0; MOVES];
    moves[..4].copy_from_slice(&[56, 66, 65, 46]);
    let numbers =
        ThorText { tournament: 1, black: 2, white: 3, discs: 40, best: 38, depth: 24, year: 1999 };
    let record = Record { numbers, moves }.bytes();
    [&header.bytes()[..], &record[..], &record[..]].concat()
}

/// One small file of each format, with the number of its entries.
fn corpus() -> Vec<(&'static str, Vec<u8>, usize)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("wthor", thor_file(), 2),
        ("ggf", text(&format!("2 {GGF}{GGF}\r\n{GGF}")), 3),
        ("sgf", text(&format!("{QUARRY}{EDAX_SGF}")), 2),
        ("pgn", text(&format!("{PLAYOK}\n{PLAYOK}")), 2),
        ("record", text(&format!("rp1 othello {START} f5d6--c3 xr px=A%20B seed=7\n")), 1),
        (
            "quest",
            text(
                "{\"id\":1,\"position\":{\"moves\":[{\"m\":\"f5\",\"s\":12},{\"m\":\"-\"},{\"m\": \"d6\"}]}}\n",
            ),
            1,
        ),
        ("cassio", text(&format!("ENGINE-PROTOCOL midgame-search {CELLS}X -64.0 64.0 8 100\n")), 1),
        ("ios", text("+65-66+56-46:+12\n"), 1),
        (
            "egaroucid",
            text("...........................10......010.......1.................. Diagonal Opening\n"),
            1,
        ),
        (
            "gpdb",
            text(
                "# remarks\nffo-39;w.wwww..bwbbwb..bwwwbbb.bwwwbb..bwwbwb..bwbbb...b.bb............;w;FFO position 39.;\n",
            ),
            1,
        ),
        (
            "fen",
            text(
                "8/8/8/3bw3/3wb3/8/8/8 b\n8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1\n8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1\n",
            ),
            3,
        ),
        ("token", text(&format!("{START}\n")), 1),
        ("obf", text(&format!("% FFO\n{CELLS} X; F5:+0; D3:-2; --:-127;\n")), 1),
        ("board", text(&format!("{CELLS} X\n4x4:-----ox--xo----- x\n")), 2),
        ("zebra", text("2\nC4c3          Diagonal Opening\nC4c3D3c5B2    X-square Opening\n"), 2),
        ("transcript", text("F5d6 c3 PA -- g5\n1. e6 f6\n2. f5 d6\n3. d7\nf5d6c3 % x40:24\n"), 3),
    ]
}

#[test]
fn every_format_is_told_by_its_content() {
    let corpus = corpus();
    for (name, bytes, n_entries) in &corpus {
        assert_eq!(sniff(bytes).map(|row| row.name), Some(*name));
        let found = entries(bytes);
        assert_eq!(found.len(), *n_entries, "{name}: {found:?}");
        for entry in &found {
            assert_eq!((entry.format, entry.content.is_ok()), (*name, true), "{entry:?}");
        }
        // With the other line ends, a byte order mark, and without the last line end.
        if *name != "wthor" {
            let text = String::from_utf8(bytes.clone()).unwrap().replace("\r\n", "\n");
            let marked = format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"));
            let contents =
                |entries: Vec<Entry>| -> Vec<_> { entries.into_iter().map(|e| e.content).collect() };
            assert_eq!(contents(entries(marked.as_bytes())), contents(found), "{name}");
        }
    }
    let with_samples: Vec<&str> = corpus.iter().map(|(name, ..)| *name).collect();
    for row in FORMATS.iter().filter(|row| !row.name.starts_with("fen-")) {
        assert!(with_samples.contains(&row.name), "{} has no sample here", row.name);
    }
}

#[test]
fn a_file_may_mix_formats() {
    let text = format!("f5\n{GGF} {GGF}\n\n{START}\n{PLAYOK}\n{QUARRY}what is this\n{CELLS} X\n");
    let found = told(text.as_bytes());
    let formats: Vec<_> = found.iter().map(|(line, format, _)| (*line, *format)).collect();
    assert_eq!(
        formats,
        [
            (1, "transcript"),
            (2, "ggf"),
            (2, "ggf"),
            (4, "token"),
            (5, "pgn"),
            (15, "sgf"),
            (24, "transcript"),
            (25, "board")
        ]
    );
    let items: Vec<_> = entries(text.as_bytes()).iter().map(|entry| entry.item).collect();
    assert_eq!(items, [None, Some(1), Some(2), None, None, None, None, None]);
    assert!(found[6].2.starts_with("error: neither"), "{found:?}");
    assert_eq!(found[4].2, "e6f6f5d6d7f7--e7");
}

#[test]
fn games_of_playok_have_names_date_and_result() {
    let game = game(PLAYOK);
    assert_eq!((game.black.name.as_str(), game.white.name.as_str()), ("one", "two"));
    assert_eq!(game.about.place.as_deref(), Some("PlayOK"));
    assert_eq!(game.about.date.as_deref(), Some("2024.01.02"));
    assert_eq!(game.about.event, None);
    assert_eq!(game.about.outcome.unwrap().winner, Some(Side::White));
    assert_eq!(game.about.remarks, [(4, "a remark".to_owned())]);
}

#[test]
fn both_spellings_of_sgf_are_read_value_by_value() {
    let quarry = game(QUARRY);
    assert_eq!(spelled(&quarry), "e6f6f5");
    assert_eq!((quarry.start, quarry.about.outcome.unwrap().margin), (None, Some(HalfDiscs(72))));
    let edax = game(EDAX_SGF);
    assert_eq!(spelled(&edax), "f5d6--c3");
    assert_eq!(edax.start.unwrap().to_string(), START);
    assert_eq!(edax.black.name, "x]y");
    assert_eq!(edax.about.remarks, [(1, "good (;) move".to_owned())]);
    let mixed = game("(;GM[2]SZ[10:4];B[f4];W[jd];B[];W[tt];B[zz])");
    assert_eq!(spelled(&mixed), "f4j4----?zz");
    assert_eq!(mixed.variant.unwrap().to_string(), "10x4");
    // GoGui saves games of every kind as if they were Go, rows from below.
    let gogui = game("(;FF[4]CA[UTF-8]AP[gogui-twogtp:1.5]SZ[8]KM[0];B[fe];W[ah];B[])");
    assert_eq!(spelled(&gogui), "f4a1--");
    assert!(told(b"(;GM[1]SZ[8];B[aa])")[0].2.contains("GM[1] is another game"));
    assert!(told(b"(;GM[2]SZ[99];B[aa])")[0].2.contains("SZ[99]"));
    assert!(told(b"(;GM[2];B[aa]")[0].2.contains("the text ends"));
}

#[test]
fn a_game_that_quarry_saved_is_read_whole() {
    let game = game(include_str!("../samples/quarry.sgf"));
    assert_eq!(game.moves.len(), 60);
    assert!(spelled(&game).starts_with("e6f6f5f4e3c5c4f2"), "{}", spelled(&game));
    assert!(spelled(&game).ends_with("f7g7h8h7"), "{}", spelled(&game));
    assert_eq!((game.black.name.as_str(), game.white.name.as_str()), ("GTP GRhino 0.16.1", "human"));
    assert_eq!(game.tags, [("AP".to_owned(), "Quarry:0.2.0".to_owned())]);
}

#[test]
fn boards_with_digits_have_the_side_their_discs_tell() {
    let found = told(corpus()[8].1.as_slice());
    assert_eq!(found[0].2, "8/8/8/3ox3/3xox2/5o2/8/8,x");
}

#[test]
fn codes_of_ios_have_the_column_first() {
    let ios = game("+65-66+56-46:+12");
    assert_eq!(spelled(&ios), "f5f6e6d6");
    assert_eq!(ios.moves[1].side, Some(Side::White));
    assert_eq!(ios.about.outcome.unwrap().margin, Some(HalfDiscs(24)));
}

#[test]
fn letters_that_two_programs_read_differently_are_not_guessed() {
    let found = told(corpus()[10].1.as_slice());
    let mirrored = "8/8/8/3xo3/3ox3/8/8/8,x";
    assert_eq!(
        (found[0].2.as_str(), found[1].2.as_str(), found[2].2.as_str()),
        (START, START, mirrored)
    );
    let told_of = told(b"8/8/8/3pP3/3Pp3/8/8/8 w");
    assert!(told_of[0].2.contains("fen-edax or fen-fairy"), "{told_of:?}");
    let row = by_name("fen-edax");
    let read = entries_of(b"8/8/8/3pP3/3Pp3/8/8/8 b", 9, Reading { format: row, joins: false });
    assert!(read[0].content.is_ok());
}

#[test]
fn a_board_may_have_moves_behind_it() {
    let game = game(&format!("{CELLS} X;f5d6"));
    assert_eq!((spelled(&game).as_str(), game.start.unwrap().to_string().as_str()), ("f5d6", START));
}

#[test]
fn lines_of_numbered_moves_are_joined_where_nobody_waits() {
    let text = b"1. E6 f6 2. F5 d6\r\n3. D7 f7\r\n4. E7\r\n1. f5\n7. a1\n";
    let found = told(text);
    assert_eq!(found[0], (1, "transcript", "e6f6f5d6d7f7e7".to_owned()));
    assert_eq!(found[1], (4, "transcript", "f5a1".to_owned()));
    let piped = entries_of(text, 5, Reading::default());
    assert_eq!(piped.len(), 5);
    assert_eq!(piped[1].content, Err(FormatFault::MoveNumber { number: 3 }));
}

#[test]
fn a_game_without_an_end_does_not_swallow_the_next() {
    let text = format!("(;GM[Othello]PB[a\n{GGF}\n(;GM[2];B[ef]\n{QUARRY}");
    let found = told(text.as_bytes());
    let good: Vec<bool> = found.iter().map(|(_, _, text)| !text.starts_with("error")).collect();
    assert_eq!(good, [false, true, false, true], "{found:?}");
}

#[test]
fn a_list_that_is_shorter_than_it_says_is_told_of() {
    let found = told(b"3\nC4c3 Diagonal Opening\nC4c3D3c5B2 X-square Opening\n");
    assert_eq!(found.len(), 3);
    assert_eq!(found[2].0, 1);
    assert!(found[2].2.contains("3 openings, and it has 2"), "{found:?}");
}

#[test]
fn names_of_old_files_are_latin1() {
    let found = entries(b"(;GM[Othello]TY[8]PB[Andr\xe9]PW[Ren\xe9e]B[f5];)\n");
    let Ok(Content::Game(game)) = &found[0].content else { panic!("{found:?}") };
    assert_eq!((game.black.name.as_str(), game.white.name.as_str()), ("Andr\u{e9}", "Ren\u{e9}e"));
}

#[test]
fn binary_files_say_what_is_wrong_with_them() {
    let fault = |bytes: &[u8]| told(bytes).last().unwrap().2.clone();
    let file = thor_file();
    assert!(fault(&file[..HEADER + GAME + 5]).contains("2 games, and the file ends after 1"));
    assert!(fault(&[&file[..], b"more"].concat()).contains("4 bytes behind"));
    assert!(fault(&file[..9]).contains("9 bytes"));
    let mut ten = file.clone();
    ten[12] = 10;
    assert!(fault(&ten).contains("10x10"));
    let mut odd = file;
    odd[HEADER + 8] = 99;
    let found = told(&odd);
    assert!(found[0].2.contains("game 1: item 1 '99'"), "{found:?}");
    assert_eq!(found[1].2, "f5f6e6f4");
}

#[test]
fn whatever_a_file_is_broken_to_it_is_read_to_its_end() {
    for (name, bytes, _) in corpus() {
        for end in 0..bytes.len() {
            entries_of(&bytes[..end], 1 << 16, Reading::default());
            let forced = Reading { format: by_name(name), joins: true };
            entries_of(&bytes[..end], 1 << 16, forced);
        }
        for at in 0..bytes.len() {
            for byte in [0, b'\n', b'[', b']', b'(', b')', b';', b'"', b'9', b'/', 0xff, bytes[at] ^ 1] {
                let mut changed = bytes.clone();
                changed[at] = byte;
                entries_of(&changed, 1 << 16, Reading { format: None, joins: true });
            }
        }
    }
}

#[test]
fn every_format_may_be_forced_upon_every_text() {
    for row in FORMATS {
        for (_, bytes, _) in corpus() {
            entries_of(&bytes, 13, Reading { format: Some(row), joins: true });
        }
    }
}

#[test]
fn a_line_of_a_gigabyte_is_not_held() {
    let mut reader = Reader::new(Reading::default());
    let mut entries = Vec::new();
    let piece = vec![b'f'; 1 << 20];
    for _ in 0..1024 {
        reader.push(&piece, &mut entries);
        assert!(entries.is_empty());
    }
    // What a reader holds is seen in how it is written for debugging.
    assert!(format!("{reader:?}").len() < 8 * LONGEST_LINE);
    reader.push(b"\nf5d6\n", &mut entries);
    assert_eq!(entries.len(), 2);
    assert!(matches!(entries[0].content, Err(FormatFault::Line(_))));
    assert!(entries[1].content.is_ok());
}

#[test]
fn a_game_without_an_end_is_not_held_either() {
    for head in ["(;GM[Othello]PB[x]\n", "[Event \"x\"]\n", "(;GM[2]C[", "(;GM[2]"] {
        let mut reader = Reader::new(Reading { joins: true, format: None });
        let mut entries = Vec::new();
        reader.push(head.as_bytes(), &mut entries);
        let line = format!("{}\n", "ab ".repeat(1000));
        for _ in 0..5 * LONGEST_GAME / line.len() {
            reader.push(line.as_bytes(), &mut entries);
        }
        assert_eq!(entries.len(), 1, "{head}");
        assert_eq!(entries[0].content, Err(FormatFault::TooLong { longest: LONGEST_GAME }));
        reader.push(format!("\n\n{GGF}\n").as_bytes(), &mut entries);
        reader.finish(&mut entries);
        assert!(entries.last().unwrap().content.is_ok(), "{head}");
    }
}

#[test]
fn games_are_read_as_they_are_written() {
    let mut source = game(GGF);
    source.about.remarks.clear();
    let written = ggf::write(&source).unwrap();
    assert_eq!(game(&written), source, "{written}");

    let mut moves = game("f5d6c3");
    for (index, played) in moves.moves.iter_mut().enumerate() {
        played.side = Some(if index % 2 == 0 { Side::Black } else { Side::White });
        played.value = Some(index as f64 * 0.5);
    }
    moves.black.name = "a]b\\c".to_owned();
    moves.about.event = Some("\u{30aa}\u{30bb}\u{30ed}".to_owned());
    moves.about.remarks = vec![(2, "(a [remark])".to_owned())];
    let written = sgf::write(&moves).unwrap();
    let read = game(&written);
    assert_eq!(written, sgf::write(&read).unwrap());
    assert_eq!((&read.black, &read.moves, &read.about), (&moves.black, &moves.moves, &moves.about));

    let mut tagged = game(PLAYOK);
    tagged.black.name = "a \"b\" \\ c".to_owned();
    let written = pgn::write(&tagged).unwrap();
    assert_eq!(game(&written), tagged, "{written}");

    for line in ["f5d6c3", "f5d6c3 % x40:24", "f5d6 % or"] {
        assert_eq!(transcript::write(&game(line)).unwrap(), line);
    }
    let obf = format!("{CELLS} X; F5:+0; D3:-2; +4; % a name");
    let found = entries(obf.as_bytes());
    let Ok(Content::Position(position)) = &found[0].content else { panic!("{found:?}") };
    assert_eq!(lists::obf(position).unwrap(), obf);
}
