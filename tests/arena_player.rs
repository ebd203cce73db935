//! Engines as the arena meets them: whole games over every dialect, and everything a program may
//! do instead of playing.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use outflank::arena::player::{Budget, Chosen, Clocks, EngineSpec, Fault, Player, Thought, start};
use outflank::arena::process::StartError;
use outflank::arena::traffic::Traffic;
use outflank::record::{self, play_words};
use outflank::rules::{Game, Side, Variant, by_name};
use outflank_protocol::client::{Garble, Topic};
use outflank_protocol::lexis::move_list;
use outflank_protocol::position::read_token;
use outflank_protocol::variant::read_variant;

use crate::support::process::PATIENCE;
use crate::support::scratch::Scratch;

/// How long an engine that does not answer is waited for.
const SHORT: Duration = Duration::from_millis(300);

const BINARY: &str = env!("CARGO_BIN_EXE_outflank");

fn spec(dialect: &str, command: &str) -> EngineSpec {
    EngineSpec {
        name: format!("{dialect} engine"),
        command: command.to_owned(),
        dialect: dialect.to_owned(),
        directory: None,
        options: Vec::new(),
    }
}

/// A folder with a script.
fn script_of(text: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write(SCRIPT, text);
    scratch
}

/// The name of the script.
const SCRIPT: &str = "script.txt";

/// A folder with the steps of an engine. An Edax console has no other sign of being ready than a
/// move, so that there is a step more.
fn steps_of(dialect: &str, steps: &str) -> Scratch {
    script_of(&if dialect == "edax" { format!("first {steps}") } else { steps.to_owned() })
}

/// Our own program, playing from a script.
fn scripted(dialect: &str, script: &Scratch) -> EngineSpec {
    spec(
        dialect,
        &format!("'{BINARY}' --protocol {dialect} --engine 'scripted:{}'", script.path(SCRIPT)),
    )
}

fn mock(dialect: &str, script: &Scratch) -> EngineSpec {
    spec(dialect, &format!("'{BINARY}' mock '{}'", script.path(SCRIPT)))
}

fn started(spec: &EngineSpec) -> Box<dyn Player> {
    start(spec, PATIENCE, None).unwrap_or_else(|fault| panic!("{}: {fault}", spec.command))
}

fn budget(cutoff: Duration) -> Budget {
    Budget { clock: None, movetime_ms: None, depth: None, nodes: None, cutoff }
}

fn othello() -> Game {
    Game::new(Variant::new(by_name("othello").unwrap()).unwrap())
}

fn game_of(variant: &str) -> Game {
    Game::new(record::variant(&read_variant(variant).unwrap()).unwrap())
}

/// What a player answers when it is asked for a move.
fn asked(player: &mut dyn Player, game: &Game, budget: &Budget) -> Result<Thought, Fault> {
    player.prepare(game, budget)?;
    player.choose(game, budget)
}

/// Plays a game out. Forced passes are made by the referee and told to both.
fn play_out(game: &mut Game, players: [&mut dyn Player; 2], budget: &Budget) -> Vec<Thought> {
    let [black, white] = players;
    let mut thoughts = Vec::new();
    for player in [&mut *black, &mut *white] {
        player.begin(game).unwrap_or_else(|fault| panic!("{fault}"));
    }
    while !game.is_over() {
        if let Some(pass) = game.pass_if_forced() {
            for player in [&mut *black, &mut *white] {
                player.follow(game, pass).unwrap_or_else(|fault| panic!("{fault}"));
            }
            continue;
        }
        let (mover, other): (&mut dyn Player, &mut dyn Player) = match game.state().side {
            Side::Black => (&mut *black, &mut *white),
            Side::White => (&mut *white, &mut *black),
        };
        let thought = asked(mover, game, budget).unwrap_or_else(|fault| panic!("{fault}"));
        let Chosen::Move(at) = thought.choice else { panic!("{thought:?}") };
        let played = record::play_item(game, None, at).expect("a legal move");
        assert_eq!(played.len(), 1, "{at}");
        mover.accepted(game, played[0]).unwrap_or_else(|fault| panic!("{fault}"));
        other.follow(game, played[0]).unwrap_or_else(|fault| panic!("{fault}"));
        thoughts.push(thought);
    }
    for player in [black, white] {
        player.finish(game).unwrap_or_else(|fault| panic!("{fault}"));
    }
    thoughts
}

/// A game of two engines that play from scripts.
fn scripted_game(dialects: [&str; 2], mut game: Game) -> Game {
    let (first, last) = (script_of("first"), script_of("last"));
    let mut black = started(&scripted(dialects[0], &first));
    let mut white = started(&scripted(dialects[1], &last));
    play_out(&mut game, [&mut *black, &mut *white], &budget(PATIENCE));
    black.quit();
    white.quit();
    game
}

/// What these two engines come to in any dialect.
fn expected_game(mut game: Game) -> Game {
    while !game.is_over() {
        if game.pass_if_forced().is_some() {
            continue;
        }
        let legal = game.legal();
        let square = match game.state().side {
            Side::Black => legal.iter().next(),
            Side::White => legal.iter().last(),
        };
        game.play(None, square.unwrap()).unwrap();
    }
    game
}

