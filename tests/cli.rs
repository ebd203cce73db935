//! The command line as scripts see it: output, exit codes, pipes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outflank::kernel::Tier;
use serde_json::Value;

#[cfg(unix)]
use crate::support::process::signal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");
const START: &str = "8/8/8/3ox3/3xo3/8/8/8,x";
const SMALL: &str = "4/1ox1/1xo1/4,x";

/// Fourteen empty squares; the known values of the best moves are +18.
const FFO_1: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

/// A game with an unwritten pass of Black before item 59, drawn.
const DRAWN: &str = "D3C5F6F5F4C3C4D2E2B4D1F3B5E3F2F1A4D6E6E7F7B6E8C6B3A5D7A3E1A6G1A2C2C7B8D8C8G8G6H6G5H5G4H4H3G7H8F8H7A8A7B7A1B2G3G2H2H1C1B1";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env_remove("RUST_LOG");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run_with(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    run_with(arguments, "")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs, demands the exit code, and returns the lines of standard output.
fn lines(arguments: &[&str], input: &str, code: i32) -> Vec<String> {
    let output = run_with(arguments, input);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}", stderr(&output));
    stdout(&output).lines().map(str::to_owned).collect()
}

fn records(arguments: &[&str], input: &str, code: i32) -> Vec<Value> {
    lines(arguments, input, code).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits for the end, but not for ever.
fn wait(child: &mut Child, limit: Duration) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > limit {
            child.kill().unwrap();
            panic!("still running after {limit:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A file of this test's own, deleted at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("outflank-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

// ---------------------------------------------------------------------------------------------
// Help and usage

#[test]
fn help_and_version_are_there_with_examples() {
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Exit codes"), "{}", stdout(&help));
    for name in ["perft", "moves", "solve", "eval", "analyze", "show", "bench", "variants"] {
        assert!(stdout(&help).contains(name), "{name}");
        let help = run(&[name, "--help"]);
        assert_eq!(help.status.code(), Some(0), "{name}");
        assert!(stdout(&help).contains(&format!("outflank {name}")), "{name} has no example");
    }
    let version = lines(&["--version"], "", 0);
    assert_eq!(version, [format!("outflank {}", env!("CARGO_PKG_VERSION"))]);
}

#[test]
fn wrong_usage_names_what_is_wrong_and_what_is_right() {
    let check = |arguments: &[&str], told: &[&str]| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        for word in told {
            assert!(stderr(&output).contains(word), "{arguments:?}: {}", stderr(&output));
        }
    };
    check(&["frobnicate"], &["frobnicate"]);
    check(&["--frobnicate"], &["--frobnicate"]);
    check(&["--protocol", "morse"], &["morse", "native"]);
    check(&["--level", "61"], &["61", "0 to 60"]);
    check(&["--set", "sorcery=1"], &["sorcery=1: there is no such option", "seed, threads, variant"]);
    check(&["--cpu", "portable", "perft", "3"], &["write it behind 'perft'", "perft --cpu"]);
    check(&["--level", "3", "perft", "3"], &["'perft' has no such option", "outflank help perft"]);
    check(&["--set", "hash=0"], &["hash=0", "1 to 65536"]);
    check(&["perft"], &["DEPTH"]);
    check(&["perft", "x"], &["x", "0 to 60"]);
    check(&["perft", "65"], &["65", "0 to 60"]);
    check(&["perft", "1", "--pass", "half"], &["half", "ply", "free"]);
    check(&["perft", "1", "--variant", "chess"], &["chess"]);
    check(&["perft", "1", "--variant", "octagon"], &["'oct' is near", "`outflank variants`"]);
    check(&["perft", "1", "--variant", "17x17"], &["17x17"]);
    check(&["perft", "1", "--variant", "8x8+hole="], &["hole"]);
    check(&["perft", "1", "--cpu", "abacus"], &["abacus", "portable"]);
    check(&["solve", "--jobs", "0"], &["0", "1 to 256"]);
    check(&["--threads", "0"], &["0", "1 to 256"]);
    check(&["--set", "threads=257"], &["threads=257", "1 to 256"]);
    check(&["solve", "--threads", "257"], &["257", "1 to 256"]);
    check(&["eval", "--threads", "two"], &["two", "1 to 256"]);
    check(&["bench", "--threads", "-1"], &["-1"]);
    check(&["bench", "--threads", "0"], &["0", "1 to 256"]);
    check(&["bench", "--perft", "--threads", "2"], &["--perft", "--threads"]);
    check(&["bench", "--perft", "--ffo"], &["--perft", "--ffo"]);
    check(&["bench", "--hash", "16"], &["--ffo"]);
    for range in ["0-3", "3-60", "5-4", "a-b", "-", "60"] {
        check(&["bench", &format!("--ffo={range}")], &[range, "1 to 59"]);
    }
    check(&["solve", "--time-per-position", "-1"], &["-1"]);
    check(&["solve", "--time-per-position=nan"], &["nan", "above 0"]);
    check(&["eval", "--selectivity", "50"], &["50", "73, 87"]);
    check(&["eval", "--nodes", "0"], &["0", "1 to"]);
}

#[test]
fn a_tier_is_used_or_refused_by_name() {
    let words: Vec<&str> = Tier::all_here().map(Tier::name).collect();
    let told = format!("this processor has no avx512; it has auto, {}", words.join(", "));
    for tier in Tier::ALL {
        for command in ["", "perft 6", "eval --depth 1 f5", "solve --variant 4x4 4/1ox1/1xo1/4,x"] {
            let arguments: Vec<&str> =
                command.split_whitespace().chain(["--cpu", tier.name()]).collect();
            let output = run(&arguments);
            if tier.is_here() {
                assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
            } else {
                assert_eq!(output.status.code(), Some(2), "{arguments:?}");
                let absent = told.replace("avx512", tier.name());
                assert!(stderr(&output).contains(&absent), "{arguments:?}: {}", stderr(&output));
            }
        }
        if tier.is_here() {
            let counted = lines(&["perft", "6", "--cpu", tier.name()], "", 0);
            assert!(counted[0].starts_with("6 8200 "), "{counted:?}");
        }
    }
}

#[test]
fn kernels_are_timed_on_every_tier() {
    let timed = lines(&["bench", "--kernels"], "", 0);
    for name in ["mobility", "flips", "last_flips", "stable"] {
        for tier in Tier::all_here() {
            assert!(timed.iter().any(|line| line.starts_with(&format!("{name} {tier} "))), "{timed:?}");
        }
    }
}

#[test]
fn a_wrong_weights_file_is_refused_by_name() {
    for arguments in
        [&["--weights", "nothing-here.bin"][..], &["solve", "--weights", "nothing-here.bin", "f5"]]
    {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("nothing-here.bin"));
    }
    assert_eq!(lines(&["solve", "--weights", "none", "--variant", "4x4", SMALL], "", 0).len(), 1);
}

// ---------------------------------------------------------------------------------------------
// perft

fn nodes(arguments: &[&str]) -> u64 {
    let lines = lines(arguments, "", 0);
    let words: Vec<&str> = lines.last().unwrap().split(' ').collect();
    assert_eq!(words.len(), 4, "depth nodes seconds nodes_per_second");
    assert!(words[2].parse::<f64>().unwrap() >= 0.0 && words[3].parse::<f64>().unwrap() >= 0.0);
    words[1].parse().unwrap()
}

#[test]
fn perft_counts_passes_both_ways() {
    let start = [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288];
    for (depth, expected) in (1..).zip(start) {
        assert_eq!(nodes(&["perft", &depth.to_string()]), expected, "depth {depth}");
    }
    assert_eq!(nodes(&["perft", "--pass", "free", "8"]), 390_216);
    assert_eq!(nodes(&["perft", "--pass", "free", "9"]), 3_005_320);

    let must_pass = "--OOO----X-O------XX-------XX------XX-------X------------------- X";
    for (depth, ply, free) in
        [(1, 1, 3), (2, 3, 8), (3, 8, 58), (4, 58, 359), (5, 359, 3070), (6, 3070, 22278)]
    {
        let depth = depth.to_string();
        assert_eq!(nodes(&["perft", &depth, "--", must_pass]), ply);
        assert_eq!(nodes(&["perft", &depth, "--pass=free", "--", must_pass]), free);
    }
}

#[test]
fn perft_knows_the_variants() {
    for (variant, depth, expected) in [
        ("reversi", "9", 38208),
        ("oct", "7", 55136),
        ("annex", "6", 7288),
        ("4x4", "12", 57436),
        ("6x6", "7", 47740),
        ("10x10", "7", 55180),
        ("othello+start=par", "7", 64794),
        ("othello+hole=3@42", "5", 1332),
        ("8x8+cut=2", "6", 8000),
        ("othello+hc=1", "6", 8196),
        ("reversi+place=must", "7", 1072),
    ] {
        assert_eq!(nodes(&["perft", depth, "--variant", variant]), expected, "{variant}");
    }
}

#[test]
fn perft_divides_by_first_move_and_takes_positions_and_files() {
    let divided = lines(&["perft", "--divide", "3", START], "", 0);
    assert_eq!(divided[..4], ["d3 14", "c4 14", "f5 14", "e6 14"]);
    assert!(divided[4].starts_with("3 56 "));
    assert_eq!(nodes(&["perft", "0"]), 1);
    assert_eq!(nodes(&["perft", "1", "f5d6c3"]), 4);
    let file = Scratch::new("perft.txt", "% one position\nf5d6c3\n");
    assert_eq!(nodes(&["perft", "1", file.path()]), 4);
    let bad = run(&["perft", "1", "f5a1"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("item 2 'a1'"), "{}", stderr(&bad));
}

// ---------------------------------------------------------------------------------------------
// moves, show, variants, bench

#[test]
fn moves_lists_what_every_move_turns() {
    let record = &records(&["moves", "--json", START], "", 0)[0];
    assert_eq!(record["id"], 1);
    assert_eq!(record["position"], START);
    assert_eq!((&record["side"], &record["phase"]), (&Value::from("x"), &Value::from("play")));
    assert_eq!(record["moves"][2], serde_json::json!({"move": "f5", "flips": ["e5"]}));
    assert_eq!(record["count"], serde_json::json!({"x": 2, "o": 2}));
    assert!(record.get("official").is_none());
    assert_eq!(lines(&["moves", START], "", 0), ["1 x play d3:d4 c4:d4 f5:e5 e6:e5"]);
}

#[test]
fn moves_tells_placements_passes_and_ends_apart() {
    let placing = &records(&["moves", "--json", "--variant", "reversi", "d5"], "", 0)[0];
    assert_eq!(placing["phase"], "place");
    assert_eq!(placing["moves"].as_array().unwrap().len(), 3);
    let must_pass = &records(&["moves", "--json", "6ox/8/8/8/8/8/8/8,o"], "", 0)[0];
    assert_eq!(
        (&must_pass["phase"], &must_pass["moves"]),
        (&Value::from("play"), &serde_json::json!([]))
    );
    let over =
        &records(&["moves", "--json", "xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1oo1/8/8/8,x"], "", 0)[0];
    assert_eq!(over["phase"], "over");
    assert_eq!(over["count"], serde_json::json!({"x": 20, "o": 14}));
    assert_eq!(over["official"], serde_json::json!({"x": 50, "o": 14}));
}

#[test]
fn every_usual_form_of_a_position_or_game_is_read() {
    let forms = "% comment\n# comment\n\n\
        f5d6c3\n\
        F5 d6 C3\n\
        1. f5 d6 2. c3\n\
        8/8/2x5/3xx3/3oxx2/3o4/8/8,o % a token\n\
        ------------------X--------XX------OXX-----O-------------------- O\n\
        ------------------X--------XX------OXX-----O-------------------- O; d3:+0; c5:-2;\n\
        named;..................b........bb......wbb.....w....................;w;;\n\
        (;GM[Othello]PC[x]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[d6]B[c3];)\n\
        rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5d6c3 -\n";
    let records = records(&["moves", "--json"], &format!("\u{feff}{}", forms.replace('\n', "\r\n")), 0);
    assert_eq!(records.len(), 9);
    let ids: Vec<&Value> = records.iter().map(|record| &record["id"]).collect();
    assert_eq!(ids[0], &Value::from(4));
    assert_eq!(ids[6], &Value::from("named"));
    for record in &records[1..] {
        assert_eq!(record["position"], "8/8/2x5/3xx3/3oxx2/3o4/8/8,o", "{record}");
    }
}

#[test]
fn a_ggf_game_may_be_broken_over_lines_and_share_one() {
    let game = "(;GM[Othello]PC[x]TY[8]BO[8 -------- -------- -------- ---O*---\n---*O--- -------- -------- -------- *]\nB[f5]W[d6];)";
    let one = records(&["moves", "--json"], game, 0);
    assert_eq!((one.len(), &one[0]["id"]), (1, &Value::from(1)));
    let flat = game.replace('\n', " ");
    let two = records(&["moves", "--json"], &format!("2 {flat}{flat}\n"), 0);
    assert_eq!((&two[0]["id"], &two[1]["id"]), (&Value::from("1.1"), &Value::from("1.2")));
}

#[test]
fn the_variant_supplies_the_rules_of_positions() {
    let token = "xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1oo1/8/8/8,x";
    let score = |variant: &str| {
        records(&["solve", "--json", "--variant", variant, token], "", 0)[0]["score"].clone()
    };
    assert_eq!(score("othello"), 36);
    assert_eq!(score("othello+anti"), -36);
    assert_eq!(score("othello+score=discs"), 6);
    let odd = lines(&["moves", "--variant", "5x5", "5/5/1oxo1/5/5,x", "c3"], "", 1);
    assert_eq!(odd[0], "1 x play a3:b3 e3:d3");
    assert!(odd[1].contains("5x5"), "{}", odd[1]);
}

#[test]
fn show_draws_a_board() {
    let shown = lines(&["show", "--ascii", "--moves"], "", 0);
    assert_eq!(shown[0].trim(), "a b c d e f g h");
    assert_eq!(shown[4], " 4 - - + o x - - -");
    assert!(shown.contains(&"f5 turns e5".to_owned()));
    assert!(shown.contains(&format!("pos {START}")));
    let oct = lines(&["show", "--ascii", "--variant", "oct"], "", 0);
    assert_eq!(oct[1], " 1 # # - - - - - - # #");
}

#[test]
fn variants_are_listed_with_a_sentence() {
    let names: Vec<Value> =
        records(&["variants", "--json"], "", 0).iter().map(|row| row["name"].clone()).collect();
    for name in ["othello", "reversi", "oct", "annex"] {
        assert!(names.contains(&Value::from(name)), "{name}");
    }
    assert!(lines(&["variants"], "", 0)[0].starts_with("othello "));
}

#[test]
fn bench_ends_with_the_committed_signature() {
    let committed = include_str!("bench.txt").trim();
    let first = lines(&["bench"], "", 0);
    let (word, value) = first.last().unwrap().split_once(' ').unwrap();
    assert_eq!(word, "signature");
    assert_eq!(value, committed, "a change of the search is a visible line in tests/bench.txt");
    assert_eq!(lines(&["bench", "--cpu", "portable"], "", 0), first);
}

#[test]
fn bench_on_several_threads_has_no_signature() {
    let output = run(&["bench", "--threads", "2"]);
    assert_eq!(output.status.code(), Some(0));
    let told = stdout(&output);
    let (word, value) = told.lines().last().unwrap().split_once(' ').unwrap();
    assert_eq!(word, "nodes");
    assert!(value.parse::<u64>().unwrap() > 0);
    assert!(!told.contains("signature"), "{told}");
    assert!(stderr(&output).contains("one thread"), "{}", stderr(&output));
}

/// The words of a line in pairs of name and value, behind the first `skip` words.
fn pairs(line: &str, skip: usize) -> Vec<(String, String)> {
    let words: Vec<&str> = line.split(' ').skip(skip).collect();
    words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
}

#[test]
fn bench_solves_the_ffo_suite() {
    let names = |line: &str, skip| -> Vec<String> {
        pairs(line, skip).into_iter().map(|(name, _)| name).collect()
    };
    for extra in [&[][..], &["--threads", "2", "--hash", "16", "--cpu", "portable"]] {
        let output = run(&[&["bench", "--ffo", "1-2"], extra].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let told = stdout(&output);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 3, "{told}");
        assert!(lines[0].starts_with("ffo 1 empties 14 score 18 nodes "), "{}", lines[0]);
        assert!(lines[1].starts_with("ffo 2 empties 14 score 10 nodes "), "{}", lines[1]);
        assert_eq!(names(lines[0], 2), ["empties", "score", "nodes", "seconds", "rate"]);
        assert!(lines[2].starts_with("ffo total positions 2 right 2 nodes "), "{}", lines[2]);
        assert_eq!(names(lines[2], 2), ["positions", "right", "nodes", "seconds", "rate"]);
        assert!(stderr(&output).contains("ffo 2: 14 empties"), "{}", stderr(&output));
    }
    assert_eq!(lines(&["bench", "--ffo=20"], "", 0).len(), 2);
}

#[test]
fn bench_times_known_leaf_counts() {
    let counted = lines(&["bench", "--perft"], "", 0);
    let heads: Vec<String> = counted
        .iter()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words.len(), 5, "name depth nodes seconds nodes_per_second: {line}");
            assert!(words[3].parse::<f64>().unwrap() >= 0.0 && words[4].parse::<f64>().unwrap() > 0.0);
            words[..3].join(" ")
        })
        .collect();
    for head in ["othello 9 3005288", "othello 11 212258800", "oct 9 3035364", "10x10 9 3045812"] {
        assert!(heads.contains(&head.to_owned()), "{head}: {heads:?}");
    }
}

