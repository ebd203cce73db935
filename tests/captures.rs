//! The client's side of traffic recorded from real programs, fed to the binary in step.
//!
//! The recordings stand on the reference shelf; a few lines of each kind are kept in
//! `protocol/samples` and in the sessions.

use std::fs;
use std::path::Path;

use outflank::record;
use outflank::rules::{Game, Variant, VariantSpec};
use outflank_protocol::by_name;
use outflank_protocol::message::Request;

use crate::support::process::Engine;
use crate::support::shelf;

/// The recorded clients give minutes; what is tested is the answers, not the thinking.
const QUICK: &[&str] = &["--level", "3", "--set", "deterministic=on"];

/// The lines of a recording: who spoke, and what.
fn lines(path: &Path) -> Vec<(char, String)> {
    fs::read_to_string(path)
        .expect("a recording is text")
        .lines()
        .filter_map(|line| {
            let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = rest.strip_prefix(' ')?;
            let who = rest.chars().next()?;
            Some((who, rest.get(2..).unwrap_or_default().to_owned()))
        })
        .collect()
}

fn recording(name: &str) -> Option<Vec<(char, String)>> {
    shelf::find(&format!("protocols/captures/{name}")).map(|path| lines(&path))
}

/// The reply that the recorded engine gave to the command at this place.
fn recorded_replies(lines: &[(char, String)]) -> Vec<String> {
    let mut replies = Vec::new();
    let mut reply = String::new();
    for (who, text) in lines {
        if *who != '<' {
            continue;
        }
        if text.is_empty() {
            replies.push(std::mem::take(&mut reply));
        } else {
            reply.push_str(text);
            reply.push('\n');
        }
    }
    replies
}

/// Feeds a GTP client's lines; where a move is generated, the recorded game goes on with the
/// move that was recorded.
fn feed_gtp(name: &str) {
    let Some(lines) = recording(name) else { return };
    let replies = recorded_replies(&lines);
    let mut engine = Engine::start(QUICK);
    let mut asked = Vec::new();
    let mut served = 0;
    for (who, text) in &lines {
        match who {
            '>' => {
                engine.send(text);
                asked.push(text.clone());
            }
            '<' if !asked.is_empty() => {
                for command in asked.drain(..) {
                    check_reply(&mut engine, &command, replies.get(served).map(String::as_str), name);
                    served += 1;
                }
            }
            _ => {}
        }
    }
    for command in asked.drain(..) {
        if let Some(text) = engine.line_or_end() {
            assert!(text.starts_with('='), "{name}: {command}: {text}");
        }
    }
    assert!(served > 3, "{name} has commands");
}

fn check_reply(engine: &mut Engine, command: &str, recorded: Option<&str>, name: &str) {
    let reply = engine.gtp_reply();
    // One recorded game breaks off because the other engine refuses a pass.
    if command == "final_score" && reply.starts_with("? cannot score") {
        return;
    }
    assert!(reply.starts_with('='), "{name}: '{command}' was answered '{reply}'\n{}", engine.told());
    let mut words = command.split_whitespace();
    if words.next() != Some("genmove") {
        return;
    }
    let side = words.next().unwrap_or_default();
    let recorded = recorded.unwrap_or_default().trim_start_matches('=').trim();
    if !recorded.is_empty() && reply.trim_start_matches("= ") != recorded {
        assert_eq!(engine.gtp("undo"), "=", "{name}: undo after '{command}'");
        assert_eq!(engine.gtp(&format!("play {side} {recorded}")), "=", "{name}: {recorded}");
    }
}

#[test]
fn quarry_is_served() {
    for name in [
        "quarry_vs_grhino_full_game.txt",
        "quarry_canadian_overtime_explicit_pass_engine.txt",
        "quarry_boardsize10_refused.txt",
    ] {
        feed_gtp(name);
    }
}