fn check_game(dialects: [&str; 2], game: Game) {
    let expected = expected_game(game.clone());
    let played = scripted_game(dialects, game);
    assert_eq!(record::record_line(&played), record::record_line(&expected), "{dialects:?}");
}

#[test]
fn a_whole_game_is_played_over_every_dialect() {
    for row in outflank_protocol::CLIENTS {
        check_game([row.name, row.name], othello());
    }
    check_game(["gtp", "nboard"], othello());
    check_game(["nboard", "native"], othello());
    check_game(["xboard", "gtp"], othello());
    check_game(["edax", "gtp"], othello());
}

#[test]
fn native_engines_play_every_variant() {
    for variant in [
        "reversi",
        "oct",
        "annex",
        "6x8",
        "othello+hole=3@42",
        "othello+hc=2",
        "othello+anti+komi=3.5",
        "reversi+place=must+hand=20",
        "4x4+stuck=end+score=discs",
        "othello+start=rand12@5",
        "othello+first=o",
    ] {
        check_game(["native", "native"], game_of(variant));
    }
}

#[test]
fn our_gtp_engines_play_every_variant() {
    for variant in ["reversi", "oct", "10x10", "6x8+anti", "othello+hc=2+komi=-2"] {
        check_game(["gtp", "gtp"], game_of(variant));
    }
}

#[test]
fn uci_engines_play_every_variant_of_ours() {
    for variant in [
        "reversi",
        "oct",
        "10x10",
        "6x8+anti",
        "othello+hole=3@42",
        "othello+hc=2+komi=-2",
        "reversi+place=must+hand=20",
        "4x4+stuck=end+score=discs",
        "othello+start=rand12@5",
        "othello+first=o",
    ] {
        check_game(["uci", "uci"], game_of(variant));
    }
    check_game(["uci", "native"], game_of("oct"));
}

#[test]
fn our_xboard_engines_play_every_variant() {
    for variant in [
        "reversi",
        "oct",
        "10x10",
        "6x8+anti",
        "othello+hole=3@42",
        "othello+hc=2+komi=-2",
        "reversi+place=must+hand=20",
        "othello+start=rand12@5",
        "othello+start=mirror",
        "othello+first=o",
    ] {
        check_game(["xboard", "xboard"], game_of(variant));
    }
}

#[test]
fn nboard_engines_play_what_ggf_can_say() {
    for variant in ["oct", "10x10", "6x6+anti", "othello+hc=2", "othello+first=o", "othello+komi=2"] {
        check_game(["nboard", "nboard"], game_of(variant));
    }
}

#[test]
fn consoles_play_from_any_position_of_their_board() {
    for variant in ["othello+start=mirror", "othello+start=rand12@5", "othello+hc=2", "othello+first=o"]
    {
        check_game(["edax", "native"], game_of(variant));
    }
}

#[test]
fn openings_and_positions_are_put_before_the_engine() {
    let mut opening = othello();
    play_words(&mut opening, &move_list("f5d6c3d3c4f4c5b3c2")).unwrap();
    // Black has to pass here.
    let board = read_token("6ox/8/8/8/8/8/8/8,o").unwrap();
    let variant = Variant::new(by_name("othello").unwrap()).unwrap();
    let pass = record::game_at(&variant, &board).unwrap();
    let odd = record::game_from(
        record::variant_spec(&read_variant("5x7").unwrap()).unwrap(),
        &read_token("5/5/1ox2/1xo2/5/5/5,o").unwrap(),
    )
    .unwrap();
    for row in outflank_protocol::CLIENTS {
        check_game([row.name, row.name], opening.clone());
        check_game([row.name, row.name], pass.clone());
    }
    check_game(["native", "gtp"], odd.clone());
    check_game(["uci", "native"], odd);
}

#[test]
fn what_a_dialect_has_no_words_for_is_refused_by_name() {
    let script = script_of("first");
    let mut nboard = started(&scripted("nboard", &script));
    let plain = script_of("list_commands -> say = play\\ngenmove\\nboardsize\\n\\n\n* -> say =\\n\\n");
    let mut gtp = started(&mock("gtp", &plain));
    let check = |player: &mut dyn Player, game: &Game, what: Topic, text: &str| {
        let Err(Fault::Unsayable(unsayable)) = player.begin(game) else { panic!("{text}") };
        assert_eq!((unsayable.what, unsayable.text.as_str()), (what, text));
    };
    for variant in ["reversi", "othello+hand=20", "4x4+stuck=end", "othello+score=discs"] {
        let game = game_of(variant);
        let canonical = record::variant_text(game.variant()).to_string();
        check(&mut *nboard, &game, Topic::Variant, &canonical);
        check(&mut *gtp, &game, Topic::Variant, &canonical);
    }
    for variant in ["oct", "othello+anti", "6x8", "othello+komi=2", "othello+hole=a1"] {
        check(&mut *gtp, &game_of(variant), Topic::Variant, variant);
    }
    let holes = game_of("othello+hole=a1");
    check(
        &mut *nboard,
        &holes,
        Topic::Position,
        &record::board_text(holes.variant(), holes.start()).to_string(),
    );
    let mirror = game_of("othello+start=mirror");
    check(&mut *gtp, &mirror, Topic::Position, "8/8/8/3xo3/3ox3/8/8/8,x");
    // And it goes on with what can be said.
    gtp.begin(&game_of("6x6")).unwrap();
    nboard.begin(&othello()).unwrap();
    for (spec, option, value) in [
        (scripted("nboard", &script), "level", "3"),
        (mock("gtp", &plain), "level", "3"),
        (scripted("native", &script), "autopass", "on"),
        (scripted("native", &script), "Level", "3"),
    ] {
        let options = vec![(option.to_owned(), value.to_owned())];
        let spec = EngineSpec { options, ..spec };
        let Err(Fault::Unsayable(unsayable)) = start(&spec, PATIENCE, None) else { panic!("{option}") };
        let named = format!("{option}={value}");
        assert_eq!((unsayable.what, unsayable.text), (Topic::Option, named));
    }
    gtp.quit();
    nboard.quit();
}

