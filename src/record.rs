//! Where text meets rules: protocol words into squares, variants, positions and games, and back.
//!
//! Knows the vocabulary of `protocol` and the types of `rules`, and nothing of search, of
//! dialects or of files. Every conversion that can fail says which word was wrong and why.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

use std::fmt;

use outflank_protocol::message::{
    Code, EndReason as EndReasonText, EndingText, Failure, LogText, PassReason as PassText,
    Phase as PhaseText, ShowStyle, StateText,
};
use outflank_protocol::words::{
    BaseText, BoardText, Cell, GameText, HalfDiscs as HalfText, ModText, MoveText, MoveWord, Mover,
    OutcomeText, PlaceText, PlayedText, Point, Side as SideText, StartText, VariantText, WhyText,
};

use crate::rules::{
    Act, BySide, EndReason, Ending, Forfeit, Game, HalfDiscs, Handicap, Holes, Move, PassReason, Phase,
    Place, Refusal, Refused, Rules, Scoring, Setup, SetupError, Side, Square, SquareSet, Start, State,
    Stop, Stuck, Variant, VariantError, VariantSpec, by_name, count,
};

/// Why words could not become a position, a variant or a game.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordError {
    /// The variant cannot be.
    Variant(VariantError),
    /// A size that is out of reach.
    Size {
        /// Columns asked for.
        columns: u32,
        /// Rows asked for.
        rows: u32,
    },
    /// A modifier stands twice, or a name is not in the table of variants.
    VariantWord {
        /// The offending word.
        word: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The position cannot be.
    Setup(SetupError),
    /// An item of the move list cannot be played.
    Item(ItemError),
    /// The position has another size than the variant it stands with.
    OtherSize {
        /// Columns and rows of the variant.
        variant: (u8, u8),
        /// Columns and rows of the position.
        position: (u8, u8),
    },
    /// The record contradicts itself.
    Mismatch {
        /// What the record claims.
        claimed: String,
        /// What the moves lead to.
        found: String,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Variant(error) => error.fmt(f),
            RecordError::Size { columns, rows } => {
                write!(f, "{columns}x{rows} is not a size; sides go from 4 to 16")
            }
            RecordError::VariantWord { word, why } => write!(f, "'{word}': {why}"),
            RecordError::Setup(error) => error.fmt(f),
            RecordError::Item(error) => error.fmt(f),
            RecordError::OtherSize { variant, position } => write!(
                f,
                "the position is {}x{}, the variant {}x{}",
                position.0, position.1, variant.0, variant.1
            ),
            RecordError::Mismatch { claimed, found } => {
                write!(f, "the record claims {claimed}, its moves lead to {found}")
            }
        }
    }
}

impl std::error::Error for RecordError {}

impl From<VariantError> for RecordError {
    fn from(error: VariantError) -> Self {
        RecordError::Variant(error)
    }
}

impl From<SetupError> for RecordError {
    fn from(error: SetupError) -> Self {
        RecordError::Setup(error)
    }
}

impl From<ItemError> for RecordError {
    fn from(error: ItemError) -> Self {
        RecordError::Item(error)
    }
}

impl RecordError {
    /// The refusal that a protocol answers with.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let code = match self {
            RecordError::Variant(error) | RecordError::Setup(SetupError::Variant(error)) => {
                match error {
                    VariantError::BadSize { .. } | VariantError::OddSides { .. } => Code::BadSize,
                    VariantError::BadHoles(_) => Code::BadHoles,
                    VariantError::BadVariant(_) => Code::BadVariant,
                }
            }
            RecordError::Size { .. } => Code::BadSize,
            RecordError::VariantWord { .. } => Code::BadVariant,
            RecordError::Setup(_) | RecordError::OtherSize { .. } => Code::BadPosition,
            RecordError::Item(error) => return error.failure(),
            RecordError::Mismatch { .. } => Code::LogMismatch,
        };
        Failure { text: self.text(), ..Failure::new(code, self.to_string()) }
    }

    /// The offending word, where it is one of a variant.
    fn text(&self) -> Option<String> {
        match self {
            RecordError::VariantWord { word, .. } => Some(clip(word)),
            RecordError::Variant(
                VariantError::BadSize { columns, rows } | VariantError::OddSides { columns, rows },
            ) => Some(format!("{columns}x{rows}")),
            RecordError::Size { columns, rows } => Some(format!("{columns}x{rows}")),
            _ => None,
        }
    }
}

