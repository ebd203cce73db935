//! Both sides of a dialect against each other: what the client writes the engine's side reads, and
//! what the engine's side writes the client understands.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use outflank_protocol::client::{
    ChoiceText, Client, ClockLeft, Garble, Heard, Limit, Limits, Next, Order, RulesText, Situation,
    Topic,
};
use outflank_protocol::message::{
    BestText, BoundText, Code, Done, Event, Failure, InfoText, LogText, OptionText, Phase, Purpose,
    Request, SeatsText, StateText, Tagged, ValueText,
};
use outflank_protocol::position::read_token;
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::{HalfDiscs, MoveText, MoveWord, Side, VariantText};
use outflank_protocol::{CLIENTS, Dialect, by_name, client_by_name};
use proptest::prelude::*;

fn at(text: &str) -> MoveText {
    match outflank_protocol::lexis::move_word(text) {
        MoveWord::Move(at) => at,
        MoveWord::Unreadable(text) => panic!("{text}"),
    }
}

fn game(variant: &str, start: &str, moves: &str) -> Situation {
    let sides = [Side::Black, Side::White].into_iter().cycle();
    Situation {
        variant: read_variant(variant).unwrap(),
        rules: RulesText::default(),
        start: read_token(start).unwrap(),
        usual_start: true,
        moves: sides.zip(moves.split_whitespace().map(at)).collect(),
    }
}

fn othello(moves: &str) -> Situation {
    game("othello", "8/8/8/3ox3/3xo3/8/8/8,x", moves)
}

/// A client and the engine's side of its dialect, with what was read by the latter.
struct Pair {
    client: Box<dyn Client>,
    engine: Box<dyn Dialect>,
    requests: Vec<Request>,
    sent: String,
}

impl Pair {
    fn new(dialect: &str) -> Pair {
        let mut engine = by_name(dialect).unwrap();
        engine.engine_is_called("tester");
        let mut client = client_by_name(dialect).unwrap();
        client.order(&Order::Board(&othello("").start), &mut String::new()).unwrap();
        Pair { client, engine, requests: Vec::new(), sent: String::new() }
    }

    /// Gives an order; every request of it is answered with the event that `answer` makes of it.
    fn give(&mut self, order: &Order, answer: impl Fn(&Request) -> Vec<Event>) -> Heard {
        let mut out = String::new();
        let mut heard = match self.client.order(order, &mut out).unwrap() {
            Next::Done => Heard::Done,
            Next::Wait => Heard::Nothing,
        };
        while !out.is_empty() {
            let mut replies = String::new();
            for line in std::mem::take(&mut out).lines() {
                self.sent.push_str(line);
                self.sent.push('\n');
                let Tagged { tag, request } = self.engine.read(line);
                let parts = match request {
                    Request::Series(parts) => parts,
                    single => vec![single],
                };
                for request in parts {
                    for event in answer(&request) {
                        self.engine.render(&tag, &event, &mut replies);
                    }
                    self.requests.push(request);
                }
            }
            for line in replies.lines() {
                match self.client.hear(line, &mut out) {
                    Heard::Nothing => {}
                    other => heard = other,
                }
            }
        }
        heard
    }
}

/// What an engine that does everything answers.
fn willing(request: &Request) -> Vec<Event> {
    vec![match request {
        Request::Nothing => return Vec::new(),
        Request::Known(text) => Event::Done(Done::Known(text.clone())),
        Request::Hello { version } => {
            let hello = Event::Done(Done::Hello {
                version: *version,
                name: "tester".into(),
                program_version: "1.2".into(),
                autopass: true,
            });
            return [row("variant", "string"), row("multipv", "spin"), hello].into();
        }
        Request::New { variant: Some(variant), .. } => {
            return vec![Event::Done(Done::State { state: state(variant), reading: None })];
        }
        Request::Name => Event::Done(Done::Name("tester".into())),
        Request::Version => Event::Done(Done::Version("1.2".into())),
        Request::Ping(word) => Event::Done(Done::Pong(word.clone())),
        Request::Unreadable(failure) => Event::Failed(failure.clone()),
        Request::Options => Event::Done(Done::Listed { n: 0, side: None }),
        Request::Search(_) | Request::Take(SeatsText::Mover) => return choosing(request, "d3"),
        _ => Event::Done(Done::Plain),
    }]
}

/// A row of the options.
fn row(name: &str, kind: &str) -> Event {
    Event::Option(OptionText {
        name: name.into(),
        kind: kind.into(),
        default: String::new(),
        min: None,
        max: None,
        choices: Vec::new(),
        value: "othello".into(),
    })
}

/// The start of a variant, as far as the tests have some.
fn state(variant: &VariantText) -> Box<StateText> {
    let token = match variant.to_string().as_str() {
        "10x10" => "10/10/10/10/4ox4/4xo4/10/10/10/10,x",
        "reversi+stuck=end" | "reversi" => "8/8/8/8/8/8/8/8,x,p4",
        _ => "8/8/8/3ox3/3xo3/8/8/8,x",
    };
    Box::new(StateText {
        variant: variant.clone(),
        seed: None,
        position: read_token(token).unwrap(),
        squares: 64,
        phase: Phase::Play,
        next: Some(Side::Black),
        count: (2, 2),
        legal: Vec::new(),
        last: None,
        items: 0,
        ending: None,
    })
}

/// What comes of a request that asks for a move.
fn choosing(request: &Request, word: &str) -> Vec<Event> {
    match request {
        Request::Search(search) => thinking(search.purpose, word),
        Request::Take(_) => playing(word),
        other => panic!("{other:?} asks for no move"),
    }
}

fn value(centidiscs: i32, exact: bool) -> ValueText {
    ValueText { centidiscs, bound: BoundText::Value, exact }
}

/// A search that chose a move.
fn thinking(purpose: Purpose, word: &str) -> Vec<Event> {
    let best = BestText {
        search: 1,
        at: Some(at(word)),
        value: Some(value(-150, false)),
        ponder: None,
        nodes: 4321,
        time_ms: 20,
        failed: false,
    };
    let info = |multipv, word: &str| InfoText {
        depth: 7,
        selectivity: 73,
        multipv,
        value: value(-150, false),
        wld: false,
        nodes: 4000,
        time_ms: 10,
        pv: vec![at(word), at("c3"), MoveText::Pass],
    };
    match purpose {
        Purpose::Generate { .. } => vec![Event::Done(Done::Generated(best))],
        Purpose::Eval => vec![
            Event::Info { search: 1, info: InfoText { depth: 6, ..info(1, "c4") } },
            Event::Hint { rank: 1, info: InfoText { nodes: 4321, ..info(1, word) } },
            Event::Done(Done::Searched { stopped: false, exact: false }),
        ],
        _ => vec![
            Event::Done(Done::Started { search: 1 }),
            Event::Info { search: 1, info: info(1, word) },
            Event::Info { search: 1, info: info(2, "c4") },
            Event::Best(best),
        ],
    }
}

