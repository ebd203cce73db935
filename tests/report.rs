//! Analyses of games: what the values are, that they hold together, and how they are told.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use outflank::engine::analysis::{Effort, Ended, final_centidiscs};
use outflank::engine::native::{NativeEngine, exact_from};
use outflank::engine::{Choice, Limits, StopFlag};
use outflank::record;
use outflank::report::html::{ReportHead, html_report};
use outflank::report::read::{Entry, Reader};
use outflank::report::row::Id;
use outflank::report::table::table;
use outflank::report::{Analysis, Grade, analyze};
use outflank::rules::{
    BySide, Game, Setup, Side, SplitMix64, Square, State, Symmetry, Variant, VariantSpec, by_name,
};
use outflank_protocol::position::{read_line_form, read_token};
use outflank_protocol::variant::read_variant;
use serde_json::Value;

use crate::support::process::Engine;
use crate::support::scratch::Scratch;

/// A game with a written pass in the middle: Black, item 9.
const WITH_A_PASS: &str = "d3c3e6d2d1e1b2c1PAa3a1b4b3d6b5f4e3f3e2a5g5b6b7f5f6c7g3h3c2e7c5h5d7g6e8f2h7g4g2f7h6g7f8a4c4h8a7g1f1a2h4c6b1c8h1b8g8d8a6h2a8";

fn variant(token: &str) -> Variant {
    record::variant(&read_variant(token).unwrap()).unwrap()
}

fn square(name: &str) -> Square {
    let column = name.as_bytes()[0] - b'a';
    Square::new(column, name[1..].parse::<u8>().unwrap() - 1).unwrap()
}

/// A game from its start, moves in words with blanks between; passes are made where they are due.
fn played(mut game: Game, moves: &str) -> Game {
    for name in moves.split_whitespace() {
        while game.pass_if_forced().is_some() {}
        game.play(None, square(name)).unwrap();
    }
    game
}

/// Random legal moves until the end, or until so few squares are empty.
fn random_game(mut game: Game, seed: u64, empties: u32) -> Game {
    let mut dice = SplitMix64::new(seed);
    while !game.is_over() && game.state().board.empties() > empties {
        if game.pass_if_forced().is_some() {
            continue;
        }
        let legal: Vec<Square> = game.legal().iter().collect();
        let index = dice.next_u64() % legal.len() as u64;
        game.play(None, legal[index as usize]).unwrap();
    }
    game
}

fn effort(level: u32, exact_from: u32) -> Effort {
    let limits = Limits { level: Some(level), ..Limits::default() };
    Effort { limits, exact_from, repeatable: true, ..Effort::default() }
}

fn analysed_by(engine: &mut NativeEngine, game: &Game, effort: &Effort) -> Analysis {
    let players = BySide { black: None, white: None };
    let stop = StopFlag::new();
    let (analysis, ended) =
        analyze(engine, Id::Number(1), players, game.clone(), effort, &stop, &mut |_, _| {});
    assert_eq!(ended, Ended::Finished);
    assert!(analysis.is_whole());
    analysis
}

fn analysed(game: &Game, effort: &Effort) -> Analysis {
    analysed_by(&mut NativeEngine::new(1), game, effort)
}

// ---------------------------------------------------------------------------------------------
// Values

/// FFO end game 1.
const FFO_1: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

#[test]
fn every_move_of_a_known_ending_loses_what_it_is_known_to_lose() {
    let board = read_line_form(FFO_1).unwrap();
    let start = record::game_at(&variant("othello"), &board).unwrap();
    let scores =
        [("g8", 18), ("h1", 12), ("h7", 6), ("a2", 6), ("a3", 4), ("b1", -4), ("a4", -22), ("g2", -24)];
    let mut engine = NativeEngine::new(4);
    for (name, score) in scores {
        let analysis = analysed_by(&mut engine, &played(start.clone(), name), &effort(4, 14));
        let ply = &analysis.plies[0];
        assert_eq!(
            (ply.value, ply.after, ply.loss()),
            (1800, 100 * score, 1800 - 100 * score),
            "{name}"
        );
        assert_eq!(ply.best, [Choice::Play(square("g8"))], "{name}");
        assert!(ply.exact, "{name}");
        let open = analysis.open.as_ref().unwrap();
        let for_black = if open.side == Side::Black { open.value } else { -open.value };
        assert_eq!(for_black, 100 * score, "{name}");
        assert_eq!(analysis.turning_points().len(), usize::from(18 - score >= 8), "{name}");
    }
}