#[test]
fn gogui_twogtp_is_served() {
    for name in [
        "gogui_twogtp_grhino_black.txt",
        "gogui_twogtp_grhino_white.txt",
        "gogui_twogtp_dummy_black.txt",
        "gogui_twogtp_dummy_white.txt",
        "gogui_twogtp_referee.txt",
        "gogui_twogtp_edax_uppercase_colour.txt",
    ] {
        feed_gtp(name);
    }
}

/// Feeds an NBoard client's lines and waits for each answer that is due.
fn feed_nboard(name: &str) {
    let Some(lines) = recording(name) else { return };
    let mut engine = Engine::start(QUICK);
    let mut reader = by_name("nboard").expect("the dialect exists");
    let mut game = Game::new(Variant::new(VariantSpec::sized(8, 8)).expect("the default variant"));
    let standard = game.variant().clone();
    let mut moves_given = 0;
    for (_, line) in lines.iter().filter(|(who, _)| *who == '>') {
        engine.send(line);
        match reader.read(line).request {
            Request::Load(text) => {
                game = record::load(&text, &standard).unwrap_or_else(|e| panic!("{name}: {line}: {e}"));
            }
            Request::Play { moves, .. } => {
                record::play_words(&mut game, &moves).unwrap_or_else(|e| panic!("{name}: {line}: {e}"));
            }
            Request::Ping(word) => {
                engine.until(|seen| seen == format!("pong {word}"));
            }
            _ if line == "go" => {
                let answer = engine.until(|seen| seen.starts_with("=== ")).pop().unwrap_or_default();
                check_choice(&game, &answer, name);
                moves_given += 1;
            }
            _ if line.starts_with("hint ") => {
                let first = engine.until(|seen| seen.starts_with("search ")).pop().unwrap_or_default();
                check_hint(&game, &first, name);
            }
            _ if line == "learn" => {
                engine.until(|seen| seen == "learned");
            }
            _ if line == "analyze" => {
                engine.until(|seen| seen.starts_with("analysis 0 "));
            }
            _ => {}
        }
    }
    assert!(moves_given > 0, "{name} asks for moves");
    engine.close_input();
    assert!(engine.exit(std::time::Duration::from_secs(20)).success());
}

fn check_choice(game: &Game, answer: &str, name: &str) {
    let choice = answer.trim_start_matches("=== ").split('/').next().unwrap_or_default().to_lowercase();
    let legal: Vec<String> = game.legal().iter().map(|square| square.to_string()).collect();
    let passes = legal.is_empty() && choice == "pa";
    assert!(passes || legal.contains(&choice), "{name}: {answer}, legal {legal:?}");
}

fn check_hint(game: &Game, line: &str, name: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(words.len() >= 5, "{name}: {line}");
    let first = words[1].get(..2).unwrap_or_default().to_lowercase();
    let legal: Vec<String> = game.legal().iter().map(|square| square.to_string()).collect();
    assert!(legal.contains(&first) || (legal.is_empty() && first == "pa"), "{name}: {line}");
    assert!(words[2].parse::<f64>().is_ok_and(f64::is_finite), "{name}: {line}");
}

#[test]
fn the_nboard_gui_is_served() {
    for name in [
        "nboard_gui_session_dummy.txt",
        "nboard_gui_vs_edax.txt",
        "nboard_gui_forced_pass.txt",
        "nboard_gui_illegal_move.txt",
        "nboard_gui_engine_crash.txt",
    ] {
        feed_nboard(name);
    }
}