/// A search whose move the engine plays by itself.
fn playing(word: &str) -> Vec<Event> {
    let MoveText::At(point) = at(word) else { panic!("{word}") };
    let state = StateText {
        variant: read_variant("othello").unwrap(),
        seed: None,
        position: read_token("8/8/8/3ox3/3xo3/8/8/8,x").unwrap(),
        squares: 64,
        phase: Phase::Play,
        next: Some(Side::Black),
        count: (2, 2),
        legal: Vec::new(),
        last: Some((Side::White, LogText::Play(point))),
        items: 1,
        ending: None,
    };
    let searched = thinking(Purpose::Go, word);
    let thoughts = searched.into_iter().filter(|event| matches!(event, Event::Info { .. }));
    let mut events: Vec<Event> = thoughts.collect();
    events.push(Event::Stands(Box::new(state)));
    events.extend(thinking(Purpose::Generate { play: true }, word));
    events
}

fn greeted(dialect: &str) -> Pair {
    let mut pair = Pair::new(dialect);
    assert_eq!(pair.give(&Order::Hello, willing), Heard::Done, "{dialect}\n{}", pair.sent);
    assert_eq!(pair.client.identity().name.as_deref(), Some("tester"), "{dialect}");
    pair
}

#[test]
fn every_client_has_the_engines_side_of_its_dialect_or_none() {
    for row in CLIENTS {
        assert_eq!(client_by_name(row.name).map(|client| client.name()), Some(row.name));
    }
    assert!(client_by_name("chess").is_none());
}

#[test]
fn every_order_is_understood_by_the_other_side() {
    for row in CLIENTS {
        let mut pair = greeted(row.name);
        let clock = Some(ClockLeft { own_ms: 61_500, other_ms: 59_000, increment_ms: 250 });
        let limits = Limits { clock, depth: Some(9), ..Limits::none(Side::White) };
        let game = othello("f5 d6 c3");
        // Some dialects have options that every engine knows, in others the engine lists them.
        let name = if row.name == "uci" { "MultiPV" } else { "depth" };
        let option = Order::Set { name, value: "9" };
        let orders = [option, Order::NewGame(&game), Order::Prepare(&limits), Order::Choose(&limits)];
        // Clients of single positions tell neither options nor moves.
        let tells_games = row.name != "cassio";
        let mut chosen = None;
        for order in orders.iter().skip(usize::from(!tells_games)) {
            match pair.give(order, willing) {
                Heard::Done => {}
                Heard::Chosen(found) => chosen = Some(found),
                other => panic!("{}: {order:?}: {other:?}\n{}", row.name, pair.sent),
            }
        }
        let chosen = chosen.expect("a move");
        assert_eq!(chosen.choice, ChoiceText::Move(at("d3")), "{}", row.name);
        assert_eq!(chosen.pv[0], at("d3"));
        // GTP has no words for it, and Edax's are whole discs.
        if !["gtp", "edax"].contains(&row.name) {
            assert_eq!((chosen.centidiscs, chosen.depth), (Some(-150), Some(7)), "{}", row.name);
            assert_eq!(chosen.pv.len(), 3, "{}", row.name);
            // A line of thought is all that this dialect has for nodes.
            let nodes = if row.name == "xboard" { 4000 } else { 4321 };
            assert_eq!(chosen.nodes, Some(nodes), "{}", row.name);
        }
        for (side, word, own) in [(Side::White, "d3", true), (Side::Black, "c4", false)] {
            let heard = pair.give(&Order::Played { side, at: at(word), own }, willing);
            assert_eq!(heard, Heard::Done, "{}", row.name);
        }
        let heard =
            pair.give(&Order::Played { side: Side::White, at: MoveText::Pass, own: false }, willing);
        assert_eq!(heard, Heard::Done);
        assert_eq!(pair.give(&Order::Prepare(&limits), willing), Heard::Done);
        assert_eq!(pair.give(&Order::GameOver, willing), Heard::Done);
        pair.give(&Order::Quit, willing);
        assert_eq!(pair.requests.last(), Some(&Request::Quit));
        for request in &pair.requests {
            let lost = matches!(request, Request::Unreadable(_) | Request::Nothing);
            assert!(!lost, "{}: {request:?}\n{}", row.name, pair.sent);
        }
        let c4 = MoveWord::Move(at("c4"));
        let played = pair.requests.iter().any(|request| match request {
            Request::Play { moves, .. } => *moves == [c4.clone()],
            Request::Arrange { moves, .. } => moves.contains(&c4),
            _ => false,
        });
        assert_eq!(played, tells_games, "{}\n{}", row.name, pair.sent);
    }
}

#[test]
fn refusals_name_the_line_and_the_answer() {
    for dialect in ["native", "gtp", "xboard"] {
        let mut pair = greeted(dialect);
        let unwilling = |request: &Request| match request {
            Request::Play { .. } | Request::New { .. } | Request::Resize { .. } => {
                vec![Event::Failed(Failure::new(Code::NoFlip, "nothing would be turned"))]
            }
            other => willing(other),
        };
        let game = othello("");
        let Heard::Refused { asked, answer } = pair.give(&Order::NewGame(&game), unwilling) else {
            panic!("{dialect}")
        };
        assert!(asked.contains("othello") || asked == "variant reversi", "{asked}");
        assert!(answer.contains("nothing would be turned"), "{answer}");
        // The next order is given as if nothing had been.
        assert_eq!(pair.give(&Order::NewGame(&game), willing), Heard::Done);
    }
}

#[test]
fn a_native_engine_that_keeps_passing_by_itself_is_not_told_passes() {
    let mut pair = Pair::new("native");
    let stubborn = |request: &Request| match request {
        Request::Set(_) => vec![Event::Failed(Failure::new(Code::BadArgument, "no such option"))],
        other => willing(other),
    };
    assert_eq!(pair.give(&Order::Hello, stubborn), Heard::Done);
    let pass = Order::Played { side: Side::White, at: MoveText::Pass, own: false };
    assert_eq!(pair.give(&pass, stubborn), Heard::Done);
    assert!(!pair.requests.iter().any(|request| matches!(request, Request::Pass { .. })));
}

#[test]
fn late_replies_are_passed_over() {
    for row in CLIENTS {
        let mut pair = greeted(row.name);
        let game = othello("");
        let limits = Limits::none(Side::Black);
        for order in [Order::NewGame(&game), Order::Prepare(&limits)] {
            assert_eq!(pair.give(&order, willing), Heard::Done);
        }
        // Asked, not answered, given up.
        assert_eq!(pair.give(&Order::Choose(&limits), |_| Vec::new()), Heard::Nothing);
        let mut out = String::new();
        pair.client.give_up(&mut out);
        let mut late = String::new();
        let asked = pair.sent.lines().last().unwrap().to_owned();
        let mut engine = by_name(row.name).unwrap();
        let tagged = engine.read(&asked);
        for event in choosing(&tagged.request, "e6") {
            engine.render(&tagged.tag, &event, &mut late);
        }
        // The late answer comes in the middle of the next orders.
        let mut first = true;
        let mut chosen = None;
        for order in [Order::NewGame(&game), Order::Prepare(&limits), Order::Choose(&limits)] {
            let mut out = String::new();
            if pair.client.order(&order, &mut out).unwrap() == Next::Done {
                continue;
            }
            while !out.is_empty() {
                let mut replies = if std::mem::take(&mut first) { late.clone() } else { String::new() };
                for line in std::mem::take(&mut out).lines() {
                    let Tagged { tag, request } = pair.engine.read(line);
                    for event in willing(&request) {
                        pair.engine.render(&tag, &event, &mut replies);
                    }
                }
                for line in replies.lines() {
                    if let Heard::Chosen(found) = pair.client.hear(line, &mut out) {
                        chosen = Some(found.choice);
                    }
                }
            }
        }
        assert_eq!(chosen, Some(ChoiceText::Move(at("d3"))), "{}", row.name);
    }
}

