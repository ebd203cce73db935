//! The dialect of the NBoard GUI, versions 1 and 2.
//!
//! Grammar and quirks are in `spec/nboard.md`. Every line that means anything stops a running
//! search; what cannot be carried out is told as `status`, because any other word would raise a
//! box or be lost.

use std::fmt::Write;

use crate::Dialect;
use crate::fault::clip;
use crate::format::ggf;
use crate::lexis::{read_decimal, read_number};
use crate::line::LineFault;
use crate::message::{
    BestText, Code, Done, Event, Failure, Habits, InfoText, PlyText, Purpose, Request, SearchText, Tag,
    Tagged, Urgency, ValueText,
};
use crate::words::{MoveText, MoveWord};

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
        Habits { announces_passes: false, undo_whole_moves: false }
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
        if !line.contains(text) {
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
        };
        assert_eq!(render(Event::Ply(ply)), "analysis 0 1.25\n");
    }
}