/// The recording of Fairy-Stockfish has its answers only: what it announces, where it stands, what
/// it counts. Asked the same, we answer the same.
#[test]
fn fairy_stockfish_and_we_tell_the_same_of_its_variants() {
    let Some(path) = shelf::find("protocols/captures/uci_fairy_stockfish_flipello.txt") else { return };
    let text = fs::read_to_string(path).expect("a recording is text");
    let mut engine = Engine::start(QUICK);
    engine.send("uci");
    engine.until(|line| line == "uciok");
    let announced: Vec<&str> =
        text.lines().filter(|line| line.starts_with("info string variant ")).collect();
    assert_eq!(announced.len(), 2);
    for line in announced {
        let name = line.split(' ').nth(3).expect("a name");
        engine.send(&format!("setoption name UCI_Variant value {name}"));
        assert_eq!(engine.line(), line);
    }
    // The positions it has drawn, without the pockets, and the one it was led to by moves.
    let drawn: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Fen: ")).collect();
    let board = |fen: &str| fen.split('[').next().unwrap_or_default().to_owned();
    engine.send("setoption name UCI_Variant value flipello");
    engine.line();
    for (line, fen) in [
        ("position startpos".to_owned(), drawn[0]),
        ("position startpos moves P@f4 P@d3".to_owned(), drawn[1]),
        (format!("position fen {}", drawn[1]), drawn[1]),
    ] {
        engine.send(&line);
        engine.send("d");
        let seen = engine.until(|line| line.starts_with("Discs: "));
        let ours = seen.iter().find_map(|line| line.strip_prefix("Fen: ")).expect("a position");
        assert_eq!(board(ours), board(fen), "{line}");
    }
    engine.send("position startpos");
    engine.send("go perft 1");
    assert!(text.contains(&engine.line()));
}

/// Feeds XBoard's lines; where the recorded engine moved, the recorded game goes on with its move.
fn feed_xboard(name: &str) {
    let Some(lines) = recording(name) else { return };
    let mut engine = Engine::start(QUICK);
    let mut thinks = false;
    let mut n_moves = 0;
    for (who, text) in &lines {
        match who {
            '>' if text == "quit" => break,
            '>' => {
                engine.send(text);
                match text.split_once(' ').unwrap_or((text, "")) {
                    ("ping", number) => check_answers(&mut engine, &format!("pong {number}"), name),
                    ("variant", _) => check_answers(&mut engine, "setup ", name),
                    ("go", _) => thinks = true,
                    ("force" | "result", _) => thinks = false,
                    _ => {}
                }
            }
            '<' if text.starts_with("move ") => {
                if !thinks {
                    engine.send("go");
                }
                check_answers(&mut engine, "move ", name);
                let recorded = text.trim_start_matches("move ");
                engine.send_all(&["force", "undo", &format!("usermove {recorded}"), "ping 99"]);
                check_answers(&mut engine, "pong 99", name);
                thinks = false;
                n_moves += 1;
            }
            _ => {}
        }
    }
    assert!(n_moves > 0, "{name} has moves");
    engine.close_input();
    assert!(engine.exit(std::time::Duration::from_secs(20)).success());
}

/// Whatever comes up to the awaited line refuses nothing.
fn check_answers(engine: &mut Engine, awaited: &str, name: &str) {
    for line in engine.until(|seen| seen.starts_with(awaited)) {
        let refuses = ["Illegal", "Error", "tellusererror"].iter().any(|word| line.starts_with(word));
        assert!(!refuses, "{name}: {line}\n{}", engine.told());
    }
}

#[test]
fn xboard_is_served() {
    for name in [
        "xboard_edax_reversi_forfeit.txt",
        "xboard_fairy_stockfish_flipello_nolegality_first.txt",
        "xboard_fairy_stockfish_flipello_nolegality_second.txt",
        "xboard_fairy_stockfish_legality_on_forfeit.txt",
    ] {
        feed_xboard(name);
    }
}

/// The left board of a drawing: the row's number, its squares, its number again.
fn left_board(lines: &[String]) -> Vec<String> {
    let is_row = |line: &&String| line.starts_with(|c: char| c.is_ascii_digit()) && line.len() > 40;
    lines.iter().filter(is_row).map(|line| line[..19].to_owned()).collect()
}

