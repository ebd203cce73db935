//! Both sides of a dialect against each other: what the client writes the engine's side reads, and
//! what the engine's side writes the client understands.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use outflank_protocol::client::{
    ChoiceText, Client, ClockLeft, Garble, Heard, Limit, Limits, Next, Order, RulesText, Situation,
    Topic,
};
use outflank_protocol::message::{
    BestText, BoundText, Code, Done, Event, Failure, InfoText, Purpose, Request, Tagged, ValueText,
};
use outflank_protocol::position::read_token;
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::{HalfDiscs, MoveText, MoveWord, Side};
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
        Pair {
            client: client_by_name(dialect).unwrap(),
            engine,
            requests: Vec::new(),
            sent: String::new(),
        }
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
                for event in answer(&request) {
                    self.engine.render(&tag, &event, &mut replies);
                }
                self.requests.push(request);
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
        Request::Hello { version } => Event::Done(Done::Hello {
            version: *version,
            name: "tester".into(),
            program_version: "1.2".into(),
            autopass: true,
        }),
        Request::Name => Event::Done(Done::Name("tester".into())),
        Request::Version => Event::Done(Done::Version("1.2".into())),
        Request::Ping(word) => Event::Done(Done::Pong(word.clone())),
        Request::Unreadable(failure) => Event::Failed(failure.clone()),
        Request::Search(search) => return thinking(search.purpose, "d3"),
        _ => Event::Done(Done::Plain),
    }]
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
        _ => vec![
            Event::Done(Done::Started { search: 1 }),
            Event::Info { search: 1, info: info(1, word) },
            Event::Info { search: 1, info: info(2, "c4") },
            Event::Best(best),
        ],
    }
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
        let option = Order::Set { name: "depth", value: "9" };
        let orders = [option, Order::NewGame(&game), Order::Prepare(&limits), Order::Choose(&limits)];
        let mut chosen = None;
        for order in &orders {
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
            assert_eq!((chosen.nodes, chosen.pv.len()), (Some(4321), 3), "{}", row.name);
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
        let played = pair.requests.iter().any(
            |request| matches!(request, Request::Play { moves, .. } if moves == &[MoveWord::Move(at("c4"))]),
        );
        assert!(played, "{}\n{}", row.name, pair.sent);
    }
}

#[test]
fn refusals_name_the_line_and_the_answer() {
    for dialect in ["native", "gtp"] {
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
        assert!(asked.contains("othello"), "{asked}");
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
        let Request::Search(search) = &tagged.request else { panic!("{asked}") };
        for event in thinking(search.purpose, "e6") {
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