/// An item of a move list that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemError {
    /// Place in the list, counted from 1, written passes counted.
    pub item: u32,
    /// The item as written.
    pub text: String,
    /// Why it was refused; `None` when it is no square at all.
    pub refused: Option<Refused>,
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {} '{}': ", self.item, clip(&self.text))?;
        match &self.refused {
            Some(refused) => refused.fmt(f),
            None => f.write_str("not a square"),
        }
    }
}

impl std::error::Error for ItemError {}

impl ItemError {
    /// The refusal that a protocol answers with.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let mut failure = match &self.refused {
            Some(refused) => refusal(refused, Some(&self.text)),
            None => Failure { legal: None, ..not_a_square(&self.text, SquareSet::EMPTY) },
        };
        failure.item = Some(self.item);
        failure.text = Some(clip(&self.text));
        failure
    }
}

/// Text of a stranger, short enough to be repeated in an error.
#[must_use]
pub fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain("...".chars()).collect()
    }
}

/// The square a point names; every point that can be read is a square of some board.
#[must_use]
pub fn square(point: Point) -> Option<Square> {
    Square::new(point.column, point.row)
}

/// The point a square is written as.
#[must_use]
pub fn point(square: Square) -> Point {
    Point { column: square.column(), row: square.row() }
}

/// Squares in the order a1, b1, ... as points.
#[must_use]
pub fn points(set: SquareSet) -> Vec<Point> {
    set.iter().map(point).collect()
}

/// The side of the rules that a word names.
#[must_use]
pub fn side(text: SideText) -> Side {
    match text {
        SideText::Black => Side::Black,
        SideText::White => Side::White,
    }
}

/// The word for a side.
#[must_use]
pub fn side_text(side: Side) -> SideText {
    match side {
        Side::Black => SideText::Black,
        Side::White => SideText::White,
    }
}

fn half(text: HalfText) -> HalfDiscs {
    HalfDiscs(text.0)
}

/// Halves of a disc, in words.
#[must_use]
pub fn half_text(half: HalfDiscs) -> HalfText {
    HalfText(half.0)
}

fn set(points: &[Point]) -> SquareSet {
    points.iter().filter_map(|&p| square(p)).collect()
}

// ---------------------------------------------------------------------------------------------
// Variants

/// The resolved variant of a written token.
///
/// # Errors
/// Names outside the table, sizes outside 4 to 16, holes and discs that cannot be.
pub fn variant(text: &VariantText) -> Result<Variant, RecordError> {
    Ok(Variant::new(variant_spec(text)?)?)
}

/// The full board of this size with the cross start.
///
/// # Errors
/// [`RecordError::Size`].
pub fn size_spec(columns: u32, rows: u32) -> Result<VariantSpec, RecordError> {
    match (u8::try_from(columns), u8::try_from(rows)) {
        (Ok(columns), Ok(rows)) => Ok(VariantSpec::sized(columns, rows)),
        _ => Err(RecordError::Size { columns, rows }),
    }
}

/// What a written token asks for, before seeds are drawn and squares are checked.
///
/// # Errors
/// Names outside the table and modifiers that stand twice.
pub fn variant_spec(text: &VariantText) -> Result<VariantSpec, RecordError> {
    let mut spec = match &text.base {
        BaseText::Name(name) => by_name(name).ok_or_else(|| RecordError::VariantWord {
            word: clip(name),
            why: "no such variant; `variants` lists them, WxH gives a size",
        })?,
        BaseText::Size { columns, rows } => size_spec(*columns, *rows)?,
    };
    let mut seen = Vec::new();
    for modifier in &text.mods {
        let kind = mod_kind(modifier);
        if seen.contains(&kind) {
            return Err(RecordError::VariantWord { word: kind.to_owned(), why: "given twice" });
        }
        seen.push(kind);
        apply_mod(&mut spec, modifier);
    }
    Ok(spec)
}

fn mod_kind(modifier: &ModText) -> &'static str {
    match modifier {
        ModText::Start(_) => "start",
        ModText::Place(_) => "place",
        ModText::Hand(_) => "hand",
        ModText::StuckEnds(_) => "stuck",
        ModText::Cut(_) => "cut",
        ModText::Holes(_) | ModText::HolesDrawn { .. } => "hole",
        ModText::Handicap(_) | ModText::HandicapAt(_) => "hc",
        ModText::First(_) => "first",
        ModText::Anti => "anti",
        ModText::Komi(_) => "komi",
        ModText::ScoreDiscs(_) => "score",
    }
}

