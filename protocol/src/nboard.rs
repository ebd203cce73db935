//! The dialect of the NBoard GUI, versions 1 and 2.
//!
//! Grammar and quirks are in `spec/nboard.md`. Every line that means anything stops a running
//! search; what cannot be carried out is told as `status`, because any other word would raise a
//! box or be lost. The engine's side stands first, the client's side behind it.

use std::fmt::Write;

use nom::bytes::complete::take_till1;
use nom::character::complete::{char, space0};
use nom::combinator::{map, opt};
use nom::multi::many1;
use nom::sequence::preceded;
use nom::{IResult, Parser};

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, Garble, Heard, Identity, Limit, Limits, Next, Order, Situation,
    Topic, Unsayable,
};
use crate::fault::{clip, names};
use crate::format::ggf;
use crate::lexis::{move_text, read_decimal, read_number};
use crate::line::LineFault;
use crate::message::{
    BestText, Code, Done, Event, Failure, Habits, InfoText, PlyText, Purpose, Request, SearchText, Tag,
    Tagged, Urgency, ValueText,
};
use crate::words::{
    BaseText, ClockText, GameText, ModText, MoveText, MoveWord, PlayedText, PlayerText, Side,
    VariantText,
};

/// Version of the protocol that is spoken.
pub const VERSION: u32 = 2;

/// The dialect; it knows which version the GUI speaks.
#[derive(Debug)]
pub struct NBoard {
    version: u32,
}

impl Default for NBoard {
    fn default() -> NBoard {
        NBoard { version: VERSION }
    }
}

impl NBoard {
    /// A conversation in version 2, until the GUI names another one.
    #[must_use]
    pub fn new() -> NBoard {
        NBoard::default()
    }

    fn request(&mut self, verb: &str, argument: &str) -> Result<Request, Failure> {
        Ok(match verb {
            "nboard" => {
                let version = argument.parse::<f64>().unwrap_or(f64::from(VERSION));
                self.version = if version < 2.0 { 1 } else { VERSION };
                Request::Hello { version: self.version }
            }
            "set" => return set(argument),
            "move" => play(argument)?,
            "hint" => {
                let lines = read_number(argument).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
                let mut search = SearchText::new(Purpose::HintInBackground);
                search.multipv = Some(lines.unwrap_or(1));
                Request::Search(search)
            }
            "go" => {
                let mut search = SearchText::new(Purpose::Go);
                search.clock = true;
                Request::Search(search)
            }
            "ping" if !argument.is_empty() && argument.chars().all(|c| c.is_ascii_digit()) => {
                Request::Ping(argument.to_owned())
            }
            "learn" => Request::Learn,
            "analyze" => Request::Search(SearchText::new(Purpose::AnalyzeInBackground)),
            "quit" => Request::Quit,
            // Version 1 sends the move and nothing else.
            bare if self.version == 1 && argument.is_empty() => match ggf::read_move(bare) {
                word @ MoveWord::Move(_) => {
                    Request::Play { side: None, moves: vec![word], seconds: None }
                }
                MoveWord::Unreadable(_) => Request::Nothing,
            },
            _ => Request::Nothing,
        })
    }
}

// set = "set" SP ("depth" SP number / "contempt" SP decimal / "game" SP ggf)
fn set(argument: &str) -> Result<Request, Failure> {
    let (name, value) = split(argument);
    let whole = |why: &str| {
        let number = read_decimal(value).map(f64::round).filter(|number| number.abs() < 1e6);
        // The number is whole and small.
        number
            .map(|number| format!("{number:.0}"))
            .ok_or_else(|| Failure::new(Code::BadValue, why).with_text(clip(value)))
    };
    Ok(match name {
        "depth" => Request::Set(vec![("depth".to_owned(), whole("set depth takes a number of plies")?)]),
        "contempt" => {
            let contempt = whole("set contempt takes a number from -100 to 100")?;
            let contempt = if contempt == "-0" { "0".to_owned() } else { contempt };
            Request::Set(vec![("contempt".to_owned(), contempt)])
        }
        "game" => Request::Load(Box::new(ggf::read(value)?)),
        _ => Request::Nothing,
    })
}

