//! GTP 2 as Othello programs speak it, with GoGui's ruler commands and our own.
//!
//! Grammar and quirks are in `spec/gtp.md`. Every command waits its turn and gets one reply,
//! ended by an empty line; the data events of a reply are collected until it is complete. The
//! engine's side stands first, the client's side behind it.

use std::collections::VecDeque;

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, Garble, Heard, Identity, Limit, Limits, Next, Order, RulesText,
    Situation, Topic, Unsayable,
};
use crate::fault::{clip, names};
use crate::lexis::{move_word, read_decimal, read_number, read_point};
use crate::line::LineFault;
use crate::message::{
    Code, Done, EndReason, Event, Failure, Habits, Phase, Purpose, Request, SearchText, StateText, Tag,
    Tagged, Urgency, ValueText, Whose, Word,
};
use crate::position::read_token;
use crate::variant::read_variant;
use crate::words::{
    BaseText, BoardText, Cell, HalfDiscs, MAX_SIDE, MoveText, MoveWord, Mover, Point, Side, VariantText,
};

/// What is answered to `list_commands`, in this order.
const COMMANDS: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "gg-undo",
    "time_settings",
    "time_left",
    "final_score",
    "showboard",
    "set_game",
    "list_games",
    "gogui-interrupt",
    "gogui-rules_game_id",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "gogui-rules_final_result",
    "outflank-variant",
    "outflank-position",
    "outflank-why",
    "outflank-score",
    "outflank-moves",
    "outflank-perft",
    "outflank-solve",
    "outflank-set",
    "outflank-get",
];

/// Whether GTP knows a command of this name.
pub(crate) fn is_command(name: &str) -> bool {
    COMMANDS.contains(&name)
}

/// Which reply a command wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// No reply at all.
    Silent,
    /// The comment `# interrupt`: no reply, but the search stops.
    Interrupt,
    /// Success without text.
    Plain,
    BoardSize,
    ClearBoard,
    Play,
    Undo,
    FinalScore,
    ShowBoard,
    RulesBoard,
    RulesSize,
    RulesMoves,
    RulesSide,
    RulesResult,
    Variant,
    NewVariant,
    Position,
    NewPosition,
    Score,
}

const FORMS: &[Form] = &[
    Form::Silent,
    Form::Interrupt,
    Form::Plain,
    Form::BoardSize,
    Form::ClearBoard,
    Form::Play,
    Form::Undo,
    Form::FinalScore,
    Form::ShowBoard,
    Form::RulesBoard,
    Form::RulesSize,
    Form::RulesMoves,
    Form::RulesSide,
    Form::RulesResult,
    Form::Variant,
    Form::NewVariant,
    Form::Position,
    Form::NewPosition,
    Form::Score,
];

impl Form {
    fn of(tag: &Tag) -> Form {
        FORMS.get(usize::from(tag.form)).copied().unwrap_or(Form::Plain)
    }

    /// The board may have another size afterwards.
    fn resizes(self) -> bool {
        matches!(self, Form::BoardSize | Form::NewVariant | Form::NewPosition)
    }
}

/// The dialect; it knows how the columns are lettered, which depends on the size of the board.
#[derive(Debug)]
pub struct Gtp {
    /// Columns of the board whose replies are being written.
    columns: u8,
    /// Columns the board will have once every command read so far is carried out. While nobody
    /// knows, the letters are those of a wide board: on a narrow one, the letters in question
    /// name no square in either reading.
    columns_ahead: u8,
    /// Commands that may change the size and are not yet answered.
    resizing: u32,
    /// Columns are lettered without a gap, as Quarry does: it sends `set_game`, and GoGui, which
    /// leaves out the I, does not.
    plain_letters: bool,
    /// Lines of the reply that is being collected.
    lines: Vec<String>,
}

impl Default for Gtp {
    fn default() -> Gtp {
        Gtp { columns: 8, columns_ahead: 8, resizing: 0, plain_letters: false, lines: Vec::new() }
    }
}

impl Gtp {
    /// A conversation that begins on a board of 8x8.
    #[must_use]
    pub fn new() -> Gtp {
        Gtp::default()
    }
}

// ---------------------------------------------------------------------------------------------
// Vertices

/// GTP leaves out the letter I where there are more than eight columns.
fn skips_i(columns: u8) -> bool {
    columns > 8
}

// vertex = letter row / "pass"      ; any case
fn vertex(text: &str, columns: u8) -> MoveWord {
    let unreadable = MoveWord::Unreadable(text.to_owned());
    if text.eq_ignore_ascii_case("pass") {
        return MoveWord::Move(MoveText::Pass);
    }
    let mut letters = text.chars();
    let letter = letters.next().unwrap_or(' ').to_ascii_lowercase();
    if !skips_i(columns) || letter < 'i' {
        return match move_word(text) {
            word @ MoveWord::Move(MoveText::At(_)) => word,
            _ => unreadable,
        };
    }
    if !('j'..='q').contains(&letter) {
        return unreadable;
    }
    let plain = char::from_u32(letter as u32 - 1).unwrap_or(letter);
    match move_word(&format!("{plain}{}", letters.as_str())) {
        word @ MoveWord::Move(MoveText::At(_)) => word,
        _ => unreadable,
    }
}

fn column_letter(column: u8, columns: u8) -> char {
    let skipped = u8::from(skips_i(columns) && column >= 8);
    char::from(b'A' + column.min(MAX_SIDE) + skipped)
}

fn vertex_name(at: Point, columns: u8) -> String {
    format!("{}{}", column_letter(at.column, columns), at.row + 1)
}

fn move_name(at: MoveText, columns: u8) -> String {
    match at {
        MoveText::At(at) => vertex_name(at, columns),
        MoveText::Pass => "pass".to_owned(),
    }
}

/// The letters of all columns, as the reply to `boardsize` tells them.
fn lettering(columns: u8, plain: bool) -> String {
    if plain && columns > 8 {
        return format!("columns are lettered a-{}", char::from(b'a' + columns.min(MAX_SIDE) - 1));
    }
    let last = column_letter(columns.saturating_sub(1), columns).to_ascii_lowercase();
    match columns {
        0..=8 => String::new(),
        9 => "columns are lettered a-h j".to_owned(),
        10 => "columns are lettered a-h j k".to_owned(),
        _ => format!("columns are lettered a-h j-{last}"),
    }
}

// ---------------------------------------------------------------------------------------------
// Reading

/// What GTP says before a line is looked at: no control characters, tabs are blanks, `#` begins
/// a comment.
fn preprocess(line: &str) -> String {
    line.split('#')
        .next()
        .unwrap_or_default()
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect()
}

/// The id of a line, and what stands behind it.
fn split_id(line: &str) -> (Option<String>, &str) {
    let line = line.trim();
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    if !first.is_empty() && first.chars().all(|c| c.is_ascii_digit()) {
        (Some(first.to_owned()), rest)
    } else {
        (None, line)
    }
}

/// The words behind the name of a command.
struct Arguments<'a> {
    words: std::vec::IntoIter<&'a str>,
}

fn syntax(text: &str, why: &str) -> Failure {
    let failure = Failure::new(Code::BadArgument, why);
    if text.is_empty() { failure } else { failure.with_text(clip(text)) }
}