/// With exact values the game adds up: what the start is worth, less what Black lost, plus what White
/// lost, is how the game ended.
#[test]
fn losses_of_a_solved_game_add_up_to_its_result() {
    let tokens = [
        "4x4",
        "4x4+score=discs",
        "4x4+anti",
        "4x4+komi=2",
        "4x4+start=free",
        "4x4+start=free+place=may",
        "4x4+stuck=end",
        "4x4+hand=7",
        "6x4+hole=a1.f4",
        "5x4",
    ];
    let mut engine = NativeEngine::new(4);
    for token in tokens {
        for seed in 0..3 {
            let game = random_game(start_of(token), seed, 0);
            let analysis = analysed_by(&mut engine, &game, &effort(4, 32));
            let mut worth = analysis.worth_for_black(0).unwrap().0;
            for ply in &analysis.plies {
                assert!(ply.exact && ply.loss() >= 0, "{token} {seed}: {ply:?}");
                assert_eq!(ply.best.contains(&ply.played), ply.loss() == 0, "{token} {seed}: {ply:?}");
                assert_eq!(ply.for_black(ply.value), worth, "{token} {seed}: {ply:?}");
                worth = ply.for_black(ply.after);
            }
            let result = final_centidiscs(game.state(), game.rules(), Side::Black);
            assert_eq!(worth, result, "{token} {seed}");
            let totals = analysis.totals();
            let (black, white) = (totals.black.loss, totals.white.loss);
            let start = analysis.worth_for_black(0).unwrap().0;
            assert_eq!(start - black + white, result, "{token} {seed}");
        }
    }
}

/// The start of a variant; a board with an odd side gets four discs of its own.
fn start_of(token: &str) -> Game {
    if token != "5x4" {
        return Game::new(variant(token));
    }
    let board = read_token("5/1ox2/1xo2/5,x").unwrap();
    record::game_from(VariantSpec::sized(5, 4), &board).unwrap()
}

#[test]
fn a_turned_or_mirrored_game_has_the_same_numbers() {
    let check = |token: &str, level, exact_from, empties| {
        let game = random_game(Game::new(variant(token)), 5, empties);
        let effort = effort(level, exact_from);
        let expected = analysed(&game, &effort);
        assert!(expected.plies.iter().any(|ply| !ply.exact), "{token}: nothing is estimated");
        // An engine that has seen other games says the same.
        let mut engine = NativeEngine::new(1);
        for way in Symmetry::ALL {
            let image = image_of(&game, way);
            let found = analysed_by(&mut engine, &image, &effort);
            assert_eq!(found.plies.len(), expected.plies.len());
            for (found, expected) in found.plies.iter().zip(&expected.plies) {
                let numbers = |ply: &outflank::report::Ply| {
                    (ply.item, ply.value, ply.after, ply.exact, ply.empties, ply.n_choices)
                };
                assert_eq!(numbers(found), numbers(expected), "{token} {way:?}");
                let state = game.state_at(expected.item as usize - 1);
                let mut best: Vec<Choice> =
                    expected.best.iter().map(|&choice| turned(choice, way, state)).collect();
                best.sort_by_key(|&choice| match choice {
                    Choice::Play(square) => Some(square),
                    Choice::Pass => None,
                });
                assert_eq!(found.best, best, "{token} {way:?} item {}", expected.item);
            }
            let value = |analysis: &Analysis| analysis.open.as_ref().map(|open| open.value);
            assert_eq!(value(&found), value(&expected), "{token} {way:?}");
        }
    };
    check("othello", 3, 8, 0);
    check("6x6", 3, 6, 10);
    check("8x6+hole=a1.c2", 2, 6, 30);
    check("10x8", 2, 6, 66);
    check("reversi", 2, 6, 50);
}