// move = "move" SP (point / pass) ["/" [eval] ["/" [seconds]]]
fn play(argument: &str) -> Result<Request, Failure> {
    let mut parts = argument.split('/').map(|part| part.split_whitespace().next().unwrap_or_default());
    let word = parts.next().unwrap_or_default();
    let seconds = parts.nth(1).and_then(read_decimal).filter(|time| (0.0..=1e9).contains(time));
    match ggf::read_move(word) {
        word @ MoveWord::Move(_) => Ok(Request::Play { side: None, moves: vec![word], seconds }),
        MoveWord::Unreadable(text) => {
            Err(Failure::new(Code::BadSquare, "move takes a square such as F5, or PA")
                .with_text(clip(&text)))
        }
    }
}

/// The first word, and the rest without the blanks around it.
fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    match line.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim()),
        None => (line, ""),
    }
}

impl Dialect for NBoard {
    fn name(&self) -> &'static str {
        "nboard"
    }

    fn habits(&self) -> Habits {
        Habits::PLAIN
    }

    /// ```abnf
    /// line = "nboard" SP number / "set" SP setting / "move" SP move / "hint" SP number / "go"
    ///      / "ping" SP number / "learn" / "analyze" / "quit"
    ///      / move                          ; version 1
    ///      / *any                          ; ignored
    /// ```
    fn read(&mut self, line: &str) -> Tagged {
        let (verb, argument) = split(line);
        let request = self.request(verb, argument).unwrap_or_else(Request::Unreadable);
        Tagged { tag: Tag::default(), request }
    }

    fn urgency(&self, tagged: &Tagged) -> Urgency {
        match tagged.request {
            Request::Nothing => Urgency::Queued,
            _ => Urgency::StopsSearch,
        }
    }

    fn render(&mut self, _tag: &Tag, event: &Event, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match event {
            Event::Info { info, .. } => hint_line(info, out),
            Event::Hint { info, .. } => hint_line(info, out),
            Event::Best(best) => best_lines(self.version, best, out),
            Event::Finished { nodes, time_ms } => {
                let _ = node_line(*nodes, *time_ms, out);
                writeln!(out, "status")
            }
            Event::Ply(ply) => ply_line(ply, out),
            Event::Done(Done::Hello { name, .. }) => {
                let word: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
                writeln!(out, "set myname {word}")
            }
            Event::Done(Done::Pong(word)) => writeln!(out, "pong {word}"),
            Event::Done(Done::Learned) => writeln!(out, "learned"),
            Event::Failed(failure) => failure_line(failure, out),
            _ => Ok(()),
        };
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let _ = why;
        Tagged { tag: Tag::default(), request: Request::Nothing }
    }
}

fn move_name(at: MoveText) -> String {
    match at {
        MoveText::Pass => "PA".to_owned(),
        MoveText::At(at) => at.to_string().to_ascii_uppercase(),
    }
}

/// Discs with two decimals, and no `-0.00`.
fn discs(value: ValueText) -> String {
    let sign = if value.centidiscs < 0 { "-" } else { "" };
    let magnitude = value.centidiscs.unsigned_abs();
    format!("{sign}{}.{:02}", magnitude / 100, magnitude % 100)
}

fn seconds(time_ms: u64) -> String {
    format!("{}.{:02}", time_ms / 1000, time_ms % 1000 / 10)
}

// search = "search" SP pv SP eval SP "0" SP depth
// depth  = number / "100%" / "100%W"
//
// The GUI takes every "%" for a solved endgame, so the selectivity of a midgame search must not
// be written.
fn hint_line(info: &InfoText, out: &mut String) -> std::fmt::Result {
    if info.pv.is_empty() {
        return Ok(());
    }
    let pv: Vec<String> = info.pv.iter().map(|at| move_name(*at)).collect();
    write!(out, "search {} {} 0 ", pv.join("-"), discs(info.value))?;
    match (info.value.exact, info.wld) {
        (true, true) => writeln!(out, "100%W"),
        (true, false) => writeln!(out, "100%"),
        (false, _) => writeln!(out, "{}", info.depth),
    }
}