fn apply_mod(spec: &mut VariantSpec, modifier: &ModText) {
    match modifier {
        ModText::Start(start) => {
            spec.start = match *start {
                StartText::Cross => Start::Cross,
                StartText::Mirror => Start::Mirror,
                StartText::Parallel(form) => Start::Parallel(form),
                StartText::Free => Start::Free,
                StartText::None => Start::None,
                StartText::Random { discs, seed } => Start::Random { discs, seed },
            }
        }
        ModText::Place(place) => {
            spec.rules.place = match place {
                PlaceText::Plain => Place::Plain,
                PlaceText::May => Place::May,
                PlaceText::Must => Place::Must,
            }
        }
        ModText::Hand(discs) => spec.rules.hand = Some(u16::try_from(*discs).unwrap_or(u16::MAX)),
        ModText::StuckEnds(ends) => spec.rules.stuck = if *ends { Stuck::End } else { Stuck::Pass },
        ModText::Cut(cut) => spec.cut = *cut,
        ModText::Holes(points) => spec.holes = Holes::Squares(set(points)),
        ModText::HolesDrawn { count, seed } => {
            spec.holes = Holes::Drawn { count: *count, seed: *seed };
        }
        ModText::Handicap(discs) => spec.handicap = Handicap::Count(*discs),
        ModText::HandicapAt(points) => spec.handicap = Handicap::Squares(set(points)),
        ModText::First(first) => spec.first = side(*first),
        ModText::Anti => spec.rules.anti = true,
        ModText::Komi(komi) => spec.rules.komi = half(*komi),
        ModText::ScoreDiscs(discs) => {
            spec.rules.scoring = if *discs { Scoring::Discs } else { Scoring::Official };
        }
    }
}

/// The canonical token of a variant: seeds are resolved into squares, names such as `oct` stay.
#[must_use]
pub fn variant_text(variant: &Variant) -> VariantText {
    let spec = variant.spec();
    let named = variant.base_name().and_then(|name| Some((name, by_name(name)?)));
    let (base, plain) = match named {
        Some((name, plain)) => (BaseText::Name(name.to_owned()), plain),
        None => (
            BaseText::Size { columns: u32::from(spec.columns), rows: u32::from(spec.rows) },
            VariantSpec::sized(spec.columns, spec.rows),
        ),
    };
    let mut spec = *spec;
    let geometry = variant.geometry();
    if !geometry.centre_set().is_subset(geometry.playable()) {
        // Without a centre no start but that of a position can be, and it need not be said.
        spec.start = plain.start;
    }
    VariantText { base, mods: differences(&spec, &plain) }
}

/// The modifiers, in canonical order, that turn `plain` into `spec`.
fn differences(spec: &VariantSpec, plain: &VariantSpec) -> Vec<ModText> {
    let mut mods = Vec::new();
    if spec.start != plain.start {
        mods.push(ModText::Start(match spec.start {
            Start::Cross => StartText::Cross,
            Start::Mirror => StartText::Mirror,
            Start::Parallel(form) => StartText::Parallel(form),
            Start::Free => StartText::Free,
            Start::None => StartText::None,
            Start::Random { discs, seed } => StartText::Random { discs, seed },
        }));
    }
    if spec.rules.place != plain.rules.place {
        mods.push(ModText::Place(match spec.rules.place {
            Place::Plain => PlaceText::Plain,
            Place::May => PlaceText::May,
            Place::Must => PlaceText::Must,
        }));
    }
    if let Some(hand) = spec.rules.hand {
        mods.push(ModText::Hand(u32::from(hand)));
    }
    if spec.rules.stuck != plain.rules.stuck {
        mods.push(ModText::StuckEnds(spec.rules.stuck == Stuck::End));
    }
    if spec.cut != plain.cut {
        mods.push(ModText::Cut(spec.cut));
    }
    match &spec.holes {
        Holes::Squares(holes) if holes.is_empty() => {}
        Holes::Squares(holes) => mods.push(ModText::Holes(points(*holes))),
        Holes::Drawn { count, seed } => {
            mods.push(ModText::HolesDrawn { count: *count, seed: *seed });
        }
    }
    match &spec.handicap {
        Handicap::Count(0) => {}
        Handicap::Count(discs) => mods.push(ModText::Handicap(*discs)),
        Handicap::Squares(discs) if discs.is_empty() => {}
        Handicap::Squares(discs) => mods.push(ModText::HandicapAt(points(*discs))),
    }
    if spec.first != plain.first {
        mods.push(ModText::First(side_text(spec.first)));
    }
    if spec.rules.anti {
        mods.push(ModText::Anti);
    }
    if spec.rules.komi != HalfDiscs(0) {
        mods.push(ModText::Komi(half_text(spec.rules.komi)));
    }
    if spec.rules.scoring != plain.rules.scoring {
        mods.push(ModText::ScoreDiscs(spec.rules.scoring == Scoring::Discs));
    }
    mods
}