#[test]
fn a_script_that_drives_a_console_is_served() {
    let Some(lines) = recording("edax_edax.txt") else { return };
    let mut engine = Engine::start(&["--protocol", "edax", "-n", "1", "-h", "16", "-l", "3", "-vv"]);
    // What was sent, with what Edax wrote until the next command.
    let mut exchanges: Vec<(String, Vec<String>)> = Vec::new();
    for (who, text) in lines {
        match who {
            '>' => exchanges.push((text, Vec::new())),
            '<' => exchanges.last_mut().into_iter().for_each(|(_, heard)| heard.push(text.clone())),
            _ => {}
        }
    }
    let mut same_game = true;
    for (command, recorded) in &exchanges {
        engine.send(command);
        match command.as_str() {
            "quit" => break,
            // Its move need not be that of Edax.
            "go" => same_game = false,
            "init" => same_game = true,
            _ => {}
        }
        let heard = engine.until(|line| line == ">");
        let rows = left_board(&heard);
        assert_eq!(rows.len(), 8, "{command}\n{}", engine.told());
        if same_game {
            assert_eq!(rows, left_board(recorded), "{command}\n{}", engine.told());
        }
        let head = |lines: &[String]| lines.iter().any(|line| line.starts_with(" depth|score|"));
        assert_eq!(head(&heard), head(recorded), "{command}\n{}", engine.told());
        let plays = |lines: &[String]| {
            lines.iter().filter(|line| line.split(' ').nth(1) == Some("plays")).count()
        };
        assert_eq!(plays(&heard), plays(recorded), "{command}\n{}", engine.told());
    }
    assert!(exchanges.len() > 10, "the recording has commands");
    assert!(engine.exit(std::time::Duration::from_secs(20)).success());
}

/// Feeds a client of single positions. Where the recorded engine was ready again, so must this one
/// be, and once; where it said nothing, nothing comes before the next answer.
fn feed_cassio(name: &str) {
    let Some(lines) = recording(name) else { return };
    let mut engine = Engine::start(&["--protocol", "cassio"]);
    let mut spoken = lines.iter().filter(|(who, _)| "<>".contains(*who)).peekable();
    let mut searches = 0;
    while let Some((_, command)) = spoken.next_if(|(who, _)| *who == '>') {
        engine.send(command);
        let mut recorded = Vec::new();
        while let Some((_, reply)) = spoken.next_if(|(who, _)| *who == '<') {
            recorded.push(reply.as_str());
        }
        let replies = match recorded.last() {
            Some(&"ready.") => engine.until(|line| line == "ready."),
            Some(_) => vec![engine.line()],
            None => Vec::new(),
        };
        if !command.contains("-search ") {
            let version = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
            let is_version = command.ends_with("get-version");
            let comparable = |line: &str| if is_version { version(line) } else { line.to_owned() };
            let seen: Vec<String> = replies.iter().map(|line| comparable(line)).collect();
            let expected: Vec<String> = recorded.iter().map(|line| comparable(line)).collect();
            assert_eq!(seen, expected, "{name}: {command}");
            continue;
        }
        searches += 1;
        let result = |lines: &[&str]| {
            let line = lines.iter().rev().nth(1).copied().unwrap_or_default();
            line.split(", ").map(str::to_owned).collect::<Vec<_>>()
        };
        let seen: Vec<&str> = replies.iter().map(String::as_str).collect();
        let (seen, expected) = (result(&seen), result(&recorded));
        assert_eq!((seen.len(), &seen[0]), (8, &expected[0]), "{name}: {command}: {seen:?}");
        // Solved positions have one value and, these, one best move; others are ours to judge.
        if expected[3] == "@100%" {
            assert_eq!(seen[1..5], expected[1..5], "{name}: {command}");
        }
    }
    assert!(searches > 3 && spoken.next().is_none(), "{name}");
    assert!(engine.exit(std::time::Duration::from_secs(20)).success());
}

#[test]
fn cassio_is_served() {
    feed_cassio("edax_cassio.txt");
}