// nodestats = "nodestats" SP number SP seconds
fn node_line(nodes: u64, time_ms: u64, out: &mut String) -> std::fmt::Result {
    writeln!(out, "nodestats {nodes} {}", seconds(time_ms))
}

// best = "===" SP move ["/" [eval] "/" seconds]
fn best_lines(version: u32, best: &BestText, out: &mut String) -> std::fmt::Result {
    node_line(best.nodes, best.time_ms, out)?;
    // The GUI asks nothing once a game is over; a pass harms nobody who asks all the same.
    write!(out, "=== {}", move_name(best.at.unwrap_or(MoveText::Pass)))?;
    if version > 1 && best.at.is_some() {
        let value = best.value.map(discs).unwrap_or_default();
        write!(out, "/{value}/{}", seconds(best.time_ms))?;
    }
    out.push('\n');
    Ok(())
}

// analysis = "analysis" SP moves-before SP eval
fn ply_line(ply: &PlyText, out: &mut String) -> std::fmt::Result {
    writeln!(out, "analysis {} {}", ply.number.saturating_sub(1), discs(ply.value))
}

fn failure_line(failure: &Failure, out: &mut String) -> std::fmt::Result {
    let mut line = failure.prose.clone();
    let named = [failure.square.as_deref(), failure.text.as_deref()];
    for text in named.into_iter().flatten() {
        if !names(&line, text) {
            line = format!("{text}: {line}");
        }
    }
    if line.is_empty() {
        line.push_str(failure.code.word());
    }
    if let Some(item) = failure.item
        && !line.starts_with("item ")
    {
        line = format!("item {item}: {line}");
    }
    // A character beyond U+00FF ends the GUI's reader for good.
    let ascii: String =
        line.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
    writeln!(out, "status {ascii}")
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// The client's side. As the GUI does, it tells what has changed right before it asks for a move,
/// and waits for a `pong` in between: whatever belongs to an earlier request comes before it.
#[derive(Debug, Default)]
pub struct NBoardClient {
    identity: Identity,
    /// Number of the last ping.
    ping: u64,
    /// The `pong` of the last ping is awaited.
    awaits_pong: bool,
    /// A move is awaited.
    awaits_move: bool,
    /// What is being played, with what the engine has been told of it.
    game: Option<Told>,
    /// The depth the engine was told last.
    depth: Option<u32>,
    news: News,
}

/// A game, and how far the engine knows it.
#[derive(Debug)]
struct Told {
    text: GameText,
    /// How many of the moves the engine knows; `None`: not even the start.
    moves: Option<usize>,
    /// What the engine takes to be left.
    clock: Option<Left>,
}

/// Both clocks, in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Left {
    black_ms: u64,
    white_ms: u64,
    increment_ms: u64,
}

/// What was said about the move that is being chosen.
#[derive(Clone, Debug, Default)]
struct News {
    depth: Option<u32>,
    nodes: Option<u64>,
    centidiscs: Option<i32>,
    exact: bool,
    pv: Vec<MoveText>,
}

