//! What holds for every line and every word.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use outflank_protocol::format::ggf;
use outflank_protocol::lexis::move_list;
use outflank_protocol::line::LineReader;
use outflank_protocol::message::{BoundText, Done, Event, Failure, InfoText, Request, ValueText};
use outflank_protocol::position::{read_item, read_line_form, read_position, read_token};
use outflank_protocol::variant::{GgsType, read_variant};
use outflank_protocol::words::{
    BaseText, BoardText, Cell, HalfDiscs, ModText, MoveText, MoveWord, Mover, PlaceText, Point, Side,
    StartText, VariantText,
};
use outflank_protocol::{DIALECTS, detect};
use proptest::collection::vec;
use proptest::prelude::*;

/// Words that lines are made of, so that random lines get somewhere.
const WORDS: &[&str] = &[
    "0",
    "7",
    "007",
    "rp",
    "nboard",
    "set",
    "get",
    "game",
    "(;GM[Othello]TY[8]B[F5];)",
    "depth",
    "contempt",
    "new",
    "othello",
    "othello+hole=3@42",
    "pos=8/8/8/3ox3/3xo3/8/8/8,x",
    "play",
    "f5",
    "f5d6",
    "zz",
    "pass",
    "PA",
    "side=x",
    "b",
    "w",
    "black",
    "genmove",
    "reg_genmove",
    "boardsize",
    "10",
    "clear_board",
    "komi",
    "-3.5",
    "undo",
    "gg-undo",
    "go",
    "hint",
    "n=3",
    "depth=9",
    "moves=a,b",
    "infinite",
    "solve",
    "wld",
    "perft",
    "pass=free",
    "replay",
    "rp1",
    "clock",
    "5:00/0:10/2:00",
    "both",
    "elapsed",
    "ping",
    "stop",
    "quit",
    "fen",
    "orient=top",
    "8/8/8/3bw3/3wb3/8/8/8",
    "line",
    "agree",
    "none",
    "timeout",
    "hard",
    "resign",
    "time_left",
    "time_settings",
    "outflank-variant",
    "outflank-position",
    "outflank-why",
    "gogui-rules_board",
    "known_command",
    "#",
    "move",
    "F5/1.0/2",
    "analyze",
    "uci",
    "isready",
    "setoption",
    "name",
    "value",
    "UCI_Variant",
    "flipello",
    "Skill Level",
    "position",
    "startpos",
    "8/8/8/3pP3/3Pp3/8/8/8[PPpp]",
    "moves",
    "P@f4",
    "d4d4",
    "wtime",
    "searchmoves",
    "ponder",
    "xboard",
    "protover",
    "variant",
    "flipello",
    "usermove",
    "P@f5",
    "@@@@",
    "setboard",
    "8/8/8/3pP3/3Pp3/8/8/8[PPpp]",
    "level",
    "40",
    "option",
    "Level=3",
    ".",
    "?",
    "setboard",
    "---------------------------OX------XO---------------------------",
    "mode",
    "init",
    "level",
    "verbose",
    "hash-table-size",
    "move-time",
    "=",
    "count",
    "games",
    "ENGINE-PROTOCOL",
    "midgame-search",
    "endgame-search",
    "feed-hash",
    "---------------------------OX------XO---------------------------X",
    "-64.00",
    "\u{0}",
    "é",
    "=",
    "a=",
    "=b",
    "--",
];

fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => proptest::sample::select(WORDS).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => any::<String>().prop_map(|text| text.replace('\n', " ")),
    ];
    vec(word, 0..7).prop_map(|words| words.join(" "))
}

fn point() -> impl Strategy<Value = Point> {
    (0..16_u8, 0..16_u8).prop_map(|(column, row)| Point { column, row })
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Black), Just(Side::White)]
}