fn turned(choice: Choice, way: Symmetry, state: &State) -> Choice {
    let geometry = state.board.geometry();
    match choice {
        Choice::Play(square) => Choice::Play(way.square(geometry.columns(), geometry.rows(), square)),
        Choice::Pass => Choice::Pass,
    }
}

/// The same game on the board laid down another way.
fn image_of(game: &Game, way: Symmetry) -> Game {
    let start = way.state(game.start());
    let geometry = start.board.geometry();
    let setup = Setup {
        columns: geometry.columns(),
        rows: geometry.rows(),
        holes: geometry.holes(),
        black: start.board.black(),
        white: start.board.white(),
        side: Some(start.side),
        placements: start.placements,
        hand: start.hand,
        komi: None,
    };
    let mut image = Game::from_setup(game.variant(), &setup).unwrap();
    for (index, entry) in game.log().iter().enumerate() {
        match turned(Choice::of(entry.mv.act), way, game.state_at(index)) {
            Choice::Play(square) => image.play(None, square).map(|_| ()).unwrap(),
            Choice::Pass => image.pass(None).map(|_| ()).unwrap(),
        }
    }
    image
}

#[test]
fn threads_change_no_number() {
    let game = random_game(Game::new(variant("othello")), 11, 0);
    let effort = effort(3, 12);
    let one = analysed(&game, &effort);
    let mut engine = NativeEngine::new(1);
    outflank::engine::Engine::set_threads(&mut engine, 3).unwrap();
    assert_eq!(analysed_by(&mut engine, &game, &effort).plies, one.plies);
}

#[test]
fn moves_that_a_symmetry_makes_equal_are_all_best() {
    for first in ["d3", "c4", "f5", "e6"] {
        let game = played(Game::new(variant("othello")), first);
        let analysis = analysed(&game, &effort(4, 0));
        let best: Vec<Choice> = ["d3", "c4", "f5", "e6"].map(|name| Choice::Play(square(name))).to_vec();
        assert_eq!(analysis.plies[0].best, best);
        assert_eq!(analysis.plies[0].loss(), 0);
    }
}

#[test]
fn estimates_never_show_a_gain() {
    for seed in 0..3 {
        let game = random_game(Game::new(variant("othello")), seed, 0);
        for ply in &analysed(&game, &effort(2, 6)).plies {
            assert!(ply.loss() >= 0 && !ply.best.is_empty(), "{seed}: {ply:?}");
            assert!(ply.n_choices > 1 || ply.loss() == 0, "{seed}: {ply:?}");
        }
    }
}

#[test]
fn a_level_says_from_where_it_solves() {
    let othello = Game::new(variant("othello"));
    assert_eq!(exact_from(Some(6), othello.state(), othello.rules()), 12);
    assert_eq!(exact_from(None, othello.state(), othello.rules()), 20);
    let limited = Game::new(variant("othello+hand=32"));
    assert_eq!(exact_from(None, limited.state(), limited.rules()), 12);
    let by_name = Game::new(Variant::new(by_name("oct").unwrap()).unwrap());
    assert_eq!(exact_from(None, by_name.state(), by_name.rules()), 16);
}

#[test]
fn a_stopped_analysis_keeps_the_last_plies() {
    let game = random_game(Game::new(variant("6x6")), 2, 0);
    let (mut engine, stop) = (NativeEngine::new(1), StopFlag::new());
    let players = BySide { black: None, white: None };
    let raise = stop.clone();
    let mut tell = |done: usize, _all: usize| {
        if done == 5 {
            raise.raise();
        }
    };
    let (analysis, ended) =
        analyze(&mut engine, Id::Number(1), players, game.clone(), &effort(2, 8), &stop, &mut tell);
    assert_eq!(ended, Ended::Stopped);
    assert!(!analysis.is_whole());
    let items: Vec<u32> = analysis.plies.iter().map(|ply| ply.item).collect();
    let last = game.len() as u32;
    assert_eq!(items, (last - 4..=last).collect::<Vec<_>>());
    assert_eq!(analysis.summary_row().summary.analysed, 5);
    // It is told all the same.
    assert!(table(&analysis).iter().any(|line| line.contains("broken off")));
    assert!(html_report(&ReportHead::default(), &[analysis]).contains("broken off"));
}