impl NBoardClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> NBoardClient {
        NBoardClient::default()
    }

    fn ping(&mut self, out: &mut String) {
        self.ping += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "ping {}", self.ping);
    }

    /// Tells the engine the moves it does not know yet, or the whole game.
    fn tell_game(&mut self, limits: &Limits, out: &mut String) {
        let Some(told) = &mut self.game else { return };
        let clock = limits.clock.map(|clock| {
            let (own, other, increment_ms) = (clock.own_ms, clock.other_ms, clock.increment_ms);
            match limits.side {
                Side::Black => Left { black_ms: own, white_ms: other, increment_ms },
                Side::White => Left { black_ms: other, white_ms: own, increment_ms },
            }
        });
        match told.moves {
            // A clock that begins in the middle of a game can only be told with the whole game.
            Some(known) if clock.is_some() == told.clock.is_some() => {
                time_moves(told, known, clock);
                for played in told.text.moves.iter().skip(known) {
                    let MoveWord::Move(at) = played.word else { continue };
                    let time = played.seconds.map(|time| format!("//{time}")).unwrap_or_default();
                    // Writing to a string cannot fail.
                    let _ = writeln!(out, "move {}{time}", move_name(at));
                }
            }
            _ => {
                begin_clocks(told, clock);
                // Whether it can be written was found out when the game began.
                if let Ok(line) = ggf::write(&told.text) {
                    out.push_str("set game ");
                    out.push_str(&line);
                    out.push('\n');
                }
            }
        }
        told.moves = Some(told.text.moves.len());
        told.clock = clock;
    }

    // best = "===" 1*(SP / "/") move ["/" [eval] ["/" [seconds]]]     ; blanks may stand for "/"
    fn best(&mut self, line: &str, rest: &str) -> Heard {
        if !std::mem::take(&mut self.awaits_move) {
            return Heard::Nothing;
        }
        let news = std::mem::take(&mut self.news);
        // Two slashes hold an empty value between them, several blanks do not.
        let normal = rest.split_whitespace().collect::<Vec<_>>().join("/");
        let mut parts = normal.split('/');
        let MoveWord::Move(at) = ggf::read_move(parts.next().unwrap_or_default()) else {
            return Heard::Garbled { line: clip(line), why: Garble::NotAMove };
        };
        let centidiscs = match parts.next() {
            None | Some("") => None,
            Some(text) => match centidiscs(text) {
                Some(value) => Some(value),
                None => return Heard::Garbled { line: clip(line), why: Garble::NotANumber },
            },
        };
        let about_it = news.pv.first() == Some(&at);
        let of_it = |value: Option<i32>| value.filter(|_| about_it);
        Heard::Chosen(Box::new(ChosenText {
            choice: ChoiceText::Move(at),
            centidiscs: centidiscs.or(of_it(news.centidiscs)),
            exact: about_it && news.exact,
            depth: news.depth.filter(|_| about_it),
            nodes: news.nodes,
            pv: if about_it { news.pv } else { vec![at] },
        }))
    }

    /// A line of thought; that of the same depth that came first is the best one.
    fn thought(&mut self, rest: &str) -> Heard {
        let Ok((_, news)) = search_line(rest) else { return Heard::Stray };
        let deeper = (news.depth, news.exact) != (self.news.depth, self.news.exact);
        if self.news.pv.is_empty() || deeper {
            self.news = News { nodes: self.news.nodes, ..news };
        }
        Heard::Nothing
    }
}

/// Discs as they are written, in hundredths.
fn centidiscs(text: &str) -> Option<i32> {
    let hundredths = (read_decimal(text)? * 100.0).round();
    (hundredths.abs() < 1e6).then_some(hundredths as i32)
}

// search = pv SP eval ["," eval] SP games SP depth *any
// pv     = move *(["-"] move)
// depth  = number *any / "100%" ["W"]      ; only "100%" is a proof
fn search_line(text: &str) -> IResult<&str, News> {
    let word = || preceded(space0, take_till1(|c: char| c.is_whitespace()));
    let pv = preceded(space0, many1(preceded(opt(char('-')), move_text)));
    let news = |(pv, value, _games, depth): (_, &str, _, &str)| {
        let digits = depth.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        News {
            depth: digits.parse().ok().filter(|_| !depth.starts_with("100%")),
            nodes: None,
            centidiscs: centidiscs(value.split(',').next().unwrap_or_default()),
            exact: depth == "100%",
            pv,
        }
    };
    map((pv, word(), word(), word()), news).parse(text)
}

/// The clocks of a game that is told as a whole: both sides have what is left now. Engines add the
/// increment for every move of the record, so each is given the time that outweighs it.
fn begin_clocks(told: &mut Told, clock: Option<Left>) {
    let side = |left_ms: u64, increment_ms: u64| ClockText {
        main: seconds_of(left_ms),
        increment: seconds_of(increment_ms),
        extension: 0.0,
    };
    told.text.black.clock = clock.map(|clock| side(clock.black_ms, clock.increment_ms));
    told.text.white.clock = clock.map(|clock| side(clock.white_ms, clock.increment_ms));
    for played in &mut told.text.moves {
        played.seconds = clock.map(|clock| seconds_of(clock.increment_ms));
    }
}