impl<'a> Arguments<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    fn need(&mut self, what: &str) -> Result<&'a str, Failure> {
        self.next().ok_or_else(|| syntax("", &format!("{what} is missing")))
    }

    /// ```abnf
    /// colour = "b" / "black" / "w" / "white"      ; any case
    /// ```
    fn colour(&mut self) -> Result<Side, Failure> {
        let text = self.need("the colour")?;
        colour(text).ok_or_else(|| syntax(text, "a colour is black or white"))
    }

    fn number(&mut self, what: &str) -> Result<f64, Failure> {
        let text = self.need(what)?;
        read_decimal(text).ok_or_else(|| syntax(text, &format!("{what} is a number")))
    }

    /// A number that is not negative; whole ones are all that counts.
    fn count(&mut self, what: &str) -> Result<u32, Failure> {
        let number = self.number(what)?;
        if (0.0..=f64::from(u32::MAX)).contains(&number) {
            Ok(number as u32)
        } else {
            Err(syntax(&number.to_string(), &format!("{what} is a number from 0 to {}", u32::MAX)))
        }
    }
}

/// A colour as GTP writes it.
pub(crate) fn colour(text: &str) -> Option<Side> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Side::Black),
        "w" | "white" => Some(Side::White),
        _ => None,
    }
}

fn columns_of(variant: &VariantText) -> Option<u8> {
    match &variant.base {
        BaseText::Size { columns, .. } => u8::try_from(*columns).ok(),
        // Only the rules know; the reply will tell.
        BaseText::Name(_) => Some(MAX_SIDE),
    }
}

impl Gtp {
    /// Reads a command; with it come the form of its reply and the columns of a new board.
    fn command(
        &mut self,
        name: &str,
        arguments: &mut Arguments,
    ) -> Result<(Request, Form, Option<u8>), Failure> {
        let generate = |play| {
            let mut search = SearchText::new(Purpose::Generate { play });
            search.clock = true;
            search
        };
        let same = |request, form| Ok((request, form, None));
        match name {
            "protocol_version" => same(Request::Known("2".to_owned()), Form::Plain),
            "name" => same(Request::Name, Form::Plain),
            "version" => same(Request::Version, Form::Plain),
            "known_command" => {
                let known = arguments.next().is_some_and(is_command);
                same(Request::Known(known.to_string()), Form::Plain)
            }
            "list_commands" => same(Request::Known(COMMANDS.join("\n")), Form::Plain),
            "quit" => same(Request::Quit, Form::Plain),
            "boardsize" => {
                let side = |text: &str| {
                    read_number(text)
                        .and_then(|size| u32::try_from(size).ok())
                        .ok_or_else(|| syntax(text, "the size is a whole number, or columns and rows"))
                };
                let columns = side(arguments.need("the size")?)?;
                let rows = arguments.next().map_or(Ok(columns), side)?;
                let form = Form::BoardSize;
                Ok((Request::Resize { columns, rows }, form, u8::try_from(columns).ok()))
            }
            "clear_board" => same(Request::New { variant: None, position: None }, Form::ClearBoard),
            "komi" => {
                let komi = arguments.number("the komi")?;
                let halves = komi * 2.0;
                // "0.0" and "7.50" are written out by some; anything but halves is refused later.
                let text = if halves.fract() == 0.0 {
                    format!("{}", halves / 2.0 + 0.0)
                } else {
                    komi.to_string()
                };
                same(Request::Set(vec![("komi".to_owned(), text)]), Form::Plain)
            }
            "play" => {
                let side = arguments.colour()?;
                let word = vertex(arguments.need("the vertex")?, self.letters(self.columns_ahead));
                same(Request::Play { side: Some(side), moves: vec![word], seconds: None }, Form::Play)
            }
            "genmove" | "reg_genmove" => {
                let mut search = generate(name == "genmove");
                search.side = Some(arguments.colour()?);
                same(Request::Search(search), Form::Play)
            }
            "undo" => same(Request::Undo(1), Form::Undo),
            "gg-undo" => {
                let times = match arguments.next() {
                    None => 1,
                    Some(text) => read_number(text)
                        .and_then(|times| u32::try_from(times).ok())
                        .ok_or_else(|| syntax(text, "the number of moves is a whole number"))?,
                };
                same(Request::Undo(times), Form::Undo)
            }
            "time_settings" => {
                let (main, overtime) =
                    (arguments.number("the main time")?, arguments.number("the byo-yomi time")?);
                let moves = arguments.count("the number of stones")?;
                if let Some(negative) = [main, overtime].into_iter().find(|time| *time < 0.0) {
                    return Err(syntax(&negative.to_string(), "times are not negative"));
                }
                same(Request::TimeSettings { main, overtime, moves }, Form::Plain)
            }
            "time_left" => {
                let (side, seconds) = (arguments.colour()?, arguments.number("the time")?.max(0.0));
                let moves = match arguments.words.len() {
                    0 => 0,
                    _ => arguments.count("the number of stones")?,
                };
                let moves = Some(moves);
                same(Request::Left { whose: Whose::Side(side), seconds, moves }, Form::Plain)
            }
            "final_score" => same(Request::Score, Form::FinalScore),
            "showboard" => same(Request::Position, Form::ShowBoard),
            "set_game" => {
                let game = arguments.need("the game")?;
                if ["othello", "reversi"].contains(&game.to_ascii_lowercase().as_str()) {
                    self.plain_letters = true;
                    same(Request::Known(String::new()), Form::Plain)
                } else {
                    Err(Failure::new(Code::Unsupported, "Othello is the only game")
                        .with_text(clip(game)))
                }
            }
            "list_games" | "gogui-rules_game_id" => {
                same(Request::Known("Othello".to_owned()), Form::Plain)
            }
            "gogui-interrupt" => same(Request::Known(String::new()), Form::Plain),
            "gogui-rules_board" => same(Request::Position, Form::RulesBoard),
            "gogui-rules_board_size" => same(Request::Position, Form::RulesSize),
            "gogui-rules_legal_moves" => same(Request::Moves, Form::RulesMoves),
            "gogui-rules_side_to_move" => same(Request::Position, Form::RulesSide),
            "gogui-rules_final_result" => same(Request::Score, Form::RulesResult),
            "outflank-variant" => match arguments.next() {
                None => same(Request::Variant, Form::Variant),
                Some(token) => {
                    let variant = read_variant(token)?;
                    let columns = columns_of(&variant);
                    Ok((
                        Request::New { variant: Some(variant), position: None },
                        Form::NewVariant,
                        columns,
                    ))
                }
            },
            "outflank-position" => match arguments.next() {
                None => same(Request::Position, Form::Position),
                Some(token) => {
                    let board = read_token(token)?;
                    let columns = Some(board.columns);
                    Ok((Request::SetUp { board, reading: None }, Form::NewPosition, columns))
                }
            },
            "outflank-why" => {
                let text = arguments.need("the vertex")?;
                let word = match vertex(text, self.letters(self.columns_ahead)) {
                    MoveWord::Move(MoveText::At(at)) => Word::Read(at),
                    _ => Word::Unreadable(text.to_owned()),
                };
                same(Request::Why(word), Form::Play)
            }
            "outflank-score" => same(Request::Score, Form::Score),
            "outflank-moves" => same(Request::Moves, Form::Plain),
            "outflank-perft" => {
                let text = arguments.need("the depth")?;
                let depth = read_number(text)
                    .and_then(|depth| u32::try_from(depth).ok())
                    .ok_or_else(|| syntax(text, "the depth is a whole number"))?;
                let pass_free = match arguments.next() {
                    None | Some("ply") => false,
                    Some("free") => true,
                    Some(other) => return Err(syntax(other, "behind the depth stands ply or free")),
                };
                same(Request::Perft { depth, pass_free }, Form::Plain)
            }
            "outflank-solve" => {
                let mut search = SearchText::new(Purpose::Solve);
                search.wld = match arguments.next() {
                    None | Some("exact") => false,
                    Some("wld") => true,
                    Some(other) => return Err(syntax(other, "outflank-solve takes exact or wld")),
                };
                same(Request::Search(search), Form::Plain)
            }
            "outflank-set" => {
                let name = arguments.need("the name of the option")?.to_owned();
                let value: Vec<&str> = arguments.words.by_ref().collect();
                if value.is_empty() {
                    return Err(syntax("", "the value is missing"));
                }
                same(Request::Set(vec![(name, value.join(" "))]), Form::Plain)
            }
            "outflank-get" => {
                same(Request::Get(arguments.words.by_ref().map(str::to_owned).collect()), Form::Plain)
            }
            other => Err(Failure::new(Code::UnknownCommand, "").with_text(clip(other))),
        }
    }
}