// ---------------------------------------------------------------------------------------------
// solve and eval

#[test]
fn solve_gives_the_fixed_fields() {
    let record = &records(&["solve", "--json", "--all-moves", "--", FFO_1], "", 0)[0];
    assert_eq!(record["id"], 1);
    assert_eq!(
        record["position"],
        "2xxxxx1/1oooxx1o/1oooxxox/1oxoxoxx/oxxxoxxx/2xoxoxx/1xxxooo1/1ooooo2,x"
    );
    assert_eq!(record["side"], "x");
    assert_eq!(record["score"].as_i64(), Some(18));
    assert_eq!((&record["exact"], &record["wld"]), (&Value::from(true), &Value::from("win")));
    assert_eq!((&record["depth"], &record["selectivity"]), (&Value::from(14), &Value::from(100)));
    assert_eq!((&record["move"], &record["pv"][0]), (&Value::from("g8"), &Value::from("g8")));
    assert!(record["nodes"].as_u64().unwrap() > 0 && record["time"].is_f64());
    let moves = record["moves"].as_array().unwrap();
    let value = |at: &str| moves.iter().find(|entry| entry["move"] == at).unwrap()["score"].as_i64();
    assert_eq!((value("h1"), value("h7")), (Some(12), Some(6)));
    assert!(moves.iter().all(|entry| entry["exact"] == true));
}