// ---------------------------------------------------------------------------------------------
// Positions

/// The set-up a written board describes; it need not be legal.
#[must_use]
pub fn setup(text: &BoardText) -> Setup {
    let mut holes = SquareSet::EMPTY;
    let mut black = SquareSet::EMPTY;
    let mut white = SquareSet::EMPTY;
    let squares = (0..text.rows).flat_map(|row| (0..text.columns).map(move |column| (column, row)));
    for ((column, row), cell) in squares.zip(&text.cells) {
        let Some(square) = Square::new(column, row) else { continue };
        match cell {
            Cell::Empty => {}
            Cell::Black => black.insert(square),
            Cell::White => white.insert(square),
            Cell::Hole => holes.insert(square),
        }
    }
    Setup {
        columns: text.columns,
        rows: text.rows,
        holes,
        black,
        white,
        side: match text.mover {
            Some(Mover::Side(mover)) => Some(side(mover)),
            Some(Mover::Nobody) | None => None,
        },
        placements: text.placements,
        hand: text.hand.map(|(black, white)| BySide { black, white }),
        komi: text.komi.map(half),
    }
}

/// A game that starts from a written position under the rules of a variant: size, holes and
/// discs come from the position, all other modifiers stay.
///
/// # Errors
/// Positions that cannot be, or that the rules of the variant do not allow.
pub fn game_at(variant: &Variant, text: &BoardText) -> Result<Game, RecordError> {
    Ok(Game::from_setup(variant, &setup(text))?)
}

/// Whether a written position has the size of this one and a disc, of either colour, just where this
/// one has.
#[must_use]
pub fn same_squares_taken(state: &State, text: &BoardText) -> bool {
    compare(state, text, |disc, written| disc.is_some() == written.is_some())
}

/// Whether a written position has the size and the discs of this one.
#[must_use]
pub fn same_discs(state: &State, text: &BoardText) -> bool {
    compare(state, text, |disc, written| disc == written)
}

fn compare(state: &State, text: &BoardText, same: impl Fn(Option<Side>, Option<Side>) -> bool) -> bool {
    let geometry = state.board.geometry();
    let size = (geometry.columns(), geometry.rows());
    let written = setup(text);
    let disc = |at| match (written.black.contains(at), written.white.contains(at)) {
        (true, _) => Some(Side::Black),
        (_, true) => Some(Side::White),
        _ => None,
    };
    size == (text.columns, text.rows)
        && geometry.playable().iter().all(|at| same(state.board.disc(at), disc(at)))
}

/// A game of the described variant that starts from a written position of its size; odd sides
/// are then possible.
///
/// # Errors
/// As [`game_at`], and a position of another size.
pub fn game_from(spec: VariantSpec, text: &BoardText) -> Result<Game, RecordError> {
    let (variant, position) = ((spec.columns, spec.rows), (text.columns, text.rows));
    if variant != position {
        return Err(RecordError::OtherSize { variant, position });
    }
    let setup = setup(text);
    let variant = Variant::with_position(spec, &setup)?;
    Ok(Game::from_setup(&variant, &setup)?)
}

/// A game under the rules of the described variant that starts from a written position of any
/// size. What the discs tell is taken from them: how many placements of a free opening are left
/// where the text names none, and discs in hand count only where the variant limits them.
///
/// # Errors
/// As [`game_at`].
pub fn game_with_discs(spec: VariantSpec, text: &BoardText) -> Result<Game, RecordError> {
    let mut text = text.clone();
    if spec.rules.hand.is_none() {
        text.hand = None;
    }
    if spec.start == Start::Free && text.placements == 0 {
        text.placements = placements_left(&spec, &text);
    }
    let annex = spec.annex && (text.columns, text.rows) == (10, 10);
    game_from(VariantSpec { columns: text.columns, rows: text.rows, annex, ..spec }, &text)
}

/// Every placement of a free opening adds a disc to those that lay there before.
fn placements_left(spec: &VariantSpec, text: &BoardText) -> u8 {
    let is_disc = |cell: &&Cell| matches!(cell, Cell::Black | Cell::White);
    let lie = text.cells.iter().filter(is_disc).count();
    let lay = Variant::new(*spec).map_or(0, |variant| {
        let discs = count(&variant.start_state().board);
        usize::try_from(discs.black + discs.white).unwrap_or(usize::MAX)
    });
    const ALL: usize = 4;
    u8::try_from(ALL.saturating_sub(lie.saturating_sub(lay))).unwrap_or(0)
}