#[test]
fn options_are_set_and_refused_ones_named() {
    for dialect in ["native", "gtp", "xboard", "edax"] {
        let mut spec = spec(dialect, &format!("'{BINARY}' --protocol {dialect}"));
        spec.options =
            vec![("level".to_owned(), "1".to_owned()), ("threads".to_owned(), "1".to_owned())];
        started(&spec).quit();
        spec.options.push(("level".to_owned(), "many".to_owned()));
        let Err(Fault::Refused { asked, answer }) = start(&spec, PATIENCE, None) else {
            panic!("{dialect}")
        };
        assert!(asked.contains("level") && asked.contains("many"), "{asked}");
        assert!(answer.contains("many"), "{answer}");
    }
}

#[test]
fn limits_and_clocks_reach_the_engine() {
    for (dialect, limits) in [
        ("native", Budget { depth: Some(3), ..budget(PATIENCE) }),
        ("native", Budget { nodes: Some(500), ..budget(PATIENCE) }),
        ("native", Budget { movetime_ms: Some(1000), ..budget(PATIENCE) }),
        ("gtp", Budget { depth: Some(3), ..budget(PATIENCE) }),
        ("gtp", Budget { movetime_ms: Some(1000), ..budget(PATIENCE) }),
        ("nboard", Budget { depth: Some(3), ..budget(PATIENCE) }),
        ("uci", Budget { depth: Some(3), ..budget(PATIENCE) }),
        ("uci", Budget { nodes: Some(500), ..budget(PATIENCE) }),
        ("uci", Budget { movetime_ms: Some(1000), ..budget(PATIENCE) }),
        ("xboard", Budget { depth: Some(3), ..budget(PATIENCE) }),
        ("xboard", Budget { movetime_ms: Some(1000), ..budget(PATIENCE) }),
        ("edax", Budget { depth: Some(3), ..budget(PATIENCE) }),
        ("edax", Budget { movetime_ms: Some(1000), ..budget(PATIENCE) }),
    ] {
        let mut engine = started(&spec(dialect, &format!("'{BINARY}' --protocol {dialect} --hash 1")));
        let mut game = othello();
        play_words(&mut game, &move_list("f5d6c3")).unwrap();
        engine.begin(&game).unwrap();
        let thought = asked(&mut *engine, &game, &limits).unwrap();
        if let (Some(depth), Some(_)) = (thought.depth, limits.depth) {
            assert_eq!(depth, 3, "{dialect}");
        }
        // GTP tells no value.
        if dialect != "gtp" {
            assert!(
                thought.score_centidiscs.is_some() && !thought.pv.is_empty(),
                "{dialect}: {thought:?}"
            );
        }
        assert_eq!(thought.nodes.is_some(), dialect != "gtp", "{dialect}");
        if limits.nodes.is_some() {
            assert!(thought.nodes.unwrap() < 5000, "{thought:?}");
        }
        engine.quit();
    }
}

#[test]
fn clocks_are_told_in_step() {
    let traffic = Shared::default();
    for row in outflank_protocol::CLIENTS {
        let script = script_of("first");
        let traffic = Traffic::to(traffic.clone());
        let spec = scripted(row.name, &script);
        let mut engine = start(&spec, PATIENCE, Some(traffic)).unwrap();
        let mut game = othello();
        play_words(&mut game, &move_list("f5")).unwrap();
        engine.begin(&game).unwrap();
        for (own_ms, other_ms) in [(60_000, 59_500), (58_100, 50_600)] {
            let clock = Some(Clocks { own_ms, other_ms, increment_ms: 100 });
            let thought = asked(&mut *engine, &game, &Budget { clock, ..budget(PATIENCE) }).unwrap();
            let Chosen::Move(at) = thought.choice else { panic!() };
            let played = record::play_item(&mut game, None, at).unwrap();
            engine.accepted(&game, played[0]).unwrap();
            let square = game.legal().iter().next().unwrap();
            let played = game.play(None, square).unwrap();
            engine.follow(&game, played).unwrap();
        }
        engine.quit();
    }
    let log = traffic.text();
    for sent in [
        "clock o 60/0.1",
        "clock x 59.5/0.1",
        "clock o 58.1/0.1",
        "time_settings 60 0.100 0",
        "time_left white 60 0",
        "time_left black 59.500 0",
        "time_left white 58.100 0",
        "TB[0:59.5/0:00.1/0:00]TW[1:00/0:00.1/0:00]",
        "B[F5//0.1]",
        "game-time 1:00.000",
        "game-time 0:58.100",
        // 60 s, 0.1 s more, and 58.1 s are left; Black had 59.5 s.
        "//2\n",
        "//9\n",
    ] {
        assert!(log.contains(sent), "{sent}\n{log}");
    }
}