#[test]
fn the_scoring_rule_changes_the_value_of_a_small_board() {
    let score = |extra: &[&str]| {
        let arguments = [&["solve", "--json", SMALL], extra].concat();
        records(&arguments, "", 0)[0]["score"].clone()
    };
    assert_eq!(score(&[]), -10);
    assert_eq!(score(&["--rule", "wof"]), -10);
    assert_eq!(score(&["--rule", "discs"]), -8);
    assert_eq!(score(&["--variant", "4x4+score=discs"]), -8);
    assert_eq!(score(&["--variant", "4x4+score=discs", "--rule", "wof"]), -10);
    let wld = &records(&["solve", "--json", "--wld", SMALL], "", 0)[0];
    assert_eq!((&wld["wld"], wld.get("score")), (&Value::from("loss"), None));
}

#[test]
fn a_stuck_mover_passes_first() {
    let record = &records(&["solve", "--json", "6ox/8/8/8/8/8/8/8,o"], "", 0)[0];
    assert_eq!(
        (&record["move"], &record["pv"]),
        (&Value::from("pass"), &serde_json::json!(["pass", "f1"]))
    );
    assert_eq!((&record["score"], &record["side"]), (&Value::from(-64), &Value::from("o")));
}

#[test]
fn a_legal_game_with_an_unwritten_pass_is_solved_as_a_draw() {
    let record = &records(&["solve", "--json", DRAWN], "", 0)[0];
    assert_eq!((&record["score"], &record["wld"]), (&Value::from(0), &Value::from("draw")));
    assert!(record.get("move").is_none());
}

