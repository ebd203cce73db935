//! Tournaments as scripts see them: rows, results, faults of engines, files, and what is left
//! running (nothing).

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outflank::arena::archive::replay;
use outflank::arena::outcome::GameRow;
use outflank::rules::count;
use outflank_protocol::format::ggf;
use serde_json::Value;

use crate::support::process::signal;
use crate::support::scratch::Scratch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

/// Longest wait for anything: generous, because test machines are busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// Engines are started with the name of their test's folder in their command lines, so that they
/// can be found.
impl Scratch {
    /// The text of `--engine` for an engine that follows a script, over a protocol.
    fn engine(&self, name: &str, proto: &str, script: &str) -> String {
        let file = self.write(&format!("{name}.script"), script);
        format!(
            "name={name},cmd='{PROGRAM}' --protocol {proto} --engine 'scripted:{file}',proto={proto}"
        )
    }

    /// The same for an engine that answers lines by rules.
    fn mock(&self, name: &str, proto: &str, rules: &str) -> String {
        let file = self.write(&format!("{name}.mock"), rules);
        format!("name={name},cmd='{PROGRAM}' mock '{file}',proto={proto}")
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("match").args(arguments).env_remove("RUST_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Rows and the result.
fn read(stdout: &[u8]) -> (Vec<GameRow>, Value) {
    let text = std::str::from_utf8(stdout).unwrap();
    assert!(text.ends_with('\n'), "the last line is not whole: {text}");
    let mut lines: Vec<&str> = text.lines().collect();
    let result: Value = serde_json::from_str(lines.pop().unwrap()).unwrap();
    let rows = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    (rows, result["result"].clone())
}

/// Runs, demands the exit code, and gives back rows and result.
fn play(arguments: &[&str], code: i32) -> (Vec<GameRow>, Value) {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}", stderr(&output));
    read(&output.stdout)
}

/// Runs what has to be refused, and gives back what standard error says.
fn refused(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
    stderr(&output)
}

/// Rows without what differs from run to run.
fn timeless(rows: &[GameRow]) -> Vec<GameRow> {
    rows.iter().map(|row| GameRow { seconds: 0.0, times: None, ..row.clone() }).collect()
}

/// The reason of a row as it is written.
fn reason(row: &GameRow) -> String {
    serde_json::to_value(row).unwrap()["reason"].as_str().unwrap().to_owned()
}

// ---------------------------------------------------------------------------------------------
// Games

#[test]
fn the_three_protocols_play_each_other() {
    let scratch = Scratch::new();
    let engines = ["native", "gtp", "nboard"].map(|proto| scratch.engine(proto, proto, "first"));
    let arguments = ["--engine", &engines[0], "--engine", &engines[1], "--engine", &engines[2]];
    let (rows, result) = play(&[&arguments[..], &["--games", "2"]].concat(), 0);
    assert_eq!(rows.len(), 6);
    // All of them play the same, so every game is the same one.
    assert!(rows.iter().all(|row| row.moves == rows[0].moves && reason(row) == "score"));
    assert_eq!(rows[5].duplicate_of, Some(1));
    for engine in ["native", "gtp", "nboard"] {
        assert_eq!(result[engine]["wins"], 2, "{result}");
        assert_eq!(result[engine]["losses"], 2, "{result}");
        assert_eq!(result[engine]["discs"], 0, "{result}");
    }
    scratch.nothing_runs();
}

#[test]
fn variants_are_played_by_their_rules() {
    for variant in ["othello+start=par", "reversi", "othello+hole=c3.f6", "6x6", "othello+anti", "oct"] {
        let scratch = Scratch::new();
        let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "last"));
        let (rows, _) = play(&["--engine", &a, "--engine", &b, "--variant", variant], 0);
        assert_eq!(rows.len(), 2, "{variant}");
        for row in &rows {
            assert_eq!(reason(row), "score", "{variant}: {row:?}");
            let game = replay(row).unwrap();
            assert!(game.is_over(), "{variant}");
            let discs = count(&game.state().board);
            assert_eq!((row.count.x, row.count.o), (discs.black, discs.white), "{variant}");
            let official = row.official.unwrap();
            let squares = f64::from(game.variant().geometry().squares());
            assert_eq!(official.x + official.o, squares, "{variant}");
            let ending = game.ending(outflank::rules::Forfeit::None).unwrap();
            assert_eq!(
                row.score_for_black().unwrap().half_points() == 2,
                ending.winner == Some(outflank::rules::Side::Black),
                "{variant}"
            );
        }
    }
}