/// What is written into it can be looked at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// ---------------------------------------------------------------------------------------------
// Engines that misbehave

/// The fault of the first move that is no move, and how many moves came before it. Only the moves
/// behind the first `n_good` are waited for so short.
fn fault_after(spec: &EngineSpec, n_good: usize, cutoff: Duration) -> (usize, Fault) {
    let mut engine = started(spec);
    let mut game = othello();
    engine.begin(&game).unwrap();
    let mut moves = 0;
    let fault = loop {
        match asked(&mut *engine, &game, &budget(if moves < n_good { PATIENCE } else { cutoff })) {
            Ok(Thought { choice: Chosen::Move(at), .. }) => {
                let played = record::play_item(&mut game, None, at).expect("a legal move");
                engine.accepted(&game, played[0]).unwrap();
                moves += 1;
                let square = game.legal().iter().next().unwrap();
                let played = game.play(None, square).unwrap();
                engine.follow(&game, played).unwrap();
            }
            Ok(thought) => panic!("{thought:?}"),
            Err(fault) => break fault,
        }
    };
    engine.quit();
    (moves, fault)
}

fn fault_of(spec: &EngineSpec, cutoff: Duration) -> (usize, Fault) {
    fault_after(spec, 0, cutoff)
}

#[test]
fn a_crash_tells_its_exit_code_or_signal() {
    for row in outflank_protocol::CLIENTS {
        let script = steps_of(row.name, "first first exit=7");
        let (moves, fault) = fault_of(&scripted(row.name, &script), PATIENCE);
        assert_eq!(moves, 2);
        assert!(matches!(fault, Fault::Crash { exit_code: Some(7), signal: None, .. }), "{fault:?}");
    }
    let script = script_of("abort");
    let (_, fault) = fault_of(&scripted("native", &script), PATIENCE);
    if cfg!(unix) {
        assert!(matches!(fault, Fault::Crash { exit_code: None, signal: Some(6), .. }), "{fault:?}");
    }
    let script = script_of("genmove -> complain out of\\nmemory\\n; exit 0\n* -> say =\\n\\n");
    let (_, fault) = fault_of(&mock("gtp", &script), PATIENCE);
    let Fault::Crash { exit_code: Some(0), signal: None, stderr } = &fault else { panic!("{fault:?}") };
    assert_eq!(stderr, &["out of", "memory"]);
    assert_eq!(fault.to_string(), "ended with exit code 0: out of | memory");
}

#[test]
fn an_engine_that_dies_between_moves_is_noticed_at_the_next_order() {
    let script = script_of("play -> exit 4\ngenmove -> say = D3\\n\\n\n* -> say =\\n\\n");
    let mut engine = started(&mock("gtp", &script));
    let mut game = othello();
    engine.begin(&game).unwrap();
    let thought = asked(&mut *engine, &game, &budget(PATIENCE)).unwrap();
    let Chosen::Move(at) = thought.choice else { panic!() };
    let played = record::play_item(&mut game, None, at).unwrap();
    engine.accepted(&game, played[0]).unwrap();
    let square = game.legal().iter().next().unwrap();
    let played = game.play(None, square).unwrap();
    let fault = engine.follow(&game, played).unwrap_err();
    engine.quit();
    assert!(matches!(fault, Fault::Crash { exit_code: Some(4), .. }), "{fault:?}");
}

#[test]
fn an_engine_that_hangs_does_not_answer_and_is_killed() {
    for row in outflank_protocol::CLIENTS {
        let script = steps_of(row.name, "first hang");
        let (moves, fault) = fault_after(&scripted(row.name, &script), 1, SHORT);
        assert_eq!((moves, fault), (1, Fault::NoAnswer { waited: SHORT, stray: None }));
    }
}

#[test]
fn illegal_moves_and_wrong_passes_are_answers() {
    for dialect in ["native", "nboard", "uci"] {
        for (script, answer) in [("d4", "d4"), ("pass", "pass"), ("k11", "k11")] {
            let script = script_of(script);
            let mut engine = started(&scripted(dialect, &script));
            engine.begin(&othello()).unwrap();
            let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
            let Chosen::Move(at) = thought.choice else { panic!("{thought:?}") };
            assert_eq!(at.to_string(), answer);
            engine.quit();
        }
    }
}