#[test]
fn a_console_is_told_a_game_once_the_limits_are_known() {
    let mut pair = greeted("edax");
    assert!(pair.sent.ends_with("X\ngo\n"), "{}", pair.sent);
    pair.sent.clear();
    let clock = Some(ClockLeft { own_ms: 61_500, other_ms: 59_000, increment_ms: 250 });
    let limits = Limits { clock, ..Limits::none(Side::White) };
    pair.give(&Order::NewGame(&othello("f5")), willing);
    pair.give(&Order::Played { side: Side::White, at: MoveText::Pass, own: false }, willing);
    assert_eq!(pair.sent, "");
    assert_eq!(pair.give(&Order::Prepare(&limits), willing), Heard::Done);
    let board = "---------------------------OX------XO---------------------------";
    assert_eq!(pair.sent, format!("game-time 1:01.500\nsetboard {board} X\nplay f5\nplay ps\n"));
    pair.sent.clear();
    pair.give(&Order::Played { side: Side::Black, at: at("c4"), own: false }, willing);
    pair.give(&Order::Prepare(&limits), willing);
    assert_eq!(pair.sent, "play c4\n");
    let mut out = String::new();
    let six = game("6x6", "6/6/2ox2/2xo2/6/6,x", "");
    let unsayable = pair.client.order(&Order::NewGame(&six), &mut out).unwrap_err();
    assert_eq!((unsayable.what, out.as_str()), (Topic::Position, ""));
    let mut anti = othello("");
    anti.rules.anti = true;
    let unsayable = pair.client.order(&Order::NewGame(&anti), &mut out).unwrap_err();
    assert_eq!((unsayable.what, out.as_str()), (Topic::Variant, ""));
    for (name, value) in [("q", "1"), ("level", "4\nquit"), ("book file", "x"), ("3", "4")] {
        let unsayable = pair.client.order(&Order::Set { name, value }, &mut out).unwrap_err();
        assert_eq!((unsayable.what, out.as_str()), (Topic::Option, ""), "{name}");
    }
}

#[test]
fn a_console_that_refuses_an_option_is_heard() {
    let mut pair = greeted("edax");
    let option = Order::Set { name: "level", value: "99" };
    let mut out = String::new();
    assert_eq!(pair.client.order(&option, &mut out), Ok(Next::Wait));
    assert!(out.starts_with("level 99\nsetboard "), "{out}");
    let refusal = "error: 99: level takes a whole number from 0 to 60";
    let Heard::Refused { asked, answer } = pair.client.hear(refusal, &mut out) else { panic!() };
    assert_eq!((asked.as_str(), answer.as_str()), ("level 99", refusal));
    // What the engine still owes is not taken for the next answer.
    assert_eq!(pair.client.hear("tester plays H8", &mut out), Heard::Nothing);
    assert_eq!(pair.give(&Order::Set { name: "level", value: "9" }, willing), Heard::Done);
}

#[test]
fn moves_of_a_console_are_read_in_every_form() {
    let read = |lines: &[&str]| {
        let mut pair = greeted("edax");
        let limits = Limits::none(Side::Black);
        pair.give(&Order::NewGame(&othello("")), willing);
        pair.give(&Order::Prepare(&limits), willing);
        assert_eq!(pair.give(&Order::Choose(&limits), |_| Vec::new()), Heard::Nothing);
        let mut out = String::new();
        let mut heard = Heard::Nothing;
        for line in lines {
            heard = pair.client.hear(line, &mut out);
        }
        heard
    };
    for (line, word) in [
        ("Edax plays F5", "f5"),
        (">Edax plays f5 ", "f5"),
        ("Egaroucid plays C4", "c4"),
        ("f5", "f5"),
        ("ps", "pass"),
        ("Edax plays PS", "pass"),
    ] {
        let Heard::Chosen(chosen) = read(&[line]) else { panic!("{line}") };
        assert_eq!(chosen.choice, ChoiceText::Move(at(word)), "{line}");
    }
    let recorded = [
        ">",
        " depth|score|       time   |  nodes (N)  |   N/s    | principal variation",
        "------+-----+--------------+-------------+----------+----------------------",
        "    4   +00        0:00.000             9            g2 H7                     ",
        "    4   -02        0:00.000          1160            g2 H7                     ",
        "------+-----+--------------+-------------+----------+----------------------",
        "",
        "Edax plays G2",
    ];
    let Heard::Chosen(chosen) = read(&recorded) else { panic!() };
    assert_eq!((chosen.centidiscs, chosen.depth, chosen.nodes), (Some(-200), Some(4), Some(1160)));
    assert_eq!(chosen.pv, [at("g2"), at("h7")]);
    assert!(matches!(read(&["Edax plays Z9"]), Heard::Garbled { why: Garble::NotAMove, .. }));
    assert!(matches!(read(&["error: f5: nothing would be turned"]), Heard::Refused { .. }));
    for line in [
        "  A B C D E F G H            BLACK            A  B  C  D  E  F  G  H",
        "1 - - - - - - - - 1         0:00.000       1 |  |  |  |  |  |  |  |  | 1",
        ">",
        "",
    ] {
        assert_eq!(read(&[line]), Heard::Nothing, "{line}");
    }
    assert_eq!(read(&["*** what is this ***"]), Heard::Stray);
}

#[test]
fn nboard_tells_what_changed_before_it_asks() {
    let mut pair = greeted("nboard");
    let game = othello("f5");
    let limits = |own_ms, other_ms| Limits {
        clock: Some(ClockLeft { own_ms, other_ms, increment_ms: 1000 }),
        depth: Some(6),
        ..Limits::none(Side::White)
    };
    pair.sent.clear();
    pair.give(&Order::NewGame(&game), willing);
    assert_eq!(pair.sent, "");
    pair.give(&Order::Prepare(&limits(60_000, 59_500)), willing);
    let head =
        "set game (;GM[Othello]PB[black]PW[white]RE[?]TB[0:59.5/0:01/0:00]TW[1:00/0:01/0:00]TY[8]";
    assert!(pair.sent.starts_with(head), "{}", pair.sent);
    // The increment that the engine adds for a move of the opening is what that move costs.
    assert!(pair.sent.ends_with("*]B[F5//1];)\nset depth 6\nping 2\n"), "{}", pair.sent);
    pair.sent.clear();
    let played = [(Side::White, "d6", true), (Side::Black, "c3", false)];
    for (side, word, own) in played {
        pair.give(&Order::Played { side, at: at(word), own }, willing);
    }
    // White had 60 s, got 1 s and has 54 s; Black had 59.5 s and has 60.25 s.
    pair.give(&Order::Prepare(&limits(54_000, 60_250)), willing);
    assert_eq!(pair.sent, "move D6//7\nmove C3//0.25\nping 3\n");
}