#[test]
fn a_bad_game_is_named_in_its_place_and_the_rest_goes_on() {
    let games = "4/1ox1/1xo1/4,x\nd3d4d5\n4/1ox1/1xo1/4,x\n";
    let found = records(&["solve", "--json"], games, 1);
    assert_eq!(found.len(), 3);
    assert_eq!(found[1]["id"], 2);
    let error = found[1]["error"].as_str().unwrap();
    assert!(error.contains("item 2") && error.contains("d4"), "{error}");
    assert_eq!(found[1].as_object().unwrap().len(), 2);
    assert_eq!((&found[0]["score"], &found[2]["score"]), (&Value::from(-10), &Value::from(-10)));
    assert_eq!((&found[0]["id"], &found[2]["id"]), (&Value::from(1), &Value::from(3)));

    let file = Scratch::new("games.txt", games);
    assert_eq!(records(&["solve", "--json", file.path()], "", 1).len(), 3);
    assert!(lines(&["solve", file.path()], "", 1)[1].contains("error: item 2"));
}

#[test]
fn a_wrong_item_is_named_with_its_place() {
    let check = |moves: &str, item: &str| {
        let record = &records(&["moves", "--json", moves], "", 1)[0];
        let error = record["error"].as_str().unwrap();
        assert!(error.contains(item), "{moves}: {error}");
    };
    check("d3d4d5", "item 2 'd4'");
    check("f5f5", "item 2 'f5'");
    check("f5a1", "item 2 'a1'");
    check("f5z9", "item 2");
    check("f5d9", "item 2 'd9'");
    check("f50d", "item 2");
    check("f5d", "item 2 'd'");
    check("e6f4e3f6g5d6e7f5c5a1", "item 10 'a1'");
    check("f5PAd6", "item 2");
    check("f5d6??c3", "item 3");
}