#[test]
fn answers_of_gtp_are_read_in_every_form() {
    for (answer, expected) in [
        ("= D3\\n\\n", Some("d3")),
        ("=D3\\n\\n", Some("d3")),
        ("= d3\\r\\n\\r\\n", Some("d3")),
        ("= PASS\\n\\n", Some("pass")),
        ("\\n\\n= Pass \\n\\n\\n", Some("pass")),
        ("=\\nD3\\n\\n", Some("d3")),
        ("= D3\\nsome words\\n\\n", Some("d3")),
        ("thinking...\\n= D3\\n\\n", Some("d3")),
        ("= RESIGN\\n\\n", None),
    ] {
        let script =
            script_of(&format!("genmove -> say {answer}\n* -> say =\\n\\n").replace("\\r", "\r"));
        let mut engine = started(&mock("gtp", &script));
        engine.begin(&othello()).unwrap();
        let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
        let found = match thought.choice {
            Chosen::Move(at) => Some(at.to_string()),
            Chosen::Resign => None,
        };
        assert_eq!(found.as_deref(), expected, "{answer}");
        engine.quit();
    }
}

/// An engine of another program that knows flipello.
const UCI: &str = "uci -> say option name UCI_Variant type combo default chess var chess var flipello\\nuciok\\n
setoption -> say info string variant $5 files 8 ranks 8 pocket 1 template fairy startpos 8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1\\n
isready -> say readyok\\n
go -> say BESTMOVE\\n
quit -> exit 0
";

#[test]
fn a_silent_fallback_to_chess_is_refused() {
    // What the Fairy-Stockfish of Debian 12 does.
    let script = script_of(
        "uci -> say option name UCI_Variant type combo default chess var chess var crazyhouse\\nuciok\\n\n\
         isready -> say readyok\\n\nquit -> exit 0\n",
    );
    let mut engine = started(&mock("uci", &script));
    let Err(Fault::Refused { asked: line, answer }) = engine.begin(&othello()) else { panic!() };
    assert_eq!(line, "setoption name UCI_Variant value othello");
    assert!(answer.contains("announced no variant"), "{answer}");
    engine.quit();
    let script = script_of(&UCI.replace("BESTMOVE", "bestmove P@f4"));
    let mut engine = started(&mock("uci", &script));
    engine.begin(&othello()).unwrap();
    let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
    let Chosen::Move(at) = thought.choice else { panic!() };
    assert_eq!(at.to_string(), "f5");
    engine.quit();
}

#[test]
fn an_answer_that_is_none_is_a_fault_of_protocol() {
    let nboard = |answer: &str| format!("ping -> say pong $2\\n\ngo -> say {answer}\\n");
    let gtp = |answer: &str| format!("genmove -> say {answer}\\n\\n\n* -> say =\\n\\n");
    let xboard = |answer: &str| {
        let features = "protover -> say feature ping=1 variants=reversi done=1\\n\n";
        format!("{features}ping -> say pong $2\\n\ngo -> say {answer}\\n")
    };
    let native =
        |answer: &str| format!("EOF -> exit 0\nquit -> exit 0\n* -> say ok $1 search=1\\n{answer}\\n");
    let uci = |answer: &str| UCI.replace("BESTMOVE", answer);
    for (dialect, text, line, why) in [
        ("gtp", gtp("= %&!"), "= %&!", Garble::NotAMove),
        ("gtp", gtp("="), "= ", Garble::NotAMove),
        ("nboard", nboard("=== Z9"), "=== Z9", Garble::NotAMove),
        ("nboard", nboard("==="), "===", Garble::NotAMove),
        ("nboard", nboard("=== D3/much"), "=== D3/much", Garble::NotANumber),
        ("xboard", xboard("move P@z9"), "move P@z9", Garble::NotAMove),
        ("native", native("! best ?? search=1"), "! best ?? search=1", Garble::NotAMove),
        ("uci", uci("bestmove e2e4"), "bestmove e2e4", Garble::NotAMove),
        ("uci", uci("bestmove"), "bestmove", Garble::NotAMove),
    ] {
        let script = script_of(&text);
        let (_, fault) = fault_of(&mock(dialect, &script), PATIENCE);
        assert_eq!(fault, Fault::Protocol { line: line.to_owned(), why }, "{dialect}");
    }
    let script = script_of(&gtp("? I will not"));
    let (_, fault) = fault_of(&mock("gtp", &script), PATIENCE);
    assert_eq!(fault, Fault::Refused { asked: "genmove black".into(), answer: "I will not".into() });
    // What is no answer at all is told with the silence that follows.
    let script = script_of(&gtp("gibberish"));
    let (_, fault) = fault_of(&mock("gtp", &script), SHORT);
    assert_eq!(fault, Fault::NoAnswer { waited: SHORT, stray: Some("gibberish".into()) });
}

#[test]
fn a_flood_hides_neither_the_answer_nor_the_end_of_the_time() {
    let gtp = |think: &str| format!("genmove -> {think}\n* -> say =\\n\\n");
    let script = script_of(&gtp("flood 300000 some noise\\n; say = D3\\n\\n; hang"));
    let mut engine = started(&mock("gtp", &script));
    engine.begin(&othello()).unwrap();
    let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
    assert_eq!(
        thought.choice,
        Chosen::Move(outflank_protocol::words::MoveText::At(
            outflank_protocol::lexis::read_point("d3").unwrap()
        ))
    );
    engine.quit();
    let script = script_of(&gtp("flood 4000000000 some noise\\n"));
    let (_, fault) = fault_of(&mock("gtp", &script), SHORT);
    assert_eq!(fault, Fault::NoAnswer { waited: SHORT, stray: Some("some noise".into()) });
    let script = script_of(&gtp("endless 4000000000"));
    let (_, fault) = fault_of(&mock("gtp", &script), SHORT);
    assert_eq!(fault, Fault::NoAnswer { waited: SHORT, stray: None });
    for dialect in ["native", "nboard"] {
        let script = script_of("flood=20000");
        let mut engine = started(&scripted(dialect, &script));
        engine.begin(&othello()).unwrap();
        let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
        assert!(matches!(thought.choice, Chosen::Move(_)));
        engine.quit();
    }
}

