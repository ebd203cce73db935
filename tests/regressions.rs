//! Faults that were met once, each by the conversation that showed it.

use std::time::{Duration, Instant};

use outflank::engine::native::NativeEngine;

use crate::support::conversation::Conversation;
use crate::support::process::Engine;

fn native() -> Conversation {
    let mut client = Conversation::new(Some("native"), Box::new(NativeEngine::new(1)));
    client.say("set hash=1");
    client.settle();
    client
}

fn told(client: &mut Conversation, line: &str) -> String {
    let before = client.output.len();
    client.say(line);
    client.settle();
    client.output[before..].to_owned()
}

#[test]
fn an_alarm_of_an_earlier_search_does_not_silence_a_later_one() {
    let mut engine = Engine::start(&[]);
    for line in ["rp 1", "hint n=2 depth=1", "go infinite"] {
        engine.send(line);
    }
    let begun = Instant::now();
    assert!(engine.exit(Duration::from_secs(30)).success());
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_stop_is_meant_for_the_search_before_it() {
    let mut engine = Engine::start(&[]);
    engine.send_all(&[
        "rp 1",
        "new 4x4",
        "solve exact",
        "solve exact rule=discs",
        "new othello",
        "7 go infinite",
        "stop",
        "go infinite",
        "hint depth=60",
        "stop",
        "ping last",
        "status",
    ]);
    let seen = engine.until(|line| line.starts_with("ok variant=othello") && line.contains("count=2:2"));
    let seen = [seen, engine.until(|line| line.starts_with("ok variant=othello"))].concat();
    assert!(seen.iter().any(|line| line.starts_with("+ solved score=-10 ")), "{seen:?}");
    assert!(seen.iter().any(|line| line.starts_with("+ solved score=-8 ")), "{seen:?}");
    assert_eq!(seen.iter().filter(|line| line.starts_with("! best ")).count(), 2, "{seen:?}");
    assert_eq!(seen.iter().filter(|line| *line == "ok stopped=1").count(), 1, "{seen:?}");
}

#[test]
fn a_ponder_search_that_sees_the_end_waits_for_its_hit() {
    let mut client = native();
    told(&mut client, "new 4x4");
    told(&mut client, "play b1 a1 a2 c1 d4 a3");
    let pondered = told(&mut client, "go ponder=d1");
    assert!(!pondered.contains("! best"), "{pondered}");
    let hit = told(&mut client, "hit");
    assert!(hit.contains("! best b4 search=1 score=+10"), "{hit}");
    assert!(told(&mut client, "log").contains("+ log 7 x play d1"));
    told(&mut client, "undo");
    let pondered = told(&mut client, "go ponder=d1");
    assert!(!pondered.contains("! best"), "{pondered}");
    let stopped = told(&mut client, "stop");
    assert!(stopped.starts_with("! best b4 search=2 ") && stopped.ends_with("ok\n"), "{stopped}");
}

#[test]
fn a_stopped_game_is_not_searched() {
    let mut client = native();
    told(&mut client, "resign x");
    assert!(told(&mut client, "go depth=2").contains("! best none search=1"));
    assert!(!told(&mut client, "hint depth=2").contains("+ hint"));
    assert!(!told(&mut client, "solve exact").contains("+ solved"));
}

#[test]
fn a_refused_command_ends_no_search() {
    let mut client = native();
    client.say("go infinite");
    for line in [
        "play zz",
        "play a1",
        "pass",
        "undo",
        "redo",
        "replay zz",
        "new bogus",
        "go moves=a1",
        "set bogus=1",
        "set level=99",
        "pos bogus",
        "go ponder=a1",
        "agree x 0",
    ] {
        let reply = client.say(line);
        assert!(reply.starts_with("err "), "{line}: {reply}");
    }
    let reply = told(&mut client, "play f5");
    assert!(client.output.contains("! best") && reply.contains("+ play x f5"), "{reply}");
}

#[test]
fn a_limited_hand_is_solved_behind_a_forced_pass_too() {
    let mut client = native();
    told(&mut client, "set autopass=off");
    told(&mut client, "new 4x4+hand=6 pos=1oox/ooxo/xxoo/ooxo,o,h3.4");
    let solved = told(&mut client, "solve exact");
    assert!(solved.contains("+ solved score=-2 ") && solved.contains("ok exact=1"), "{solved}");
    told(&mut client, "new 4x4+hand=6 pos=oxox/oxxx/1oox/xx1o,o,h3.0");
    let solved = told(&mut client, "solve exact");
    assert!(solved.contains("+ solved score=-8 ") && solved.contains("ok exact=1"), "{solved}");
}

#[test]
fn a_word_that_begins_like_a_square_is_not_played_in_part() {
    let mut client = native();
    told(&mut client, "pos 1ox5/8/8/8/8/8/8/8,x");
    let reply = told(&mut client, "play a19");
    assert!(reply.starts_with("err bad_square sq=a19 legal=a1"), "{reply}");
}

#[test]
fn a_result_on_time_is_written_and_read_back() {
    let mut client = native();
    for line in ["new 4x4", "timeout o", "play b1 a1 a2 c1 d4 a3 d1 b4 a4 c4"] {
        told(&mut client, line);
    }
    let record = told(&mut client, "record");
    let line = record.lines().next().unwrap_or_default().trim_start_matches("+ record ").to_owned();
    assert!(line.ends_with(" x9:7t"), "{record}");
    let again = told(&mut client, &format!("replay {line}"));
    assert!(again.contains("reason=timeout winner=x official=9:7"), "{again}");
    let agreed = ["new 4x4", "agree x 4", "record"].map(|line| told(&mut client, line));
    let line = agreed[2].lines().next().unwrap_or_default().trim_start_matches("+ record ").to_owned();
    assert!(told(&mut client, &format!("replay {line}")).contains("reason=agreed winner=x"), "{line}");
    assert!(
        told(&mut client, "replay rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5 o31:33t").starts_with("err ")
    );
}

#[test]
fn what_a_position_settles_is_not_left_in_the_variant() {
    let mut client = native();
    told(&mut client, "pos 8/8/8/1oo_ox2/8/8/8/8,x");
    let state = told(&mut client, "pos 8/8/8/3ox3/3xo3/8/8/8,x");
    assert!(state.starts_with("ok variant=othello pos="), "{state}");
    assert!(told(&mut client, "new annex+cut=2").starts_with("err bad_variant"));
}

#[test]
fn autopass_that_is_switched_on_makes_the_pass_that_is_due() {
    let mut client = native();
    told(&mut client, "set autopass=off");
    told(&mut client, "replay d3c3e6d2d1e1b2c1");
    let reply = told(&mut client, "set autopass=on");
    assert!(reply.contains("+ pass x reason=no_move"), "{reply}");
    assert!(told(&mut client, "moves").ends_with("ok n=3 side=o\n"));
}

#[test]
fn a_hash_size_that_is_not_to_be_had_is_refused_and_the_old_one_stays() {
    let mut client = native();
    let reply = told(&mut client, "set hash=0");
    assert!(reply.starts_with("err bad_value"), "{reply}");
    assert!(told(&mut client, "get hash").contains("hash=1"));
    assert!(told(&mut client, "hint depth=3").contains("+ hint 1 "));
}

#[test]
fn quarry_letters_ten_columns_without_a_gap() {
    let mut engine = Engine::start(&["--level", "1"]);
    assert_eq!(engine.gtp("set_game Othello"), "=");
    assert_eq!(engine.gtp("boardsize 10"), "= columns are lettered a-j");
    assert_eq!(
        engine.gtp("outflank-position 8ox/X9/10/10/10/10/10/10/10/10,x").split(' ').next(),
        Some("?")
    );
    engine.gtp("outflank-position 7xo1/10/10/10/10/10/10/10/10/10,x");
    assert_eq!(engine.gtp("gogui-rules_legal_moves"), "= J1");
    assert_eq!(engine.gtp("play b J1"), "=");
    assert_eq!(engine.gtp("boardsize 6 8"), "=");
    assert_eq!(engine.gtp("gogui-rules_board_size"), "= 6 8");
    assert!(engine.gtp("boardsize 8 x").starts_with("? syntax error"));
    let mut gogui = Engine::start(&["--level", "1"]);
    assert_eq!(gogui.gtp("boardsize 10"), "= columns are lettered a-h j k");
    gogui.gtp("outflank-position 7xo1/10/10/10/10/10/10/10/10/10,x");
    assert_eq!(gogui.gtp("gogui-rules_legal_moves"), "= K1");
}

#[test]
fn a_level_that_was_set_binds_under_a_clock_too() {
    let mut engine = Engine::start(&["--level", "1"]);
    engine.gtp("time_settings 600 0 0");
    let begun = Instant::now();
    engine.gtp("genmove b");
    assert!(begun.elapsed() < Duration::from_secs(4), "a share of ten minutes is longer");
}

#[test]
fn nboard_moves_run_the_clock() {
    let mut engine = Engine::start(&[]);
    engine.send("nboard 2");
    engine.send(
        "set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0:20]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)",
    );
    for line in ["move D3//9.5", "move C5//1", "move F6//9.5", "move F5//1"] {
        engine.send(line);
    }
    let begun = Instant::now();
    engine.send("go");
    engine.until(|line| line.starts_with("=== "));
    assert!(begun.elapsed() < Duration::from_secs(2), "a second is left on the clock");
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_after_the_input_ends_a_long_solve() {
    let mut engine = Engine::start(&[]);
    for line in ["rp 1", "new othello", "solve exact"] {
        engine.send(line);
    }
    engine.until(|line| line.starts_with("ok variant"));
    engine.close_output();
    assert!(engine.exit(Duration::from_secs(20)).success());
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_with_130_and_keeps_what_was_printed() {
    let mut engine = Engine::start(&["solve", "--json", "-"]);
    engine.send("4/1ox1/1xo1/4,x");
    assert!(engine.line().contains("\"score\":-10"));
    engine.send("8/8/8/3ox3/3xo3/8/8/8,x");
    std::thread::sleep(Duration::from_millis(200));
    let killed = std::process::Command::new("kill").args(["-INT", &engine.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
    assert_eq!(engine.exit(Duration::from_secs(20)).code(), Some(130));
}

#[test]
fn eval_for_the_winner_keeps_to_its_depth() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_outflank"))
        .args(["eval", "--wld", "--depth", "3", "--json", "f5"])
        .output()
        .expect("the binary runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\"depth\":3") && !text.contains("\"exact\":true"), "{text}");
}