/// The words for a position.
#[must_use]
pub fn board_text(variant: &Variant, state: &State) -> BoardText {
    let rules = variant.rules();
    let geometry = state.board.geometry();
    let mut cells = Vec::with_capacity(usize::from(geometry.columns()) * usize::from(geometry.rows()));
    for row in 0..geometry.rows() {
        for column in 0..geometry.columns() {
            cells.push(cell_at(state, column, row));
        }
    }
    BoardText {
        columns: geometry.columns(),
        rows: geometry.rows(),
        cells,
        mover: Some(match state.phase(rules) {
            Phase::Over => Mover::Nobody,
            Phase::Place | Phase::Play => Mover::Side(side_text(state.side)),
        }),
        placements: state.placements_left(),
        hand: state.hand.map(|hand| (hand.black, hand.white)),
        komi: (rules.komi != HalfDiscs(0)).then(|| half_text(rules.komi)),
    }
}

/// The rows of a drawn board from the top: number and cells. A line of column letters has the
/// number 0.
#[must_use]
pub fn drawing(state: &State, style: ShowStyle) -> Vec<(u32, String)> {
    let geometry = state.board.geometry();
    let wide = style == ShowStyle::Wide;
    let join = |cells: Vec<char>| -> String {
        let separator = if wide { " " } else { "" };
        cells.iter().map(char::to_string).collect::<Vec<_>>().join(separator)
    };
    let letters = || (0, join((0..geometry.columns()).map(|c| char::from(b'a' + c)).collect()));
    let mut rows = Vec::new();
    if wide {
        rows.push(letters());
    }
    for row in 0..geometry.rows() {
        let cells = (0..geometry.columns()).map(|column| match cell_at(state, column, row) {
            Cell::Empty => '-',
            Cell::Black => 'x',
            Cell::White => 'o',
            Cell::Hole => '#',
        });
        rows.push((u32::from(row) + 1, join(cells.collect())));
    }
    rows
}

fn cell_at(state: &State, column: u8, row: u8) -> Cell {
    let Some(square) = Square::new(column, row) else { return Cell::Hole };
    if !state.board.geometry().is_playable(square) {
        return Cell::Hole;
    }
    match state.board.disc(square) {
        Some(Side::Black) => Cell::Black,
        Some(Side::White) => Cell::White,
        None => Cell::Empty,
    }
}

/// The whole state of a game, in words.
#[must_use]
pub fn state_text(game: &Game, forfeit: Forfeit) -> StateText {
    let state = game.state();
    let discs = count(&state.board);
    let ending = game.ending(forfeit);
    let over = ending.is_some();
    StateText {
        variant: variant_text(game.variant()),
        seed: game.variant().seed(),
        position: board_text(game.variant(), state),
        squares: state.board.geometry().squares(),
        phase: match state.phase(game.rules()) {
            _ if over => PhaseText::Over,
            Phase::Place => PhaseText::Place,
            Phase::Play => PhaseText::Play,
            Phase::Over => PhaseText::Over,
        },
        next: (!over).then(|| side_text(state.side)),
        count: (discs.black, discs.white),
        legal: if over { Vec::new() } else { points(game.legal()) },
        last: game.log().last().map(|entry| (side_text(entry.mv.side), log_text(entry.mv.act))),
        items: u32::try_from(game.log().len()).unwrap_or(u32::MAX),
        ending: ending.map(|ending| ending_text(&ending)),
    }
}

fn ending_text(ending: &Ending) -> EndingText {
    EndingText {
        reason: match ending.reason {
            EndReason::Score => EndReasonText::Score,
            EndReason::Tie => EndReasonText::Tie,
            EndReason::Resign => EndReasonText::Resign,
            EndReason::Timeout => EndReasonText::Timeout,
            EndReason::Abandoned => EndReasonText::Abandoned,
            EndReason::Agreed => EndReasonText::Agreed,
        },
        winner: ending.winner.map(side_text),
        official: ending.official.map(|o| (half_text(o.black), half_text(o.white))),
        margin: ending.margin.map(half_text),
    }
}

// ---------------------------------------------------------------------------------------------
// Moves

/// The entry of a log for what a side did.
#[must_use]
pub fn log_text(act: Act) -> LogText {
    match act {
        Act::Place(at) => LogText::Place(point(at)),
        Act::Play(at) => LogText::Play(point(at)),
        Act::Pass(_) => LogText::Pass,
    }
}

/// The word for what a side did.
#[must_use]
pub fn act_text(act: Act) -> MoveText {
    match act {
        Act::Place(square) | Act::Play(square) => MoveText::At(point(square)),
        Act::Pass(_) => MoveText::Pass,
    }
}