fn seconds_of(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

/// The times of the moves that the engine does not know yet follow from how the clocks stood when
/// it was last asked, and how they stand now.
fn time_moves(told: &mut Told, known: usize, clock: Option<Left>) {
    let (Some(before), Some(now)) = (told.clock, clock) else { return };
    let sides =
        [(Side::Black, before.black_ms, now.black_ms), (Side::White, before.white_ms, now.white_ms)];
    for (side, before_ms, now_ms) in sides {
        let new = told.text.moves.iter_mut().skip(known).filter(|played| played.side == Some(side));
        let new: Vec<&mut PlayedText> = new.collect();
        let n = new.len() as u64;
        let used_ms = (before_ms + n * now.increment_ms).saturating_sub(now_ms);
        for played in new {
            played.seconds = Some(seconds_of(used_ms / n));
        }
    }
}

/// The game as a record of GGF holds it.
fn game_text(game: &Situation) -> Result<GameText, Unsayable> {
    let unsayable = |what, text: &dyn std::fmt::Display, why| Unsayable::new("nboard", what, text, why);
    let rules = game.rules;
    if game.start.placements > 0 || game.start.hand.is_some() || rules.stuck_ends || rules.score_discs {
        let why = "GGF has boards, anti and komi, but no free openings, limited discs or other ends";
        return Err(unsayable(Topic::Variant, &game.variant, why));
    }
    let mut mods = Vec::new();
    if rules.anti {
        mods.push(ModText::Anti);
    }
    if rules.komi.0 != 0 {
        mods.push(ModText::Komi(rules.komi));
    }
    let base = BaseText::Size { columns: game.start.columns.into(), rows: game.start.rows.into() };
    let played = |&(side, at): &(Side, MoveText)| PlayedText {
        side: Some(side),
        word: MoveWord::Move(at),
        value: None,
        seconds: None,
    };
    let text = GameText {
        variant: Some(VariantText { base, mods }),
        start: Some(game.start.clone()),
        moves: game.moves.iter().map(played).collect(),
        black: PlayerText { name: "black".to_owned(), ..PlayerText::default() },
        white: PlayerText { name: "white".to_owned(), ..PlayerText::default() },
        ..GameText::default()
    };
    match ggf::write(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err(unsayable(
            Topic::Position,
            &game.start,
            "GGF has square boards of 4 to 14 and the octagon 88 only",
        )),
    }
}

impl Client for NBoardClient {
    fn name(&self) -> &'static str {
        "nboard"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        match *order {
            Order::Hello => {
                out.push_str("nboard 2\n");
                self.ping(out);
                self.awaits_pong = true;
                return Ok(Next::Wait);
            }
            Order::Set { name, value } => {
                if !["depth", "contempt"].contains(&name) || value.contains(char::is_control) {
                    let why = "NBoard engines are told `depth` and `contempt` only";
                    return Err(Unsayable::new("nboard", Topic::Option, format!("{name}={value}"), why));
                }
                // Writing to a string cannot fail.
                let _ = writeln!(out, "set {name} {value}");
            }
            Order::NewGame(game) => {
                self.game = Some(Told { text: game_text(game)?, moves: None, clock: None });
            }
            Order::Played { side, at, .. } => {
                if let Some(told) = &mut self.game {
                    let word = MoveWord::Move(at);
                    told.text.moves.push(PlayedText {
                        side: Some(side),
                        word,
                        value: None,
                        seconds: None,
                    });
                }
            }
            Order::Prepare(limits) => {
                self.tell_game(limits, out);
                if let Some(depth) = limits.depth.filter(|depth| self.depth != Some(*depth)) {
                    // Writing to a string cannot fail.
                    let _ = writeln!(out, "set depth {depth}");
                    self.depth = Some(depth);
                }
                self.ping(out);
                self.awaits_pong = true;
                return Ok(Next::Wait);
            }
            Order::Choose(_) => {
                self.news = News::default();
                self.awaits_move = true;
                out.push_str("go\n");
                return Ok(Next::Wait);
            }
            Order::Board(_) | Order::GameOver => {}
            Order::Quit => out.push_str("quit\n"),
        }
        Ok(Next::Done)
    }

    fn hear(&mut self, line: &str, _out: &mut String) -> Heard {
        let (verb, rest) = split(line);
        match verb {
            "pong" => {
                if read_number(rest) == Some(self.ping) && std::mem::take(&mut self.awaits_pong) {
                    return Heard::Done;
                }
                Heard::Nothing
            }
            "===" => self.best(line, rest),
            "search" | "book" if self.awaits_move => self.thought(rest),
            "nodestats" => {
                self.news.nodes = rest.split(' ').next().and_then(|nodes| nodes.parse().ok());
                Heard::Nothing
            }
            "set" => match split(rest) {
                ("myname", name) => {
                    self.identity.name = Some(clip(name));
                    Heard::Nothing
                }
                _ => Heard::Stray,
            },
            "" | "search" | "book" | "status" | "analysis" | "learned" => Heard::Nothing,
            _ if verb.starts_with("===") => self.best(line, line.trim().trim_start_matches('=')),
            _ => Heard::Stray,
        }
    }

    /// A ping stops a search; its `pong` is not waited for.
    fn give_up(&mut self, out: &mut String) {
        if std::mem::take(&mut self.awaits_move) {
            self.ping(out);
        }
        self.awaits_pong = false;
    }

    fn heeds(&self, limit: Limit) -> bool {
        matches!(limit, Limit::Clock | Limit::Depth)
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::BoundText;
    use crate::words::{HalfDiscs, Point};

    fn read(line: &str) -> Request {
        NBoard::new().read(line).request
    }

    fn render(event: Event) -> String {
        let mut out = String::new();
        NBoard::new().render(&Tag::default(), &event, &mut out);
        out
    }

    fn at(text: &str) -> MoveText {
        match crate::lexis::move_word(text) {
            MoveWord::Move(at) => at,
            MoveWord::Unreadable(text) => panic!("{text}"),
        }
    }

    fn play_of(text: &str) -> Request {
        timed(text, None)
    }

    fn timed(text: &str, seconds: Option<f64>) -> Request {
        Request::Play { side: None, moves: vec![MoveWord::Move(at(text))], seconds }
    }

    fn value(centidiscs: i32, exact: bool) -> ValueText {
        ValueText { centidiscs, bound: BoundText::Value, exact }
    }

    #[test]
    fn settings_are_read() {
        let set = |name: &str, value: &str| Request::Set(vec![(name.into(), value.into())]);
        assert_eq!(read("set depth 12"), set("depth", "12"));
        assert_eq!(read("set contempt -100.0"), set("contempt", "-100"));
        assert_eq!(read("set contempt 0"), set("contempt", "0"));
        assert!(matches!(read("set depth many"), Request::Unreadable(_)));
        assert_eq!(read("set foo bar"), Request::Nothing);
        let Request::Load(game) = read("set game (;GM[Othello]TY[8]B[F5];)") else { panic!() };
        assert_eq!(game.moves.len(), 1);
        assert!(matches!(read("set game nothing"), Request::Unreadable(_)));
    }

    #[test]
    fn moves_are_read_in_every_form() {
        for (line, seconds) in [
            ("move F5", None),
            ("  move   F5 ", None),
            ("move f5/1.00", None),
            ("move f5/1.00/", None),
            ("move f5/1.00/2", Some(2.0)),
            ("move F5//2.5", Some(2.5)),
            ("move F5 / 1,00 / 2,5 ", Some(2.5)),
            ("move F5//0", Some(0.0)),
            ("move F5//-1", None),
            ("move F5//2000000000", None),
            ("move F5//soon", None),
        ] {
            assert_eq!(read(line), timed("f5", seconds), "{line}");
        }
        assert_eq!(read("move PA"), play_of("pa"));
        assert_eq!(read("move p/0/1"), timed("pa", Some(1.0)));
        assert_eq!(read("move K11"), play_of("k11"));
        assert!(matches!(read("move Z9"), Request::Unreadable(_)));
    }

    #[test]
    fn version_1_sends_bare_moves() {
        let mut dialect = NBoard::new();
        assert_eq!(dialect.read("F5").request, Request::Nothing);
        assert_eq!(dialect.read("nboard 1").request, Request::Hello { version: 1 });
        assert_eq!(dialect.read("F5").request, play_of("f5"));
        assert_eq!(dialect.read("gibberish").request, Request::Nothing);
    }

    #[test]
    fn unknown_lines_are_ignored_and_the_rest_stops_the_search() {
        let mut dialect = NBoard::new();
        for line in ["", "gibberish", "ping", "ping x", "set myname X"] {
            let tagged = dialect.read(line);
            assert_eq!(tagged.request, Request::Nothing, "{line}");
            assert_eq!(dialect.urgency(&tagged), Urgency::Queued);
        }
        for line in ["ping 7", "go", "hint 4", "move F5", "move Z9", "set depth 1", "learn", "quit"] {
            let tagged = dialect.read(line);
            assert_eq!(dialect.urgency(&tagged), Urgency::StopsSearch, "{line}");
        }
    }

    #[test]
    fn hints_say_percent_only_when_solved() {
        let info = |centidiscs, exact, wld| InfoText {
            depth: 12,
            selectivity: 73,
            multipv: 1,
            value: value(centidiscs, exact),
            wld,
            nodes: 1,
            time_ms: 1,
            pv: vec![at("f5"), at("pa"), at("k10")],
        };
        let line = |info| render(Event::Info { search: 1, info });
        assert_eq!(line(info(-150, false, false)), "search F5-PA-K10 -1.50 0 12\n");
        assert_eq!(line(info(400, true, false)), "search F5-PA-K10 4.00 0 100%\n");
        assert_eq!(line(info(0, true, true)), "search F5-PA-K10 0.00 0 100%W\n");
    }

    #[test]
    fn moves_are_written_with_slashes() {
        let best = |at| BestText {
            search: 1,
            at,
            value: Some(value(-5, false)),
            ponder: None,
            nodes: 42,
            time_ms: 1510,
            failed: false,
        };
        assert_eq!(render(Event::Best(best(Some(at("f5"))))), "nodestats 42 1.51\n=== F5/-0.05/1.51\n");
        assert_eq!(render(Event::Best(best(None))), "nodestats 42 1.51\n=== PA\n");
        let mut first = NBoard { version: 1 };
        let mut out = String::new();
        first.render(&Tag::default(), &Event::Best(best(Some(at("pa")))), &mut out);
        assert_eq!(out, "nodestats 42 1.51\n=== PA\n");
    }

    #[test]
    fn replies_of_one_line() {
        let hello = Done::Hello {
            version: 2,
            name: "Out flank".into(),
            program_version: "1".into(),
            autopass: false,
        };
        assert_eq!(render(Event::Done(hello)), "set myname Outflank\n");
        assert_eq!(render(Event::Done(Done::Pong("17".into()))), "pong 17\n");
        assert_eq!(render(Event::Done(Done::Learned)), "learned\n");
        assert_eq!(render(Event::Done(Done::Plain)), "");
        assert_eq!(render(Event::Done(Done::Count(HalfDiscs(4).0 as u32, 1))), "");
        let failure = Failure::new(Code::NoFlip, "nothing é would\nbe turned").with_text("a1");
        assert_eq!(render(Event::Failed(failure)), "status a1: nothing ? would?be turned\n");
        let ply = PlyText {
            number: 1,
            side: crate::words::Side::Black,
            played: Some(MoveText::At(Point { column: 0, row: 0 })),
            value: value(125, false),
            after: None,
            best: vec![],
            depth: 9,
            selectivity: 100,
            n_legal: 4,
        };
        assert_eq!(render(Event::Ply(ply)), "analysis 0 1.25\n");
    }
}