#[test]
fn enormous_and_unreadable_lines_are_refused_quickly() {
    let started = Instant::now();
    let input = format!("{}\n{}\nf5\n", "f5".repeat(100_000), "x".repeat(3 << 20));
    let found = records(&["moves", "--json"], &input, 1);
    assert_eq!(found.len(), 3);
    assert!(found[0]["error"].as_str().unwrap().contains("item 2"));
    assert!(found[1]["error"].as_str().unwrap().len() < 500);
    assert!(found[2].get("error").is_none());
    assert!(started.elapsed() < Duration::from_secs(5));

    let mut child = command(&["moves"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"f5\n\xff\xfe\nf5").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output).lines().count(), 3);
}

#[test]
fn arguments_that_are_no_file_are_input() {
    let file = Scratch::new("mixed.txt", "f5\nd3\n");
    let ids: Vec<Value> = records(&["moves", "--json", "c4", file.path(), "-", "e6"], "f5\n", 0)
        .iter()
        .map(|record| record["id"].clone())
        .collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    let missing = &records(&["moves", "--json", "no-such-file.obf"], "", 1)[0];
    assert!(missing["error"].as_str().unwrap().contains("no-such-file.obf"));
    assert!(records(&["moves", "--json", ""], "", 1)[0].get("error").is_some());
}