prop_compose! {
    fn board(holes: bool)(columns in 4..=16_u8, rows in 4..=16_u8)
        (cells in vec(0..if holes { 4_u8 } else { 3 }, usize::from(columns) * usize::from(rows)),
         columns in Just(columns), rows in Just(rows),
         mover in prop_oneof![side().prop_map(Mover::Side), Just(Mover::Nobody)],
         placements in 0..5_u8,
         hand in proptest::option::of((any::<u16>(), any::<u16>())),
         komi in proptest::option::of((-999..999_i32).prop_map(HalfDiscs)))
        -> BoardText
    {
        let cells = cells
            .into_iter()
            .map(|cell| match cell {
                0 => Cell::Empty,
                1 => Cell::Black,
                2 => Cell::White,
                _ => Cell::Hole,
            })
            .collect();
        BoardText { columns, rows, cells, mover: Some(mover), placements, hand, komi }
    }
}

fn modifier() -> impl Strategy<Value = ModText> {
    let start = prop_oneof![
        Just(StartText::Cross),
        Just(StartText::Mirror),
        (0..4_u8).prop_map(StartText::Parallel),
        Just(StartText::Free),
        Just(StartText::None),
        (any::<u32>(), any::<u64>()).prop_map(|(discs, seed)| StartText::Random { discs, seed }),
    ];
    prop_oneof![
        start.prop_map(ModText::Start),
        prop_oneof![Just(PlaceText::Plain), Just(PlaceText::May), Just(PlaceText::Must)]
            .prop_map(ModText::Place),
        any::<u32>().prop_map(ModText::Hand),
        any::<bool>().prop_map(ModText::StuckEnds),
        any::<u32>().prop_map(ModText::Cut),
        vec(point(), 1..5).prop_map(ModText::Holes),
        (any::<u32>(), any::<u64>()).prop_map(|(count, seed)| ModText::HolesDrawn { count, seed }),
        any::<u32>().prop_map(ModText::Handicap),
        vec(point(), 1..5).prop_map(ModText::HandicapAt),
        side().prop_map(ModText::First),
        Just(ModText::Anti),
        (-999..999_i32).prop_map(|komi| ModText::Komi(HalfDiscs(komi))),
        any::<bool>().prop_map(ModText::ScoreDiscs),
    ]
}