#[test]
fn a_late_answer_is_never_taken_for_the_next_one() {
    // The first answer comes when something else has been asked, and is another move.
    for (dialect, script) in [
        (
            "gtp",
            "list_commands -> say = boardsize\\n\\n\ngenmove -> say \ngenmove -> say = D3\\n\\n\n\
             boardsize -> say =\\n\\n\nboardsize -> say = E6\\n\\n=\\n\\n\n* -> say =\\n\\n",
        ),
        (
            "gtp",
            "protocol_version -> say = 2\\n\\n\n4 -> say =4 boardsize\\n\\n\n7 -> say \n\
             8 -> say =7 E6\\n\\n=8\\n\\n\n10 -> say =10 D3\\n\\n\n* -> say =$1\\n\\n",
        ),
        (
            "nboard",
            "ping 3 -> say === E6\\npong $2\\n\nping -> say pong $2\\n\ngo -> say \ngo -> say === D3\\n",
        ),
        (
            "native",
            "4 -> say \n5 -> say ok 4 search=1\\n! best e6 search=1\\nok 5\\n\n\
             7 -> say ok 7 search=2\\n! best d3 search=2\\n\n* -> say ok $1\\n",
        ),
        (
            "uci",
            "uci -> say option name UCI_Variant type combo var othello\\nuciok\\n\n\
             setoption -> say info string variant $5 files 8 ranks 8 startpos 8/8/8/3Pp3/3pP3/8/8/8 w\\n\n\
             isready -> say readyok\\n\ngo -> say \nstop -> say \n\
             position -> say bestmove e6\\n\ngo -> say bestmove d3\\n\n",
        ),
    ] {
        let script = script_of(script);
        let traffic = Shared::default();
        let mut engine =
            start(&mock(dialect, &script), PATIENCE, Some(Traffic::to(traffic.clone()))).unwrap();
        engine.begin(&othello()).unwrap();
        let first = asked(&mut *engine, &othello(), &budget(SHORT));
        let nothing = Fault::NoAnswer { waited: SHORT, stray: None };
        assert_eq!(first, Err(nothing), "{dialect}\n{}", traffic.text());
        engine.begin(&othello()).unwrap();
        let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
        let Chosen::Move(at) = thought.choice else { panic!() };
        let log = traffic.text();
        assert!(log.to_lowercase().contains("e6") && at.to_string() == "d3", "{at}\n{log}");
        engine.quit();
    }
}

#[test]
fn an_engine_that_is_given_no_time_at_all_stays_in_step() {
    let (first, last) = (script_of("first"), script_of("last"));
    for row in outflank_protocol::CLIENTS {
        let mut engine = started(&scripted(row.name, &first));
        let mut other = started(&scripted(row.name, &last));
        for _ in 0..100 {
            engine.begin(&othello()).unwrap();
            // Now and then the answer is there before its request is known to be on its way.
            let answer = asked(&mut *engine, &othello(), &budget(Duration::ZERO));
            assert!(matches!(answer, Err(Fault::NoAnswer { .. }) | Ok(_)), "{}: {answer:?}", row.name);
        }
        let mut game = othello();
        play_out(&mut game, [&mut *engine, &mut *other], &budget(PATIENCE));
        let expected = record::record_line(&expected_game(othello()));
        assert_eq!(record::record_line(&game), expected, "{}", row.name);
        engine.quit();
        other.quit();
    }
}

#[test]
fn a_move_is_timed_from_the_request_to_the_answer() {
    let script = script_of("sleep=50");
    for row in outflank_protocol::CLIENTS {
        let mut engine = started(&scripted(row.name, &script));
        engine.begin(&othello()).unwrap();
        let began = Instant::now();
        let thought = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
        // How much of the engine's time goes by before its request is known to be on its way depends
        // on the machine, so that there is no least time.
        assert!(thought.taken <= began.elapsed());
        engine.quit();
    }
}