#[test]
fn nboard_answers_are_read_in_every_form() {
    let read = |lines: &[&str]| {
        let mut pair = greeted("nboard");
        let game = othello("");
        let limits = Limits::none(Side::Black);
        pair.give(&Order::NewGame(&game), willing);
        pair.give(&Order::Prepare(&limits), willing);
        pair.give(&Order::Choose(&limits), |_| Vec::new());
        let mut out = String::new();
        let mut heard = Heard::Nothing;
        for line in lines {
            heard = pair.client.hear(line, &mut out);
        }
        heard
    };
    for (line, word, centidiscs) in [
        ("=== F5", "f5", None),
        ("=== f5/1.00/0.5", "f5", Some(100)),
        ("=== F5//1.5", "f5", None),
        ("===   f4 -1.00 0.0", "f4", Some(-100)),
        ("=== PA", "pass", None),
        ("=== pass/0.00/0", "pass", Some(0)),
        ("=== --", "pass", None),
    ] {
        let Heard::Chosen(chosen) = read(&[line]) else { panic!("{line}") };
        assert_eq!(
            (chosen.choice, chosen.centidiscs),
            (ChoiceText::Move(at(word)), centidiscs),
            "{line}"
        );
    }
    let Heard::Chosen(chosen) = read(&[
        "status thinking",
        "search e6F4     0 0 4",
        "nodestats 386 1000.00",
        "search F5d6C3 2,-2 0 100%",
        "search e6F4 1 0 100%",
        "=== F5",
    ]) else {
        panic!()
    };
    assert_eq!((chosen.centidiscs, chosen.exact, chosen.nodes), (Some(200), true, Some(386)));
    assert_eq!(chosen.pv, [at("f5"), at("d6"), at("c3")]);
    for (line, why) in
        [("=== Z9", Garble::NotAMove), ("===", Garble::NotAMove), ("=== f5/x", Garble::NotANumber)]
    {
        assert!(matches!(read(&[line]), Heard::Garbled { why: found, .. } if found == why), "{line}");
    }
    assert_eq!(read(&["Error: unknown command"]), Heard::Stray);
    assert_eq!(read(&["search nonsense"]), Heard::Stray);
}

#[test]
fn gtp_leads_a_plain_engine_to_positions_by_moves() {
    let mut pair = Pair::new("gtp");
    let plain = |request: &Request| match request {
        Request::Known(text) if text.contains('\n') => {
            vec![Event::Done(Done::Known("boardsize\nclear_board\nplay\ngenmove\nkomi".into()))]
        }
        other => willing(other),
    };
    pair.give(&Order::Hello, plain);
    pair.sent.clear();
    assert_eq!(pair.give(&Order::NewGame(&othello("f5 d6 c3")), plain), Heard::Done);
    let numbered: Vec<&str> =
        pair.sent.lines().map(|line| line.split_once(' ').map_or(line, |(_, rest)| rest)).collect();
    assert_eq!(
        numbered,
        ["boardsize 8", "clear_board", "play black F5", "play white D6", "play black C3"]
    );
    pair.sent.clear();
    let wide = game("10x10", "10/10/10/10/4ox4/4xo4/10/10/10/10,x", "g6");
    assert_eq!(pair.give(&Order::NewGame(&wide), plain), Heard::Done);
    // The letter I is left out; g stands before it.
    assert!(
        pair.sent.contains("boardsize 10\n") && pair.sent.contains("play black G6\n"),
        "{}",
        pair.sent
    );
    let mut komi = othello("");
    komi.rules.komi = HalfDiscs(7);
    pair.sent.clear();
    pair.give(&Order::NewGame(&komi), plain);
    assert!(pair.sent.contains("komi 3.5\n"), "{}", pair.sent);
    let mut anti = othello("");
    anti.rules.anti = true;
    let mut out = String::new();
    let unsayable = pair.client.order(&Order::NewGame(&anti), &mut out).unwrap_err();
    assert_eq!((unsayable.what, out.as_str()), (Topic::Variant, ""));
    let mirrored = game("othello", "8/8/8/3xo3/3ox3/8/8/8,x", "");
    let unsayable = pair.client.order(&Order::NewGame(&mirrored), &mut out).unwrap_err();
    assert_eq!((unsayable.what, out.as_str()), (Topic::Position, ""));
    assert_eq!(
        unsayable.to_string(),
        "the position 8/8/8/3xo3/3ox3/8/8/8,x cannot be said in gtp: the engine can be led to a position by moves only"
    );
    for limit in [Limit::Clock, Limit::MoveTime, Limit::Depth, Limit::Nodes] {
        assert!(!pair.client.heeds(limit), "{limit}");
    }
}

#[test]
fn gtp_ids_are_used_where_they_are_echoed() {
    let mut out = String::new();
    // An engine that echoes them after a blank, as Edax does.
    let mut client = client_by_name("gtp").unwrap();
    client.order(&Order::Hello, &mut out).unwrap();
    for line in ["= 2", "", "= 2 edax", "", "= 3 4.6", "", "= 4 play", "genmove", ""] {
        assert!(!matches!(client.hear(line, &mut out), Heard::Refused { .. } | Heard::Garbled { .. }));
    }
    assert_eq!(out, "protocol_version\n2 name\n3 version\n4 list_commands\n");
    assert_eq!(client.identity().name.as_deref(), Some("edax"));
    out.clear();
    client.order(&Order::Choose(&Limits::none(Side::Black)), &mut out).unwrap();
    assert_eq!(out, "5 genmove black\n");
    // One that refuses them, and whose replies begin with a number.
    let mut client = client_by_name("gtp").unwrap();
    out.clear();
    client.order(&Order::Hello, &mut out).unwrap();
    for line in ["= 2", "", "? unknown command 2", "", "= 7", "", "= play", ""] {
        client.hear(line, &mut out);
    }
    assert_eq!(out, "protocol_version\n2 name\nversion\nlist_commands\n");
    assert_eq!(client.identity().version.as_deref(), Some("7"));
}

/// A UCI client that has been greeted by an engine with these variants.
fn uci(variants: &[&str], unit: &str) -> Box<dyn Client> {
    let mut client = client_by_name("uci").unwrap();
    let mut out = String::new();
    client.order(&Order::Hello, &mut out).unwrap();
    let option =
        format!("option name UCI_Variant type combo default chess var {}", variants.join(" var "));
    let lines = [
        "Fairy-Stockfish 301126 by somebody",
        "id name Fairy-Stockfish 301126",
        "option name Hash type spin default 16 min 1 max 33554432",
        "option name Skill Level type spin default 20 min -20 max 20",
        "option name Ponder type check default false",
        &option,
        unit,
    ];
    for line in lines {
        assert!(matches!(client.hear(line, &mut out), Heard::Nothing | Heard::Stray), "{line}");
    }
    assert_eq!(client.hear("uciok", &mut out), Heard::Done);
    assert_eq!(out, "uci\n");
    client
}

