//! What is fed with whatever a stranger may write, and what has to hold then.
//!
//! Targets come from the tables of the crate: every dialect's engine side, every client's side, and
//! the readers of formats. A new dialect is fed without a line here. The fuzzing tests of the crate
//! and the targets of `cargo fuzz` share this file.

use outflank_protocol::client::{Client, ClientRow, ClockLeft, Limits, Order, RulesText, Situation};
use outflank_protocol::fault::clip;
use outflank_protocol::format::reader::{Reader, Reading};
use outflank_protocol::format::{ggf, record};
use outflank_protocol::line::LineReader;
use outflank_protocol::message::{
    BestText, BoundText, Code, Done, EndReason, EndingText, Event, Failure, InfoText, PlyText,
    ProgressText, Request, Tag, Tagged, ValueText,
};
use outflank_protocol::words::{HalfDiscs, MoveText, Point, Side};
use outflank_protocol::{CLIENTS, DIALECTS, DialectRow, detect, lexis, position, variant};

/// Lines are cut here, so that the bound on their length is met as well.
const LONGEST_LINE: usize = 4096;

/// Something that takes in bytes.
#[derive(Clone, Copy)]
pub enum Target {
    /// The engine's side of a dialect: lines of a client.
    Dialect(&'static DialectRow),
    /// The client's side: lines of an engine.
    Client(&'static ClientRow),
    /// A reader of a position, a game, a variant or a word.
    Format(&'static FormatRow),
}

/// A reader that is given whole texts.
pub struct FormatRow {
    /// What it reads.
    pub name: &'static str,
    /// Reads a text, whatever it is.
    pub read: fn(&str),
}

/// Every reader of a format.
pub static FORMATS: &[FormatRow] = &[
    FormatRow {
        name: "token",
        read: |text| {
            if let Ok(board) = position::read_token(text) {
                assert_eq!(position::read_token(&board.to_string()), Ok(board));
            }
        },
    },
    FormatRow {
        name: "line form",
        read: |text| {
            if let Ok(board) = position::read_line_form(text) {
                assert_eq!(position::read_line_form(&board.line_form()).as_ref(), Ok(&board));
            }
        },
    },
    FormatRow { name: "position", read: |text| drop(position::read_position(text)) },
    FormatRow { name: "item", read: |text| drop(position::read_item(text)) },
    FormatRow {
        name: "variant",
        read: |text| {
            if let Ok(read) = variant::read_variant(text) {
                assert_eq!(
                    variant::read_variant(&read.to_string()).map(|again| again.to_string()),
                    Ok(read.to_string())
                );
            }
        },
    },
    FormatRow {
        name: "type of GGS",
        read: |text| {
            if let Ok(read) = variant::GgsType::read(text) {
                drop(read.variant());
            }
        },
    },
    FormatRow {
        name: "ggf",
        read: |text| {
            for game in ggf::read_all(text).into_iter().flatten() {
                drop(ggf::write(&game));
            }
            drop(ggf::read(&format!("(;GM[Othello]{text};)")));
        },
    },
    FormatRow { name: "record", read: |text| drop(record::read(text)) },
    FormatRow {
        name: "file",
        read: |text| {
            for joins in [false, true] {
                let (mut reader, mut entries) =
                    (Reader::new(Reading { joins, ..Reading::default() }), Vec::new());
                reader.push(text.as_bytes(), &mut entries);
                reader.finish(&mut entries);
                assert!(entries.iter().all(|entry| entry.line >= 1));
            }
        },
    },
    FormatRow {
        name: "words",
        read: |text| {
            for word in lexis::move_list(text) {
                drop(word);
            }
            let _ = (lexis::move_word(text), lexis::read_point(text), lexis::read_side(text));
            let _ =
                (lexis::read_number(text), lexis::read_half_discs(text), lexis::read_clock(text, 0.0));
            assert!(lexis::read_decimal(text).is_none_or(f64::is_finite));
        },
    },
];

/// All there are.
#[must_use]
pub fn targets() -> Vec<Target> {
    let dialects = DIALECTS.iter().map(Target::Dialect);
    let clients = CLIENTS.iter().map(Target::Client);
    dialects.chain(clients).chain(FORMATS.iter().map(Target::Format)).collect()
}

impl Target {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Target::Dialect(row) => row.name.to_owned(),
            Target::Client(row) => format!("client of {}", row.name),
            Target::Format(row) => row.name.to_owned(),
        }
    }

    /// The dialect whose words get furthest.
    #[must_use]
    pub fn dialect(self) -> Option<&'static str> {
        match self {
            Target::Dialect(row) => Some(row.name),
            Target::Client(row) => Some(row.name),
            Target::Format(_) => None,
        }
    }