/// For engines that never answer: a wait that is short, and long enough for those that do.
const WATCHED: [&str; 2] = ["--watchdog", "4"];

/// Plays one against an engine that always plays on, and checks how its games end.
fn check_fault(scratch: &Scratch, engine: &str, options: &[&str], expected: &str) -> Vec<GameRow> {
    let good = scratch.engine("good", "native", "first");
    let arguments =
        ["--engine", engine, "--engine", &good, "--games", "4", "--concurrency", "4", "--recover"];
    let (rows, result) = play(&[&arguments[..], options].concat(), 0);
    let name = engine.split(',').next().unwrap().strip_prefix("name=").unwrap().to_owned();
    assert_eq!(rows.len(), 4, "{engine}");
    for row in &rows {
        assert_eq!(reason(row), expected, "{engine}: {row:?}");
        assert_eq!(row.loser.as_deref(), Some(name.as_str()), "{engine}");
        assert_eq!(row.official, None, "{engine}");
    }
    assert_eq!((&result["good"]["wins"], &result[&name]["losses"]), (&4.into(), &4.into()));
    scratch.nothing_runs();
    rows
}

#[test]
fn every_misbehaviour_is_a_result_with_its_reason_and_the_run_goes_on() {
    let scratch = Scratch::new();
    let s = |name: &str, script: &str| scratch.engine(name, "native", script);
    check_fault(&scratch, &s("cheat", "first a1 "), &[], "illegal_move");
    check_fault(&scratch, &s("passer", "first pass"), &[], "wrong_pass");
    // Only the engine that is late has a clock, so that a busy machine cannot make the other lose.
    let late = |name: &str, time: &str| format!("{},{time}", s(name, "first sleep=700"));
    check_fault(&scratch, &late("late", "tc=0.3+0"), &[], "timeout");
    check_fault(&scratch, &late("late2", "movetime=0.2"), &[], "timeout");
    check_fault(&scratch, &s("mute", "first hang"), &WATCHED, "no_answer");
    let rows = check_fault(&scratch, &s("crash", "first exit=3"), &[], "crash");
    assert!(rows.iter().all(|row| row.exit_code == Some(3)));
    let rows = check_fault(&scratch, &s("abort", "abort"), &[], "crash");
    assert!(rows.iter().all(|row| row.exit_code.is_none() && row.note.is_some()));
}

#[test]
fn nonsense_and_last_words_of_strangers_are_kept() {
    let scratch = Scratch::new();
    let polite = "quit -> say =\\n\\n; exit 0\n* -> say =\\n\\n\n";
    let mock = |name: &str, rule: &str| scratch.mock(name, "gtp", &format!("{rule}\n{polite}"));
    let rows =
        check_fault(&scratch, &mock("garbler", "genmove -> say = %&!\\n\\n"), &[], "protocol_error");
    assert!(rows[0].note.as_ref().unwrap().contains("%&!"), "{:?}", rows[0]);
    let rows = check_fault(
        &scratch,
        &mock("dier", "genmove -> complain out of cheese\\n; exit 4"),
        &[],
        "crash",
    );
    assert_eq!(rows[0].exit_code, Some(4));
    assert!(rows[0].note.as_ref().unwrap().contains("out of cheese"), "{:?}", rows[0]);
    let rows = check_fault(&scratch, &mock("silent", "genmove -> exit 0"), &[], "crash");
    assert_eq!(rows[0].exit_code, Some(0));
    check_fault(&scratch, &mock("quitter", "genmove -> say = resign\\n\\n"), &[], "resign");
    // Those that never get ready.
    let rows = check_fault(&scratch, &scratch.mock("gone", "gtp", "* -> exit 5"), &[], "crash");
    assert_eq!(rows[0].exit_code, Some(5));
    // A flood that holds no answer neither hides the end of the wait nor takes memory.
    let flood = mock("flooder", "genmove -> flood 100000 blah blah blah\\n; hang");
    check_fault(&scratch, &flood, &WATCHED, "protocol_error");
}