/// Begins a game; each name of a variant is answered with these lines, if it has any.
fn begin(client: &mut dyn Client, game: &Situation, announced: &[(&str, &str)]) -> (Heard, Vec<String>) {
    let mut out = String::new();
    let mut names = Vec::new();
    client.order(&Order::NewGame(game), &mut out).unwrap();
    loop {
        let sent = std::mem::take(&mut out);
        let name = sent.lines().next().unwrap().rsplit(' ').next().unwrap().to_owned();
        assert_eq!(sent, format!("setoption name UCI_Variant value {name}\nucinewgame\nisready\n"));
        if let Some((_, line)) = announced.iter().find(|(known, _)| *known == name) {
            client.hear(line, &mut out);
        }
        names.push(name);
        match client.hear("readyok", &mut out) {
            Heard::Nothing => {}
            heard => return (heard, names),
        }
    }
}

const FLIPELLO: (&str, &str) = (
    "flipello",
    "info string variant flipello files 8 ranks 8 pocket 1 template fairy startpos 8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1",
);

/// The line that puts the game before the engine.
fn position_line(client: &mut dyn Client, side: Side, board: &str) -> String {
    let mut out = String::new();
    client.order(&Order::Board(&read_token(board).unwrap()), &mut out).unwrap();
    client.order(&Order::Prepare(&Limits::none(side)), &mut out).unwrap();
    let line = out.lines().next().unwrap().to_owned();
    assert_eq!(out, format!("{line}\nisready\n"));
    out.clear();
    assert_eq!(client.hear("readyok", &mut out), Heard::Done);
    line
}

#[test]
fn uci_plays_the_variant_that_the_engine_announces() {
    let mut client = uci(&["chess", "flipello", "flipersi"], "");
    assert_eq!(client.identity().name.as_deref(), Some("Fairy-Stockfish"));
    assert_eq!(client.identity().version.as_deref(), Some("301126"));
    let (heard, names) = begin(client.as_mut(), &othello("f5 d6"), &[FLIPELLO]);
    assert_eq!((heard, names), (Heard::Done, vec!["flipello".to_owned()]));
    let line = position_line(client.as_mut(), Side::Black, "8/8/8/3ox3/3xxx2/3o4/8/8,x");
    assert_eq!(line, "position startpos moves P@f4 P@d3");
    let mut out = String::new();
    let clock = Some(ClockLeft { own_ms: 900, other_ms: 800, increment_ms: 10 });
    let limits = Limits { clock, movetime_ms: Some(5), nodes: Some(7), ..Limits::none(Side::White) };
    client.order(&Order::Choose(&limits), &mut out).unwrap();
    assert_eq!(out, "go wtime 800 btime 900 winc 10 binc 10 movetime 5 nodes 7\n");
    for line in [
        "info string classical evaluation enabled",
        "info depth 8 seldepth 9 multipv 1 score cp 872 nodes 698 nps 18368 tbhits 0 time 38 pv P@c5 P@d6",
        "info depth 9 seldepth 10 multipv 1 score cp -155 upperbound nodes 1090 nps 2104 tbhits 0 time 518 pv P@c6",
    ] {
        assert_eq!(client.hear(line, &mut out), Heard::Nothing, "{line}");
    }
    let Heard::Chosen(chosen) = client.hear("bestmove P@c5 ponder P@d6", &mut out) else { panic!() };
    assert_eq!(chosen.choice, ChoiceText::Move(at("c4")));
    assert_eq!((chosen.depth, chosen.nodes, chosen.pv), (Some(8), Some(1090), vec![at("c4"), at("d3")]));
    // Its centipawns are no discs.
    assert_eq!(chosen.centidiscs, None);
}

#[test]
fn uci_knows_of_a_move_what_its_last_line_says() {
    let lines = [
        "info depth 5 seldepth 5 multipv 1 score cp 120 nodes 300 nps 300000 time 1 pv P@c5 P@d6",
        "info depth 6 seldepth 6 multipv 1 score cp 180 lowerbound nodes 400 nps 400000 time 1 pv P@d6",
        "info depth 6 seldepth 6 multipv 1 score cp 150 lowerbound nodes 450 nps 450000 time 1 pv P@d6",
    ];
    for (n_heard, best, expected) in [
        (1, "P@c5", (Some(5), Some(120), vec![at("c4"), at("d3")])),
        // A depth that was cut short has found a better one.
        (2, "P@d6", (Some(6), Some(180), vec![at("d3")])),
        (3, "P@d6", (Some(6), Some(180), vec![at("d3")])),
        (3, "P@c5", (None, None, vec![at("c4")])),
    ] {
        let mut client = uci(&["flipello"], "info string score cp 100 is one disc\n");
        begin(client.as_mut(), &othello(""), &[FLIPELLO]);
        let mut out = String::new();
        client.order(&Order::Choose(&Limits::none(Side::Black)), &mut out).unwrap();
        for line in &lines[..n_heard] {
            assert_eq!(client.hear(line, &mut out), Heard::Nothing, "{line}");
        }
        let heard = client.hear(&format!("bestmove {best}"), &mut out);
        let Heard::Chosen(chosen) = heard else { panic!("{heard:?}") };
        assert_eq!((chosen.depth, chosen.centidiscs, chosen.pv), expected, "{n_heard} {best}");
    }
}

#[test]
fn uci_does_not_play_what_an_engine_falls_back_to_in_silence() {
    // The engine passes over the name and stays with chess.
    let mut client = uci(&["chess", "crazyhouse"], "");
    let (heard, names) = begin(client.as_mut(), &othello(""), &[]);
    assert_eq!(names, ["othello"]);
    let Heard::Refused { asked, answer } = heard else { panic!("{heard:?}") };
    assert_eq!(asked, "setoption name UCI_Variant value othello");
    assert!(answer.contains("announced no variant"), "{answer}");
    // It announces something else, another size, another start, another orientation.
    for line in [
        "info string variant chess files 8 ranks 8 pocket 0 template chess startpos rnbqkbnr/8/8/8/8/8/8/8 w",
        "info string variant flipello files 10 ranks 10 pocket 1 template fairy startpos 8/8/8/3pP3/3Pp3/8/8/8[] w 0 1",
        "info string variant flipello files 8 ranks 8 pocket 1 template fairy startpos 8/8/8/3Pp3/3pP3/8/8/8[] w 0 1",
        "info string variant flipello files 8 ranks 8 pocket 1 template fairy startpos 8/8/8/3pP3/3Pp3/8/8/8[] b 0 1",
    ] {
        let mut client = uci(&["flipello"], "");
        let (heard, names) = begin(client.as_mut(), &othello(""), &[("flipello", line)]);
        assert_eq!(names, ["flipello", "othello"]);
        assert!(matches!(heard, Heard::Refused { .. }), "{line}");
    }
    let mut client = client_by_name("uci").unwrap();
    let mut out = String::new();
    let unsayable = client.order(&Order::NewGame(&othello("")), &mut out).unwrap_err();
    assert_eq!((unsayable.what, out.as_str()), (Topic::Variant, ""));
}