impl Dialect for Gtp {
    fn name(&self) -> &'static str {
        "gtp"
    }

    fn habits(&self) -> Habits {
        Habits::PLAIN
    }

    /// ```abnf
    /// line    = [id 1*SP] command *(1*SP argument) [comment]
    /// id      = 1*DIGIT
    /// comment = "#" *any
    /// ```
    fn read(&mut self, line: &str) -> Tagged {
        let tagged = |id, form: Form, request| Tagged { tag: Tag { id, form: form as u16 }, request };
        let clean = preprocess(line);
        let (id, command) = split_id(&clean);
        let mut words =
            command.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().into_iter();
        let Some(name) = words.next() else {
            if id.is_some() {
                return tagged(
                    id,
                    Form::Plain,
                    Request::Unreadable(syntax("", "no command behind the id")),
                );
            }
            let interrupts = line.trim().trim_start_matches('#').trim() == "interrupt";
            return tagged(
                None,
                if interrupts { Form::Interrupt } else { Form::Silent },
                Request::Nothing,
            );
        };
        match self.command(name, &mut Arguments { words }) {
            Ok((request, form, columns)) => {
                if form.resizes() {
                    self.resizing += 1;
                }
                if let Some(columns) = columns.filter(|columns| (4..=MAX_SIDE).contains(columns)) {
                    self.columns_ahead = columns;
                }
                tagged(id, form, request)
            }
            Err(failure) => tagged(id, Form::Plain, Request::Unreadable(failure)),
        }
    }

    fn urgency(&self, tagged: &Tagged) -> Urgency {
        match Form::of(&tagged.tag) {
            Form::Interrupt => Urgency::StopsSearch,
            _ => Urgency::Queued,
        }
    }

    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String) {
        let form = Form::of(tag);
        match event {
            Event::Legal { at, flips } => {
                let mut line = vertex_name(*at, self.letters(self.columns));
                if form != Form::RulesMoves {
                    for flip in flips {
                        line.push(' ');
                        line.push_str(&vertex_name(*flip, self.letters(self.columns)));
                    }
                }
                self.lines.push(line);
            }
            Event::Counted { nodes, .. } => self.lines.push(nodes.to_string()),
            Event::Solved { value, moves, .. } => {
                let moves: Vec<String> =
                    moves.iter().map(|at| move_name(*at, self.letters(self.columns))).collect();
                self.lines.push(format!("{} {}", score(*value), moves.join(" ")));
            }
            Event::Done(done) => {
                let lines = std::mem::take(&mut self.lines);
                self.notice(form, Some(done));
                let reply = self.reply(form, done, lines);
                write_reply(tag, reply.as_ref().map_err(String::as_str), out);
            }
            Event::Failed(failure) => {
                self.lines.clear();
                self.notice(form, None);
                write_reply(tag, Err(&error_text(form, failure, self.letters(self.columns))), out);
            }
            _ => {}
        }
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let (id, _) = split_id(why.head());
        let failure = Failure::new(Code::BadArgument, why.to_string());
        Tagged { tag: Tag { id, form: Form::Plain as u16 }, request: Request::Unreadable(failure) }
    }
}

// ---------------------------------------------------------------------------------------------
// Writing

impl Gtp {
    /// The number of columns, or 8 where the letters have no gap whatever the number.
    fn letters(&self, columns: u8) -> u8 {
        if self.plain_letters { columns.min(8) } else { columns }
    }

    /// Keeps the number of columns; `done` is `None` when the command failed.
    fn notice(&mut self, form: Form, done: Option<&Done>) {
        if form.resizes() {
            self.resizing = self.resizing.saturating_sub(1);
        }
        if let Some(Done::State { state, .. }) = done {
            self.columns = state.position.columns;
        }
        if self.resizing == 0 {
            self.columns_ahead = self.columns;
        }
    }

    /// The lines of a reply, or the text of an error.
    fn reply(&self, form: Form, done: &Done, mut lines: Vec<String>) -> Result<Vec<String>, String> {
        let one = |text: String| Ok(vec![text]);
        match done {
            Done::Known(text) => Ok(text.lines().map(str::to_owned).collect()),
            Done::Name(text) | Done::Version(text) | Done::Pong(text) | Done::Record(text) => {
                one(text.clone())
            }
            Done::Values(values) => Ok(match values.as_slice() {
                [(_, value)] => vec![value.clone()],
                _ => values.iter().map(|(name, value)| format!("{name} {value}")).collect(),
            }),
            Done::State { state, .. } => self.state_reply(form, state),
            Done::Listed { n, side } => {
                if form == Form::RulesMoves {
                    // Empty means that the game is over; a pass that is due is a move.
                    let pass_is_due = *n == 0 && side.is_some();
                    return one(if pass_is_due { "pass".to_owned() } else { lines.join(" ") });
                }
                if lines.is_empty() && side.is_some() {
                    lines.push("pass".to_owned());
                }
                Ok(lines)
            }
            Done::Legal { at, flips } => {
                let mut names = vec![vertex_name(*at, self.letters(self.columns))];
                names.extend(flips.iter().map(|flip| vertex_name(*flip, self.letters(self.columns))));
                one(names.join(" "))
            }
            Done::Count(black, white) => one(format!("{black} {white}")),
            Done::Searched { stopped: true, .. } if lines.is_empty() => Err("interrupted".to_owned()),
            Done::Searched { exact, .. } => {
                if let Some(line) = lines.first_mut()
                    && *exact
                {
                    line.push_str(" exact");
                }
                Ok(lines)
            }
            // A game that is over is passed through, twice, until both sides have said so.
            Done::Generated(best) => {
                one(move_name(best.at.unwrap_or(MoveText::Pass), self.letters(self.columns)))
            }
            Done::Plain
            | Done::Hello { .. }
            | Done::Started { .. }
            | Done::Progress(_)
            | Done::Learned => Ok(Vec::new()),
        }
    }

    fn state_reply(&self, form: Form, state: &StateText) -> Result<Vec<String>, String> {
        let one = |text: String| Ok(vec![text]);
        match form {
            Form::BoardSize => one(lettering(state.position.columns, self.plain_letters)),
            Form::FinalScore => final_score(state).map(|text| vec![text]),
            Form::ShowBoard => Ok(drawn(state, self.letters(state.position.columns))),
            Form::RulesBoard => {
                // GoGui draws the highest row first and reads `.XO?` only.
                let mut rows: Vec<String> = rows(state, '.', 'X', 'O', '?').collect();
                rows.reverse();
                Ok(rows)
            }
            Form::RulesSize if state.position.columns == state.position.rows => {
                one(state.position.columns.to_string())
            }
            Form::RulesSize => one(format!("{} {}", state.position.columns, state.position.rows)),
            Form::RulesSide => one(colour_name(mover(state)).to_owned()),
            Form::RulesResult => one(result_prose(state)),
            Form::Variant | Form::NewVariant => one(state.variant.to_string()),
            Form::Position | Form::NewPosition => one(state.position.to_string()),
            Form::Score => one(score_line(state)),
            _ => Ok(Vec::new()),
        }
    }
}

/// The side to move; Black where nobody is, because GoGui wants a colour.
fn mover(state: &StateText) -> Side {
    match (state.next, state.position.mover) {
        (Some(side), _) | (None, Some(Mover::Side(side))) => side,
        _ => Side::Black,
    }
}