proptest! {
    #[test]
    fn no_line_upsets_a_dialect(lines in vec(line(), 1..5)) {
        for row in DIALECTS {
            let mut dialect = (row.make)();
            for line in &lines {
                let tagged = dialect.read(line);
                let _ = dialect.urgency(&tagged);
                let mut out = String::new();
                let event = match &tagged.request {
                    Request::Unreadable(failure) => Event::Failed(failure.clone()),
                    Request::Known(text) => Event::Done(Done::Known(text.clone())),
                    _ => Event::Done(Done::Plain),
                };
                dialect.render(&tagged.tag, &event, &mut out);
                prop_assert!(out.is_empty() || out.ends_with('\n'), "{}: {out:?}", row.name);
                prop_assert!(!out.contains('\r'));
            }
        }
        let _ = lines.first().and_then(|line| detect(line));
    }

    #[test]
    fn one_command_of_gtp_has_one_reply(line in line(), prose in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("gtp").unwrap();
        let tagged = dialect.read(&line);
        let mut out = String::new();
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose);
        dialect.render(&tagged.tag, &Event::Failed(failure), &mut out);
        prop_assert!(out.starts_with('?'));
        prop_assert_eq!(out.matches("\n\n").count(), 1);
        prop_assert!(out.ends_with("\n\n"));
    }

    #[test]
    fn a_native_reply_is_one_line(line in line(), prose in any::<String>(), text in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("native").unwrap();
        let tagged = dialect.read(&line);
        let mut out = String::new();
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose).with_text(text);
        dialect.render(&tagged.tag, &Event::Failed(failure), &mut out);
        prop_assert!(out.starts_with("err"));
        prop_assert_eq!(out.matches('\n').count(), 1);
    }

    #[test]
    fn a_refusal_of_uci_is_one_line_and_a_search_ends(line in line(), prose in any::<String>(), text in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("uci").unwrap();
        let tagged = dialect.read(&line);
        let mut out = String::new();
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose).with_text(text);
        dialect.render(&tagged.tag, &Event::Failed(failure), &mut out);
        let searches = matches!(tagged.request, Request::Search(_));
        prop_assert!(out.starts_with("info string refused"));
        prop_assert_eq!(out.ends_with("\nbestmove (none)\n"), searches);
        prop_assert_eq!(out.matches('\n').count(), 1 + usize::from(searches));
    }

    #[test]
    fn an_error_to_xboard_is_one_line(line in line(), prose in any::<String>(), text in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("xboard").unwrap();
        let tagged = dialect.read(&line);
        let mut out = String::new();
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose).with_text(text);
        dialect.render(&tagged.tag, &Event::Failed(failure), &mut out);
        let form = ["Error (", "Illegal move: ", "tellusererror "].iter().any(|head| out.starts_with(head));
        prop_assert!(form && out.matches('\n').count() == 1, "{out:?}");
    }

    #[test]
    fn a_refusal_of_the_console_is_one_line(line in line(), prose in any::<String>(), text in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("edax").unwrap();
        dialect.read("verbose 0");
        let tagged = dialect.read(&line);
        let mut out = String::new();
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose).with_text(text);
        dialect.render(&tagged.tag, &Event::Failed(failure), &mut out);
        prop_assert!(out.starts_with("error: "), "{out}");
        prop_assert!(line.contains("verbose") || out.matches('\n').count() == 1, "{out}");
    }

    #[test]
    fn a_search_of_cassio_is_ready_once(rest in line(), verb in "(midgame|endgame)-search",
                                        depths in vec(0..9_u32, 0..9), stopped in any::<bool>(),
                                        prose in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("cassio").unwrap();
        let tagged = dialect.read(&format!("ENGINE-PROTOCOL {verb} {rest}"));
        let info = |depth: &u32| InfoText {
            depth: *depth,
            selectivity: 100,
            multipv: 1,
            value: ValueText { centidiscs: 0, bound: BoundText::Value, exact: false },
            wld: false,
            nodes: 1,
            time_ms: 1,
            pv: vec![MoveText::Pass],
        };
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose);
        let events = match &tagged.request {
            Request::Search(_) => {
                let told = depths.iter().map(|depth| Event::Info { search: 0, info: info(depth) });
                let end = Event::Done(Done::Searched { stopped, exact: false });
                told.chain([Event::Hint { rank: 1, info: info(&3) }, end]).collect()
            }
            _ => vec![Event::Failed(failure)],
        };
        let mut out = String::new();
        for event in &events {
            dialect.render(&tagged.tag, event, &mut out);
        }
        let lines: Vec<&str> = out.lines().collect();
        prop_assert_eq!(lines.iter().filter(|line| **line == "ready.").count(), 1);
        prop_assert_eq!(lines.last(), Some(&"ready."));
        prop_assert!(stopped || lines.len() > 1);
        prop_assert!(lines.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn nboard_is_told_in_ascii(prose in any::<String>(), text in any::<String>()) {
        let mut dialect = outflank_protocol::by_name("nboard").unwrap();
        let mut out = String::new();
        let failure = Failure::new(outflank_protocol::message::Code::Internal, prose).with_text(text);
        dialect.render(&Default::default(), &Event::Failed(failure), &mut out);
        prop_assert!(out.is_ascii() && out.starts_with("status ") && out.matches('\n').count() == 1);
    }

    #[test]
    fn tokens_read_back(board in board(true)) {
        let text = board.to_string();
        prop_assert_eq!(read_token(&text).unwrap(), board);
        prop_assert_eq!(read_position(&text).unwrap().board.to_string(), text);
    }

    #[test]
    fn line_forms_read_back(board in board(true)) {
        let plain = BoardText { placements: 0, hand: None, komi: None, ..board };
        prop_assert_eq!(read_line_form(&plain.line_form()).unwrap(), plain);
    }

    #[test]
    fn variants_read_back(name in "[a-z][a-z0-9]{0,8}", size in proptest::option::of((1..99_u32, 1..99_u32)),
                          mods in vec(modifier(), 0..6)) {
        let base = match size {
            Some((columns, rows)) => BaseText::Size { columns, rows },
            None => BaseText::Name(name),
        };
        let mut variant = VariantText { base, mods };
        // No modifier stands twice, and they are written in one order.
        let word = |modifier: &ModText| modifier.to_string().split('=').next().unwrap_or_default().to_owned();
        let order = ["start", "place", "hand", "stuck", "cut", "hole", "hc", "first", "anti", "komi", "score"];
        variant.mods.sort_by_key(|modifier| order.iter().position(|known| *known == word(modifier)));
        variant.mods.dedup_by_key(|modifier| word(modifier));
        prop_assert_eq!(read_variant(&variant.to_string()).unwrap(), variant);
    }

    #[test]
    fn no_text_upsets_a_reader(text in any::<String>(), line in line()) {
        for text in [&text, &line] {
            let _ = read_token(text);
            let _ = read_line_form(text);
            let _ = read_position(text);
            let _ = read_item(text);
            let _ = read_variant(text);
            let _ = GgsType::read(text);
            let _ = ggf::read_all(text);
            let _ = ggf::read_all(&format!("(;GM[Othello]{text};)"));
        }
    }

    #[test]
    fn whatever_is_read_as_a_token_is_canonical(text in "[1-9xo_/]{4,40},[xo-](,p[1-4])?") {
        if let Ok(board) = read_token(&text) {
            prop_assert_eq!(board.to_string(), text);
        }
    }

    #[test]
    fn move_lists_lose_nothing(moves in vec(prop_oneof![point().prop_map(MoveText::At), Just(MoveText::Pass)], 0..80),
                               upper in any::<bool>(), gap in proptest::sample::select(vec!["", " ", ",", "\t"])) {
        let words: Vec<String> = moves.iter().map(|at| match at {
            MoveText::Pass => "--".to_owned(),
            MoveText::At(at) if upper => at.to_string().to_uppercase(),
            MoveText::At(at) => at.to_string(),
        }).collect();
        let expected: Vec<MoveWord> = moves.into_iter().map(MoveWord::Move).collect();
        prop_assert_eq!(move_list(&words.join(gap)), expected);
    }

    #[test]
    fn unreadable_items_keep_their_text(text in "[ -~]{0,60}") {
        for word in move_list(&text) {
            if let MoveWord::Unreadable(item) = word {
                prop_assert!(text.contains(&item) && !item.is_empty());
            }
        }
    }

    #[test]
    fn games_in_ggf_read_back(board in board(false), moves in vec(point(), 0..20)) {
        let start = BoardText { placements: 0, hand: None, komi: None, ..board };
        let mut text = String::from("(;GM[Othello]PB[a]PW[b];)");
        if let Ok(mut game) = ggf::read(&text) {
            game.start = Some(start);
            for (index, at) in moves.into_iter().enumerate() {
                let side = if index % 2 == 0 { Side::Black } else { Side::White };
                game.moves.push(outflank_protocol::words::PlayedText {
                    side: Some(side),
                    word: MoveWord::Move(MoveText::At(at)),
                    value: None,
                    seconds: None,
                });
            }
            if let Ok(written) = ggf::write(&game) {
                text = written;
                let read = ggf::read(&text).unwrap();
                prop_assert_eq!(&read.moves, &game.moves);
                prop_assert_eq!(&read.start.unwrap().cells, &game.start.unwrap().cells);
                prop_assert_eq!(ggf::read_all(&format!("2 {text}{text}")).len(), 2);
            }
        }
    }

    #[test]
    fn lines_do_not_depend_on_how_bytes_arrive(bytes in vec(any::<u8>(), 0..200), chunk in 1..20_usize) {
        let read = |chunk: usize| {
            let mut reader = LineReader::new();
            let mut out = Vec::new();
            for part in bytes.chunks(chunk) {
                reader.push(part, &mut out);
            }
            out.extend(reader.finish());
            out
        };
        prop_assert_eq!(read(chunk), read(1000));
    }
}