/// The word for the reason of a pass.
#[must_use]
pub fn pass_text(reason: PassReason) -> PassText {
    match reason {
        PassReason::NoMove => PassText::NoMove,
        PassReason::NoDiscs => PassText::NoDiscs,
    }
}

/// The refusal of a move, as a protocol answers it.
#[must_use]
pub fn refusal(refused: &Refused, written: Option<&str>) -> Failure {
    let code = match refused.refusal {
        Refusal::OffBoard => Code::OffBoard,
        Refusal::GameOver => Code::GameOver,
        Refusal::NotYourTurn => Code::NotYourTurn,
        Refusal::Hole => Code::Hole,
        Refusal::NoDiscs => Code::NoDiscs,
        Refusal::NoMove => Code::NoMove,
        Refusal::NotCentre => Code::NotCentre,
        Refusal::SquareTaken => Code::SquareTaken,
        Refusal::MustFlip => Code::MustFlip,
        Refusal::NoFlip => Code::NoFlip,
        Refusal::HasMove => Code::HasMove,
    };
    let mut failure = Failure::new(code, refused.to_string());
    failure.square = refused
        .square
        .map(|s| s.to_string())
        .or_else(|| written.filter(|_| code != Code::HasMove).map(clip));
    failure.legal = Some(points(refused.legal));
    failure
}

/// The refusal of a word that is no square at all.
#[must_use]
pub fn not_a_square(text: &str, legal: SquareSet) -> Failure {
    let mut failure = Failure::new(Code::BadSquare, "not the name of a square (a1 to p16)");
    failure.square = Some(clip(text));
    failure.legal = Some(points(legal));
    failure
}

/// Plays one written item and returns what happened, passes that were left out included.
///
/// A pass that is due is inserted before a move of the other side, and a written pass that
/// only repeats one already made is accepted without effect.
///
/// # Errors
/// The refusal of the rules; nothing is changed then.
pub fn play_item(game: &mut Game, by: Option<Side>, item: MoveText) -> Result<Vec<Move>, Refused> {
    match item {
        MoveText::At(at) => play_at(game, by, at),
        MoveText::Pass => pass_written(game, by),
    }
}

fn play_at(game: &mut Game, by: Option<Side>, at: Point) -> Result<Vec<Move>, Refused> {
    let Some(square) = square(at) else {
        return Err(Refused { refusal: Refusal::OffBoard, square: None, legal: game.legal() });
    };
    let due = game.must_pass().is_some() && by != Some(game.state().side);
    if !due {
        return game.play(by, square).map(|mv| vec![mv]);
    }
    let mut trial = game.clone();
    let Some(pass) = trial.pass_if_forced() else {
        return game.play(by, square).map(|mv| vec![mv]);
    };
    let mv = trial.play(by, square)?;
    *game = trial;
    Ok(vec![pass, mv])
}

fn pass_written(game: &mut Game, by: Option<Side>) -> Result<Vec<Move>, Refused> {
    let repeats = game.log().last().is_some_and(|last| {
        matches!(last.mv.act, Act::Pass(_)) && by.is_none_or(|by| by == last.mv.side)
    });
    match game.pass(by) {
        Ok(pass) => Ok(vec![pass]),
        Err(_) if repeats => Ok(Vec::new()),
        Err(refused) => Err(refused),
    }
}

/// Plays a list of words; all or nothing.
///
/// # Errors
/// The first item that cannot be read or played; the game is then unchanged.
pub fn play_words(game: &mut Game, words: &[MoveWord]) -> Result<(), ItemError> {
    let mut trial = game.clone();
    for (index, word) in words.iter().enumerate() {
        play_word(&mut trial, None, word, index)?;
    }
    *game = trial;
    Ok(())
}

/// Plays the word at `index` of a list, for the side that the list names, if it names one.
///
/// # Errors
/// The word, where it cannot be read or played; the game is then unchanged.
pub fn play_word(
    game: &mut Game,
    by: Option<Side>,
    word: &MoveWord,
    index: usize,
) -> Result<(), ItemError> {
    let item = u32::try_from(index + 1).unwrap_or(u32::MAX);
    match word {
        MoveWord::Unreadable(text) => Err(ItemError { item, text: text.clone(), refused: None }),
        MoveWord::Move(what) => match play_item(game, by, *what) {
            Ok(_) => Ok(()),
            Err(refused) => Err(ItemError { item, text: what.to_string(), refused: Some(refused) }),
        },
    }
}