#[test]
fn several_jobs_keep_the_order_of_the_input() {
    let hard_first = format!("{FFO_1}\n{SMALL}\nbad\n{SMALL}\n{FFO_1}\n{SMALL}\n");
    let found = records(&["solve", "--json", "--jobs", "3"], &hard_first, 1);
    let ids: Vec<u64> = found.iter().map(|record| record["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    let scores: Vec<Option<i64>> = found.iter().map(|record| record["score"].as_i64()).collect();
    assert_eq!(scores, [Some(18), Some(-10), None, Some(-10), Some(18), Some(-10)]);
}

#[test]
fn threads_and_jobs_change_no_score() {
    let inputs = format!("{FFO_1}\n{SMALL}\n");
    for extra in [
        &["--threads", "2"][..],
        &["--jobs", "2"],
        &["--jobs", "2", "--threads", "2"],
        &["--set", "threads=3"],
        &["--threads", "2", "--set", "deterministic=on"],
    ] {
        let found = records(&[&["solve", "--json"], extra].concat(), &inputs, 0);
        let scores: Vec<_> = found.iter().map(|record| record["score"].as_i64()).collect();
        assert_eq!(scores, [Some(18), Some(-10)], "{extra:?}");
    }
}

#[test]
fn deterministic_searches_repeat_whatever_the_threads() {
    let line = "f5d6c3d3c4\n";
    let nodes = |extra: &[&str]| {
        let arguments = [&["eval", "--json", "--depth", "9"], extra].concat();
        records(&arguments, line, 0)[0]["nodes"].as_u64().unwrap()
    };
    let alone = nodes(&["--threads", "1"]);
    for _ in 0..3 {
        assert_eq!(nodes(&["--threads", "4", "--set", "deterministic=on"]), alone);
    }
}

#[test]
fn the_threads_option_is_listed_with_the_processors_as_its_default() {
    let available = thread::available_parallelism().map_or(1, usize::from).min(256);
    let listed = lines(&["--protocol", "native"], "rp 1\noptions\nset threads=3\nget threads\n", 0);
    let row = listed.iter().find(|line| line.starts_with("+ option threads ")).unwrap();
    let expected =
        format!("+ option threads type=spin default={available} min=1 max=256 value={available}");
    assert_eq!(*row, expected);
    assert!(listed.last().unwrap().contains("threads=3"), "{listed:?}");
    let set = lines(&["--protocol", "native", "--threads", "2"], "rp 1\nget threads\n", 0);
    assert!(set.last().unwrap().contains("threads=2"), "{set:?}");
    let refused = lines(&["--protocol", "native"], "rp 1\nset threads=0\nget threads\n", 0);
    assert!(refused[1].starts_with("err ") && refused[1].contains("1 to 256"), "{refused:?}");
    assert!(refused[2].contains(&format!("threads={available}")), "{refused:?}");
}

#[test]
fn resume_appends_and_skips_what_is_there() {
    let inputs = format!("{SMALL}\nbad\n{FFO_1}\n");
    let torn = "{\"id\":1,\"score\":-10}\n{\"id\":2,\"sco";
    let file = Scratch::new("resume.jsonl", torn);
    let found = records(&["solve", "--json", "--resume", file.path()], &inputs, 1);
    let ids: Vec<u64> = found.iter().map(|record| record["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [2, 3]);
    let kept = fs::read_to_string(&file.0).unwrap();
    let kept: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(kept.len(), 3);
    assert!(kept[1].get("error").is_some());
    assert!(records(&["solve", "--json", "--resume", file.path()], &inputs, 1).is_empty());
    assert_eq!(fs::read_to_string(&file.0).unwrap().lines().count(), 3);
}

#[test]
fn a_time_limit_gives_the_best_answer_so_far() {
    let started = Instant::now();
    let record = &records(&["solve", "--json", "--time-per-position", "0.3", "f5d6c3"], "", 0)[0];
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(record["exact"], false);
    assert!(record["move"].is_string() && record["pv"][0] == record["move"]);
}

#[test]
fn eval_answers_at_an_effort() {
    let arguments = ["eval", "--json", "--depth", "5", "--multipv", "2", "f5d6c3"];
    let record = &records(&arguments, "", 0)[0];
    assert_eq!((&record["depth"], &record["exact"]), (&Value::from(5), &Value::from(false)));
    assert_eq!(record["moves"].as_array().unwrap().len(), 2);
    assert!(record["score"].is_number() && record.get("wld").is_none());
    let every = &records(&["eval", "--json", "--depth", "3", "--all-moves", "f5"], "", 0)[0];
    assert_eq!(every["moves"].as_array().unwrap().len(), 3);
    let nodes = &records(&["eval", "--json", "--nodes", "2000", "f5"], "", 0)[0];
    assert!(nodes["nodes"].as_u64().unwrap() < 20_000);
    assert_eq!(lines(&["eval", "--level", "1", "f5"], "", 0).len(), 1);
}

// ---------------------------------------------------------------------------------------------
// Pipes

#[test]
fn nothing_on_standard_input_is_a_good_end() {
    for arguments in [&[][..], &["moves"], &["solve", "--json"], &["eval"]] {
        let mut child = command(arguments).stdin(Stdio::null()).spawn().unwrap();
        assert_eq!(wait(&mut child, Duration::from_secs(5)).code(), Some(0), "{arguments:?}");
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        assert_eq!(out, "", "{arguments:?}");
    }
}

#[test]
fn each_line_is_answered_while_input_stays_open() {
    let mut child = command(&["moves"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut out = child.stdout.take().unwrap();
    for _ in 0..2 {
        input.write_all(b"f5\n").unwrap();
        let mut byte = [0];
        while byte != *b"\n" {
            out.read_exact(&mut byte).unwrap();
        }
    }
    drop(input);
    assert_eq!(wait(&mut child, Duration::from_secs(5)).code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let positions = Scratch::new("many.txt", &format!("{SMALL}\n").repeat(50_000));
    for arguments in [
        &["moves", positions.path()][..],
        &["solve", positions.path()],
        &["solve", "--jobs", "2", positions.path()],
    ] {
        let mut child = command(arguments).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0]).unwrap();
        drop(out);
        assert_eq!(wait(&mut child, Duration::from_secs(20)).code(), Some(0), "{arguments:?}");
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(told, "", "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_ends_a_conversation_with_an_error() {
    for (protocol, input) in [("gtp", "name\n"), ("native", "rp 1\n"), ("uci", "uci\n")] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut child = command(&["--protocol", protocol]).stdout(full).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{protocol}: {told}");
        assert!(told.starts_with("error: writing to standard output: "), "{protocol}: {told}");
    }
}

#[test]
#[cfg(unix)]
fn a_client_that_goes_away_ends_a_conversation_quietly() {
    let mut child = command(&["--protocol", "gtp"]).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"name\nname\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn a_search_that_the_end_of_input_cuts_short_is_told_on_standard_error() {
    let output = run_with(&["--protocol", "native"], "go depth=60\n");
    assert!(stdout(&output).contains("! best "), "{}", stdout(&output));
    let told = stderr(&output);
    assert!(told.contains("a search without a bound in time was stopped after 2 s"), "{told}");
    for line in ["go infinite\n", "go level=1\n"] {
        assert_eq!(stderr(&run_with(&["--protocol", "native"], line)), "", "{line}");
    }
}

#[test]
fn the_log_goes_to_the_file_that_is_named() {
    let log = Scratch::new("log.txt", "");
    let output = run_with(&["--protocol", "gtp", "--log", log.path()], "1 name\n");
    assert_eq!(stdout(&output), "=1 outflank\n\n");
    assert_eq!(stderr(&output), "");
    assert!(fs::read_to_string(&log.0).unwrap().contains("1 name"));
    assert_eq!(run(&["perft", "1", "--log", log.path()]).status.code(), Some(0));
}

#[test]
fn a_selective_search_says_so_and_visits_fewer_nodes() {
    let record = |arguments: &[&str]| {
        let all = [&["eval", "--json", "--threads", "1"], arguments].concat();
        let lines = lines(&all, "", 0);
        serde_json::from_str::<serde_json::Value>(&lines[0]).expect("a record")
    };
    let line = "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6";
    let (bold, full) =
        (record(&["--selectivity", "73", "--depth", "10", line]), record(&["--depth", "10", line]));
    assert_eq!((&bold["selectivity"], &full["selectivity"]), (&73.into(), &100.into()));
    assert_eq!((&bold["depth"], &bold["exact"]), (&10.into(), &false.into()));
    let nodes = |record: &serde_json::Value| record["nodes"].as_u64().expect("nodes");
    assert!(nodes(&bold) * 2 < nodes(&full), "{} of {}", nodes(&bold), nodes(&full));
    // To the end, where careful cuts leave the value as it is: 30 is exact.
    let end = "2ooo3/2oooo1o/oooxoxoo/ooxoxoxo/oxoxxxxo/ooooxxxo/o1oxxx1o/2xxxx2,x";
    let careful = record(&["--selectivity", "99", "--depth", "14", "--", end]);
    assert_eq!((&careful["score"], &careful["exact"]), (&30.into(), &false.into()));
    // Nothing was fitted to the hand-made evaluation.
    let by_hand = record(&["--selectivity", "73", "--depth", "8", "--weights", "none", line]);
    assert_eq!(by_hand["selectivity"], 100);
}

// ---------------------------------------------------------------------------------------------
// The options of a dialect's own programs

#[test]
fn a_console_is_started_with_its_own_options() {
    let quiet = ["--protocol", "edax", "-q", "-l", "3", "-n", "1", "-h", "16", "-book-usage", "off"];
    let board = "setboard ...........................wb......bw........................... b";
    let said = lines(&quiet, &format!("{board}\ngo\nquit\n"), 0);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("outflank plays "), "{said:?}");
    let named = [&quiet[..], &["--set", "name=Edax", "--threads", "1"]].concat();
    let said = lines(&named, &format!("{board}\r\ngo\r\n"), 0);
    assert!(said[0].starts_with("Edax plays ") && said.len() == 1, "{said:?}");
    // The engine is White, and nothing is written before a line was read.
    assert!(lines(&["--protocol", "edax", "-q", "-mode", "0"], "", 0).is_empty());
    assert_eq!(lines(&["--protocol=edax", "-gtp"], "protocol_version\n", 0), ["= 2", ""]);
    let wrong =
        [["-sorcery", "1"], ["-l", "99"], ["-alpha", "3"], ["--level", "x"], ["-auto-swap", "on"]];
    for [option, value] in wrong {
        let output = run(&["--protocol", "edax", option, value]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(output.stdout.is_empty(), "{option}");
        assert!(stderr(&output).contains(option), "{}", stderr(&output));
    }
    let output = run(&["--protocol", "edax", "-q", "-l"]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["--protocol", "edax", "--sorcery"]);
    assert_eq!((output.status.code(), stderr(&output).contains("--sorcery")), (Some(2), true));
}

#[test]
fn a_file_is_solved_as_a_table() {
    let file =
        Scratch::new("solve-table.obf", &format!("% a comment\n{FFO_1}; G8:+18; H1:+12;\nnonsense\n"));
    let said = lines(&["--protocol", "edax", "-n", "1", "-solve", file.path()], "", 1);
    assert_eq!(said.len(), 6, "{said:?}");
    assert_eq!(said[0], " # | depth|score|       time   |  nodes (N)  |   N/s    | principal variation");
    assert!(said[1].starts_with("---+------+-----+--------------+-"), "{said:?}");
    assert!(said[2].starts_with("  1|   14   +18 "), "{said:?}");
    assert!(said[2].contains(" g8 "), "{said:?}");
    assert!(said[3].starts_with("  2| error: "), "{said:?}");
    assert!(said[5].contains(" nodes in ") && said[5].ends_with(" nodes/s)."), "{said:?}");
    let wrong = Scratch::new("solve-wrong.obf", &format!("{FFO_1}; G8:+20; H1:+12;\n"));
    let said = lines(&["--protocol", "edax", "-n", "1", "-solve", wrong.path()], "", 0);
    assert_eq!(said[5..], ["1 / 1 wrong scores; mean error = 2.000 discs."], "{said:?}");
    // A level is what the search is held to.
    let said = lines(&["--protocol", "edax", "-n", "1", "-l", "1", "-solve", wrong.path()], "", 0);
    assert!(said[2].starts_with("  1|    1 "), "{said:?}");
    let output = run(&["--protocol", "edax", "-solve", "no-such-file.obf"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no-such-file.obf"), "{}", stderr(&output));
}

/// Breaks a command off once it has written so many lines, and gives back what it said on standard
/// error.
#[cfg(unix)]
fn broken_off(arguments: &[&str], input: &str, n_lines: usize) -> String {
    let mut child = command(arguments).spawn().unwrap();
    // Its input stays open, so that nothing but the interrupt ends it.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (0..n_lines).for_each(|_| drop(lines.next().unwrap().unwrap()));
    if n_lines == 0 {
        // Perft says on standard error what it is about to do.
        let mut first = [0];
        child.stderr.as_mut().unwrap().read_exact(&mut first).unwrap();
    }
    signal(&child, rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{arguments:?}");
    stderr(&output)
}

#[cfg(unix)]
#[test]
fn an_interrupt_says_how_far_things_were() {
    let told = broken_off(&["solve", "--json", "--threads", "1"], &format!("{SMALL}\n{START}\n"), 1);
    assert!(told.starts_with("interrupted: 1 position done, "), "{told}");
    let told = broken_off(&["openings", "--depth", "6", "--count", "1000000"], "", 2);
    assert!(told.contains("interrupted: ") && told.contains(" of 8 plies within 2 discs"), "{told}");
    assert!(told.ends_with("to depth 6, and 1000000 were asked for\n"), "{told}");
    let told = broken_off(&["perft", "30"], "", 0);
    assert!(told.contains("interrupted: the count to depth 30 is not done after "), "{told}");
}
