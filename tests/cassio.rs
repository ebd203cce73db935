//! Conversations in which single positions are searched: what comes once, what comes at all, and
//! what the answers are worth.

use std::time::Duration;

use crate::support::process::{Engine, PATIENCE};

const START: &str = "---------------------------OX------XO---------------------------X";
/// 14 empties; Black wins by 18 with G8.
const ENDGAME: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--X";

fn start() -> Engine {
    Engine::start(&["--protocol", "cassio", "--threads", "1"])
}

/// The last result line before `ready.`, in its parts.
fn result(engine: &mut Engine, command: &str) -> Vec<String> {
    engine.send(&format!("ENGINE-PROTOCOL {command}"));
    let lines = engine.until(|line| line == "ready.");
    let line = lines.iter().rev().nth(1).unwrap_or_else(|| panic!("{command}: {lines:?}"));
    line.split(", ").map(str::to_owned).collect()
}

fn nodes(result: &[String]) -> u64 {
    let node = result.iter().find_map(|part| part.strip_prefix("node "));
    node.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{result:?}"))
}

/// All that is still said once the input has ended.
fn rest(mut engine: Engine) -> Vec<String> {
    engine.close_input();
    let lines = std::iter::from_fn(|| engine.line_or_end()).collect();
    assert!(engine.exit(PATIENCE).success());
    lines
}

fn count(lines: &[String], wanted: &str) -> usize {
    lines.iter().filter(|line| *line == wanted).count()
}

#[test]
fn everything_in_one_write_is_answered_once() {
    let mut engine = start();
    let search = format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100");
    let stop = "ENGINE-PROTOCOL stop\r";
    engine.send_all(&["ENGINE-PROTOCOL init\r", &search, "", "ENGINE-PROTOCOL get-search-infos", stop]);
    let lines = rest(engine);
    assert_eq!((count(&lines, "ready."), count(&lines, "ok.")), (2, 1), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("node ")).count(), 1, "{lines:?}");
    assert_eq!(lines[lines.len() - 2..], ["ready.", "bye bye."]);
}

#[test]
fn a_stop_drops_what_waits() {
    let mut engine = start();
    let search = format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100");
    let waiting = ["ENGINE-PROTOCOL get-version", &search, "ENGINE-PROTOCOL new-position"];
    engine.send(&search);
    engine.send_all(&[waiting[0], waiting[1], waiting[2], "ENGINE-PROTOCOL stop"]);
    engine.until(|line| line == "ready.");
    engine.send("ENGINE-PROTOCOL init");
    assert_eq!(engine.line(), "ready.");
    assert_eq!(rest(engine), ["bye bye."]);
}

#[test]
fn what_was_sent_before_the_end_is_answered_and_deep_searches_are_cut_short() {
    let mut engine = start();
    engine.send(&format!("ENGINE-PROTOCOL endgame-search {ENDGAME} -64 64 100"));
    let lines = rest(engine);
    let [.., result, ready, bye] = &lines[..] else { panic!("{lines:?}") };
    assert!(result.contains("depth 14, @100%, B+18.00 <= v <= B+18.00"), "{lines:?}");
    assert_eq!((ready.as_str(), bye.as_str()), ("ready.", "bye bye."));
    let mut engine = start();
    let search = format!("ENGINE-PROTOCOL endgame-search {START} -64 64 100");
    engine.send_all(&[&search, "ENGINE-PROTOCOL foo", "ENGINE-PROTOCOL", "ENGINE-PROTOCOL quit"]);
    let lines = engine.until(|line| line == "bye bye.");
    assert_eq!(count(&lines, "ready."), 3, "{lines:?}");
    assert!(engine.exit(Duration::from_secs(20)).success());
    let mut engine = start();
    engine.send(&search);
    let lines = rest(engine);
    assert_eq!(lines.last().map(String::as_str), Some("bye bye."), "{lines:?}");
}

