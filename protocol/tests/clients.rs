//! Both sides of a dialect against each other: what the client writes the engine's side reads, and
//! what the engine's side writes the client understands.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use outflank_protocol::client::{
    ChoiceText, Client, ClockLeft, Garble, Heard, Limit, Limits, Next, Order, RulesText, Situation,
    Topic,
};
use outflank_protocol::message::{
    BestText, BoundText, Code, Done, Event, Failure, InfoText, LogText, Phase, Purpose, Request,
    SeatsText, StateText, Tagged, ValueText,
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
        Pair {
            client: client_by_name(dialect).unwrap(),
            engine: by_name(dialect).unwrap(),
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
        Request::Options => Event::Done(Done::Listed { n: 0, side: None }),
        Request::Search(_) | Request::Take(SeatsText::Mover) => return choosing(request, "d3"),
        _ => Event::Done(Done::Plain),
    }]
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
        if row.name != "gtp" {
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
        let played = pair.requests.iter().any(
            |request| matches!(request, Request::Play { moves, .. } if moves == &[MoveWord::Move(at("c4"))]),
        );
        assert!(played, "{}\n{}", row.name, pair.sent);
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
                "(feature|move|setup|pong|1-0|Error|Illegal move:?|[0-9]{1,2}) \\PC{0,30}",
                "(feature|setup) (done=1|variants=\"[a-z,]{0,12}\"|\\([Pp.]{0,4}\\) [0-9Pp/]{0,20} [wb]?)",
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