#[test]
fn grades_follow_the_loss() {
    let check = |loss, grade| assert_eq!(Grade::of(loss), grade, "{loss}");
    check(0, Grade::Good);
    check(99, Grade::Good);
    check(100, Grade::Inaccuracy);
    check(299, Grade::Inaccuracy);
    check(300, Grade::Mistake);
    check(800, Grade::Blunder);
}

#[test]
fn komi_decides_where_a_game_turns() {
    // Solved: Black leads by less than the komi from some ply on.
    let game = |token| random_game(Game::new(variant(token)), 0, 0);
    let plain = analysed(&game("4x4"), &effort(4, 16));
    let with_komi = analysed(&game("4x4+komi=-20"), &effort(4, 16));
    assert_eq!(plain.plies, with_komi.plies, "komi is no part of a value");
    assert!(with_komi.turning_points().iter().all(|point| !point.turns()), "Black wins with any play");
}

// ---------------------------------------------------------------------------------------------
// The command line

const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

fn run_with(arguments: &[&str], input: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env_remove("RUST_LOG").env_remove("NO_COLOR");
    command.envs(environment.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Runs, demands the exit code, and returns standard output.
fn text(arguments: &[&str], input: &str, code: i32) -> String {
    let output = run_with(arguments, input, &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{told}");
    String::from_utf8(output.stdout).unwrap()
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const FIELDS: [&str; 10] =
    ["game", "item", "side", "played", "value", "after", "best", "loss", "exact", "empties"];

/// A shallow analysis, as tests of the form want it.
const QUICK: [&str; 5] = ["analyze", "--level", "1", "--exact-from", "8"];

fn quick(more: &[&str], input: &str, code: i32) -> String {
    text(&[&QUICK, more].concat(), input, code)
}

#[test]
fn json_lines_have_the_fixed_fields_in_their_order() {
    let told = quick(&["--json", WITH_A_PASS], "", 0);
    let rows = rows(&told);
    assert_eq!(rows.len(), 62);
    for (line, row) in told.lines().zip(&rows).take(61) {
        let places: Vec<usize> =
            FIELDS.iter().map(|field| line.find(&format!("\"{field}\":")).unwrap()).collect();
        assert!(places.is_sorted(), "{line}");
        assert_eq!(row.as_object().unwrap().len(), FIELDS.len(), "{line}");
        assert!(row["loss"].as_f64().unwrap() >= 0.0, "{line}");
        if row["exact"] == true {
            assert!(row["value"].is_i64() && row["after"].is_i64() && row["loss"].is_i64(), "{line}");
        }
    }
    assert!(rows[..61].iter().zip(1..).all(|(row, item)| row["item"] == item && row["game"] == 1));
    assert_eq!(rows[60]["exact"], true);
    assert_eq!(rows[0]["empties"], 60);
    let summary = &rows[61]["summary"];
    assert_eq!(rows[61]["game"], 1);
    assert_eq!((&summary["plies"], &summary["analysed"]), (&61.into(), &61.into()));
    assert_eq!(summary["result"]["winner"], "x");
    assert_eq!(summary["result"]["official"]["x"], 40);
    assert_eq!(summary["x"]["moves"].as_u64().unwrap() + summary["o"]["moves"].as_u64().unwrap(), 60);
}

#[test]
fn a_pass_is_no_mistake() {
    let rows = rows(&quick(&["--json", WITH_A_PASS], "", 0));
    let pass = &rows[8];
    assert_eq!(
        (&pass["played"], &pass["side"], &pass["loss"]),
        (&"pass".into(), &"x".into(), &0.into())
    );
    assert_eq!(pass["best"], serde_json::json!(["pass"]));
    assert_eq!(pass["value"], pass["after"]);
    // The same spelt without the pass is the same game.
    let silent = WITH_A_PASS.replace("PA", "");
    assert_eq!(quick(&["--json", &silent], "", 0), quick(&["--json", WITH_A_PASS], "", 0));
}

#[test]
fn csv_has_the_fields_as_its_header_and_a_line_a_ply() {
    let told = quick(&["--csv", "f5d6c3"], "", 0);
    let mut reader = csv::Reader::from_reader(told.as_bytes());
    assert_eq!(reader.headers().unwrap(), FIELDS.as_slice());
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 3);
    assert_eq!(&records[0][6], "d3 c4 f5 e6");
    assert_eq!(&records[2][3], "c3");
}

#[test]
fn the_table_states_its_signs_and_adds_up() {
    let told = quick(&[WITH_A_PASS], "", 0);
    for word in [
        "discs for the mover",
        "= proved",
        "~ estimated at level 1",
        "Black: 30 moves",
        "Turning points",
    ] {
        assert!(told.contains(word), "{word}\n{told}");
    }
    assert_eq!(told.lines().filter(|line| line.contains(" pass ")).count(), 1, "{told}");
}

#[test]
fn an_unfinished_game_and_a_bare_position_have_an_open_end() {
    let rows = rows(&quick(&["--json", "f5d6c3", "8/8/8/3ox3/3xo3/8/8/8,x"], "", 0));
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[3]["summary"]["open"]["side"], "o");
    assert_eq!(rows[4]["summary"]["plies"], 0);
    assert_eq!(rows[4]["summary"]["open"]["best"], serde_json::json!(["d3", "c4", "f5", "e6"]));
}

#[test]
fn a_bad_game_is_named_in_its_place_and_the_rest_goes_on() {
    let rows = rows(&quick(&["--json", "--jobs", "2"], "f5d6\nd3d4d5\nf5f6\n", 1));
    let games: Vec<String> = rows.iter().map(|row| row["game"].to_string()).collect();
    assert_eq!(games, ["1", "1", "1", "2", "3", "3", "3"]);
    let error = rows[3]["error"].as_str().unwrap();
    assert!(error.contains("item 2") && error.contains("d4"), "{error}");
}

#[test]
fn every_variant_can_be_analysed() {
    let check = |variant: &str, game: &str, n_plies: usize| {
        let rows = rows(&quick(&["--json", "--variant", variant, game], "", 0));
        assert_eq!(rows.len(), n_plies + 1, "{variant}");
    };
    check("reversi", "d5e5d4e4f3", 5);
    check("reversi+place=may", "d4e4d5e5", 4);
    check("oct", "e4d4", 2);
    check("16x16", "g8", 1);
    check("othello+anti", "f5d6", 2);
    check("4x4+hand=8", "b1a1", 2);
}

#[test]
fn a_stored_analysis_is_read_back_without_a_search() {
    let scratch = Scratch::new();
    let games = format!("{WITH_A_PASS}\nf5d6c3\nf5f5\n");
    let stored = quick(&["--json"], &games, 1);
    let file = scratch.write("games.jsonl", &stored);
    assert_eq!(text(&["analyze", "--from", &file, "--json"], "", 1), stored);
    assert_eq!(text(&["analyze", "--from", "-", "--json"], &stored, 1), stored);
    let same = |form: &[&str]| {
        let read = text(&[&["analyze", "--from", &file], form].concat(), "", 1);
        assert_eq!(read, quick(form, &games, 1), "{form:?}");
    };
    same(&[]);
    same(&["--csv"]);
    let html = scratch.path("games.html");
    text(&["analyze", "--from", &file, "--html", &html], "", 1);
    assert!(scratch.read("games.html").contains("Turning points"));
}

#[test]
fn what_is_no_analysis_is_refused_by_line() {
    let told = |input: &str| {
        let output = run_with(&["analyze", "--from", "-"], input, &[]);
        assert_eq!(output.status.code(), Some(1), "{input}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let stored = quick(&["--json", "f5d6c3"], "", 0);
    let lines: Vec<&str> = stored.lines().collect();
    let check = |input: &str, words: &[&str]| {
        let told = told(input);
        assert!(words.iter().all(|word| told.contains(word)), "{input}\n{told}");
    };
    check("f5d6c3\n", &["line 1", "f5d6c3", "as `analyze --json` writes them"]);
    check("{\"id\":1}\n", &["line 1", "summary"]);
    check(&lines[..3].join("\n"), &["game 1", "3 plies", "no summary"]);
    check(&stored.replace("rp1 othello", "rp1 chess"), &["line 4", "chess"]);
    check(&stored.replace("\"d6\"", "\"z9\""), &["z9"]);
    check(&stored.replace("\"played\":\"d6\"", "\"played\":\"f6\""), &["item 2", "f6", "d6"]);
    check(&stored.replace("\"item\":3", "\"item\":9"), &["item 9"]);
    check(&stored.replace("\"item\":3", "\"item\":0"), &["item 0"]);
    check(&stored.replacen("\"value\":", "\"value\":-1e9,\"x\":", 1), &["value"]);
    let output = run_with(&["analyze", "--from", "no-such-file"], "", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file"));
}

#[test]
fn wrong_usage_of_analyze_is_told() {
    for arguments in [
        &["--level", "61"][..],
        &["--exact-from", "61"],
        &["--json", "--csv"],
        &["--from", "x", "--level", "3"],
        &["--from", "x", "f5"],
        &["--jobs", "0"],
    ] {
        let output = run_with(&[&["analyze"], arguments].concat(), "", &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let mut program = Engine::start(&["analyze", "--level", "1", "--exact-from", "4", "--json"]);
    program.send("f5d6c3");
    program.until(|line| line.contains("\"summary\""));
    // It waits for more input; nothing that it has told is lost, and it goes.
    program.interrupt();
    assert_eq!(program.exit_while_open(std::time::Duration::from_secs(30)).code(), Some(130));
}

// ---------------------------------------------------------------------------------------------
// Pages and pictures

fn attribute_values<'a>(document: &'a roxmltree::Document<'_>, name: &str) -> Vec<&'a str> {
    document.descendants().filter_map(|node| node.attribute(name)).collect()
}

#[test]
fn the_report_is_well_formed_and_needs_nothing_from_outside() {
    let game = played(Game::new(variant("othello")), &moves_of(WITH_A_PASS));
    let nasty = "<script>alert('1')</script>&\"";
    let effort = effort(1, 10);
    let mut first = analysed(&game, &effort);
    first.players = BySide { black: Some(nasty.to_owned()), white: None };
    first.id = Id::Own(nasty.to_owned());
    let oct = analysed(&random_game(Game::new(variant("oct")), 1, 80), &effort);
    let failed = vec![(nasty.to_owned(), nasty.to_owned())];
    let head = ReportHead { failed, ..ReportHead::default() };
    let page = html_report(&head, &[first, oct]);
    for outside in ["http:", "https:", "src=", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("prefers-color-scheme") && page.contains("@media print"));
    let main = &page[page.find("<main>").unwrap()..page.find("</body>").unwrap()];
    let document = roxmltree::Document::parse(main).unwrap();
    // What is pointed to is there, once.
    let ids = attribute_values(&document, "id");
    assert!(ids.iter().all(|id| ids.iter().filter(|other| other == &id).count() == 1), "{ids:?}");
    for label in attribute_values(&document, "aria-labelledby") {
        assert!(label.split(' ').all(|id| ids.contains(&id)), "{label}");
    }
    for link in attribute_values(&document, "href") {
        assert!(ids.contains(&link.trim_start_matches('#')), "{link}");
    }
    let named = |name| document.descendants().filter(move |node| node.has_tag_name(name));
    assert!(named("table").all(|table| table.children().any(|child| child.has_tag_name("caption"))));
    for svg in named("svg").filter(|svg| svg.attribute("aria-hidden").is_none()) {
        assert!(svg.children().any(|child| child.has_tag_name("title")));
        assert!(svg.children().any(|child| child.has_tag_name("desc")));
    }
}

fn moves_of(transcript: &str) -> String {
    let squares = transcript.replace("PA", "");
    squares.as_bytes().chunks(2).map(|chunk| String::from_utf8_lossy(chunk) + " ").collect()
}

#[test]
fn a_board_is_drawn_as_a_file_of_svg() {
    let scratch = Scratch::new();
    let file = scratch.path("board.svg");
    let told = text(&["show", "--variant", "oct+hole=c3", "--moves", "--svg", &file, "e4"], "", 0);
    assert_eq!(told, "");
    let picture = scratch.read("board.svg");
    let document = roxmltree::Document::parse(&picture).unwrap();
    let count = |class| attribute_values(&document, "class").iter().filter(|c| **c == class).count();
    assert_eq!(count("board-felt"), 87);
    assert_eq!(count("board-black") + count("board-white"), 5);
    assert_eq!(count("board-last"), 1);
    assert!(count("board-legal") > 0);
    // To standard output, with the squares that may be placed on.
    let picture = text(&["show", "--variant", "reversi", "--moves", "--svg", "-", "d4"], "", 0);
    let document = roxmltree::Document::parse(&picture).unwrap();
    let legal = attribute_values(&document, "class").iter().filter(|c| **c == "board-legal").count();
    assert_eq!(legal, 3);
}

#[test]
fn the_last_move_of_a_game_is_marked() {
    let shown = text(&["show", "--ascii", "f5"], "", 0);
    assert_eq!(shown.lines().nth(5), Some(" 5 - - - x x[x]- -"));
    let shown = text(&["show", "--ascii", "--variant", "4x4", "b1a1"], "", 0);
    assert_eq!(shown.lines().nth(1), Some(" 1[o]x - -"));
    let shown = text(&["show", "--ascii", "--variant", "4x4", "d3d4"], "", 0);
    assert_eq!(shown.lines().nth(4), Some(" 4 - - -[o]"));
    // A position has none.
    assert!(!text(&["show", "--ascii"], "", 0).contains('['));
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let is_colored = |arguments: &[&str], environment: &[(&str, &str)]| {
        let output = run_with(&[&["show"], arguments].concat(), "", environment);
        assert_eq!(output.status.code(), Some(0));
        output.stdout.contains(&0x1b)
    };
    // No terminal is looking.
    assert!(!is_colored(&[], &[]));
    assert!(!is_colored(&["--color", "never"], &[]));
    assert!(is_colored(&["--color", "always"], &[]));
    // Who asks for them on the command line means it.
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!is_colored(&["--color", "auto"], &[("NO_COLOR", "1")]));
}

#[test]
fn reading_back_gives_the_same_analysis() {
    for token in ["othello", "6x6+hole=a1", "reversi", "4x4+komi=1.5", "othello+hand=32"] {
        let game = random_game(Game::new(variant(token)), 3, 4);
        let mut analysis = analysed(&game, &effort(1, 4));
        analysis.players.white = Some("Ōkina \"O\"".to_owned());
        let mut reader = Reader::new();
        for row in analysis.rows() {
            assert!(reader.take(&serde_json::to_string(&row).unwrap()).unwrap().is_none());
        }
        let last = serde_json::to_string(&analysis.summary_row()).unwrap();
        let Some(Entry::Analysis(read)) = reader.take(&last).unwrap() else { panic!("{token}") };
        assert_eq!((&read.plies, &read.open), (&analysis.plies, &analysis.open), "{token}");
        assert_eq!(read.players, analysis.players);
        assert_eq!(read.game.state(), analysis.game.state());
        reader.end().unwrap();
    }
}