fn colour_name(side: Side) -> &'static str {
    match side {
        Side::Black => "black",
        Side::White => "white",
    }
}

// final-score = ("B" / "W") "+" (number / "R" / "T") / "0"
fn final_score(state: &StateText) -> Result<String, String> {
    let Some(ending) = &state.ending else {
        return Err("cannot score: the game is not over".to_owned());
    };
    let Some(winner) = ending.winner else {
        return if ending.reason == EndReason::Abandoned {
            Err("cannot score: the game was abandoned".to_owned())
        } else {
            Ok("0".to_owned())
        };
    };
    let letter = if winner == Side::Black { 'B' } else { 'W' };
    match (ending.margin, ending.reason) {
        (Some(margin), _) => Ok(format!("{letter}+{margin}")),
        (None, EndReason::Resign) => Ok(format!("{letter}+R")),
        (None, EndReason::Timeout) => Ok(format!("{letter}+T")),
        (None, _) => Err("cannot score: the game ended without a score".to_owned()),
    }
}

fn result_prose(state: &StateText) -> String {
    let Some(ending) = &state.ending else { return "the game is not over".to_owned() };
    let Some(winner) = ending.winner else { return "draw".to_owned() };
    let name = if winner == Side::Black { "Black" } else { "White" };
    match ending.margin {
        Some(margin) => format!("{name} wins by {margin}"),
        None => format!("{name} wins"),
    }
}

fn score_line(state: &StateText) -> String {
    let (black, white) = state.count;
    let mut line = format!("count={black}:{white}");
    if let Some(ending) = &state.ending {
        let official =
            ending.official.map_or("-".to_owned(), |(black, white)| format!("{black}:{white}"));
        let winner = ending.winner.map_or("none", colour_name);
        let margin = ending.margin.map_or("-".to_owned(), |margin| margin.to_string());
        line.push_str(&format!(" official={official} winner={winner} margin={margin}"));
    }
    line
}

fn rows(
    state: &StateText,
    empty: char,
    black: char,
    white: char,
    hole: char,
) -> impl Iterator<Item = String> {
    state.position.cells.chunks(usize::from(state.position.columns.max(1))).map(move |row| {
        row.iter()
            .map(|cell| match cell {
                Cell::Empty => empty,
                Cell::Black => black,
                Cell::White => white,
                Cell::Hole => hole,
            })
            .collect()
    })
}

/// Row 1 on top, as Othello diagrams and the other engines have it.
fn drawn(state: &StateText, letters: u8) -> Vec<String> {
    let columns = state.position.columns;
    let letters: Vec<String> =
        (0..columns).map(|column| column_letter(column, letters).to_string()).collect();
    // The first line stands behind "= ", which is as wide as a row number.
    let mut lines = vec![format!(" {}", letters.join(" "))];
    for (index, row) in rows(state, '.', 'X', 'O', '#').enumerate() {
        let cells: Vec<String> = row.chars().map(String::from).collect();
        lines.push(format!("{:>2} {}", index + 1, cells.join(" ")));
    }
    let next = match state.phase {
        Phase::Over => "game over".to_owned(),
        Phase::Place => format!("{} to place", colour_name(mover(state))),
        Phase::Play => format!("{} to move", colour_name(mover(state))),
    };
    let (black, white) = state.count;
    lines.push(format!("{next}, X (black) {black}, O (white) {white}"));
    lines
}

fn score(value: ValueText) -> String {
    let sign = if value.centidiscs < 0 { '-' } else { '+' };
    let (discs, rest) = (value.centidiscs.unsigned_abs() / 100, value.centidiscs.unsigned_abs() % 100);
    if rest == 0 { format!("{sign}{discs}") } else { format!("{sign}{discs}.{rest:02}") }
}

/// GTP's own words first, then what is wrong in particular.
fn error_text(form: Form, failure: &Failure, columns: u8) -> String {
    let standard = match (form, failure.code) {
        (_, Code::UnknownCommand) => "unknown command",
        (Form::BoardSize, _) => "unacceptable size",
        (Form::FinalScore, _) => "cannot score",
        (_, Code::NothingToUndo) => "cannot undo",
        (_, Code::BadArgument | Code::BadValue | Code::BadSquare) => "syntax error",
        (Form::Play, Code::Internal | Code::Busy | Code::Unsupported) => failure.code.word(),
        (Form::Play, _) => "illegal move",
        _ => failure.code.word(),
    };
    let mut text = standard.to_owned();
    if form == Form::Play && standard == "illegal move" {
        text.push_str(&format!(": {}", failure.code.word()));
    }
    if !failure.prose.is_empty() {
        text.push_str(&format!(": {}", failure.prose));
    }
    // Squares are named as GTP letters them, not as the refusal carries them.
    let square = failure.square.as_deref().map(|square| match read_point(square) {
        Some(at) if failure.code != Code::BadSquare => vertex_name(at, columns),
        _ => square.to_owned(),
    });
    if let Some(offending) = square.or_else(|| failure.text.clone())
        && !names(&failure.prose, &offending)
    {
        text.push_str(&format!(" ({offending})"));
    }
    text
}

// reply = ("=" / "?") [id] [SP text] LF LF        ; no empty line within the text
fn write_reply(tag: &Tag, reply: Result<&Vec<String>, &str>, out: &mut String) {
    let mark = if reply.is_ok() { '=' } else { '?' };
    let mut head = format!("{mark}{}", tag.id.as_deref().unwrap_or_default());
    let lines: Vec<String> = match reply {
        Ok(lines) => lines.clone(),
        Err(text) => vec![text.to_owned()],
    };
    let clean = |line: &String| -> String {
        line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let lines: Vec<String> = lines.iter().map(clean).filter(|line| !line.trim().is_empty()).collect();
    // GoGui takes what follows the first blank, so a text never begins on the second line.
    if !lines.is_empty() {
        head.push(' ');
    }
    out.push_str(&head);
    out.push_str(&lines.join("\n"));
    out.push_str("\n\n");
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// Most text of a reply that is kept, in bytes; what is longer is passed over.
const LONGEST_REPLY: usize = 1 << 20;

/// The commands that an engine without `list_commands` is asked about one by one.
const ASKED_FOR: &[&str] = &[
    "boardsize",
    "komi",
    "time_settings",
    "time_left",
    "set_game",
    "list_games",
    "gogui-interrupt",
    "grhino-setup_board",
    "outflank-variant",
    "outflank-position",
    "outflank-set",
];

/// The client's side. One command is sent at a time. Replies come in the order of the commands, so
/// those owed to what was given up are counted off; and where the engine echoes ids, they tell.
///
/// What engines differ in is found out on the way: whether they know `black` or only `b`, take
/// times with decimals, and want passes to be said.
#[derive(Debug, Default)]
pub struct GtpClient {
    identity: Identity,
    /// The commands the engine knows.
    known: Vec<String>,
    last_id: u64,
    /// The engine echoes ids.
    echoes: bool,
    /// Commands of the present order that are not yet sent.
    to_send: VecDeque<Command>,
    /// The command whose reply is awaited.
    asked: Option<Command>,
    /// Replies to commands that were given up and are still to come.
    owed: u32,
    /// The reply that is being read.
    reply: Option<Reply>,
    manner: Manner,
    /// Komi the engine was told last.
    komi: HalfDiscs,
    /// The depth it was told last.
    depth: Option<u32>,
    /// The time settings it was told in this game.
    settings: Option<Settings>,
}

/// How an engine wants things said.
#[derive(Debug, Default)]
struct Manner {
    /// Colours are single letters.
    letters: bool,
    /// A colour was accepted, so that their form is known.
    sure_of_letters: bool,
    /// It takes whole seconds only.
    whole_seconds: bool,
    /// It makes forced passes by itself, and refuses to be told.
    implies_passes: bool,
    /// Columns are lettered without a gap: it was told the game, as Quarry does.
    plain_columns: bool,
    /// Columns of the present board.
    columns: u8,
}

impl Manner {
    fn colour(&self, side: Side) -> &'static str {
        match (side, self.letters) {
            (Side::Black, false) => "black",
            (Side::White, false) => "white",
            (Side::Black, true) => "b",
            (Side::White, true) => "w",
        }
    }

    /// The number of columns as far as it matters for their letters.
    fn lettered(&self) -> u8 {
        if self.plain_columns { self.columns.min(8) } else { self.columns }
    }

    fn seconds(&self, milliseconds: u64) -> String {
        let (whole, rest) = (milliseconds / 1000, milliseconds % 1000);
        if self.whole_seconds || rest == 0 { whole.to_string() } else { format!("{whole}.{rest:03}") }
    }

    /// The time of a setting, where 0 means no limit.
    fn limit(&self, milliseconds: u64) -> String {
        match milliseconds {
            1..1000 if self.whole_seconds => "1".to_owned(),
            _ => self.seconds(milliseconds),
        }
    }
}

/// How time is given, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settings {
    /// Main time and increment.
    Clock { main_ms: u64, increment_ms: u64 },
    /// So much for each move.
    EachMove(u64),
}