#[test]
fn a_crash_without_recover_ends_the_run_with_its_game() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "first exit=3"));
    let output = run(&["--engine", &a, "--engine", &b, "--games", "8"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let (rows, result) = read(&output.stdout);
    assert_eq!(rows.len(), 1);
    assert_eq!(result["A"]["wins"], 1);
    assert!(stderr(&output).contains("B crashed in game 1"), "{}", stderr(&output));
    scratch.nothing_runs();
}

#[test]
fn totals_are_the_same_at_any_concurrency() {
    let scratch = Scratch::new();
    let openings = scratch.write("openings.txt", "f5d6c3\nf5f6e6f4\nf5d6c4d3c3\n");
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "gtp", "last"));
    let at = |concurrency: &str| {
        let arguments = ["--engine", &a, "--engine", &b, "--games", "8", "--openings", &openings];
        let more = ["--order", "random", "--seed", "5", "--concurrency", concurrency];
        play(&[&arguments[..], &more].concat(), 0)
    };
    let (alone, result) = at("1");
    let (together, same) = at("2");
    assert_eq!(timeless(&alone), timeless(&together));
    assert_eq!(result, same);
    assert_eq!(alone.len(), 8);
    for pair in alone.chunks(2) {
        assert_eq!((&pair[0].opening, &pair[0].x), (&pair[1].opening, &pair[1].o));
        assert_eq!(pair[0].pair, pair[1].pair);
    }
    let names: HashSet<&String> = alone.iter().map(|row| &row.opening).collect();
    assert_eq!(names.len(), 3);
    scratch.nothing_runs();
}

#[test]
fn games_are_decided_by_their_exact_value_on_request() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "last"));
    let arguments = ["--engine", &a, "--engine", &b, "--variant", "6x6", "--adjudicate-exact", "8"];
    let (rows, _) = play(&arguments, 0);
    for row in rows {
        assert_eq!(reason(&row), "adjudicated");
        let game = replay(&row).unwrap();
        assert_eq!(game.state().board.empties(), 8);
        let official = row.official.unwrap();
        assert_eq!(official.x + official.o, 36.0);
    }
}

#[test]
fn the_engine_that_decides_games_takes_weights_and_settings() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "last"));
    let arguments = ["--engine", &a, "--engine", &b, "--adjudicate-exact", "8", "--concurrency", "2"];
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/src/eval/weights/othello.bin");
    let (by_default, _) = play(&arguments, 0);
    for more in [&["--weights", weights][..], &["--weights", "none", "--set", "threads=2"]] {
        let (rows, _) = play(&[&arguments[..], more].concat(), 0);
        assert_eq!(timeless(&rows), timeless(&by_default), "{more:?}");
        assert!(rows.iter().all(|row| reason(row) == "adjudicated"), "{more:?}");
    }
}

#[test]
fn a_test_stops_the_run_behind_a_whole_pair() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "a1"));
    let arguments = ["--engine", &a, "--engine", &b, "--sprt", "elo0=0,elo1=200", "--concurrency", "2"];
    let (rows, result) = play(&arguments, 0);
    assert!(rows.len() >= 2 && rows.len().is_multiple_of(2), "{} games", rows.len());
    assert_eq!(result["sprt"], "accepted");
    assert_eq!(result["A"]["wins"], rows.len());
    assert!(result["llr"].as_f64().unwrap() >= 2.94);
    scratch.nothing_runs();
}

// ---------------------------------------------------------------------------------------------
// Files

/// Takes so many rows from a running match.
fn take_rows(child: &mut Child, n: usize) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..n {
        lines.next().unwrap().unwrap();
    }
}

fn check_files(scratch: &Scratch, n: usize) {
    let jsonl = scratch.read("games.jsonl");
    let rows: Vec<GameRow> = jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<usize> = rows.iter().map(|row| row.game as usize).collect();
    assert_eq!(numbers, (1..=n).collect::<Vec<_>>());
    for pair in rows.chunks(2) {
        assert_eq!(pair[0].pair, pair[1].pair);
        assert_eq!((&pair[0].x, &pair[0].o), (&pair[1].o, &pair[1].x));
    }
    let games = ggf::read_all(&scratch.read("games.ggf"));
    assert_eq!(games.len(), n);
    for (game, row) in games.into_iter().zip(&rows) {
        let game = game.unwrap();
        assert_eq!((&game.black.name, &game.white.name), (&row.x, &row.o));
        assert_eq!(game.moves.len(), row.plies as usize);
    }
}

