//! `outflank conform`: this program passes its own walks, and engines that do not are told why.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::Value;

#[cfg(unix)]
use crate::support::process::signal;
use crate::support::scratch::Scratch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

/// Machines that run tests are busy: nothing is judged by its time that need not be.
const LENIENT: [&str; 3] = ["--untimed", "--timeout", "120"];

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("conform").args(arguments).env_remove("RUST_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The lines of `--json`.
fn rows(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn this_program_passes_its_walk_in_every_dialect() {
    // Most of a walk is waiting for nothing, so they are taken at the same time.
    thread::scope(|scope| {
        for row in outflank_protocol::DIALECTS {
            scope.spawn(|| {
                let output = run(&[&[row.name, "--json"], &LENIENT[..]].concat());
                let rows = rows(&output);
                let (summary, steps) = rows.split_last().unwrap();
                for step in steps {
                    let (name, reason) = (&step["step"], &step["reason"]);
                    assert_eq!(step["result"], "pass", "{} {name}: {reason} {}", row.name, step["said"]);
                }
                assert_eq!(summary["summary"]["walk"], row.name);
                assert_eq!(summary["summary"]["passed"], steps.len());
                assert_eq!(output.status.code(), Some(0), "{}", row.name);
            });
        }
    });
}

#[test]
fn a_report_for_people_has_one_line_a_step_with_its_result() {
    let output = run(&[&["gtp", "--only", "ids", "--only", "illegal"], &LENIENT[..]].concat());
    let lines = text(&output.stdout);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("pass  ")), "{lines:?}");
    assert!(lines[0].contains(" start ") && lines[2].contains(" illegal "), "{lines:?}");
    assert_eq!(text(&output.stderr), "3 passed, 0 failed, 0 skipped\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn steps_and_protocols_are_listed() {
    let listed = |arguments: &[&str]| text(&run(arguments).stdout);
    for row in outflank_protocol::DIALECTS {
        assert!(listed(&["--list"]).lines().any(|line| line == row.name), "{}", row.name);
    }
    let steps = listed(&["gtp", "--list"]);
    assert!(steps.starts_with("start "), "{steps}");
    assert!(steps.lines().any(|line| line.starts_with("written-pass  ")), "{steps}");
}

#[test]
fn wrong_usage_names_what_would_be_right() {
    let scratch = Scratch::new();
    let broken = scratch.write("broken.txt", "== a -- A\n> x\n<! y\n");
    for (arguments, code, told) in [
        (&["golf"][..], 2, "there are walks for native"),
        (&[][..], 2, "DIALECT is missing: there are walks for native, nboard, gtp, uci, edax, "),
        (&["gtp", "--only", "fly"][..], 2, "the steps are start, ids"),
        (&["gtp", "--timeout", "0"][..], 2, "--timeout"),
        (&["gtp", "--walk", "x"][..], 2, "--walk"),
        (&["--walk", "/no/such/file", "--", "x"][..], 1, "/no/such/file"),
        (&["--walk", &broken, "--", "x"][..], 1, "line 3: '<! y': no line of a walk begins like this"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
}

// ---------------------------------------------------------------------------------------------
// Engines that do not pass

/// A walk whose second step asks one thing; the third shows that the walk goes on.
const WALK: &str = "\
IGNORE #{}
== start -- Begins
KEEP offers
> hello
< hello <word>
== ask -- Asks
WITHIN 400
> 7 ask
< =7 {yes|no}
<? more
QUIET 100
== after -- Goes on
> hello
< hello <word>
";

/// What a polite engine does besides.
const POLITE: &str = "hello -> say hello there\\n\n";

/// Takes a mock through the walk and gives back the row of its second step.
fn asked(rules: &str, options: &[&str]) -> Value {
    asked_in(WALK, rules, options)
}

fn asked_in(walk: &str, rules: &str, options: &[&str]) -> Value {
    let scratch = Scratch::new();
    let walk = scratch.write("walk.txt", walk);
    let mock = scratch.write("mock.txt", format!("{rules}\n{POLITE}"));
    let arguments = ["--walk", &walk, "--json"];
    let output = run(&[&arguments[..], options, &["--", PROGRAM, "mock", &mock]].concat());
    let rows = rows(&output);
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert_eq!(rows[0]["result"], "pass", "{}", rows[0]);
    assert_eq!(rows[2]["result"], "pass", "a step that fails must not spoil the next: {}", rows[2]);
    let is_failed = rows[1]["result"] == "fail";
    assert_eq!(output.status.code(), Some(i32::from(is_failed)), "{rows:?}");
    scratch.nothing_runs();
    rows[1].clone()
}

#[test]
fn what_a_bad_engine_does_is_told_in_one_sentence() {
    let slow = ["--timeout", "60"];
    for (rules, options, reason) in [
        ("7 ask -> say =8 yes\\n", &slow, "expected '=7 {yes|no}', got '=8 yes'"),
        ("7 ask -> say %&!\\n", &slow, "expected '=7 {yes|no}', got '%&!'"),
        ("7 ask -> say \\n", &slow, "expected '=7 {yes|no}', got an empty line"),
        ("7 ask -> say =7 yes\\nnews\\n", &slow, "'news' came where nothing has to"),
        ("7 ask -> say =7 yes\\nmore\\nmore\\n", &slow, "'more' came where nothing has to"),
        ("7 ask -> exit 3", &slow, "the engine ended with exit code 3 instead of saying '=7 {yes|no}'"),
        ("7 ask -> say =7 yes\\n; exit 3", &slow, "the engine ended with exit code 3 too early"),
        ("7 ask -> hang", &["--timeout", "1"], "expected '=7 {yes|no}', which did not come within 1 s"),
        ("7 ask -> endless 100000; say \\n", &slow, "the line has"),
        // A flood of what may come at any time is not an answer either.
        (
            "7 ask -> flood 100000 #\\n; hang",
            &["--timeout", "2"],
            "expected '=7 {yes|no}', which did not",
        ),
    ] {
        let row = asked(rules, &options[..]);
        assert_eq!(row["result"], "fail", "{rules}: {row}");
        let told = row["reason"].as_str().unwrap();
        assert!(told.contains(reason), "{rules}: {told}");
        assert!(row["said"].as_array().unwrap().contains(&"> 7 ask".into()), "{rules}: {row}");
    }
}

#[test]
fn a_late_answer_is_told_with_its_time_unless_times_are_not_judged() {
    let rules = "7 ask -> sleep 700; say =7 yes\\n";
    let late = asked(rules, &["--timeout", "60"]);
    let told = late["reason"].as_str().unwrap();
    assert!(told.starts_with("'=7 {yes|no}' came after "), "{told}");
    assert!(told.ends_with(", 400 ms are allowed"), "{told}");
    let lenient = asked(rules, &LENIENT);
    assert_eq!(lenient["result"], "pass", "{lenient}");
    assert!(lenient["latency_ms"].as_f64().unwrap() >= 700.0, "{lenient}");
}

#[test]
fn the_last_words_of_an_engine_that_dies_are_kept() {
    let row = asked("7 ask -> complain out of cheese\\n; exit 4", &LENIENT);
    assert_eq!((&row["exit_code"], &row["line"]), (&4.into(), &9.into()), "{row}");
    assert_eq!(row["stderr"], serde_json::json!(["out of cheese"]));
}

#[test]
fn an_engine_that_does_not_read_is_given_up() {
    let walk = WALK.replace("> 7 ask\n", ">> 7 ask\\n\\*3000000(x)\\n\n");
    let row = asked_in(&walk, "7 ask -> hang", &["--timeout", "1"]);
    assert_eq!(row["reason"], "the engine has not read its input for 1 s");
}

#[test]
fn the_end_of_a_process_is_awaited_with_its_code() {
    let with_end = |end: &str| WALK.replace("<? more\nQUIET 100\n", &format!("EOF\n{end}\n"));
    let answered = "7 ask -> say =7 yes\\n";
    let told = |walk: &str, rules: &str, options: &[&str]| {
        asked_in(walk, &format!("{answered}\n{rules}"), options)["reason"].clone()
    };
    let good = with_end("END 0");
    assert_eq!(told(&good, "EOF -> exit 0", &LENIENT), Value::Null);
    let wrong = told(&good, "EOF -> exit 9", &LENIENT);
    assert_eq!(wrong, "the engine ended with exit code 9, expected is exit code 0");
    assert_eq!(told(&with_end("END"), "EOF -> exit 9", &LENIENT), Value::Null);
    let hanging = told(&good, "EOF -> hang", &["--timeout", "1"]);
    assert_eq!(hanging, "the engine still runs after 1 s");
    let talking = told(&good, "EOF -> say wait\\n; exit 0", &LENIENT);
    assert_eq!(talking, "'wait' came where nothing has to");
}

#[test]
fn what_an_engine_does_not_offer_is_skipped_with_the_reason() {
    let skipped = |walk: &str, rules: &str| {
        let row = asked_in(walk, rules, &LENIENT);
        assert_eq!(row["result"], "skip", "{row}");
        row["reason"].as_str().unwrap().to_owned()
    };
    let needing = WALK.replace("WITHIN 400\n", "NEEDS offers tea\n");
    assert_eq!(skipped(&needing, "7 ask -> say =7 yes\\n"), "its offers have no 'tea'");
    let declining = WALK.replace("WITHIN 400\n", "SKIP ?7{}\n");
    assert_eq!(skipped(&declining, "7 ask -> say ?7 never heard\\n"), "it says '?7 never heard'");
    let offered = asked_in(
        &needing,
        "hello -> say hello tea\\n\nhello -> say hello there\\n\n7 ask -> say =7 no\\n",
        &LENIENT,
    );
    assert_eq!(offered["result"], "pass", "{offered}");
}

#[test]
fn without_its_start_an_engine_is_asked_nothing_else() {
    let output = run(&["gtp", "--json", "--", "/no/such/engine"]);
    let rows = rows(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(rows[0]["reason"].as_str().unwrap().starts_with("'/no/such/engine' cannot be started"));
    assert!(rows[1..rows.len() - 1].iter().all(|row| row["result"] == "skip"), "{rows:?}");
    assert_eq!(rows[rows.len() - 1]["summary"]["failed"], 1);
    assert_eq!(rows.len(), 2, "{rows:?}");
    // One that starts and says the wrong thing is told of each step that is left out.
    let silent = run(&["gtp", "--json", "--timeout", "5", "--", "true"]);
    assert!(self::rows(&silent).len() > 10);
}

#[test]
fn lines_seen_stand_below_a_step_that_failed() {
    let scratch = Scratch::new();
    let walk = scratch.write("walk.txt", WALK);
    let mock = scratch.write("mock.txt", format!("7 ask -> complain why\\n; exit 1\n{POLITE}"));
    let arguments = ["--walk", &walk, "--verbose", "--", PROGRAM, "mock", &mock];
    let output = run(&arguments);
    let told = text(&output.stdout);
    let below = "\
fail  ask    Asks
      the engine ended with exit code 1 instead of saying '=7 {yes|no}' (line 9 of the walk)
      > 7 ask
      ! why
pass  after  Goes on
";
    assert!(told.ends_with(below), "{told}");
    let traffic = text(&output.stderr);
    assert!(traffic.contains(" > 7 ask\n") && traffic.contains(" ! why\n"), "{traffic}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_walk_and_the_engine() {
    let scratch = Scratch::new();
    let walk = scratch.write("walk.txt", WALK);
    let mock = scratch.write("mock.txt", format!("7 ask -> hang\n{POLITE}"));
    let arguments = ["--walk", &walk, "--timeout", "1000", "--", PROGRAM, "mock", &mock];
    let mut child = command(&arguments).spawn().unwrap();
    // The first step is told, so the second one has begun or is about to.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("pass  start"));
    signal(&child, rustix::process::Signal::INT);
    assert_eq!(lines.next().transpose().unwrap(), None);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    scratch.nothing_runs();
}