    /// Feeds it.
    ///
    /// # Panics
    /// Something does not hold that always has to.
    pub fn feed(self, bytes: &[u8]) {
        match self {
            Target::Dialect(row) => feed_dialect(row, bytes),
            Target::Client(row) => feed_client(row, bytes),
            Target::Format(row) => (row.read)(&String::from_utf8_lossy(bytes)),
        }
    }
}

fn feed_dialect(row: &DialectRow, bytes: &[u8]) {
    let mut dialect = (row.make)();
    let mut reader = LineReader::bounded(LONGEST_LINE);
    let mut lines = Vec::new();
    reader.push(bytes, &mut lines);
    lines.extend(reader.finish());
    if let Some(Ok(first)) = lines.first() {
        drop(detect(first));
    }
    let mut told = 0;
    let mut out = String::new();
    let mut tell = |dialect: &mut dyn outflank_protocol::Dialect, tag: &Tag, event: &Event| {
        out.clear();
        dialect.render(tag, event, &mut out);
        assert!(out.is_empty() || out.ends_with('\n'), "{out:?} is no whole line");
        assert!(!out.contains('\r'), "{out:?}");
    };
    for line in lines {
        let text = line.as_deref().map(clip).unwrap_or_default();
        let Tagged { tag, request } = match line {
            Ok(line) => dialect.read(&line),
            Err(fault) => dialect.unreadable_line(fault),
        };
        let tagged = Tagged { tag, request };
        let _ = dialect.urgency(&tagged);
        let Tagged { tag, request } = tagged;
        if let Request::Search(_) = request {
            told += 1;
            for event in news(told) {
                tell(&mut *dialect, &tag, &event);
            }
        }
        let reply = match request {
            Request::Unreadable(failure) => Event::Failed(failure),
            // What a stranger wrote comes back only where the session gives it back.
            Request::Known(known) => Event::Done(Done::Known(known)),
            Request::Ping(word) => Event::Done(Done::Pong(word)),
            Request::Set(values) => Event::Done(Done::Values(values)),
            _ => {
                told += 1;
                reply(told, &text)
            }
        };
        tell(&mut *dialect, &tag, &reply);
    }
    if let Some(Tagged { tag, .. }) = dialect.end_of_input() {
        tell(&mut *dialect, &tag, &Event::Done(Done::Plain));
    }
}

/// Moves that searches tell of.
fn course(n: usize) -> Vec<MoveText> {
    let at = |n: usize| {
        let (column, row) = ((n % 16) as u8, (n / 16 % 16) as u8);
        if n % 7 == 3 { MoveText::Pass } else { MoveText::At(Point { column, row }) }
    };
    (0..n % 5).map(|step| at(n * 3 + step)).collect()
}

fn value(n: usize) -> ValueText {
    let bound = [BoundText::Value, BoundText::Lower, BoundText::Upper][n % 3];
    // Any value of a board, and some that are none.
    let centidiscs = [0, -1, 350, -6400, 25_600, i32::MAX, i32::MIN][n % 7];
    ValueText { centidiscs, bound, exact: n.is_multiple_of(2) }
}

fn best(n: usize) -> BestText {
    BestText {
        search: 1,
        at: course(n).first().copied(),
        value: n.is_multiple_of(3).then(|| value(n)),
        ponder: course(n).get(1).copied(),
        nodes: u64::MAX,
        time_ms: [0, 1, 59_999, u64::MAX][n % 4],
        failed: n.is_multiple_of(5),
    }
}