#[test]
fn a_killed_run_is_continued_where_it_was() {
    let scratch = Scratch::new();
    let slow = "sleep=15";
    let (a, b) = (scratch.engine("A", "native", slow), scratch.engine("B", "gtp", "last"));
    let (jsonl, record) = (scratch.path("games.jsonl"), scratch.path("games.ggf"));
    let mut arguments =
        vec!["--engine", &a, "--engine", &b, "--games", "8", "--jsonl", &jsonl, "--record", &record];
    let mut child = command(&arguments).spawn().unwrap();
    take_rows(&mut child, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    scratch.nothing_runs();

    // What a kill in the middle of a write leaves.
    let n_whole = scratch.read("games.jsonl").lines().count();
    assert!((3..8).contains(&n_whole), "{n_whole}");
    let mut file = fs::OpenOptions::new().append(true).open(&jsonl).unwrap();
    file.write_all(b"{\"game\":9,\"pa").unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&record).unwrap();
    file.write_all(b"(;GM[Othello]PB[A];)\n(;GM[Oth").unwrap();

    let without_resume = refused(&arguments, 2);
    assert!(without_resume.contains("games.jsonl: there are games in it already"), "{without_resume}");
    arguments.push("--resume");
    let (rows, result) = play(&arguments, 0);
    assert_eq!(rows.len(), 8 - n_whole);
    assert_eq!(
        result["A"]["as_x"]["wins"].as_u64().unwrap() + result["A"]["as_x"]["losses"].as_u64().unwrap(),
        4
    );
    assert_eq!(result["games"], 8);
    check_files(&scratch, 8);

    // Once more, and nothing is played.
    let (rows, same) = play(&arguments, 0);
    assert_eq!((rows.len(), same), (0, result));
    check_files(&scratch, 8);
}

#[test]
fn another_tournament_is_not_continued() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "last"));
    let jsonl = scratch.path("games.jsonl");
    let base = ["--engine", &a, "--engine", &b, "--variant", "4x4", "--jsonl", &jsonl];
    play(&base, 0);
    let resumed = |more: &[&str]| refused(&[&base[..], &["--resume"], more].concat(), 1);
    assert!(resumed(&["--seed", "3"]).contains("seed was 0, now it is 3"));
    assert!(resumed(&["--depth", "4"]).contains("engines[1].tc was 'no limit', now it is 'depth 4'"));
    let openings = scratch.write("o.txt", "b1\n");
    assert!(resumed(&["--openings", &openings]).contains("openings.digest was"));
    let (rows, _) = play(&[&base[..], &["--resume", "--games", "4"]].concat(), 0);
    assert_eq!(rows.len(), 2, "more games of the same schedule are");
    let other = scratch.engine("C", "native", "last");
    let renamed =
        ["--engine", &a, "--engine", &other, "--variant", "4x4", "--jsonl", &jsonl, "--resume"];
    assert!(refused(&renamed, 1).contains("engines[2].name was 'B', now it is 'C'"));
}

#[test]
fn ctrl_c_prints_the_results_so_far() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "sleep=15"), scratch.engine("B", "native", "last"));
    let jsonl = scratch.path("games.jsonl");
    let mut child = command(&["--engine", &a, "--engine", &b, "--games", "1000", "--jsonl", &jsonl])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut seen = vec![lines.next().unwrap().unwrap()];
    signal(&child, rustix::process::Signal::INT);
    seen.extend(lines.map(Result::unwrap));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (rows, result) = read(format!("{}\n", seen.join("\n")).as_bytes());
    assert_eq!(result["games"], rows.len());
    assert_eq!(scratch.read("games.jsonl").lines().count(), rows.len());
    scratch.nothing_runs();
}

#[test]
fn nothing_is_left_of_an_engine_that_hangs_when_the_run_is_interrupted_or_killed() {
    for how in [rustix::process::Signal::INT, rustix::process::Signal::KILL] {
        let scratch = Scratch::new();
        let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "hang"));
        let log = scratch.path("log");
        let mut child = command(&["--engine", &a, "--engine", &b, "--log-dir", &log]).spawn().unwrap();
        wait_for(&log, "B", "go");
        signal(&child, how);
        child.wait().unwrap();
        scratch.nothing_runs();
    }
}