#[test]
fn uci_chooses_flipersi_only_for_games_without_passes() {
    let mut client = uci(&["flipello", "flipersi"], "");
    let empty = "8/8/8/8/8/8/8/8,x,p4";
    let flipersi = (
        "flipersi",
        "info string variant flipersi files 8 ranks 8 pocket 1 template fairy startpos 8/8/8/8/8/8/8/8[] w 0 1",
    );
    let passing = game("reversi", empty, "");
    assert_eq!(begin(client.as_mut(), &passing, &[flipersi]).1, ["reversi"]);
    let mut ending = game("reversi+stuck=end", empty, "d4 e4");
    ending.rules.stuck_ends = true;
    let (heard, names) = begin(client.as_mut(), &ending, &[flipersi]);
    assert_eq!((heard, names), (Heard::Done, vec!["flipersi".to_owned()]));
    let line = position_line(client.as_mut(), Side::Black, "8/8/8/3xo3/8/8/8/8,x,p2");
    assert_eq!(line, "position startpos moves P@d5 P@e5");
    let mut anti = othello("");
    anti.rules.anti = true;
    anti.variant = read_variant("othello+anti").unwrap();
    assert_eq!(begin(client.as_mut(), &anti, &[FLIPELLO]).1, ["othello+anti"]);
}

#[test]
fn uci_tells_positions_where_a_pass_could_not_be_spelled() {
    let mut client = uci(&["flipello"], "");
    begin(client.as_mut(), &othello("f5"), &[FLIPELLO]);
    let mut out = String::new();
    client
        .order(&Order::Played { side: Side::White, at: MoveText::Pass, own: false }, &mut out)
        .unwrap();
    assert_eq!(out, "");
    let board = "xo6/8/8/8/8/8/8/8,x";
    let pocket = format!("[{}{}]", "P".repeat(62), "p".repeat(62));
    let fen = format!("position fen Pp6/8/8/8/8/8/8/8{pocket} w - - 0 1");
    assert_eq!(position_line(client.as_mut(), Side::Black, board), fen);
    client.order(&Order::Played { side: Side::Black, at: at("c1"), own: true }, &mut out).unwrap();
    assert_eq!(position_line(client.as_mut(), Side::White, board), format!("{fen} moves P@c8"));
    client.order(&Order::Choose(&Limits::none(Side::White)), &mut out).unwrap();
    let Heard::Chosen(chosen) = client.hear("bestmove a1a1", &mut out) else { panic!() };
    assert_eq!(chosen.choice, ChoiceText::Move(MoveText::Pass));
}

#[test]
fn uci_tells_a_start_of_its_own_as_a_position() {
    let mut client = uci(&["flipello", "othello"], "info string score cp 100 is one disc");
    let mut other = game("othello+start=mirror", "8/8/8/3xo3/3ox3/8/8/8,x", "");
    other.usual_start = false;
    let plain = (
        "othello",
        "info string variant othello files 8 ranks 8 pocket 0 template fairy startpos 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1",
    );
    assert_eq!(begin(client.as_mut(), &other, &[plain]), (Heard::Done, vec!["othello".to_owned()]));
    let line = position_line(client.as_mut(), Side::Black, "8/8/8/3xo3/3ox3/8/8/8,x");
    assert_eq!(line, "position fen 8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1");
    let mut out = String::new();
    client.order(&Order::Choose(&Limits::none(Side::Black)), &mut out).unwrap();
    for line in [
        "info depth 2 multipv 1 score cp 1250 nodes 9 time 1 pv e6 0000 d3",
        "info string exact",
        "info depth 2 multipv 2 score cp -50 nodes 9 time 1 pv c3",
    ] {
        assert_eq!(client.hear(line, &mut out), Heard::Nothing);
    }
    let Heard::Chosen(chosen) = client.hear("bestmove e6 ponder 0000", &mut out) else { panic!() };
    assert_eq!((chosen.centidiscs, chosen.exact, chosen.pv.len()), (Some(1250), true, 3));
    // Words that are no move, and the end of the game.
    client.order(&Order::Choose(&Limits::none(Side::Black)), &mut out).unwrap();
    let heard = client.hear("bestmove e7e5", &mut out);
    assert!(matches!(heard, Heard::Garbled { why: Garble::NotAMove, .. }), "{heard:?}");
    client.order(&Order::Choose(&Limits::none(Side::Black)), &mut out).unwrap();
    let Heard::Chosen(chosen) = client.hear("bestmove (none)", &mut out) else { panic!() };
    assert_eq!(chosen.choice, ChoiceText::Move(MoveText::Pass));
}

#[test]
fn uci_options_are_those_that_the_engine_lists() {
    let mut client = uci(&["flipello"], "");
    let mut out = String::new();
    for (name, value, line) in [
        ("hash", "64", "setoption name Hash value 64"),
        ("Ponder", "on", "setoption name Ponder value true"),
        ("skill level", "-3", "setoption name Skill Level value -3"),
    ] {
        client.order(&Order::Set { name, value }, &mut out).unwrap();
        assert_eq!(std::mem::take(&mut out), format!("{line}\nisready\n"));
        assert_eq!(client.hear("readyok", &mut out), Heard::Done);
    }
    for (name, value) in
        [("Hash", "0"), ("Hash", "x"), ("Ponder", "maybe"), ("Contempt", "1"), ("Hash", "1\n2")]
    {
        let unsayable = client.order(&Order::Set { name, value }, &mut out).unwrap_err();
        assert_eq!((unsayable.what, out.as_str()), (Topic::Option, ""), "{name}={value}");
    }
    // An engine that says no; the end of its answer is not taken for that to the next order.
    client.order(&Order::Set { name: "Hash", value: "64" }, &mut out).unwrap();
    let heard = client.hear("No such option: Hash", &mut out);
    assert!(matches!(heard, Heard::Refused { .. }), "{heard:?}");
    client.order(&Order::Set { name: "Hash", value: "65" }, &mut out).unwrap();
    assert_eq!(client.hear("readyok", &mut out), Heard::Nothing);
    assert_eq!(client.hear("readyok", &mut out), Heard::Done);
}

/// A client of the protocol of XBoard that has heard these lines in answer to its first words.
fn introduced(features: &str) -> (Box<dyn Client>, String) {
    let mut client = client_by_name("xboard").unwrap();
    let mut out = String::new();
    client.order(&Order::Hello, &mut out).unwrap();
    assert_eq!(out, "xboard\nprotover 2\n");
    out.clear();
    assert_eq!(client.hear(features, &mut out), Heard::Done);
    out.clear();
    (client, out)
}

const FAIRY: &str = "feature setboard=1 usermove=1 time=1 memory=1 ping=1 myname=\"Fairy-Stockfish 301126\" \
                     variants=\"chess,flipello,flipello10\" option=\"Skill Level -spin 20 -20 20\" done=1";

/// What was refused, or the move.
fn after(client: &mut dyn Client, lines: &[&str]) -> Heard {
    let mut heard = Heard::Nothing;
    for line in lines {
        heard = client.hear(line, &mut String::new());
    }
    heard
}