/// The game a record tells, under the variant it states or else under `fallback`.
///
/// # Errors
/// Variants and positions that cannot be, and the first item that cannot be played.
pub fn load(text: &GameText, fallback: &Variant) -> Result<Game, RecordError> {
    let mut game = begin(text, fallback)?;
    for (index, played) in text.moves.iter().enumerate() {
        play_word(&mut game, played.side.map(side), &played.word, index)?;
    }
    Ok(game)
}

/// The start of the game that a record tells.
///
/// # Errors
/// Variants and positions that cannot be.
pub fn begin(text: &GameText, fallback: &Variant) -> Result<Game, RecordError> {
    Ok(match (&text.variant, &text.start) {
        (Some(words), Some(board)) => game_from(variant_spec(words)?, board)?,
        (Some(words), None) => Game::new(variant(words)?),
        (None, Some(board)) => game_at(fallback, board)?,
        (None, None) => Game::new(fallback.clone()),
    })
}

/// What a record says about an entry of a game's log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// Evaluation of the move in discs, mover's view.
    pub value: Option<f64>,
    /// Seconds used for it.
    pub seconds: Option<f64>,
    /// Remarks behind it.
    pub remark: Option<String>,
}

/// Plays the moves of a record; what it says about them is returned an entry of the log each, passes
/// that were left out included.
///
/// # Errors
/// The first item that cannot be played; the game then stands before it.
pub fn play_noted(game: &mut Game, text: &GameText) -> Result<Vec<Note>, ItemError> {
    let mut notes: Vec<Note> = Vec::with_capacity(text.moves.len() + 4);
    notes.resize_with(game.len(), Note::default);
    let mut remarks = text.about.remarks.iter().peekable();
    for (index, played) in text.moves.iter().enumerate() {
        let before = game.len();
        play_word(game, played.side.map(side), &played.word, index)?;
        notes.resize_with(game.len(), Note::default);
        // A written pass that only repeats one makes no entry.
        if let Some(last) = notes.last_mut().filter(|_| game.len() > before) {
            (last.value, last.seconds) = (played.value, played.seconds);
        }
        while let Some((_, remark)) = remarks.next_if(|(n_moves, _)| *n_moves <= index + 1) {
            if let Some(last) = notes.last_mut() {
                let text = last.remark.take().map_or_else(String::new, |text| text + " ");
                last.remark = Some(text + remark);
            }
        }
    }
    Ok(notes)
}

/// The game in the words of a record: variant, start, and every entry of the log with its side and
/// its note. Who played and how it ended is not in it.
#[must_use]
pub fn game_text(game: &Game, notes: &[Note]) -> GameText {
    let entries = game.log().iter().enumerate();
    let played = entries.clone().map(|(index, entry)| {
        let note = notes.get(index);
        PlayedText {
            side: Some(side_text(entry.mv.side)),
            word: MoveWord::Move(act_text(entry.mv.act)),
            value: note.and_then(|note| note.value),
            seconds: note.and_then(|note| note.seconds),
        }
    });
    let mut text = GameText {
        variant: Some(variant_text(game.variant())),
        start: Some(board_text(game.variant(), game.start())),
        moves: played.collect(),
        ..GameText::default()
    };
    let remarks = notes.iter().enumerate().take(game.len());
    text.about.remarks =
        remarks.filter_map(|(index, note)| Some((index + 1, note.remark.clone()?))).collect();
    text
}

/// How a game ended in words; `None` while it goes on, and when it was abandoned.
#[must_use]
pub fn outcome_text(game: &Game) -> Option<OutcomeText> {
    let ending = game.ending(Forfeit::None)?;
    let why = match ending.reason {
        EndReason::Score | EndReason::Tie | EndReason::Agreed => WhyText::Score,
        EndReason::Resign => WhyText::Resigned,
        EndReason::Timeout => WhyText::Time,
        EndReason::Abandoned => return None,
    };
    let margin = match (ending.official, ending.winner) {
        (Some(official), _) => Some(half_text(official.difference())),
        (None, Some(Side::White)) => ending.margin.map(|margin| half_text(-margin)),
        (None, _) => ending.margin.map(half_text),
    };
    Some(OutcomeText { winner: ending.winner.map(side_text), margin, why })
}

// ---------------------------------------------------------------------------------------------
// One-line records