/// A command, told again in another manner where the first one is refused.
#[derive(Clone, Debug, PartialEq)]
enum Command {
    /// Its refusal is of no account.
    ProtocolVersion,
    Name,
    Version,
    List,
    /// Whether the command of this name is known.
    Knows(&'static str),
    Games,
    SetGame(String),
    /// Any other, whose refusal ends the order.
    Plain(String),
    Play(Side, MoveText),
    Generate(Side),
    TimeSettings(Settings),
    TimeLeft(Side, u64, u32),
}

#[derive(Debug)]
struct Reply {
    done: bool,
    /// The id, once it is known that there may be one.
    id: Option<u64>,
    lines: Vec<String>,
    bytes: usize,
}

impl Reply {
    // head = ("=" / "?") *SP [id] *SP text      ; some set a blank before the id
    fn begin(line: &str) -> Option<Reply> {
        let mark = line.chars().next().filter(|mark| ['=', '?'].contains(mark))?;
        let text = line.get(1..).unwrap_or_default().to_owned();
        Some(Reply { done: mark == '=', id: None, bytes: text.len(), lines: vec![text] })
    }

    /// Takes the id off; where it is not sure that there is one, only the one that is due.
    fn split_id(&mut self, only: Option<u64>) {
        let Some(first) = self.lines.first_mut() else { return };
        let text = first.trim_start();
        let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = text.get(..text.len() - behind.len()).unwrap_or_default();
        if let Ok(id) = digits.parse::<u64>()
            && only.is_none_or(|only| only == id)
            && (behind.is_empty() || behind.starts_with(' '))
        {
            self.id = Some(id);
            *first = behind.to_owned();
        }
    }
}

impl GtpClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> GtpClient {
        GtpClient { manner: Manner { columns: 8, ..Manner::default() }, ..GtpClient::default() }
    }

    fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|known| known == name)
    }

    fn plain(&mut self, text: String) {
        self.to_send.push_back(Command::Plain(text));
    }

    fn text(&self, command: &Command) -> String {
        let manner = &self.manner;
        match command {
            Command::ProtocolVersion => "protocol_version".to_owned(),
            Command::Name => "name".to_owned(),
            Command::Version => "version".to_owned(),
            Command::List => "list_commands".to_owned(),
            Command::Knows(name) => format!("known_command {name}"),
            Command::Games => "list_games".to_owned(),
            Command::SetGame(game) => format!("set_game {game}"),
            Command::Plain(text) => text.clone(),
            Command::Play(side, at) => {
                format!("play {} {}", manner.colour(*side), move_name(*at, manner.lettered()))
            }
            Command::Generate(side) => format!("genmove {}", manner.colour(*side)),
            Command::TimeSettings(Settings::Clock { main_ms, increment_ms }) => {
                format!("time_settings {} {} 0", manner.limit(*main_ms), manner.seconds(*increment_ms))
            }
            Command::TimeSettings(Settings::EachMove(ms)) => {
                format!("time_settings 0 {} 1", manner.limit(*ms))
            }
            Command::TimeLeft(side, ms, stones) => {
                format!("time_left {} {} {stones}", manner.colour(*side), manner.seconds(*ms))
            }
        }
    }

    /// Sends the next command of the order, if there is one.
    fn send(&mut self, out: &mut String) -> Next {
        let Some(command) = self.to_send.pop_front() else { return Next::Done };
        self.last_id += 1;
        // The name is asked for with an id: what comes back tells whether ids are echoed.
        if self.echoes || command == Command::Name {
            out.push_str(&format!("{} ", self.last_id));
        }
        out.push_str(&self.text(&command));
        out.push('\n');
        self.asked = Some(command);
        Next::Wait
    }

    fn new_game(&mut self, game: &Situation) -> Result<(), Unsayable> {
        self.settings = None;
        if self.knows("outflank-variant") && (game.usual_start || self.knows("outflank-position")) {
            if game.usual_start {
                self.plain(format!("outflank-variant {}", game.variant));
            } else {
                // Size and holes come with the position; some sizes have no start of their own.
                let mods = game.variant.mods.iter().filter(|modifier| modifier.is_rule()).cloned();
                let base = BaseText::Name("othello".to_owned());
                self.plain(format!("outflank-variant {}", VariantText { base, mods: mods.collect() }));
                self.plain(format!("outflank-position {}", game.start));
            }
            self.komi = game.rules.komi;
        } else {
            self.plain_game(game)?;
        }
        self.manner.columns = game.start.columns;
        for (side, at) in &game.moves {
            if *at != MoveText::Pass || !self.manner.implies_passes {
                self.to_send.push_back(Command::Play(*side, *at));
            }
        }
        Ok(())
    }

    /// A game in the words that every engine has.
    fn plain_game(&mut self, game: &Situation) -> Result<(), Unsayable> {
        let (rules, start) = (game.rules, &game.start);
        let variant = |why| Unsayable::new("gtp", Topic::Variant, &game.variant, why);
        let of_othello = RulesText { komi: rules.komi, ..RulesText::default() };
        let holes = start.cells.contains(&Cell::Hole);
        if rules != of_othello || start.placements > 0 || start.hand.is_some() {
            return Err(variant("the engine knows the rules of Othello only"));
        }
        if holes || start.columns != start.rows {
            return Err(variant("the engine knows full square boards only"));
        }
        if rules.komi != self.komi && !self.knows("komi") {
            return Err(variant("the engine does not know `komi`"));
        }
        let board = if start.is_cross() { None } else { Some(self.set_up(start)?) };
        if self.knows("boardsize") {
            self.plain(format!("boardsize {}", start.columns));
        } else if start.columns != 8 {
            return Err(variant("the engine does not know `boardsize`"));
        }
        self.plain("clear_board".to_owned());
        if rules.komi != self.komi {
            self.plain(format!("komi {}", rules.komi));
            self.komi = rules.komi;
        }
        self.to_send.extend(board.map(Command::Plain));
        Ok(())
    }

    /// A board that is not the start of Othello.
    fn set_up(&self, start: &BoardText) -> Result<String, Unsayable> {
        let unsayable = |why| Unsayable::new("gtp", Topic::Position, start, why);
        if !self.knows("grhino-setup_board") || start.columns != 8 {
            return Err(unsayable("the engine can be led to a position by moves only"));
        }
        let Some(Mover::Side(side)) = start.mover else {
            return Err(unsayable("a position without a side to move is over"));
        };
        let cells: String = start
            .cells
            .iter()
            .map(|cell| match cell {
                Cell::Black => 'X',
                Cell::White => 'O',
                Cell::Empty | Cell::Hole => '-',
            })
            .collect();
        Ok(format!("grhino-setup_board {cells} {}", colour_name(side)))
    }

    fn prepare(&mut self, limits: &Limits) {
        let settings = match (limits.clock, limits.movetime_ms) {
            (Some(clock), _) => {
                Some(Settings::Clock { main_ms: clock.own_ms, increment_ms: clock.increment_ms })
            }
            (None, Some(ms)) => Some(Settings::EachMove(ms)),
            (None, None) => None,
        };
        // Both clocks begin alike: the main time is told once, and what is left of it each time.
        let told = match (self.settings, settings) {
            (
                Some(Settings::Clock { increment_ms: before, .. }),
                Some(Settings::Clock { increment_ms, .. }),
            ) => before == increment_ms,
            (before, now) => before == now,
        };
        if let Some(settings) = settings.filter(|_| !told && self.knows("time_settings")) {
            self.to_send.push_back(Command::TimeSettings(settings));
            self.settings = Some(settings);
        }
        if self.knows("time_left") {
            if let Some(clock) = limits.clock {
                self.to_send.push_back(Command::TimeLeft(limits.side, clock.own_ms, 0));
                self.to_send.push_back(Command::TimeLeft(limits.side.other(), clock.other_ms, 0));
            } else if let Some(ms) = limits.movetime_ms {
                self.to_send.push_back(Command::TimeLeft(limits.side, ms, 1));
            }
        }
        if let Some(depth) = limits.depth
            && self.knows("outflank-set")
            && self.depth != Some(depth)
        {
            self.plain(format!("outflank-set depth {depth}"));
            self.depth = Some(depth);
        }
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), Unsayable> {
        let is_line = !format!("{name}{value}").contains(|c: char| c.is_control() || c == '#');
        if is_line && self.knows("outflank-set") {
            self.plain(format!("outflank-set {name} {value}"));
        } else if is_line && self.knows(name) {
            self.plain(format!("{name} {value}"));
        } else {
            let why = "the engine lists no command of this name";
            return Err(Unsayable::new("gtp", Topic::Option, format!("{name}={value}"), why));
        }
        Ok(())
    }

    /// A reply is complete.
    fn replied(&mut self, mut reply: Reply, out: &mut String) -> Heard {
        if self.echoes || self.asked == Some(Command::Name) {
            reply.split_id((!self.echoes).then_some(self.last_id));
        }
        let late = reply.id.is_some_and(|id| id != self.last_id);
        if late || reply.id.is_none() && self.owed > 0 {
            self.owed = self.owed.saturating_sub(1);
            return Heard::Nothing;
        }
        let Some(command) = self.asked.take() else {
            let owed = self.owed > 0;
            self.owed = self.owed.saturating_sub(1);
            return if owed { Heard::Nothing } else { Heard::Stray };
        };
        let heard = if reply.done { self.granted(command, reply) } else { self.denied(command, reply) };
        match heard {
            Some(Heard::Refused { asked, answer }) => {
                self.to_send.clear();
                Heard::Refused { asked, answer }
            }
            Some(heard) => heard,
            None => match self.send(out) {
                Next::Done => Heard::Done,
                Next::Wait => Heard::Nothing,
            },
        }
    }

    /// What the success of a command means; `None` when the order goes on.
    fn granted(&mut self, command: Command, reply: Reply) -> Option<Heard> {
        let text = reply.lines.iter().map(|line| line.trim()).find(|line| !line.is_empty());
        let text = text.unwrap_or_default();
        match command {
            Command::Name => {
                self.echoes = reply.id == Some(self.last_id);
                self.identity.name = Some(clip(text)).filter(|name| !name.is_empty());
            }
            Command::Version => {
                self.identity.version = Some(clip(text)).filter(|version| !version.is_empty());
            }
            Command::List => {
                let names = reply.lines.iter().flat_map(|line| line.split_whitespace());
                self.known = names.map(str::to_owned).collect();
                self.ask_for_games();
            }
            Command::Knows(name) => {
                if text.eq_ignore_ascii_case("true") {
                    self.known.push(name.to_owned());
                }
                if self.to_send.is_empty() {
                    self.ask_for_games();
                }
            }
            Command::Games => {
                let games = reply.lines.iter().flat_map(|line| line.split([' ', ',', '\t']));
                let game = games.into_iter().find(|game| {
                    ["othello", "reversi"].contains(&game.trim().to_ascii_lowercase().as_str())
                });
                if let Some(game) = game {
                    self.to_send.push_back(Command::SetGame(game.trim().to_owned()));
                }
            }
            Command::SetGame(_) => self.manner.plain_columns = true,
            Command::Play(..) => self.manner.sure_of_letters = true,
            Command::Generate(_) => {
                self.manner.sure_of_letters = true;
                return Some(self.generated(text));
            }
            Command::ProtocolVersion
            | Command::Plain(_)
            | Command::TimeSettings(_)
            | Command::TimeLeft(..) => {}
        }
        None
    }

    /// What the refusal of a command means; `None` when the order goes on.
    fn denied(&mut self, command: Command, reply: Reply) -> Option<Heard> {
        match command {
            // The name may have been refused because of its id.
            Command::ProtocolVersion | Command::Name | Command::Version | Command::Games => return None,
            Command::List => {
                self.to_send.extend(ASKED_FOR.iter().map(|name| Command::Knows(name)));
                return None;
            }
            Command::Knows(_) => {
                if self.to_send.is_empty() {
                    self.ask_for_games();
                }
                return None;
            }
            Command::Play(..) | Command::Generate(_) => {
                // It may want colours named the other way; if it does not, nothing is learned.
                if !self.manner.sure_of_letters {
                    self.manner.letters = !self.manner.letters;
                    if self.manner.letters {
                        self.to_send.push_front(command);
                        return None;
                    }
                }
                if let Command::Play(_, MoveText::Pass) = command {
                    self.manner.implies_passes = true;
                    return None;
                }
            }
            // What the engine cannot be told about time it plays without.
            Command::TimeSettings(_) | Command::TimeLeft(..) => {
                if self.text(&command).contains('.') {
                    self.manner.whole_seconds = true;
                    self.to_send.push_front(command);
                }
                return None;
            }
            Command::SetGame(_) | Command::Plain(_) => {}
        }
        let answer = clip(reply.lines.join(" ").trim());
        Some(Heard::Refused { asked: self.text(&command), answer })
    }

    fn ask_for_games(&mut self) {
        if self.knows("set_game") {
            let named = if self.knows("list_games") {
                Command::Games
            } else {
                Command::SetGame("Othello".to_owned())
            };
            self.to_send.push_back(named);
        }
    }

    // genmove = vertex / "pass" / "resign"      ; any case
    fn generated(&self, text: &str) -> Heard {
        let word = text.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("resign") {
            return Heard::Chosen(Box::new(ChosenText::bare(ChoiceText::Resign)));
        }
        match vertex(word, self.manner.lettered()) {
            MoveWord::Move(at) => {
                let bare = ChosenText::bare(ChoiceText::Move(at));
                Heard::Chosen(Box::new(ChosenText { pv: vec![at], ..bare }))
            }
            MoveWord::Unreadable(_) => {
                Heard::Garbled { line: clip(&format!("= {text}")), why: Garble::NotAMove }
            }
        }
    }
}