#[test]
fn an_xboard_engine_with_mirrored_ranks_is_played() {
    let (mut client, mut out) = introduced(FAIRY);
    assert_eq!(client.identity().name.as_deref(), Some("Fairy-Stockfish"));
    assert_eq!(client.identity().version.as_deref(), Some("301126"));
    client.order(&Order::NewGame(&othello("f5 d6")), &mut out).unwrap();
    assert_eq!(out, "new\nvariant flipello\nforce\neasy\npost\nping 1\n");
    out.clear();
    // It complains of what it does not know, and names no ranks but its own.
    for line in ["Error (unknown command): post", "piece P& @8"] {
        assert_eq!(client.hear(line, &mut out), Heard::Nothing);
    }
    client.hear("setup (P.p.) 8x8+1_fairy 8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1", &mut out);
    assert_eq!(client.hear("pong 1", &mut out), Heard::Nothing);
    assert_eq!(out, "usermove P@f4\nusermove P@d3\nping 2\n");
    assert_eq!(client.hear("pong 2", &mut out), Heard::Done);
    out.clear();
    let clock = Some(ClockLeft { own_ms: 90_000, other_ms: 61_230, increment_ms: 1000 });
    let limits = Limits { clock, depth: Some(2), ..Limits::none(Side::Black) };
    client.order(&Order::Prepare(&limits), &mut out).unwrap();
    assert_eq!(out, "sd 2\nlevel 0 1:30 1\ntime 9000\notim 6123\nping 3\n");
    client.hear("pong 3", &mut out);
    out.clear();
    client.order(&Order::Choose(&limits), &mut out).unwrap();
    assert_eq!(out, "go\n");
    let thoughts = ["1 184 0 4 1 2000 0\t P@c6", "2 -69 0 16 2 5333 0\t P@c6 P@c5 @@@@", "move P@c6"];
    let Heard::Chosen(chosen) = after(&mut *client, &thoughts) else { panic!() };
    assert_eq!(chosen.choice, ChoiceText::Move(at("c3")));
    assert_eq!((chosen.centidiscs, chosen.depth, chosen.nodes), (Some(-69), Some(2), Some(16)));
    assert_eq!(chosen.pv, [at("c3"), at("c4"), MoveText::Pass]);
    assert_eq!(after(&mut *client, &["Hint: P@d3", "1-0 {White wins}"]), Heard::Nothing);
    out.clear();
    client.order(&Order::Played { side: Side::Black, at: at("c3"), own: true }, &mut out).unwrap();
    let pass = Order::Played { side: Side::White, at: MoveText::Pass, own: false };
    client.order(&pass, &mut out).unwrap();
    assert_eq!(out, "force\nusermove @@@@\nping 4\n");
    let Heard::Refused { asked, answer } =
        after(&mut *client, &["Illegal move: @@@@", "pong 3", "pong 4"])
    else {
        panic!()
    };
    assert_eq!((asked.as_str(), answer.as_str()), ("usermove @@@@", "Illegal move: @@@@"));
    assert!(!client.heeds(Limit::Nodes) && client.heeds(Limit::Clock));
}

#[test]
fn an_xboard_engine_with_plain_ranks_is_played() {
    let edax = "feature setboard=1 ping=1 myname=\"Edax 4.6\" variants=\"reversi\" done=1";
    let (mut client, mut out) = introduced(edax);
    client.order(&Order::NewGame(&othello("f5")), &mut out).unwrap();
    client.hear("setup (P.....p.....) 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1", &mut out);
    out.clear();
    client.hear("pong 1", &mut out);
    assert_eq!(out, "P@f5\nping 2\n");
    client.hear("pong 2", &mut out);
    out.clear();
    let limits = Limits { movetime_ms: Some(2500), ..Limits::none(Side::White) };
    client.order(&Order::Prepare(&limits), &mut out).unwrap();
    assert_eq!(out, "st 2\nping 3\n");
    client.hear("pong 3", &mut out);
    client.order(&Order::Choose(&limits), &mut out).unwrap();
    let lines = [
        " 16    0     22    3766342 @73% D6 c3 C4",
        "17    0    319   54694042 @73% F6 e6",
        "move P@f6",
    ];
    let Heard::Chosen(chosen) = after(&mut *client, &lines) else { panic!() };
    assert_eq!((chosen.choice, chosen.nodes), (ChoiceText::Move(at("f6")), Some(54_694_042)));
    assert_eq!(chosen.pv, [at("f6"), at("e6")]);
    // Positions are told without discs in hand, as it tells them.
    out.clear();
    let later = game("othello", "8/8/8/3xxx2/3xo3/8/8/8,o", "");
    client.order(&Order::NewGame(&later), &mut out).unwrap();
    client.hear("setup (P.....p.....) 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1", &mut out);
    out.clear();
    client.hear("pong 4", &mut out);
    assert_eq!(out, "setboard 8/8/8/3Pp3/3PPP2/8/8/8 b - - 0 1\nping 5\n");
    let heard = after(&mut *client, &["tellusererror Illegal position", "pong 5"]);
    assert!(matches!(heard, Heard::Refused { asked, .. } if asked.starts_with("setboard ")));
}

#[test]
fn an_xboard_engine_may_end_a_game_instead_of_moving() {
    let end = |side, line: &str| {
        let (mut client, mut out) = introduced(FAIRY);
        let limits = Limits::none(side);
        client.order(&Order::Choose(&limits), &mut out).unwrap();
        client.hear(line, &mut out)
    };
    let chosen = |heard| match heard {
        Heard::Chosen(chosen) => chosen.choice,
        other => panic!("{other:?}"),
    };
    let pass = ChoiceText::Move(MoveText::Pass);
    assert_eq!(chosen(end(Side::Black, "resign")), ChoiceText::Resign);
    assert_eq!(chosen(end(Side::Black, "0-1 {White resigns}")), ChoiceText::Resign);
    assert_eq!(chosen(end(Side::White, "0-1 {White resigns}")), pass);
    assert_eq!(chosen(end(Side::Black, "1/2-1/2 {32-32}")), pass);
    assert_eq!(chosen(end(Side::Black, "1. ... P@f4")), ChoiceText::Move(at("f4")));
    let refused = end(Side::Black, "Error (not now): go");
    assert_eq!(refused, Heard::Refused { asked: "go".into(), answer: "Error (not now): go".into() });
    assert!(matches!(end(Side::Black, "move P@z9"), Heard::Garbled { why: Garble::NotAMove, .. }));
    assert_eq!(end(Side::Black, "Fairy-Stockfish by somebody"), Heard::Stray);
}

#[test]
fn an_xboard_engine_is_told_variants_that_it_announces() {
    let (mut client, mut out) = introduced(FAIRY);
    let wide = game("10x10", "10/10/10/10/4ox4/4xo4/10/10/10/10,x", "");
    client.order(&Order::NewGame(&wide), &mut out).unwrap();
    assert!(out.starts_with("new\nvariant flipello10\n"), "{out}");
    let mut anti = othello("");
    anti.rules.anti = true;
    let six = game("6x6", "6/6/2ox2/2xo2/6/6,x", "");
    for unknown in [&anti, &six] {
        out.clear();
        let unsayable = client.order(&Order::NewGame(unknown), &mut out).unwrap_err();
        assert_eq!((unsayable.what, out.as_str()), (Topic::Variant, ""));
    }
    let option = client.order(&Order::Set { name: "skill level", value: "3" }, &mut out);
    assert_eq!((option, out.as_str()), (Ok(Next::Wait), "option Skill Level=3\nping 2\n"));
    out.clear();
    client.order(&Order::Set { name: "hash", value: "32" }, &mut out).unwrap();
    assert!(out.starts_with("memory 32\n"), "{out}");
    let unsayable = client.order(&Order::Set { name: "komi", value: "3" }, &mut out).unwrap_err();
    assert_eq!(unsayable.what, Topic::Option);
    // Our own engine knows every token, and every option.
    let mut pair = greeted("xboard");
    for (variant, start, line) in [
        ("othello+anti", "8/8/8/3ox3/3xo3/8/8/8,x", "variant othello+anti"),
        ("reversi+hand=32", "8/8/8/8/8/8/8/8,x,p4,h32.32", "variant 8x8+start=free+hand=32"),
    ] {
        let mut own = game(variant, start, "");
        own.rules.anti = variant.contains("anti");
        pair.sent.clear();
        assert_eq!(pair.give(&Order::NewGame(&own), willing), Heard::Done);
        assert!(pair.sent.contains(line), "{}", pair.sent);
    }
    assert_eq!(pair.give(&Order::Set { name: "komi", value: "3" }, willing), Heard::Done);
}