/// The game as one line: `rp1 <variant> <start-position> <moves|-> <result>`.
#[must_use]
pub fn record_line(game: &Game) -> String {
    let variant = variant_text(game.variant());
    let start = board_text(game.variant(), game.start());
    let mut moves: String = game
        .log()
        .iter()
        .filter(|entry| !matches!(entry.mv.act, Act::Pass(_)))
        .map(|entry| act_text(entry.mv.act).to_string())
        .collect();
    if moves.is_empty() {
        moves.push('-');
    }
    let mut line = format!("rp1 {variant} {start} {moves} {}", result_word(game));
    if let Some(seed) = game.variant().seed() {
        line.push_str(&format!(" seed={seed}"));
    }
    line
}

/// `x50:14`, `o31:33t` (the smallest loss of a side that overstepped its time), `tie32:32`, `xr`
/// (Black wins because White resigned), `xt` (on time), `xa4` (agreed, by 4), `-`.
#[must_use]
pub fn result_word(game: &Game) -> String {
    let Some(ending) = game.ending(Forfeit::None) else { return "-".to_owned() };
    let winner = match ending.winner {
        Some(winner) => winner.to_string(),
        None => "tie".to_owned(),
    };
    match (ending.reason, ending.official) {
        (EndReason::Abandoned, _) => "-".to_owned(),
        (EndReason::Resign, _) => format!("{winner}r"),
        (EndReason::Agreed, _) => format!("{winner}a{}", ending.margin.unwrap_or_default()),
        (_, Some(score)) => {
            let mark = if ending.reason == EndReason::Timeout { "t" } else { "" };
            format!("{winner}{}:{}{mark}", score.black, score.white)
        }
        (_, None) => format!("{winner}t"),
    }
}

/// The game of a one-line record: moves are replayed, and a claimed result is held against it.
///
/// # Errors
/// As [`load`], and a score that the moves do not lead to.
pub fn replay_record(
    head: &(VariantText, BoardText),
    moves: &[MoveWord],
    result: Option<&str>,
) -> Result<Game, RecordError> {
    let mut game = game_from(variant_spec(&head.0)?, &head.1)?;
    // A side that overstepped its time played on: the cap on its result holds from the start.
    if let Some((loser, _)) = result.and_then(|result| capped(result)) {
        let _ = game.stop(Stop::TimedOut { side: loser, hard: false });
    }
    play_words(&mut game, moves)?;
    if let Some(result) = result {
        claim(&mut game, result)?;
    }
    Ok(game)
}

/// The loser and the score of a result such as `o31:33t`.
fn capped(result: &str) -> Option<(Side, &str)> {
    let score = result.strip_suffix('t').filter(|rest| rest.contains(':'))?;
    let loser = match score.chars().next()? {
        'x' => Side::White,
        'o' => Side::Black,
        _ => return None,
    };
    Some((loser, score))
}

/// How a game was stopped, by the word of its result.
fn stop_of(result: &str) -> Option<Stop> {
    let (winner, kind) = ["x", "o", "tie"]
        .iter()
        .find_map(|winner| result.strip_prefix(winner).map(|kind| (*winner, kind)))?;
    let winner = match winner {
        "x" => Some(Side::Black),
        "o" => Some(Side::White),
        _ => None,
    };
    match (kind, winner) {
        ("r", Some(winner)) => Some(Stop::Resigned(winner.other())),
        ("t", Some(winner)) => Some(Stop::TimedOut { side: winner.other(), hard: true }),
        _ => {
            let discs: f64 = kind.strip_prefix('a')?.parse().ok()?;
            let margin = HalfDiscs((discs * 2.0) as i32);
            Some(Stop::Agreed { winner, margin })
        }
    }
}

/// Holds a claimed result against what the moves lead to; a game that was stopped is stopped.
fn claim(game: &mut Game, result: &str) -> Result<(), RecordError> {
    let mut settled = game.clone();
    while settled.pass_if_forced().is_some() {}
    if let Some(stop) = stop_of(result)
        && game.stop(stop).is_ok()
    {
        return Ok(());
    }
    let found = result_word(&settled);
    if result == "-" || result == found {
        Ok(())
    } else {
        Err(RecordError::Mismatch { claimed: clip(result), found })
    }
}

/// The rules that `komi` changes in a game: the same game under another komi.
///
/// # Errors
/// None for a game that was legal before; the type is that of the conversions used.
pub fn with_komi(game: &Game, komi: HalfText) -> Result<Game, RecordError> {
    let mut spec = *game.variant().spec();
    spec.rules = Rules { komi: half(komi), ..spec.rules };
    let mut start = board_text(game.variant(), game.start());
    start.komi = None;
    let mut changed = game_from(spec, &start)?;
    let words: Vec<MoveWord> =
        game.log().iter().map(|entry| MoveWord::Move(act_text(entry.mv.act))).collect();
    play_words(&mut changed, &words)?;
    Ok(changed)
}