impl Client for GtpClient {
    fn name(&self) -> &'static str {
        "gtp"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        self.to_send.clear();
        match *order {
            Order::Hello => {
                let hello = [Command::ProtocolVersion, Command::Name, Command::Version, Command::List];
                self.to_send.extend(hello);
            }
            Order::Set { name, value } => self.option(name, value)?,
            Order::NewGame(game) => {
                if let Err(unsayable) = self.new_game(game) {
                    self.to_send.clear();
                    return Err(unsayable);
                }
            }
            // The engine has played its own move when it answered.
            Order::Played { own: true, .. } => {}
            Order::Played { at: MoveText::Pass, .. } if self.manner.implies_passes => {}
            Order::Played { side, at, .. } => self.to_send.push_back(Command::Play(side, at)),
            Order::Prepare(limits) => self.prepare(limits),
            Order::Choose(limits) => self.to_send.push_back(Command::Generate(limits.side)),
            Order::Board(_) | Order::GameOver => {}
            Order::Quit => {
                out.push_str("quit\n");
                return Ok(Next::Done);
            }
        }
        Ok(self.send(out))
    }

    /// ```abnf
    /// reply = ("=" / "?") [id] [SP text] LF *(text LF) LF
    /// ```
    fn hear(&mut self, line: &str, out: &mut String) -> Heard {
        let clean: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
        let Some(mut reply) = self.reply.take() else {
            return match Reply::begin(&clean) {
                Some(reply) => {
                    self.reply = Some(reply);
                    Heard::Nothing
                }
                None if clean.trim().is_empty() => Heard::Nothing,
                None => Heard::Stray,
            };
        };
        if !clean.trim().is_empty() {
            reply.bytes += clean.len();
            if reply.bytes <= LONGEST_REPLY {
                reply.lines.push(clean);
            }
            self.reply = Some(reply);
            return Heard::Nothing;
        }
        self.replied(reply, out)
    }

    fn give_up(&mut self, out: &mut String) {
        self.to_send.clear();
        if let Some(Command::Generate(_)) = self.asked
            && self.knows("gogui-interrupt")
        {
            out.push_str("# interrupt\n");
        }
        self.owed += u32::from(self.asked.take().is_some());
    }

    fn heeds(&self, limit: Limit) -> bool {
        match limit {
            Limit::Clock | Limit::MoveTime => self.knows("time_settings") || self.knows("time_left"),
            Limit::Depth => self.knows("outflank-set"),
            Limit::Nodes => false,
        }
    }

    fn has_words_for(&self, limit: Limit) -> bool {
        limit != Limit::Nodes
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::{BestText, EndingText};

    fn state(token: &str) -> Done {
        let position = read_token(token).unwrap();
        let next = match position.mover {
            Some(Mover::Side(side)) => Some(side),
            _ => None,
        };
        let state = StateText {
            variant: read_variant("othello").unwrap(),
            seed: None,
            squares: 64,
            phase: Phase::Play,
            next,
            count: (2, 2),
            legal: Vec::new(),
            last: None,
            items: 0,
            ending: None,
            position,
        };
        Done::State { state: Box::new(state), reading: None }
    }

    /// Reads a line and renders these events for it.
    fn talk(dialect: &mut Gtp, line: &str, events: &[Event]) -> String {
        let tagged = dialect.read(line);
        let mut out = String::new();
        for event in events {
            dialect.render(&tagged.tag, event, &mut out);
        }
        out
    }

    fn at(text: &str) -> MoveText {
        match move_word(text) {
            MoveWord::Move(at) => at,
            MoveWord::Unreadable(text) => panic!("{text}"),
        }
    }

    const START: &str = "8/8/8/3ox3/3xo3/8/8/8,x";

    #[test]
    fn ids_are_echoed_for_their_own_command_only() {
        let mut gtp = Gtp::new();
        assert_eq!(talk(&mut gtp, "12 quit", &[Event::Done(Done::Plain)]), "=12\n\n");
        assert_eq!(talk(&mut gtp, "quit", &[Event::Done(Done::Plain)]), "=\n\n");
        assert_eq!(talk(&mut gtp, "007 name", &[Event::Done(Done::Name("x".into()))]), "=007 x\n\n");
        let failure = Failure::new(Code::UnknownCommand, "");
        assert_eq!(talk(&mut gtp, "3 foo", &[Event::Failed(failure)]), "?3 unknown command\n\n");
    }

    #[test]
    fn lines_are_cleaned_before_they_are_read() {
        let mut gtp = Gtp::new();
        let play = |text: &str| Request::Play {
            side: Some(Side::Black),
            moves: vec![MoveWord::Move(at(text))],
            seconds: None,
        };
        for line in ["play b d3", "  1\tplay\tB  D3 # why", "play BLACK\u{7} d3\r"] {
            assert_eq!(gtp.read(line).request, play("d3"), "{line}");
        }
        assert_eq!(gtp.read("play b PASS").request, play("pass"));
        for line in ["", "   ", "# comment", "\r"] {
            let tagged = gtp.read(line);
            assert_eq!(tagged.request, Request::Nothing);
            assert_eq!(gtp.urgency(&tagged), Urgency::Queued);
        }
        let tagged = gtp.read("# interrupt");
        assert_eq!(
            (tagged.request.clone(), gtp.urgency(&tagged)),
            (Request::Nothing, Urgency::StopsSearch)
        );
    }

    #[test]
    fn a_limit_in_whole_seconds_is_never_none() {
        let whole = Manner { whole_seconds: true, ..Manner::default() };
        let told = [0, 400, 1000, 1600].map(|ms| whole.limit(ms));
        assert_eq!(told, ["0", "1", "1", "1"]);
        assert_eq!(Manner::default().limit(400), "0.400");
    }

    #[test]
    fn a_refusal_names_the_text_it_is_about() {
        let mut gtp = Gtp::new();
        let mut refusal = |line: &str| {
            let tagged = gtp.read(line);
            let Request::Unreadable(failure) = tagged.request else { panic!("{line}") };
            let mut out = String::new();
            gtp.render(&tagged.tag, &Event::Failed(failure), &mut out);
            out
        };
        for (line, told) in [
            ("time_settings a b c", "the main time is a number (a)"),
            ("time_settings 60 -5 1", "times are not negative (-5)"),
            ("time_left b is", "the time is a number (is)"),
            ("boardsize number", "the size is a whole number, or columns and rows (number)"),
        ] {
            assert_eq!(refusal(line), format!("? syntax error: {told}\n\n"), "{line}");
        }
    }

    #[test]
    fn the_letter_i_is_left_out_on_wide_boards() {
        for columns in 4..=MAX_SIDE {
            for column in 0..columns {
                let at = Point { column, row: 3 };
                let name = vertex_name(at, columns);
                assert_eq!(
                    vertex(&name, columns),
                    MoveWord::Move(MoveText::At(at)),
                    "{name} of {columns}"
                );
                assert!(columns <= 8 || !name.starts_with('I'));
            }
        }
        assert_eq!(vertex("i4", 10), MoveWord::Unreadable("i4".into()));
        assert_eq!(vertex_name(Point { column: 9, row: 9 }, 10), "K10");
        assert_eq!(vertex_name(Point { column: 15, row: 15 }, 16), "Q16");
    }

    #[test]
    fn the_size_counts_from_the_line_that_sets_it() {
        let mut gtp = Gtp::new();
        let resize = gtp.read("boardsize 10");
        // Sent in one burst, before the reply.
        let play = Request::Play {
            side: Some(Side::Black),
            moves: vec![MoveWord::Move(at("j5"))],
            seconds: None,
        };
        assert_eq!(gtp.read("play b k5").request, play);
        let mut out = String::new();
        let wide = "10/10/10/10/4ox4/4xo4/10/10/10/10,x";
        gtp.render(&resize.tag, &Event::Done(state(wide)), &mut out);
        assert_eq!(out, "= columns are lettered a-h j k\n\n");
        let refused = gtp.read("boardsize 3");
        assert_eq!(gtp.columns_ahead, 10);
        out.clear();
        gtp.render(&refused.tag, &Event::Failed(Failure::new(Code::BadSize, "from 4 to 16")), &mut out);
        assert_eq!(out, "? unacceptable size: from 4 to 16\n\n");
        assert_eq!(gtp.read("play b k5").request, play);
        assert_eq!(talk(&mut gtp, "boardsize 8", &[Event::Done(state(START))]), "=\n\n");
        for text in ["+8", "08", "8.0", "-8", "4294967296"] {
            let request = gtp.read(&format!("boardsize {text}")).request;
            assert!(matches!(request, Request::Unreadable(_)), "{text}: {request:?}");
        }
    }

    #[test]
    fn a_named_board_has_the_letters_of_a_wide_one_until_its_reply() {
        let word = |gtp: &mut Gtp, line: &str| match gtp.read(line).request {
            Request::Play { moves, .. } => moves[0].clone(),
            request => panic!("{line}: {request:?}"),
        };
        let mut gtp = Gtp::new();
        let named = gtp.read("outflank-variant oct");
        assert_eq!(word(&mut gtp, "play b k5"), MoveWord::Move(at("j5")));
        assert_eq!(word(&mut gtp, "play b h8"), MoveWord::Move(at("h8")));
        let mut out = String::new();
        gtp.render(&named.tag, &Event::Done(state("10/10/10/10/4ox4/4xo4/10/10/10/10,x")), &mut out);
        assert_eq!(word(&mut gtp, "play b k5"), MoveWord::Move(at("j5")));
        // On a narrow board no letter from i on becomes one of its squares.
        let named = gtp.read("outflank-variant othello");
        for letter in 'i'..='z' {
            let word = word(&mut gtp, &format!("play b {letter}5"));
            assert!(!matches!(word, MoveWord::Move(MoveText::At(at)) if at.column < 8), "{letter}");
        }
        gtp.render(&named.tag, &Event::Done(state(START)), &mut out);
        assert_eq!(word(&mut gtp, "play b k5"), MoveWord::Move(at("k5")));
    }

    #[test]
    fn moves_are_generated_in_upper_case() {
        let mut gtp = Gtp::new();
        let best = |at| BestText {
            search: 1,
            at,
            value: None,
            ponder: None,
            nodes: 0,
            time_ms: 0,
            failed: false,
        };
        let reply =
            |gtp: &mut Gtp, at| talk(gtp, "genmove b", &[Event::Done(Done::Generated(best(at)))]);
        assert_eq!(reply(&mut gtp, Some(at("f5"))), "= F5\n\n");
        assert_eq!(reply(&mut gtp, Some(MoveText::Pass)), "= pass\n\n");
        assert_eq!(reply(&mut gtp, None), "= pass\n\n");
    }

    #[test]
    fn refused_moves_say_why() {
        let mut gtp = Gtp::new();
        let mut failure = Failure::new(Code::NoFlip, "nothing would be turned");
        failure.square = Some("a1".into());
        assert_eq!(
            talk(&mut gtp, "play b a1", &[Event::Failed(failure)]),
            "? illegal move: no_flip: nothing would be turned (A1)\n\n"
        );
        let undo = Failure::new(Code::NothingToUndo, "");
        assert_eq!(talk(&mut gtp, "undo", &[Event::Failed(undo)]), "? cannot undo\n\n");
        for line in
            ["play b", "play x d3", "genmove", "komi x", "boardsize", "time_left b", "undo-", "12"]
        {
            let Request::Unreadable(failure) = gtp.read(line).request else { panic!("{line}") };
            let text = error_text(Form::Plain, &failure, 8);
            assert!(text.starts_with("syntax error") || text.starts_with("unknown command"), "{text}");
        }
    }

    #[test]
    fn the_ruler_commands_answer_as_gogui_wants() {
        let mut gtp = Gtp::new();
        let board = talk(&mut gtp, "gogui-rules_board", &[Event::Done(state("4/1ox1/1xo1/3_,x"))]);
        assert_eq!(board, "= ...?\n.XO.\n.OX.\n....\n\n");
        gtp.columns = 8;
        let legal = |text: &str| match at(text) {
            MoveText::At(at) => Event::Legal { at, flips: vec![at] },
            MoveText::Pass => panic!(),
        };
        let listed = |n, side| Event::Done(Done::Listed { n, side });
        let mut moves = |events: &[Event]| talk(&mut gtp, "gogui-rules_legal_moves", events);
        assert_eq!(moves(&[legal("d3"), legal("c4"), listed(2, Some(Side::Black))]), "= D3 C4\n\n");
        assert_eq!(moves(&[listed(0, Some(Side::White))]), "= pass\n\n");
        assert_eq!(moves(&[listed(0, None)]), "=\n\n");
        assert_eq!(
            talk(&mut gtp, "gogui-rules_game_id", &[Event::Done(Done::Known("Othello".into()))]),
            "= Othello\n\n"
        );
        assert_eq!(talk(&mut gtp, "gogui-rules_board_size", &[Event::Done(state(START))]), "= 8\n\n");
        assert_eq!(
            talk(&mut gtp, "gogui-rules_side_to_move", &[Event::Done(state(START))]),
            "= black\n\n"
        );
    }

    #[test]
    fn a_drawn_board_begins_behind_the_mark_and_has_no_empty_line() {
        let drawn = talk(&mut Gtp::new(), "showboard", &[Event::Done(state("4/1ox1/1xo1/3_,o"))]);
        assert_eq!(
            drawn,
            "=  A B C D\n 1 . . . .\n 2 . O X .\n 3 . X O .\n 4 . . . #\nwhite to move, X (black) 2, O (white) 2\n\n"
        );
    }

    #[test]
    fn scores_are_told_as_go_programs_do() {
        let score = |ending: Option<EndingText>| {
            let Done::State { mut state, reading } = state(START) else { unreachable!() };
            state.ending = ending;
            talk(&mut Gtp::new(), "final_score", &[Event::Done(Done::State { state, reading })])
        };
        let ending = |reason, winner, margin: Option<i32>| {
            Some(EndingText { reason, winner, official: None, margin: margin.map(HalfDiscs) })
        };
        assert_eq!(score(ending(EndReason::Score, Some(Side::Black), Some(8))), "= B+4\n\n");
        assert_eq!(score(ending(EndReason::Score, Some(Side::White), Some(7))), "= W+3.5\n\n");
        assert_eq!(score(ending(EndReason::Tie, None, Some(0))), "= 0\n\n");
        assert_eq!(score(ending(EndReason::Resign, Some(Side::White), None)), "= W+R\n\n");
        assert_eq!(score(None), "? cannot score: the game is not over\n\n");
    }

    #[test]
    fn every_listed_command_is_read() {
        let mut gtp = Gtp::new();
        for name in COMMANDS {
            let request = gtp.read(name).request;
            let unknown =
                matches!(&request, Request::Unreadable(failure) if failure.code == Code::UnknownCommand);
            assert!(!unknown, "{name}");
        }
        assert_eq!(gtp.read("known_command").request, Request::Known("false".into()));
        assert_eq!(gtp.read("known_command genmove").request, Request::Known("true".into()));
        assert_eq!(gtp.read("komi 0.0").request, Request::Set(vec![("komi".into(), "0".into())]));
        assert_eq!(gtp.read("komi -6.50").request, Request::Set(vec![("komi".into(), "-6.5".into())]));
        assert_eq!(
            gtp.read("time_settings 60.0 10 1").request,
            Request::TimeSettings { main: 60.0, overtime: 10.0, moves: 1 }
        );
    }
}