#[test]
fn an_xboard_engine_of_version_1_is_not_waited_for() {
    let mut client = client_by_name("xboard").unwrap();
    let mut out = String::new();
    client.order(&Order::Hello, &mut out).unwrap();
    assert_eq!(client.hear("Error (unknown command): xboard", &mut out), Heard::Nothing);
    assert_eq!(client.hear("feature ping=0 done=0 sauce=hot", &mut out), Heard::Nothing);
    assert!(out.ends_with("accepted ping\naccepted done\nrejected sauce\n"), "{out}");
    assert_eq!(client.hear("Error (unknown command): protover", &mut out), Heard::Done);
}

proptest! {
    #[test]
    fn no_line_upsets_a_client(
        row in 0..CLIENTS.len(),
        lines in prop::collection::vec(
            prop_oneof![
                "\\PC{0,40}",
                "(=|\\?)[0-9]{0,3} ?\\PC{0,12}",
                "=== ?[a-pA-P0-9/ .-]{0,12}",
                "(search|book|pong|set|nodestats|status) \\PC{0,20}",
                "(bestmove|info string variant|info string|id|option name) \\PC{0,20}",
                "bestmove (P@)?[a-p][0-9]{1,2}( ponder [a-h1-8]{0,4})?",
                "info depth [0-9]{1,3} score cp -?[0-9]{1,12} (lowerbound )?pv (P@)?[a-h][1-8]",
                "readyok|uciok",
                "(feature|move|setup|pong|1-0|Error|Illegal move:?|[0-9]{1,2}) \\PC{0,30}",
                "(feature|setup) (done=1|variants=\"[a-z,]{0,12}\"|\\([Pp.]{0,4}\\) [0-9Pp/]{0,20} [wb]?)",
                "(>|[A-Za-z]{1,6} )?(plays )?[a-pA-P][0-9]{1,2}|error: \\PC{0,9}",
                "(ok|err|! best|! info|\\+) [0-9]{0,2} ?[a-z]{0,6}(=[0-9a-z,.+-]{0,6})? ?\\PC{0,12}",
                Just(String::new()),
            ],
            0..40,
        ),
    ) {
        let mut client = (CLIENTS[row].make)();
        let game = othello("f5 d6");
        let limits = Limits::none(Side::Black);
        let orders = [
            Order::Hello,
            Order::NewGame(&game),
            Order::Prepare(&limits),
            Order::Choose(&limits),
            Order::Played { side: Side::Black, at: MoveText::Pass, own: false },
        ];
        let mut out = String::new();
        for (index, line) in lines.iter().enumerate() {
            if index % 3 == 0 {
                client.give_up(&mut out);
                let _ = client.order(&orders[index / 3 % orders.len()], &mut out);
            }
            client.hear(line, &mut out);
            prop_assert!(out.is_empty() || out.ends_with('\n'));
            prop_assert!(!out.contains('\r') && !out.starts_with('\n') && !out.contains("\n\n"));
        }
    }
}

#[test]
fn cassio_clients_ask_for_single_positions() {
    let mut pair = greeted("cassio");
    assert_eq!(pair.client.identity().version.as_deref(), Some("1.2"));
    let limits = Limits { depth: Some(5), ..Limits::none(Side::White) };
    let board = read_token("8/8/8/3ox3/3xxx2/8/8/8,o").unwrap();
    pair.client.order(&Order::Board(&board), &mut String::new()).unwrap();
    pair.sent.clear();
    assert_eq!(pair.give(&Order::Prepare(&limits), willing), Heard::Done);
    assert!(matches!(pair.give(&Order::Choose(&limits), willing), Heard::Chosen(_)));
    let position = "---------------------------OX------XXX--------------------------O";
    assert_eq!(pair.sent, format!("ENGINE-PROTOCOL midgame-search {position} -64.00 64.00 5 100\n"));
    for limit in [Limit::Clock, Limit::MoveTime, Limit::Nodes] {
        assert!(!pair.client.heeds(limit), "{limit}");
    }
    let mut out = String::new();
    for variant in
        [game("othello+anti", "8/8/8/3ox3/3xo3/8/8/8,x", ""), game("6x6", "6/6/2ox2/2xo2/6/6,x", "")]
    {
        let anti = RulesText { anti: true, ..RulesText::default() };
        let variant = Situation { rules: anti, ..variant };
        let unsayable = pair.client.order(&Order::NewGame(&variant), &mut out).unwrap_err();
        assert_eq!((unsayable.what, out.as_str()), (Topic::Variant, ""));
    }
}

#[test]
fn cassio_answers_are_read_in_every_form() {
    let read = |lines: &[&str]| {
        let mut pair = greeted("cassio");
        pair.give(&Order::Choose(&Limits::none(Side::Black)), |_| Vec::new());
        let mut out = String::new();
        lines.iter().map(|line| pair.client.hear(line, &mut out)).last().unwrap()
    };
    let position = "---------------------------OX------XO---------------------------X";
    let result = |rest: &str| format!("{position}, {rest}");
    let six = result("move D3, depth 6, @73%, B+1.00 <= v <= B+1.00, D3c3C4e3, node 1065, time 0.001");
    let bound = result("move F5, depth 60, @100%, B-64.00 <= v <= B-1.00, F5, node 3, time 0.0, new");
    let other = six.replace("OX", "XX");
    let check = |lines: &[&str], word: &str, centidiscs, depth, exact| {
        let Heard::Chosen(chosen) = read(lines) else { panic!("{lines:?}") };
        assert_eq!((chosen.choice, chosen.centidiscs), (ChoiceText::Move(at(word)), centidiscs));
        assert_eq!((chosen.depth, chosen.exact), (Some(depth), exact));
    };
    check(&[&six, "ready."], "d3", Some(100), 6, false);
    check(&["ok.", &six, "node 3, time 0.1", &bound, &other, "ready."], "f5", None, 60, false);
    let exact = six.replace("depth 6, @73%", "depth 60, @100%");
    check(&[&six, &exact, "ready."], "d3", Some(100), 60, true);
    let pass = six.replace("move D3", "move PS").replace("D3c3C4e3", "PSc3");
    check(&[&pass, "ready."], "pass", Some(100), 6, false);
    assert!(matches!(read(&["ready."]), Heard::Garbled { why: Garble::Incomplete, .. }));
    let error = read(&["ERROR: midgame-search cannot parse position."]);
    assert!(matches!(error, Heard::Refused { answer, .. } if answer.contains("cannot parse")));
    assert_eq!(read(&["gibberish"]), Heard::Stray);
}