/// What a search may tell before its reply.
fn news(n: usize) -> Vec<Event> {
    let info = |n: usize| InfoText {
        depth: (n % 70) as u32,
        selectivity: 73,
        multipv: 1 + (n % 2) as u32,
        value: value(n),
        wld: n.is_multiple_of(11),
        nodes: 0,
        time_ms: [0, 7, u64::MAX][n % 3],
        pv: course(n),
    };
    let ply = PlyText {
        number: (n % 300) as u32,
        side: if n.is_multiple_of(2) { Side::Black } else { Side::White },
        played: course(n).first().copied(),
        value: value(n),
        after: Some(value(n + 1)),
        best: course(n),
        depth: 9,
        selectivity: 73,
        n_legal: 2,
    };
    let over = EndingText {
        reason: EndReason::Score,
        winner: None,
        official: n.is_multiple_of(3).then_some((HalfDiscs(65), HalfDiscs(63))),
        margin: None,
    };
    vec![
        Event::Info { search: 1, info: info(n) },
        Event::Info { search: 1, info: info(n) },
        Event::Hint { rank: 1, info: info(n + 1) },
        Event::Row { number: 1, cells: "x o - *".to_owned() },
        Event::Ply(ply),
        Event::Over(over),
        Event::Solved {
            value: value(n),
            rule_discs: n.is_multiple_of(2),
            wld: n.is_multiple_of(3),
            moves: course(n),
            pv: course(n + 1),
            nodes: 1,
            time_ms: 1,
        },
        Event::Best(best(n)),
        Event::Finished { nodes: 1, time_ms: 1 },
    ]
}

/// One of the replies there are; with a text that a stranger wrote, where it has one.
fn reply(n: usize, text: &str) -> Event {
    let failure = Failure::new(Code::BadArgument, text).with_text(text);
    Event::Done(match n % 10 {
        0 => Done::Plain,
        1 => Done::Generated(best(n)),
        2 => Done::Searched { stopped: n.is_multiple_of(2), exact: n.is_multiple_of(3) },
        3 => Done::Progress(None),
        4 => Done::Progress(Some(ProgressText { nodes: 1, time_ms: u64::MAX })),
        5 => Done::Count(3, 1),
        6 => Done::Started { search: 1 },
        7 => Done::Learned,
        8 => Done::Listed { n: 1, side: Some(Side::White) },
        _ => return Event::Failed(failure),
    })
}

fn feed_client(row: &ClientRow, bytes: &[u8]) {
    let mut client = (row.make)();
    let text = String::from_utf8_lossy(bytes);
    let othello = situation();
    let _ = client.order(&Order::Board(&othello.start), &mut String::new());
    let mut out = String::new();
    for (index, line) in text.split('\n').enumerate() {
        // Orders come whenever they come: most of them in the order of a game.
        if index.is_multiple_of(3) {
            client.give_up(&mut out);
            order(&mut *client, &othello, index / 3, &mut out);
        }
        let _ = client.hear(line.trim_end_matches('\r'), &mut out);
        assert!(out.is_empty() || out.ends_with('\n'), "{out:?} is no whole line");
        assert!(!out.contains('\r') && !out.starts_with('\n') && !out.contains("\n\n"), "{out:?}");
        out.clear();
    }
    let _ = client.identity();
}

fn order(client: &mut dyn Client, game: &Situation, index: usize, out: &mut String) {
    let clock = Some(ClockLeft { own_ms: 61_500, other_ms: 59_000, increment_ms: 250 });
    let limits = Limits { clock, depth: Some(9), ..Limits::none(Side::White) };
    let at = MoveText::At(Point { column: 2, row: 2 });
    // An order that cannot be said is refused by name.
    let _ = match index % 7 {
        0 => client.order(&Order::Hello, out),
        1 => client.order(&Order::NewGame(game), out),
        2 => client.order(&Order::Prepare(&limits), out),
        3 | 4 => client.order(&Order::Choose(&limits), out),
        5 => client.order(&Order::Played { side: Side::White, at, own: true }, out),
        _ => client.order(&Order::Set { name: "depth", value: "9" }, out),
    };
}

/// Othello after f5.
fn situation() -> Situation {
    let f5 = MoveText::At(Point { column: 5, row: 4 });
    let start = position::read_token("8/8/8/3ox3/3xo3/8/8/8,x").expect("the start is a position");
    Situation {
        variant: variant::read_variant("othello").expect("the name is a variant"),
        rules: RulesText::default(),
        start,
        usual_start: true,
        moves: vec![(Side::Black, f5)],
    }
}

/// The target of a kind that the first byte picks, and what it is fed with.
#[must_use]
pub fn pick(data: &[u8], is_meant: impl Fn(&Target) -> bool) -> Option<(Target, &[u8])> {
    let (first, bytes) = data.split_first()?;
    let targets: Vec<Target> = targets().into_iter().filter(is_meant).collect();
    let target = targets.get(usize::from(*first) % targets.len().max(1))?;
    Some((*target, bytes))
}