#[test]
fn engines_are_spoken_to_as_they_want() {
    // One that knows only single letters for colours, whole seconds, and no passes.
    let script = script_of(
        "list_commands -> say = play\\ngenmove\\ntime_settings\\ntime_left\\n\\n\n\
         play black -> say ? syntax error\\n\\n\nplay white -> say ? syntax error\\n\\n\n\
         genmove black -> say ? syntax error\\n\\n\ngenmove white -> say ? syntax error\\n\\n\n\
         play b pass -> say ? syntax error\\n\\n\nplay w pass -> say ? syntax error\\n\\n\n\
         time_settings 60 0.500 0 -> say ? syntax error\\n\\n\n\
         genmove b -> say = D3\\n\\n\n* -> say =\\n\\n",
    );
    let traffic = Shared::default();
    let mut engine = start(&mock("gtp", &script), PATIENCE, Some(Traffic::to(traffic.clone()))).unwrap();
    let mut game = othello();
    engine.begin(&game).unwrap();
    let clock = Some(Clocks { own_ms: 60_000, other_ms: 59_900, increment_ms: 500 });
    let thought = asked(&mut *engine, &game, &Budget { clock, ..budget(PATIENCE) }).unwrap();
    let Chosen::Move(at) = thought.choice else { panic!() };
    let played = record::play_item(&mut game, None, at).unwrap();
    engine.accepted(&game, played[0]).unwrap();
    let board = read_token("6ox/8/8/8/8/8/8/8,o").unwrap();
    let mut passing = record::game_at(game.variant(), &board).unwrap();
    let pass = passing.pass_if_forced().unwrap();
    engine.follow(&passing, pass).unwrap();
    engine.follow(&passing, pass).unwrap();
    engine.quit();
    let log = traffic.text();
    for (sent, times) in [
        ("> genmove black\n", 1),
        ("> genmove b\n", 1),
        ("> time_settings 60 0 0\n", 1),
        ("> time_left black 59\n", 0),
        ("> play w PASS\n", 0),
        ("> play w pass\n", 1),
    ] {
        assert_eq!(log.matches(sent).count(), times, "{sent}\n{log}");
    }
}

#[test]
fn an_engine_without_list_commands_is_asked_about_each() {
    let script = script_of(
        "list_commands -> say ? unknown command\\n\\n\nknown_command komi -> say = true\\n\\n\n\
         known_command boardsize -> say = TRUE\\n\\n\nknown_command -> say = false\\n\\n\n* -> say =\\n\\n",
    );
    let traffic = Shared::default();
    let mut engine = start(&mock("gtp", &script), PATIENCE, Some(Traffic::to(traffic.clone()))).unwrap();
    engine.begin(&game_of("6x6+komi=2")).unwrap();
    engine.quit();
    let log = traffic.text();
    assert!(log.contains("> boardsize 6\n") && log.contains("> komi 2\n"), "{log}");
}

#[test]
fn what_cannot_be_started_says_why() {
    let check = |spec: &EngineSpec, expected: &dyn Fn(&StartError) -> bool| {
        let Err(Fault::Start(error)) = start(spec, PATIENCE, None) else { panic!("{spec:?}") };
        assert!(expected(&error), "{error:?}");
    };
    check(&spec("gtp", ""), &|error| *error == StartError::NoProgram);
    check(&spec("gtp", "'open"), &|error| matches!(error, StartError::OpenQuote { .. }));
    check(
        &spec("chess", BINARY),
        &|error| matches!(error, StartError::Dialect { name } if name == "chess"),
    );
    check(
        &spec("gtp", "./no-such-program -x"),
        &|error| matches!(error, StartError::System { kind: io::ErrorKind::NotFound, program } if program == "./no-such-program"),
    );
    let elsewhere = EngineSpec { directory: Some("/no/such/folder".into()), ..spec("gtp", BINARY) };
    check(&elsewhere, &|error| matches!(error, StartError::Directory { .. }));
    // A program that ends before it has said anything.
    let Err(fault) = start(&spec("gtp", &format!("'{BINARY}' variants")), PATIENCE, None) else {
        panic!()
    };
    assert!(matches!(fault, Fault::Crash { exit_code: Some(0), .. }), "{fault:?}");
}

#[test]
fn a_relative_program_is_looked_for_in_its_directory() {
    let binary = Path::new(BINARY);
    let folder = binary.parent().unwrap();
    let name = binary.file_name().unwrap().to_string_lossy();
    let command = format!("./{name} --protocol gtp");
    let there = EngineSpec { directory: Some(folder.to_owned()), ..spec("gtp", &command) };
    started(&there).quit();
}

#[test]
fn traffic_is_logged_as_it_was_said() {
    let script =
        script_of("genmove -> complain deep thought\\n; sleep 20; say = D3\\n\\n\n* -> say =\\n\\n");
    let traffic = Shared::default();
    let mut engine = start(&mock("gtp", &script), PATIENCE, Some(Traffic::to(traffic.clone()))).unwrap();
    engine.begin(&othello()).unwrap();
    asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap();
    engine.quit();
    let log = traffic.text();
    let marks: Vec<char> = log
        .lines()
        .map(|line| {
            let (time, rest) = line.split_at(7);
            assert!(time.trim().parse::<u64>().is_ok(), "{line}");
            assert!(
                rest.starts_with(' ') && rest[2..].starts_with([' ', '\n']) || rest.len() == 2,
                "{line}"
            );
            rest.chars().nth(1).unwrap()
        })
        .collect();
    assert_eq!(marks[0], '#');
    for mark in ['>', '<', '!'] {
        assert!(marks.contains(&mark), "{log}");
    }
    assert!(log.contains("> genmove black\n") && log.contains("< = D3\n"), "{log}");
    assert!(log.contains("! deep thought\n"), "{log}");
}

#[cfg(target_os = "linux")]
mod processes {
    use super::*;

