//! Whatever a client says, the session goes on answering.

use outflank::engine::scripted::ScriptedEngine;
use proptest::prelude::*;

use crate::support::conversation::Conversation;

/// Words of all dialects, so that random lines get past the first word.
const WORDS: &[&str] = &[
    "rp",
    "1",
    "new",
    "othello",
    "reversi",
    "oct",
    "4x4",
    "othello+hole=3@42",
    "reversi+place=may+hand=9",
    "6x6+anti+stuck=end",
    "pos",
    "8/8/8/3ox3/3xo3/8/8/8,x",
    "6ox/8/8/8/8/8/8/8,o",
    "play",
    "f5",
    "d6",
    "a1",
    "z9",
    "pass",
    "undo",
    "redo",
    "3",
    "replay",
    "f5d6c3",
    "go",
    "depth=1",
    "nodes=5",
    "infinite",
    "hint",
    "n=2",
    "eval",
    "solve",
    "exact",
    "wld",
    "all=1",
    "stop",
    "wait",
    "ping",
    "set",
    "level=3",
    "autopass=off",
    "komi=2.5",
    "get",
    "clear",
    "moves",
    "why",
    "count",
    "score",
    "status",
    "usermove",
    "P@f5",
    "@@@@",
    "flipello",
    "setboard",
    "8/8/8/3PpP2/3pP3/8/8/8",
    "force",
    "playother",
    "exit",
    "remove",
    "otim",
    ".",
    "?",
    "log",
    "record",
    "show",
    "perft",
    "2",
    "analyze",
    "resign",
    "x",
    "o",
    "timeout",
    "hard",
    "abandon",
    "agree",
    "none",
    "clock",
    "both",
    "5:00",
    "elapsed",
    "left",
    "variants",
    "options",
    "caps",
    "variant",
    "fen",
    "line",
    "boardsize",
    "8",
    "10",
    "clear_board",
    "komi",
    "genmove",
    "b",
    "w",
    "black",
    "white",
    "reg_genmove",
    "gg-undo",
    "time_settings",
    "60",
    "time_left",
    "final_score",
    "showboard",
    "set_game",
    "Othello",
    "list_games",
    "known_command",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "outflank-variant",
    "outflank-position",
    "outflank-solve",
    "# interrupt",
    "nboard",
    "game",
    "(;GM[Othello]TY[8]B[F5]W[D6];)",
    "depth",
    "contempt",
    "100",
    "move",
    "F5/1.0/2",
    "PA",
    "learn",
    "setoption name",
    "UCI_Variant value",
    "MultiPV value 2",
    "flipello",
    "flipersi",
    "position startpos",
    "position fen 8/8/8/3pP3/3Pp3/8/8/8 w",
    "moves",
    "P@f4",
    "d4d4",
    "ponder",
    "ponderhit",
    "searchmoves",
    "ucinewgame",
    "setboard",
    "---------------------------OX------XO---------------------------",
    "init",
    "mode",
    "verbose",
    "count",
    "games",
    "\u{e9}\u{1F600}",
    "=",
    "-",
    "--",
    "..",
    "99999999999999999999",
];

fn line() -> impl Strategy<Value = String> {
    let words =
        prop::collection::vec(prop::sample::select(WORDS), 0..6).prop_map(|words| words.join(" "));
    let noise = prop::collection::vec(any::<char>(), 0..30)
        .prop_map(|chars| chars.into_iter().filter(|c| *c != '\n' && *c != '\r').collect());
    prop_oneof![6 => words, 1 => noise]
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), 0..25)
}