#[test]
fn an_engine_that_never_gets_ready_does_not_hold_up_the_end() {
    let scratch = Scratch::new();
    let (a, b) =
        (scratch.mock("A", "gtp", "* -> complain asked\\n; hang"), scratch.engine("B", "gtp", "first"));
    let log = scratch.path("log");
    let child = command(&["--engine", &a, "--engine", &b, "--log-dir", &log]).spawn().unwrap();
    wait_for(&log, "A", "asked");
    signal(&child, rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    scratch.nothing_runs();
}

/// Waits until the log of an engine holds a text.
fn wait_for(log: &str, engine: &str, text: &str) {
    let started = Instant::now();
    let is_there = || {
        let files = fs::read_dir(log).into_iter().flatten().flatten();
        files
            .filter(|file| file.file_name().to_string_lossy().starts_with(engine))
            .any(|file| fs::read_to_string(file.path()).is_ok_and(|log| log.contains(text)))
    };
    while !is_there() {
        assert!(started.elapsed() < PATIENCE, "the log of {engine} has no '{text}'");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_file_can_say_everything() {
    let scratch = Scratch::new();
    let script = scratch.write("first.script", "first");
    let engine = |name: &str, proto: &str| {
        format!(
            "[[engine]]\nname = \"{name}\"\nproto = \"{proto}\"\ncmd = \"\"\"'{PROGRAM}' --protocol {proto} --engine 'scripted:{script}'\"\"\"\n"
        )
    };
    let (html, log) = (scratch.path("report.html"), scratch.path("log"));
    let file = scratch.write(
        "match.toml",
        format!(
            "games = 4\nvariant = \"6x6\"\ntc = \"10+0.1\"\nhtml = \"{html}\"\nlog-dir = \"{log}\"\n\n{}\n{}",
            engine("one", "native"),
            engine("two", "nboard")
        ),
    );
    let (rows, result) = play(&["--config", &file], 0);
    assert_eq!(rows.len(), 4);
    assert_eq!(result["one"]["points"], 2);
    let page = scratch.read("report.html");
    assert!(page.contains("<html") && page.contains("one") && page.contains("6x6"));
    assert_eq!(fs::read_dir(&log).unwrap().count(), 2);
    // The command line wins.
    let (rows, _) = play(&["--config", &file, "--games", "2"], 0);
    assert_eq!(rows.len(), 2);
}

#[test]
fn what_cannot_be_is_refused_and_named() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "last"));
    let with = |more: &[&str]| refused(&[&["--engine", &a, "--engine", &b], more].concat(), 2);
    assert!(refused(&[], 2).contains("at least two engines, none is given"));
    assert!(refused(&["--engine", &a], 2).contains("at least two engines, 1 is given"));
    assert!(refused(&["--engine", &a, "--engine", &a], 2).contains("two engines are called 'A'"));
    assert!(refused(&["--engine", &a, "--engine", "./b"], 2).contains("--engine 2 './b'"));
    assert!(refused(&["--engine", &a, "--engine", "name=elo,cmd=b,proto=gtp"], 2).contains("'elo'"));
    assert!(with(&["--games", "3"]).contains("3 games are not whole pairs"));
    assert!(with(&["--tc", "1+x"]).contains("'1+x' is no time"));
    assert!(with(&["--tc", "1+0", "--movetime", "1"]).contains("cannot be used with"));
    assert!(with(&["--variant", "chess"]).contains("--variant 'chess'"));
    assert!(with(&["--sprt", "elo0=5,elo1=0"]).contains("not below"));
    assert!(with(&["--resume"]).contains("--jsonl"));
    assert!(with(&["--record", "x.ggf", "--variant", "8x6"]).contains("--record: "));
    assert!(with(&["--opening-start", "2"]).contains("--openings"));
    let (file, same) = (scratch.path("games"), scratch.path("./games"));
    for [one, other] in [["--jsonl", "--record"], ["--jsonl", "--html"], ["--record", "--html"]] {
        let told = with(&[one, &file, other, &same]);
        assert!(told.contains("--jsonl, --record and --html need files of their own"), "{told}");
    }
    assert!(!Path::new(&file).exists());
    let three = ["--engine", &a, "--engine", &b, "--engine", "name=C,cmd=c,proto=gtp"];
    assert!(refused(&[&three[..], &["--pairing", "versus"]].concat(), 2).contains("for two engines"));
    assert!(refused(&[&three[..], &["--sprt", "elo0=0,elo1=5"]].concat(), 2).contains("compares two"));
    let missing = ["--engine", &a, "--engine", "name=B,cmd=/no/such/program,proto=gtp"];
    let output = run(&missing);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("B does not start: '/no/such/program'"), "{}", stderr(&output));
    let bad = scratch.write("openings.txt", "f5d6\nf5f5\n");
    let output = run(&["--engine", &a, "--engine", &b, "--openings", &bad]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("openings.txt") && stderr(&output).contains("f5f5"),
        "{}",
        stderr(&output)
    );
    scratch.nothing_runs();
}