    /// Waits until a process is gone or a zombie.
    fn ends(id: u32) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let state = fs::read_to_string(format!("/proc/{id}/stat"));
            let gone = state.map_or(true, |stat| {
                stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
            });
            if gone {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// The name of the file in which a process leaves its number.
    const NUMBER: &str = "number";

    /// A number that an engine has told.
    fn number_in(told: &Scratch) -> u32 {
        let path = told.path(NUMBER);
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(number) =
                fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok())
            {
                return number;
            }
            assert!(Instant::now() < deadline, "no number in {path}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A shell around an engine, with a process of its own beside it.
    fn wrapped(script: &Scratch, told: &Scratch) -> EngineSpec {
        let (told, script) = (told.path(NUMBER), script.path(SCRIPT));
        let inner = format!("sleep 1000 & echo $! > {told}; {BINARY} mock {script}");
        spec("gtp", &format!("sh -c '{inner}'"))
    }

    #[test]
    fn the_whole_group_of_an_engine_ends_with_it() {
        let (script, told) = (script_of("* -> say =\\n\\n"), Scratch::new());
        let engine = started(&wrapped(&script, &told));
        let beside = number_in(&told);
        engine.quit();
        assert!(ends(beside));
        let told = Scratch::new();
        let engine = started(&wrapped(&script, &told));
        let beside = number_in(&told);
        drop(engine);
        assert!(ends(beside));
    }

    const TOLD: &str = "OUTFLANK_TEST_TOLD";

    /// Not a test by itself: the runner that [`an_engine_does_not_outlive_a_runner_that_is_killed`]
    /// kills. It starts an engine that neither reads nor ends, and waits.
    #[test]
    fn a_runner_with_an_engine() {
        let Some(told) = std::env::var_os(TOLD) else { return };
        let told = told.into_string().unwrap();
        // It reads one command, and hears nothing after it.
        let deaf = format!("read command; echo $$ > {told}; exec sleep 1000");
        let _ = start(&spec("gtp", &format!("sh -c '{deaf}'")), PATIENCE, None);
    }

    #[test]
    fn an_engine_does_not_outlive_a_runner_that_is_killed() {
        let told = Scratch::new();
        let mut runner = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "arena_player::processes::a_runner_with_an_engine"])
            .env(TOLD, told.path(NUMBER))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let engine = number_in(&told);
        assert!(Path::new(&format!("/proc/{engine}")).exists());
        runner.kill().unwrap();
        runner.wait().unwrap();
        assert!(ends(engine));
    }

    #[test]
    fn a_leash_ends_an_engine_that_is_waited_for() {
        let script = script_of("genmove -> hang\n* -> say =\\n\\n");
        let traffic = Shared::default();
        let log = Traffic::to(traffic.clone());
        let mut engine = start(&mock("gtp", &script), PATIENCE, Some(log)).unwrap();
        engine.begin(&othello()).unwrap();
        let leash = engine.leash();
        let cut = std::thread::spawn(move || {
            while !traffic.text().contains("genmove") {
                std::thread::sleep(Duration::from_millis(1));
            }
            leash.cut();
            leash
        });
        let fault = asked(&mut *engine, &othello(), &budget(PATIENCE)).unwrap_err();
        assert!(matches!(fault, Fault::Crash { signal: Some(9), .. }), "{fault:?}");
        let leash = cut.join().unwrap();
        engine.quit();
        leash.cut();
    }
}

// ---------------------------------------------------------------------------------------------
// A real stranger

/// GRhino's GTP engine where it is installed.
fn grhino() -> Option<EngineSpec> {
    let program = "/usr/games/gtp-rhino";
    if !Path::new(program).exists() {
        eprintln!("skipped: {program} is not here");
        return None;
    }
    Some(spec("gtp", &format!("{program} -l 1 -b 0")))
}

#[test]
fn grhino_plays_whole_games_with_passes_and_clocks() {
    let Some(grhino) = grhino() else { return };
    let first = script_of("first");
    let mut stranger = started(&grhino);
    let mut ours = started(&scripted("native", &first));
    let mut passes = 0;
    let clock = Some(Clocks { own_ms: 59_900, other_ms: 60_000, increment_ms: 100 });
    for (index, opening) in ["", "f5d6c3d3c4", "f5f6e6f4e3c5c4"].iter().enumerate() {
        let mut game = othello();
        play_words(&mut game, &move_list(opening)).unwrap();
        let budget = Budget { clock, ..budget(PATIENCE) };
        let players: [&mut dyn Player; 2] =
            if index % 2 == 0 { [&mut *stranger, &mut *ours] } else { [&mut *ours, &mut *stranger] };
        play_out(&mut game, players, &budget);
        passes += game.log().iter().filter(|entry| entry.mv.act.is_pass()).count();
    }
    assert!(passes > 0, "games of this kind have passes");
    let position = read_token("2o5/3o4/2xoo3/2xxo3/2xxxo2/8/8/8,x").unwrap();
    let mut game = record::game_at(othello().variant(), &position).unwrap();
    play_out(&mut game, [&mut *stranger, &mut *ours], &budget(PATIENCE));
    let Err(fault) = stranger.begin(&game_of("10x10")) else { panic!() };
    assert!(matches!(&fault, Fault::Refused { asked, .. } if asked == "boardsize 10"), "{fault:?}");
    stranger.quit();
    ours.quit();
}