fn leaves(line: &str) -> bool {
    line.split_whitespace().any(|word| word == "quit")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_native_session_answers_ping_after_anything(lines in lines()) {
        let mut client = Conversation::new(Some("native"), Box::new(ScriptedEngine::first_legal()));
        for line in lines.iter().filter(|line| !leaves(line)) {
            client.say(line);
        }
        prop_assert!(client.say("ping still-here").contains("ok pong=still-here"), "{}", client.output);
        client.say("stop");
        client.settle();
        let state = client.say("777 status");
        prop_assert!(state.starts_with("ok 777 variant="), "{state}");
        client.end();
    }

    #[test]
    fn the_nboard_session_answers_ping_after_anything(lines in lines()) {
        let mut client = Conversation::new(Some("nboard"), Box::new(ScriptedEngine::first_legal()));
        for line in lines.iter().filter(|line| !leaves(line)) {
            client.say(line);
        }
        client.say("ping 987654");
        client.settle();
        prop_assert!(client.output.ends_with("pong 987654\n"), "{}", client.output);
        prop_assert!(client.output.is_ascii(), "{}", client.output);
        client.end();
    }

    #[test]
    fn the_uci_session_is_ready_after_anything_and_ends_every_search(lines in lines()) {
        let mut client = Conversation::new(Some("uci"), Box::new(ScriptedEngine::first_legal()));
        let mut searches = 0;
        for line in lines.iter().filter(|line| !leaves(line)) {
            let words: Vec<&str> = line.split_whitespace().collect();
            searches += usize::from(words.first() == Some(&"go") && !words.contains(&"perft"));
            client.say(line);
        }
        client.say("stop");
        client.settle();
        client.say("isready");
        prop_assert!(client.output.ends_with("readyok\n"), "{}", client.output);
        let answers = client.output.lines().filter(|line| line.starts_with("bestmove ")).count();
        prop_assert_eq!(answers, searches, "{}", client.output);
        client.end();
    }

    #[test]
    fn the_xboard_session_answers_ping_after_anything(lines in lines()) {
        let mut client = Conversation::new(Some("xboard"), Box::new(ScriptedEngine::first_legal()));
        for line in lines.iter().filter(|line| !leaves(line)) {
            client.say(line);
        }
        client.say("ping 987654");
        client.settle();
        prop_assert!(client.output.contains("pong 987654\n"), "{}", client.output);
        client.say("force");
        prop_assert_eq!(client.say("ping 4711"), "pong 4711\n");
        client.end();
    }

    #[test]
    fn every_gtp_command_gets_exactly_one_reply(lines in lines()) {
        let mut client = Conversation::new(Some("gtp"), Box::new(ScriptedEngine::first_legal()));
        let mut commands = 0;
        for line in lines.iter().filter(|line| !leaves(line)) {
            client.say(line);
            let plain: String = line
                .split('#')
                .next()
                .unwrap_or_default()
                .chars()
                .map(|c| if c == '\t' { ' ' } else { c })
                .filter(|c| !c.is_control())
                .collect();
            if !plain.trim_matches(' ').is_empty() {
                commands += 1;
            }
        }
        client.say("4711 name");
        client.settle();
        let replies = client.output.matches("\n\n").count();
        prop_assert_eq!(replies, commands + 1, "{}", client.output);
        prop_assert!(client.output.ends_with("=4711 outflank\n\n"), "{}", client.output);
        client.end();
    }

    #[test]
    fn the_console_answers_after_anything(lines in lines()) {
        let mut client = Conversation::new(Some("edax"), Box::new(ScriptedEngine::first_legal()));
        // A tree of any depth is counted to the end, whatever else waits behind it.
        let skipped = |line: &&String| {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric());
            words.map(str::to_lowercase).any(|word| ["q", "quit", "exit", "perft", "count"].contains(&&*word))
        };
        for line in lines.iter().filter(|line| !skipped(line)) {
            client.say(line);
        }
        client.say("stop");
        client.say("verbose 0");
        client.say("version");
        client.settle();
        prop_assert!(client.output.ends_with(concat!("outflank ", env!("CARGO_PKG_VERSION"), "\n")), "{}", client.output);
        client.end();
    }

    #[test]
    fn a_dialect_found_from_any_first_line_still_ends_with_the_input(lines in lines()) {
        let mut client = Conversation::new(None, Box::new(ScriptedEngine::first_legal()));
        for line in &lines {
            client.say(line);
        }
        client.end();
        prop_assert!(client.left);
    }
}

#[test]
fn a_game_of_the_engine_with_itself_ends_where_the_client_says() {
    // Passes are moves too.
    for (last, n_moves) in [("mode 3", 1), ("stop", 1), ("verbose 0", 120)] {
        let mut client = Conversation::new(Some("edax"), Box::new(ScriptedEngine::first_legal()));
        client.say("mode 2");
        client.say(last);
        client.settle();
        let played = client.output.matches("outflank plays").count();
        let is_whole = (1..=n_moves).contains(&played) && (n_moves == 1 || played > 50);
        assert!(is_whole, "{last}: {played} moves\n{}", client.output);
        client.end();
    }
}

#[test]
fn a_refused_request_leaves_the_state_as_it_was() {
    let mut client = Conversation::new(Some("native"), Box::new(ScriptedEngine::first_legal()));
    client.say("new othello");
    client.say("play f5 d6");
    let before = client.say("status");
    for line in [
        "play f5",
        "play c3 zz",
        "pass",
        "redo",
        "undo 9",
        "replay f5f5",
        "pos 8/8,x",
        "new 5x5",
        "new nonsense",
        "set level=-1",
        "set level=3 nonsense=4",
        "resign z",
        "fen x",
        "line --",
        "agree x",
        "go depth=x",
        "play",
        "hint n=0",
        "solve sometimes",
        "perft",
        "perft -1",
        "clock z",
        "elapsed q 3",
        "elapsed x 3",
    ] {
        let reply = client.say(line);
        if line == "play c3 zz" {
            assert!(reply.contains("done=1"), "{reply}");
            client.say("undo");
            // What was taken back is forgotten, so that `redo` is refused below.
            client.say("undo");
            client.say("play d6");
            continue;
        }
        assert!(reply.starts_with("err "), "{line}: {reply}");
        assert_eq!(client.say("status"), before, "after '{line}'");
    }
    assert!(client.say("get level").contains("level=10"));
}