#[test]
fn surprises_are_told_beforehand() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "native", "last"));
    let told = |more: &[&str]| {
        let output = run(&[&["--engine", &a, "--engine", &b, "--variant", "4x4"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(told(&[]).contains("will repeat their games"));
    let openings = scratch.write("o.txt", "b1\nc4\n");
    assert!(!told(&["--openings", &openings, "--games", "4"]).contains("used up"));
    assert!(told(&["--openings", &openings, "--games", "8"]).contains("used up before pair 3"));
    // Ours, and nobody has told them how many threads to use.
    let there = outflank::engine::available_threads();
    assert!(told(&["--concurrency", "200"]).contains(&format!("take {} processors", 200 * there)));
}

#[test]
fn limits_that_an_engine_cannot_be_told_are_noted_and_no_trap() {
    let scratch = Scratch::new();
    let good = scratch.engine("good", "native", "first");
    let with = |engine: &str, more: &[&str]| {
        let mut arguments = vec!["--engine", &good, "--engine", engine, "--variant", "4x4"];
        arguments.extend(more);
        arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>()
    };
    let told = |engine: &str, more: &[&str], code: i32| {
        let arguments = with(engine, more);
        let output = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(!String::from_utf8_lossy(&output.stdout).contains("timeout"), "{engine}");
        stderr(&output)
    };
    let played = |engine: &str, more: &[&str]| told(engine, more, 0);
    let nboard = scratch.engine("B", "nboard", "sleep=300");
    let noted = played(&nboard, &["--movetime", "0.05"]);
    let note =
        "note: B cannot be told a time for a move in nboard: it plays without, and is not held to it";
    assert!(noted.contains(note), "{noted}");
    // What GTP can say is for each engine to know.
    let deaf = scratch.mock("deaf", "gtp", "* -> say =\\n\\n");
    let noted = told(&deaf, &["--tc", "5+0"], 1);
    let note = "note: deaf cannot be told a clock in gtp: it plays without, and is held to it";
    assert!(noted.contains(note), "{noted}");
    played(&scratch.engine("C", "gtp", "last"), &["--tc", "60+0"]);

    let free = format!("{nboard},tc=none");
    assert!(!played(&free, &["--movetime", "20"]).contains("cannot be told"));
    let noted = played(&nboard, &["--nodes", "100", "--depth", "3"]);
    assert!(
        noted.contains("note: B cannot be told a number of nodes in nboard: it plays without\n"),
        "{noted}"
    );
    scratch.nothing_runs();
}

#[test]
fn what_cassios_protocol_asks_for_without_a_depth_is_told() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.engine("A", "native", "first"), scratch.engine("B", "cassio", "last"));
    let log = scratch.path("log");
    let told = |more: &[&str]| {
        let output = run(&[&["--engine", &a, "--engine", &b, "--log-dir", &log], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(told(&[]).contains("note: B is asked for 12 plies, whatever level its command names"));
    wait_for(&log, "B", " -64.00 64.00 12 100");
    assert!(!told(&["--depth", "3"]).contains("is asked for"));
}

#[test]
fn without_a_game_there_is_no_result() {
    let scratch = Scratch::new();
    let a = scratch.engine("A", "native", "first");
    let told = refused(&["--engine", &a, "--engine", "name=B,cmd=/no/such/program,proto=gtp"], 1);
    assert!(told.contains("error: B does not start: '/no/such/program' cannot be started: no such"));
    let unwilling = scratch.mock("C", "gtp", "clear_board -> say ? no\\n\\n\n* -> say =\\n\\n");
    assert!(refused(&["--engine", &a, "--engine", &unwilling], 1).contains("C does not play this game"));
    scratch.nothing_runs();
}