#[test]
fn results_are_told_once_and_each_line_stands_for_a_deeper_search() {
    let mut engine = start();
    engine.send(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 8 73"));
    let lines = engine.until(|line| line == "ready.");
    let depths: Vec<u32> = lines[..lines.len() - 1]
        .iter()
        .map(|line| {
            let depth = line.split(", ").find_map(|part| part.strip_prefix("depth "));
            depth.and_then(|depth| depth.parse().ok()).unwrap_or_else(|| panic!("{line}"))
        })
        .collect();
    assert!(depths.is_sorted_by(|a, b| a < b) && depths.last() == Some(&8), "{lines:?}");
}

#[test]
fn windows_are_answered_with_bounds_that_hold() {
    let mut engine = start();
    for (alpha, beta) in
        [(-1_i32, 1), (17, 18), (18, 19), (17, 19), (-64, 18), (18, 64), (16, 20), (40, 50)]
    {
        let found = result(&mut engine, &format!("endgame-search {ENDGAME} {alpha} {beta} 100"));
        let bounds: Vec<f64> = found[4]
            .split(" <= v <= ")
            .map(|bound| bound.trim_start_matches(['B', '+']).parse().unwrap_or(f64::NAN))
            .collect();
        let [lower, upper] = bounds[..] else { panic!("{found:?}") };
        assert!(lower <= 18.0 && upper >= 18.0, "{alpha} {beta}: {found:?}");
        // It is the value, or it lies beyond an end of the window.
        let (alpha, beta) = (f64::from(alpha), f64::from(beta));
        assert!(lower == upper || lower >= beta || upper <= alpha, "{alpha} {beta}: {found:?}");
        assert_eq!((found[2].as_str(), found[3].as_str()), ("depth 14", "@100%"));
    }
}

#[test]
fn a_window_spares_nodes() {
    let nodes_of = |bounds: &str| {
        let mut engine = start();
        nodes(&result(&mut engine, &format!("endgame-search {ENDGAME} {bounds} 100")))
    };
    let (full, null) = (nodes_of("-64 64"), nodes_of("-1 1"));
    assert!(null < full, "{null} of {full} nodes");
}

#[test]
fn what_is_fed_spares_the_search() {
    let mut engine = start();
    let command = format!("endgame-search {ENDGAME} -64 64 100");
    let full = nodes(&result(&mut engine, &command));
    engine.send("ENGINE-PROTOCOL empty-hash");
    engine
        .send(&format!("ENGINE-PROTOCOL feed-hash {ENDGAME} 18 18 14 100 G8h7A8a6A4a7B6a2H8a3H1g2A1b1"));
    let fed = result(&mut engine, &command);
    assert_eq!((fed[1].as_str(), fed[4].as_str()), ("move G8", "B+18.00 <= v <= B+18.00"));
    // What is left is the play at the end, which no table holds.
    assert!(2 * nodes(&fed) < full, "{} of {full} nodes", nodes(&fed));
    // A proof under selectivity, or of a shallower search, proves nothing.
    for doubtful in ["20 20 14 99", "20 20 13 100"] {
        engine.send("ENGINE-PROTOCOL empty-hash");
        engine.send(&format!("ENGINE-PROTOCOL feed-hash {ENDGAME} {doubtful} G8h7"));
        assert_eq!(result(&mut engine, &command)[4], "B+18.00 <= v <= B+18.00", "{doubtful}");
    }
}

#[test]
fn the_dialect_is_found_by_its_first_command() {
    let mut engine = Engine::start(&[]);
    // An empty line says nothing yet.
    engine.send_all(&["", "ENGINE-PROTOCOL init", ""]);
    assert_eq!([engine.line(), engine.line()], ["ready.", "ready."]);
    let lines = rest(engine);
    assert_eq!(lines, ["bye bye."]);
}

#[test]
fn long_lines_are_answered() {
    let mut engine = start();
    let long = "x".repeat(3 << 20);
    engine.send(&format!("ENGINE-PROTOCOL midgame-search {long}"));
    assert!(engine.line().starts_with("ERROR: "));
    assert_eq!(engine.line(), "ready.");
    engine.send(&long);
    assert!(engine.line().starts_with("ERROR: Unknown protocol"));
    engine.send("");
    assert_eq!(engine.line(), "ready.");
}
