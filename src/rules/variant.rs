//! THE TABLE of variants, and how a description becomes a board, rules and a start.
//!
//! Knows every variant; nothing elsewhere asks which variant is played, only
//! what its [`Rules`] say. Must not know how a variant is written.

use std::fmt;
use std::sync::Arc;

use super::board::Board;
use super::geometry::{Geometry, GeometryError, SIDES};
use super::hash::SplitMix64;
use super::score::{HalfDiscs, Scoring};
use super::setup::Setup;
use super::square::{BySide, Side, Square, SquareSet};
use super::state::State;

/// The named variants, with a sentence about each.
///
/// ```
/// use outflank::rules::VARIANTS;
/// let names: Vec<_> = VARIANTS.iter().map(|row| row.name).collect();
/// assert_eq!(names, ["othello", "reversi", "oct", "annex"]);
/// assert!(VARIANTS.iter().all(|row| row.about.ends_with('.')));
/// ```
pub static VARIANTS: &[VariantRow] = &[
    VariantRow {
        name: "othello",
        about: "Four discs stand crosswise on the centre of 8x8 and Black moves first.",
        make: || VariantSpec::sized(8, 8),
    },
    VariantRow {
        name: "reversi",
        about: "The board is empty and the players place the first four discs on the centre of 8x8.",
        make: || VariantSpec { start: Start::Free, ..VariantSpec::sized(8, 8) },
    },
    VariantRow {
        name: "oct",
        about: "An octagon of 88 squares: 10x10 without three squares at each corner.",
        make: || VariantSpec { cut: 2, ..VariantSpec::sized(10, 10) },
    },
    VariantRow {
        name: "annex",
        about: "Mollett's Annexation, a reconstruction: a cross of 64 squares, 10x10 without nine at each corner.",
        make: || VariantSpec { annex: true, ..VariantSpec::sized(10, 10) },
    },
];

/// A row of [`VARIANTS`].
#[derive(Clone, Copy, Debug)]
pub struct VariantRow {
    /// One word.
    pub name: &'static str,
    /// A sentence for people.
    pub about: &'static str,
    make: fn() -> VariantSpec,
}

impl VariantRow {
    /// The variant without further changes.
    pub fn spec(&self) -> VariantSpec {
        (self.make)()
    }
}

/// The variant of this name.
///
/// ```
/// use outflank::rules::{Start, by_name};
/// assert_eq!(by_name("reversi").unwrap().start, Start::Free);
/// assert!(by_name("chess").is_none());
/// ```
pub fn by_name(name: &str) -> Option<VariantSpec> {
    VARIANTS.iter().find(|row| row.name == name).map(VariantRow::spec)
}

/// What decides how a game goes on, apart from the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Fewer discs win.
    pub anti: bool,
    /// Black wins only by more than this.
    pub komi: HalfDiscs,
    /// How a final board is recorded.
    pub scoring: Scoring,
    /// What the last disc of a free opening may or must do.
    pub place: Place,
    /// What happens when the mover cannot move.
    pub stuck: Stuck,
    /// The discs each side owns at the beginning; `None` for no limit.
    pub hand: Option<u16>,
}

/// What the last disc of a free opening may or must do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Place {
    /// It goes on the last centre square.
    #[default]
    Plain,
    /// It may capture elsewhere instead.
    May,
    /// It must capture if it can.
    Must,
}

/// What happens when the mover cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stuck {
    /// He passes.
    #[default]
    Pass,
    /// The game is over.
    End,
}

/// How the board is laid out before the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// White upper left and lower right on the centre, Black on the others.
    Cross,
    /// The cross with colours exchanged.
    Mirror,
    /// One colour a row (0: Black above, 1: White above) or a column (2: Black
    /// left, 3: White left).
    Parallel(u8),
    /// Empty; the players place the first four discs on the centre.
    Free,
    /// Empty without placements: for positions given otherwise.
    None,
    /// Random legal play from the cross until so many discs are on the board.
    Random {
        /// Discs on the board at the end of it.
        discs: u32,
        /// Seed of the generator.
        seed: u64,
    },
}

/// Squares that do not exist, besides those the shape of the board lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holes {
    /// These.
    Squares(SquareSet),
    /// Drawn from all squares outside the central 4×4 without a disc.
    Drawn {
        /// How many.
        count: u32,
        /// Seed of the generator.
        seed: u64,
    },
}

/// Discs Black has on the board from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handicap {
    /// So many corners, in the order upper left, lower right, upper right,
    /// lower left; 28 stands for the whole rim, of any board.
    Count(u32),
    /// These squares.
    Squares(SquareSet),
}

/// A variant as somebody asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariantSpec {
    /// Columns.
    pub columns: u8,
    /// Rows.
    pub rows: u8,
    /// Squares are cut off whose distances to the nearest side edges add up to
    /// less than this: 1 takes the corners, 2 three squares at each.
    pub cut: u32,
    /// The cross of Annexation: nine squares are cut off at each corner of 10×10.
    pub annex: bool,
    /// How the board is laid out.
    pub start: Start,
    /// More squares that do not exist.
    pub holes: Holes,
    /// Discs Black has from the beginning.
    pub handicap: Handicap,
    /// Who places or moves first.
    pub first: Side,
    /// How the game goes on.
    pub rules: Rules,
}

impl VariantSpec {
    /// A full board of this size with the cross start and Black to move.
    pub fn sized(columns: u8, rows: u8) -> Self {
        Self {
            columns,
            rows,
            cut: 0,
            annex: false,
            start: Start::Cross,
            holes: Holes::Squares(SquareSet::EMPTY),
            handicap: Handicap::Squares(SquareSet::EMPTY),
            first: Side::Black,
            rules: Rules::default(),
        }
    }
}

/// Why there is no such variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantError {
    /// A side outside 4 to 16, or not the size the position has.
    BadSize {
        /// Columns asked for.
        columns: u8,
        /// Rows asked for.
        rows: u8,
    },
    /// Odd sides need a position.
    OddSides {
        /// Columns asked for.
        columns: u8,
        /// Rows asked for.
        rows: u8,
    },
    /// The holes are impossible.
    BadHoles(HolesError),
    /// The parts of the description do not fit together.
    BadVariant(VariantFault),
}

/// What is wrong with holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolesError {
    /// The square is outside the board.
    OffBoard(Square),
    /// A start or handicap disc stands on the square.
    OnDisc(Square),
    /// The board has no so many squares to draw from.
    TooFewCandidates {
        /// Holes asked for.
        count: u32,
        /// Squares a hole may be drawn from.
        candidates: u32,
    },
    /// Drawing no hole at all.
    NoneDrawn,
}

/// What does not fit together in a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantFault {
    /// The cross of Annexation is cut from 10×10.
    AnnexSize,
    /// The cross of Annexation is not cut any further.
    AnnexCut,
    /// A centre square that the start needs does not exist.
    CentreMissing(Square),
    /// The corners are cut off so far that the centre goes with them.
    CutTooFar {
        /// The cut asked for.
        cut: u32,
        /// The greatest that leaves the centre.
        most: u32,
    },
    /// There is no parallel start of this number.
    ParallelNumber(u8),
    /// A handicap is 0 to 4 or 28.
    HandicapNumber(u32),
    /// A number of handicap discs where a corner is missing: name the squares.
    HandicapNeedsSquares,
    /// There is no square here for a handicap disc.
    HandicapOffBoard(Square),
    /// The start needs this square for itself.
    HandicapOnStart(Square),
    /// Fewer discs in hand than the start needs.
    HandTooSmall(u16),
    /// A random start with fewer discs than the start has, or with a disc on every square.
    RandomOutside {
        /// Discs asked for.
        discs: u32,
        /// Discs of the start.
        least: u32,
        /// One less than there are squares.
        most: u32,
    },
    /// A random start with so many discs that no game gets there and goes on.
    RandomTooMany(u32),
}

/// A variant that can be played: everything drawn is drawn, and its
/// description is in canonical form.
///
/// ```
/// use outflank::rules::{Holes, Variant, by_name};
/// let mut spec = by_name("othello").unwrap();
/// spec.holes = Holes::Drawn { count: 3, seed: 42 };
/// let variant = Variant::new(spec).unwrap();
/// assert_eq!(variant.geometry().holes().to_string(), "a2,g2,d7");
/// assert_eq!(variant.seed(), Some(42));
/// assert_eq!(variant.start_state().legal(variant.rules()).to_string(), "d3,c4,f5,e6");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    spec: VariantSpec,
    geometry: Arc<Geometry>,
    start: State,
    seed: Option<u64>,
}

impl Variant {
    /// The variant of a description.
    ///
    /// # Errors
    /// One of [`VariantError`].
    pub fn new(spec: VariantSpec) -> Result<Self, VariantError> {
        if spec.columns % 2 == 1 || spec.rows % 2 == 1 {
            check_size(&spec)?;
            return Err(VariantError::OddSides { columns: spec.columns, rows: spec.rows });
        }
        Self::resolve(spec)
    }

    /// The variant of a description whose game starts from a position of the
    /// same size: odd sides are then allowed, and what the position settles
    /// is taken from it as in [`Variant::for_position`].
    ///
    /// # Errors
    /// `BadSize` if the sizes differ or are impossible; others as they apply.
    pub fn with_position(spec: VariantSpec, setup: &Setup) -> Result<Self, VariantError> {
        if (spec.columns, spec.rows) != (setup.columns, setup.rows) {
            return Err(VariantError::BadSize { columns: setup.columns, rows: setup.rows });
        }
        check_size(&spec)?;
        let shape = Shape::of(&spec)?;
        let keeps_shape = shape.holes.is_subset(setup.holes);
        let (cut, annex, shape_holes) =
            if keeps_shape { (spec.cut, spec.annex, shape.holes) } else { (0, false, SquareSet::EMPTY) };
        // The centre may be a hole if the position says so; a start of its own
        // is then impossible.
        let centre_exists = (shape.centre & setup.holes).is_empty();
        let start = match spec.start {
            Start::Free if centre_exists || setup.placements > 0 => Start::Free,
            _ if centre_exists => Start::Cross,
            _ => Start::None,
        };
        let mut rules = spec.rules;
        rules.komi = setup.komi.unwrap_or(rules.komi);
        Self::resolve(VariantSpec {
            cut,
            annex,
            start,
            holes: Holes::Squares(setup.holes.without(shape_holes)),
            handicap: Handicap::Squares(SquareSet::EMPTY),
            first: Side::Black,
            rules,
            ..spec
        })
    }

    /// This variant changed to fit a position: size and holes come from the
    /// position, how the game goes on and whether it opens freely stay. The
    /// shape (`oct`, `annex`, a cut) stays if the position has its holes;
    /// handicap, first mover and a start of another kind are dropped, for the
    /// position shows the discs and tells who moves.
    ///
    /// # Errors
    /// `BadSize`, or what is impossible on the new board.
    pub fn for_position(&self, setup: &Setup) -> Result<Self, VariantError> {
        let mut spec = VariantSpec { columns: setup.columns, rows: setup.rows, ..self.spec };
        spec.annex &= (setup.columns, setup.rows) == (10, 10);
        Self::with_position(spec, setup)
    }

    /// Size and holes.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// How the game goes on.
    pub fn rules(&self) -> &Rules {
        &self.spec.rules
    }

    /// The description in canonical form: drawn holes and handicap are lists
    /// of squares (holes of the shape not among them), and a random start is
    /// [`Start::None`], its position being [`Variant::start_state`].
    pub fn spec(&self) -> &VariantSpec {
        &self.spec
    }

    /// The row of [`VARIANTS`] this is written with, whose size, shape and, if
    /// there is a choice, start it has; `None` if only its size names it. Where
    /// the start is not the row's it has to be written too.
    pub fn base_name(&self) -> Option<&'static str> {
        let shape = |spec: &VariantSpec| (spec.columns, spec.rows, spec.cut, spec.annex);
        let rows = || VARIANTS.iter().filter(|row| shape(&row.spec()) == shape(&self.spec));
        rows()
            .find(|row| row.spec().start == self.spec.start)
            .or_else(|| rows().next())
            .map(|row| row.name)
    }

    /// The seed from which holes, or else the start, were drawn.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The state before the first placement or move.
    pub fn start_state(&self) -> State {
        self.start.clone()
    }

    /// Whether the players place the first discs themselves.
    pub fn opens_freely(&self) -> bool {
        self.spec.start == Start::Free
    }

    /// Who places or moves first.
    pub fn first(&self) -> Side {
        self.spec.first
    }

    fn resolve(spec: VariantSpec) -> Result<Self, VariantError> {
        check_size(&spec)?;
        let shape = Shape::of(&spec)?;
        if let Start::Parallel(number @ 4..) = spec.start {
            return fault(VariantFault::ParallelNumber(number));
        }
        // What is listed comes first: what is drawn must keep clear of it.
        let listed = match spec.holes {
            Holes::Squares(squares) => squares,
            Holes::Drawn { .. } => SquareSet::EMPTY,
        };
        let in_use = match spec.start {
            Start::None => SquareSet::EMPTY,
            _ => shape.centre,
        };
        // The cross of Annexation has its centre, so it is a cut that took it.
        if !(in_use & shape.holes).is_empty() {
            let most = u32::from(spec.columns / 2 + spec.rows / 2 - 2);
            return fault(VariantFault::CutTooFar { cut: spec.cut, most });
        }
        if let Some(square) = listed.without(shape.rectangle).first() {
            return holes_error(HolesError::OffBoard(square));
        }
        if let Some(square) = (in_use & listed).first() {
            return if spec.start == Start::Free {
                fault(VariantFault::CentreMissing(square))
            } else {
                holes_error(HolesError::OnDisc(square))
            };
        }
        let handicap = handicap_squares(&spec, &shape)?;
        if let Some(square) = (handicap & in_use).first() {
            return fault(VariantFault::HandicapOnStart(square));
        }
        if let Some(square) = (handicap & listed).first() {
            return holes_error(HolesError::OnDisc(square));
        }
        let holes = match spec.holes {
            Holes::Squares(squares) => squares.without(shape.holes),
            Holes::Drawn { count, seed } => draw_holes(&shape, handicap, count, seed)?,
        };
        let geometry =
            Geometry::new(spec.columns, spec.rows, shape.holes | holes).map_err(VariantError::from)?;
        let geometry = Arc::new(geometry);
        let laid_out = lay_out(&spec, &geometry, handicap)?;
        let (start, start_kind, handicap, start_seed) = match spec.start {
            Start::Random { discs, seed } => {
                let state = play_at_random(&laid_out, &spec.rules, discs, seed)?;
                (state, Start::None, SquareSet::EMPTY, Some(seed))
            }
            kind => (laid_out, kind, handicap, None),
        };
        let hole_seed = match spec.holes {
            Holes::Drawn { seed, .. } => Some(seed),
            Holes::Squares(_) => None,
        };
        Ok(Self {
            spec: VariantSpec {
                start: start_kind,
                holes: Holes::Squares(holes),
                handicap: Handicap::Squares(handicap),
                ..spec
            },
            geometry,
            start,
            seed: hole_seed.or(start_seed),
        })
    }
}

impl From<GeometryError> for VariantError {
    fn from(error: GeometryError) -> Self {
        match error {
            GeometryError::BadSize { columns, rows } => Self::BadSize { columns, rows },
            GeometryError::HoleOffBoard(square) => Self::BadHoles(HolesError::OffBoard(square)),
        }
    }
}

fn fault<T>(fault: VariantFault) -> Result<T, VariantError> {
    Err(VariantError::BadVariant(fault))
}

fn holes_error<T>(error: HolesError) -> Result<T, VariantError> {
    Err(VariantError::BadHoles(error))
}

fn check_size(spec: &VariantSpec) -> Result<(), VariantError> {
    if SIDES.contains(&spec.columns) && SIDES.contains(&spec.rows) {
        Ok(())
    } else {
        Err(VariantError::BadSize { columns: spec.columns, rows: spec.rows })
    }
}

/// A board before anybody's holes are taken out of it.
struct Shape {
    rectangle: SquareSet,
    /// Squares the shape lacks.
    holes: SquareSet,
    centre: SquareSet,
    /// The 4×4 around the centre, where no hole is drawn.
    middle: SquareSet,
    rim: SquareSet,
    /// In the order in which handicap discs are given.
    corners: [Square; 4],
}

impl Shape {
    fn of(spec: &VariantSpec) -> Result<Self, VariantError> {
        let (columns, rows) = (spec.columns, spec.rows);
        let rectangle = Geometry::new(columns, rows, SquareSet::EMPTY)?;
        if spec.annex && (columns, rows) != (10, 10) {
            return fault(VariantFault::AnnexSize);
        }
        if spec.annex && spec.cut > 0 {
            return fault(VariantFault::AnnexCut);
        }
        let from_side = |square: Square| {
            let column = square.column().min(columns - 1 - square.column());
            let row = square.row().min(rows - 1 - square.row());
            (u32::from(column), u32::from(row))
        };
        let select = |keep: &dyn Fn(Square) -> bool| -> SquareSet {
            rectangle.playable().iter().filter(|&s| keep(s)).collect()
        };
        let (middle_column, middle_row) = (columns / 2, rows / 2);
        let near = |at: u8, middle: u8| (middle.saturating_sub(2)..middle + 2).contains(&at);
        let at = |column, row| Square::from_index(row * 16 + column);
        Ok(Self {
            rectangle: rectangle.playable(),
            holes: select(&|square| {
                let (column, row) = from_side(square);
                column + row < spec.cut || (spec.annex && column < 3 && row < 3)
            }),
            centre: rectangle.centre_set(),
            middle: select(&|s| near(s.column(), middle_column) && near(s.row(), middle_row)),
            rim: select(&|square| {
                let (column, row) = from_side(square);
                column == 0 || row == 0
            }),
            corners: [at(0, 0), at(columns - 1, rows - 1), at(columns - 1, 0), at(0, rows - 1)],
        })
    }
}

fn handicap_squares(spec: &VariantSpec, shape: &Shape) -> Result<SquareSet, VariantError> {
    let squares = match spec.handicap {
        Handicap::Squares(squares) => {
            let board = shape.rectangle.without(shape.holes);
            if let Some(square) = squares.without(board).first() {
                return fault(VariantFault::HandicapOffBoard(square));
            }
            return Ok(squares);
        }
        Handicap::Count(n @ 0..=4) => shape.corners.into_iter().take(n as usize).collect(),
        Handicap::Count(28) => shape.rim,
        Handicap::Count(n) => return fault(VariantFault::HandicapNumber(n)),
    };
    let needs_corners = spec.handicap != Handicap::Count(0);
    if needs_corners && shape.corners.iter().any(|&corner| shape.holes.contains(corner)) {
        return fault(VariantFault::HandicapNeedsSquares);
    }
    Ok(squares)
}

/// The first `count` of a partial Fisher-Yates shuffle of the candidates, so
/// that a seed gives the same holes in any implementation.
fn draw_holes(
    shape: &Shape,
    handicap: SquareSet,
    count: u32,
    seed: u64,
) -> Result<SquareSet, VariantError> {
    let mut candidates: Vec<Square> =
        shape.rectangle.without(shape.holes | shape.middle | handicap).iter().collect();
    if count == 0 {
        return holes_error(HolesError::NoneDrawn);
    }
    let n = candidates.len();
    if count as usize > n {
        return holes_error(HolesError::TooFewCandidates { count, candidates: n as u32 });
    }
    let mut random = SplitMix64::new(seed);
    for i in 0..count as usize {
        let j = i + random.below((n - i) as u64) as usize;
        candidates.swap(i, j);
    }
    candidates.truncate(count as usize);
    Ok(candidates.into_iter().collect())
}

fn lay_out(
    spec: &VariantSpec,
    geometry: &Arc<Geometry>,
    handicap: SquareSet,
) -> Result<State, VariantError> {
    use Side::{Black, White};
    let colours = match spec.start {
        Start::Cross | Start::Random { .. } => Some([White, Black, Black, White]),
        Start::Mirror => Some([Black, White, White, Black]),
        Start::Parallel(0) => Some([Black, Black, White, White]),
        Start::Parallel(1) => Some([White, White, Black, Black]),
        Start::Parallel(2) => Some([Black, White, Black, White]),
        Start::Parallel(_) => Some([White, Black, White, Black]),
        Start::Free | Start::None => None,
    };
    let mut board = Board::with_discs(Arc::clone(geometry), handicap, SquareSet::EMPTY);
    for (square, side) in geometry.centre().into_iter().zip(colours.into_iter().flatten()) {
        board.put(side, square);
    }
    let placements = if spec.start == Start::Free { 4 } else { 0 };
    let hand = match spec.rules.hand {
        None => None,
        Some(limit) => {
            // At most 256 discs.
            let counts = board.counts().map(|discs| discs as u16);
            let to_place = u16::from(placements) / 2;
            let needed = counts.black.max(counts.white) + to_place;
            if Side::BOTH.iter().any(|&side| counts[side] + to_place > limit) {
                return fault(VariantFault::HandTooSmall(needed));
            }
            Some(BySide::from_fn(|side| limit - counts[side]))
        }
    };
    Ok(State { board, side: spec.first, placements, hand })
}

/// Tries before a random start is held to be impossible.
const RANDOM_GAMES: u32 = 10_000;

/// Random legal play until so many discs are on the board and the game goes on.
fn play_at_random(start: &State, rules: &Rules, discs: u32, seed: u64) -> Result<State, VariantError> {
    let squares = start.board.geometry().squares();
    let discs_at_start = squares - start.board.empties();
    // On a full board no game goes on.
    if !(discs_at_start..squares).contains(&discs) {
        let (least, most) = (discs_at_start, squares.saturating_sub(1));
        return fault(VariantFault::RandomOutside { discs, least, most });
    }
    let mut random = SplitMix64::new(seed);
    for _ in 0..RANDOM_GAMES {
        let mut state = start.clone();
        while !state.is_over(rules) {
            if squares - state.board.empties() == discs {
                return Ok(state);
            }
            let legal = state.legal(rules);
            if legal.is_empty() {
                state.pass(rules, None).expect("a stuck mover passes");
                continue;
            }
            let chosen = random.below(u64::from(legal.len())) as usize;
            let square = legal.iter().nth(chosen).expect("chosen among the legal moves");
            state.play(rules, None, square).expect("the move is legal");
        }
    }
    fault(VariantFault::RandomTooMany(discs))
}

/// A match type of the Generic Game Server, such as synchronized 8×8 from
/// random positions of 20 discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GgsType {
    /// Two games at once with colours exchanged.
    pub synchro: bool,
    /// 4, 6, 8, 10, 12, 14, or 88 for the octagon.
    pub size: u32,
    /// The players bid for a komi.
    pub komi: bool,
    /// Fewer discs win.
    pub anti: bool,
    /// Discs of a random start.
    pub random: Option<u32>,
    /// A wish for a colour.
    pub colour: Option<Side>,
}

/// Why a match type is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GgsError {
    /// No board of this size.
    BadSize(u32),
    /// Two of synchro, komi and a colour.
    Contradiction,
    /// A random start that nothing balances.
    Unbalanced,
    /// Fewer than four discs.
    TooFewDiscs(u32),
    /// More discs than the board allows.
    TooManyDiscs {
        /// Discs asked for.
        discs: u32,
        /// The most allowed.
        most: u32,
    },
}

impl GgsType {
    /// Whether the parts of the type fit together.
    ///
    /// # Errors
    /// The first of [`GgsError`] that applies.
    pub fn validate(&self) -> Result<(), GgsError> {
        let most = match self.size {
            4 | 6 | 8 | 10 | 12 | 14 => self.size * self.size - 16,
            88 => 44,
            size => return Err(GgsError::BadSize(size)),
        };
        let ways = [self.synchro, self.komi, self.colour.is_some()];
        if ways.into_iter().filter(|&way| way).count() > 1 {
            return Err(GgsError::Contradiction);
        }
        match self.random {
            None => Ok(()),
            Some(_) if !self.synchro && !self.komi => Err(GgsError::Unbalanced),
            Some(discs @ 0..4) => Err(GgsError::TooFewDiscs(discs)),
            Some(discs) if discs > most => Err(GgsError::TooManyDiscs { discs, most }),
            Some(_) => Ok(()),
        }
    }

    /// The variant of one game of the match, a random start being drawn with
    /// the seed. A komi is bid later and so not part of it.
    ///
    /// # Errors
    /// As [`GgsType::validate`].
    pub fn spec(&self, seed: u64) -> Result<VariantSpec, GgsError> {
        self.validate()?;
        let mut spec = if self.size == 88 {
            VariantSpec { cut: 2, ..VariantSpec::sized(10, 10) }
        } else {
            // At most 14.
            VariantSpec::sized(self.size as u8, self.size as u8)
        };
        spec.rules.anti = self.anti;
        if let Some(discs) = self.random {
            spec.start = Start::Random { discs, seed };
        }
        Ok(spec)
    }
}

impl fmt::Display for GgsType {
    /// The canonical order: `s8r20`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |on, letter| if on { letter } else { "" };
        write!(f, "{}{}", flag(self.synchro, "s"), self.size)?;
        f.write_str(flag(self.komi, "k"))?;
        f.write_str(match self.colour {
            Some(Side::Black) => "b",
            Some(Side::White) => "w",
            None => "",
        })?;
        f.write_str(flag(self.anti, "a"))?;
        match self.random {
            Some(discs) => write!(f, "r{discs}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSize { columns, rows } if SIDES.contains(columns) && SIDES.contains(rows) => {
                write!(f, "the position is {columns}x{rows}, the variant is not")
            }
            Self::BadSize { columns, rows } => {
                GeometryError::BadSize { columns: *columns, rows: *rows }.fmt(f)
            }
            Self::OddSides { columns, rows } => {
                write!(f, "sides are even, from 4 to 16; a board of {columns}x{rows} needs a position")
            }
            Self::BadHoles(error) => error.fmt(f),
            Self::BadVariant(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Display for HolesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffBoard(square) => write!(f, "the hole {square} is outside the board"),
            Self::OnDisc(square) => write!(f, "a disc stands on {square}, so it is no hole"),
            Self::TooFewCandidates { count, candidates } => {
                write!(f, "{count} holes cannot be drawn from {candidates} squares")
            }
            Self::NoneDrawn => f.write_str("drawing no hole at all"),
        }
    }
}

impl fmt::Display for VariantFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnnexSize => f.write_str("the cross of annexation is 10x10"),
            Self::AnnexCut => f.write_str("the cross of annexation is not cut any further"),
            Self::CentreMissing(square) => write!(f, "the start needs the square {square}"),
            Self::CutTooFar { cut, most } => {
                write!(f, "the start needs the centre, so a cut here is 0 to {most}, not {cut}")
            }
            Self::ParallelNumber(number) => write!(f, "there is no parallel start {number}"),
            Self::HandicapNumber(n) => write!(f, "a handicap is 0 to 4 or 28, not {n}"),
            Self::HandicapNeedsSquares => {
                f.write_str("a board without corners needs its handicap squares named")
            }
            Self::HandicapOffBoard(square) => write!(f, "there is no square {square} for a disc"),
            Self::HandicapOnStart(square) => write!(f, "the start needs {square} for itself"),
            Self::HandTooSmall(needed) => write!(f, "each side needs at least {needed} discs"),
            Self::RandomOutside { discs, least, most } => {
                write!(f, "a random start has {least} to {most} discs here, not {discs}")
            }
            Self::RandomTooMany(discs) => {
                write!(f, "no game goes on with {discs} discs on the board")
            }
        }
    }
}

impl fmt::Display for GgsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSize(size) => write!(f, "no board of size {size}"),
            Self::Contradiction => f.write_str("only one of synchro, komi and a colour"),
            Self::Unbalanced => f.write_str("a random start needs synchro or komi"),
            Self::TooFewDiscs(discs) => write!(f, "a random start has at least 4 discs, not {discs}"),
            Self::TooManyDiscs { discs, most } => {
                write!(f, "a random start has at most {most} discs here, not {discs}")
            }
        }
    }
}

impl std::error::Error for VariantError {}
impl std::error::Error for GgsError {}

#[cfg(test)]
mod tests {
    use super::super::testing::{set, setup, spec, sq, state, variant_of};
    use super::*;

    fn holes_of(spec: VariantSpec) -> SquareSet {
        match variant_of(spec).spec().holes {
            Holes::Squares(squares) => squares,
            Holes::Drawn { .. } => unreachable!("a variant has its holes drawn"),
        }
    }

    fn drawn(base: VariantSpec, count: u32, seed: u64) -> VariantSpec {
        VariantSpec { holes: Holes::Drawn { count, seed }, ..base }
    }

    #[test]
    fn card_d_a_seed_draws_the_published_holes() {
        let othello = spec("othello");
        for (spec, squares) in [
            (drawn(othello, 3, 42), "a2 g2 d7"),
            (drawn(othello, 1, 0), "c8"),
            (drawn(othello, 4, 7), "b1 g3 b6 d8"),
            (VariantSpec { handicap: Handicap::Count(2), ..drawn(othello, 3, 42) }, "b2 h2 d7"),
            (drawn(spec("oct"), 4, 42), "h2 h3 c4 f8"),
            (drawn(VariantSpec::sized(6, 6), 2, 1), "f4 b6"),
        ] {
            assert_eq!(holes_of(spec), set(squares), "{spec:?}");
            assert!(variant_of(spec).seed().is_some());
        }
    }

    #[test]
    fn holes_that_cannot_be_are_refused() {
        let small = VariantSpec::sized(4, 4);
        let bad = |spec| match Variant::new(spec).unwrap_err() {
            VariantError::BadHoles(error) => error,
            other => panic!("{other:?}"),
        };
        assert_eq!(bad(drawn(small, 1, 1)), HolesError::TooFewCandidates { count: 1, candidates: 0 });
        assert_eq!(
            bad(drawn(spec("othello"), 49, 1)),
            HolesError::TooFewCandidates { count: 49, candidates: 48 }
        );
        assert_eq!(bad(drawn(spec("othello"), 0, 1)), HolesError::NoneDrawn);
        let listed = |squares| VariantSpec { holes: Holes::Squares(set(squares)), ..spec("othello") };
        assert_eq!(bad(listed("a1 d4")), HolesError::OnDisc(sq("d4")));
        assert_eq!(bad(listed("i1")), HolesError::OffBoard(sq("i1")));
        assert_eq!(
            bad(VariantSpec { handicap: Handicap::Count(1), ..listed("a1") }),
            HolesError::OnDisc(sq("a1"))
        );
        // c4 is near the centre, but no start disc stands there.
        assert_eq!(holes_of(listed("c4")), set("c4"));
    }

    #[test]
    fn the_starts_of_the_table() {
        let with = |start| VariantSpec { start, ..spec("othello") };
        for (spec, token) in [
            (spec("othello"), "8/8/8/3ox3/3xo3/8/8/8,x"),
            (with(Start::Mirror), "8/8/8/3xo3/3ox3/8/8/8,x"),
            (with(Start::Parallel(0)), "8/8/8/3xx3/3oo3/8/8/8,x"),
            (with(Start::Parallel(1)), "8/8/8/3oo3/3xx3/8/8/8,x"),
            (with(Start::Parallel(2)), "8/8/8/3xo3/3xo3/8/8/8,x"),
            (with(Start::Parallel(3)), "8/8/8/3ox3/3ox3/8/8/8,x"),
            (with(Start::None), "8/8/8/8/8/8/8/8,x"),
            (spec("reversi"), "8/8/8/8/8/8/8/8,x,p4"),
            (spec("oct"), "__6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__6__,x"),
            (spec("annex"), "___4___/___4___/___4___/10/4ox4/4xo4/10/___4___/___4___/___4___,x"),
            (VariantSpec::sized(6, 4), "6/2ox2/2xo2/6,x"),
            (
                VariantSpec { handicap: Handicap::Count(2), ..spec("othello") },
                "x7/8/8/3ox3/3xo3/8/8/7x,x",
            ),
            (
                VariantSpec {
                    handicap: Handicap::Count(4),
                    first: Side::White,
                    ..VariantSpec::sized(4, 4)
                },
                "x2x/1ox1/1xo1/x2x,o",
            ),
            (
                VariantSpec { handicap: Handicap::Count(28), ..VariantSpec::sized(4, 4) },
                "xxxx/xoxx/xxox/xxxx,-",
            ),
        ] {
            let start = variant_of(spec).start_state();
            let expected = state(token);
            assert_eq!(start.board, expected.board, "{token}");
            assert_eq!(start.placements, expected.placements, "{token}");
            if !expected.is_over(&Rules::default()) {
                assert_eq!(start.side, expected.side, "{token}");
            }
        }
    }

    #[test]
    fn cut_takes_4_12_24_squares() {
        for (cut, squares) in [(1, 60), (2, 52), (3, 40)] {
            let spec = VariantSpec { cut, ..spec("othello") };
            assert_eq!(variant_of(spec).geometry().squares(), squares);
        }
        assert_eq!(variant_of(spec("annex")).geometry().squares(), 64);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let othello = spec("othello");
        for (spec, error) in [
            (VariantSpec::sized(3, 8), VariantError::BadSize { columns: 3, rows: 8 }),
            (VariantSpec::sized(26, 26), VariantError::BadSize { columns: 26, rows: 26 }),
            (VariantSpec::sized(9, 7), VariantError::OddSides { columns: 9, rows: 7 }),
            (VariantSpec { annex: true, ..othello }, VariantError::BadVariant(VariantFault::AnnexSize)),
            (
                VariantSpec { annex: true, cut: 1, ..VariantSpec::sized(10, 10) },
                VariantError::BadVariant(VariantFault::AnnexCut),
            ),
            (
                VariantSpec { cut: 9, ..othello },
                VariantError::BadVariant(VariantFault::CutTooFar { cut: 9, most: 6 }),
            ),
            (
                VariantSpec { handicap: Handicap::Count(1), ..spec("oct") },
                VariantError::BadVariant(VariantFault::HandicapNeedsSquares),
            ),
            (
                VariantSpec { handicap: Handicap::Count(5), ..othello },
                VariantError::BadVariant(VariantFault::HandicapNumber(5)),
            ),
            (
                VariantSpec { handicap: Handicap::Squares(set("a1 d4")), ..othello },
                VariantError::BadVariant(VariantFault::HandicapOnStart(sq("d4"))),
            ),
            (
                VariantSpec { handicap: Handicap::Squares(set("a1")), ..spec("oct") },
                VariantError::BadVariant(VariantFault::HandicapOffBoard(sq("a1"))),
            ),
            (
                VariantSpec { holes: Holes::Squares(set("e5")), ..spec("reversi") },
                VariantError::BadVariant(VariantFault::CentreMissing(sq("e5"))),
            ),
            (
                VariantSpec { start: Start::Parallel(4), ..othello },
                VariantError::BadVariant(VariantFault::ParallelNumber(4)),
            ),
            (
                VariantSpec { rules: Rules { hand: Some(1), ..Rules::default() }, ..othello },
                VariantError::BadVariant(VariantFault::HandTooSmall(2)),
            ),
            (
                VariantSpec { start: Start::Random { discs: 3, seed: 1 }, ..othello },
                VariantError::BadVariant(VariantFault::RandomOutside { discs: 3, least: 4, most: 63 }),
            ),
            (
                VariantSpec { start: Start::Random { discs: 64, seed: 1 }, ..othello },
                VariantError::BadVariant(VariantFault::RandomOutside { discs: 64, least: 4, most: 63 }),
            ),
        ] {
            assert_eq!(Variant::new(spec), Err(error), "{spec:?}");
            assert!(!error.to_string().ends_with('.'));
        }
        assert!(Variant::new(VariantSpec { handicap: Handicap::Count(0), ..spec("oct") }).is_ok());
    }

    #[test]
    fn a_random_start_has_its_discs_and_repeats() {
        for seed in 0..50 {
            let spec = VariantSpec { start: Start::Random { discs: 20, seed }, ..spec("othello") };
            let variant = variant_of(spec);
            let start = variant.start_state();
            assert_eq!(start.board.occupied().len(), 20);
            assert!(!start.is_over(variant.rules()));
            assert_eq!(variant, variant_of(spec));
            assert_eq!((variant.spec().start, variant.seed()), (Start::None, Some(seed)));
        }
        // Every draw picks move floor(r * k / 2^64) of the legal ones.
        let spec = VariantSpec { start: Start::Random { discs: 5, seed: 9 }, ..spec("othello") };
        let mut expected = variant_of(super::super::testing::spec("othello")).start_state();
        let chosen = SplitMix64::new(9).below(4) as usize;
        let square = set("d3 c4 f5 e6").iter().nth(chosen).unwrap();
        expected.play(&Rules::default(), None, square).unwrap();
        assert_eq!(variant_of(spec).start_state(), expected);
    }

    #[test]
    fn names_stay_with_size_and_shape() {
        let name = |spec| variant_of(spec).base_name();
        assert_eq!(name(spec("othello")), Some("othello"));
        assert_eq!(name(VariantSpec::sized(8, 8)), Some("othello"));
        assert_eq!(name(spec("reversi")), Some("reversi"));
        assert_eq!(name(spec("oct")), Some("oct"));
        assert_eq!(name(spec("annex")), Some("annex"));
        assert_eq!(name(VariantSpec { start: Start::Free, ..spec("oct") }), Some("oct"));
        assert_eq!(name(VariantSpec { start: Start::Mirror, ..spec("othello") }), Some("othello"));
        assert_eq!(name(VariantSpec::sized(10, 10)), None);
        assert_eq!(name(VariantSpec { cut: 1, ..spec("othello") }), None);
    }

    #[test]
    fn a_position_settles_size_and_holes_and_leaves_the_rest() {
        let mut base = spec("othello");
        base.rules.anti = true;
        base.handicap = Handicap::Count(2);
        let base = variant_of(base);
        let fitted = |base: &Variant, token| base.for_position(&setup(token)).unwrap();

        let holed = fitted(&base, "8/3x4/3o4/1xo1ox2/3_4/3o4/3x4/8,x");
        assert_eq!(holed.spec().holes, Holes::Squares(set("d5")));
        assert_eq!(holed.spec().handicap, Handicap::Squares(SquareSet::EMPTY));
        assert!(holed.rules().anti);
        // d5 is a start disc's square, so the start is gone as well.
        assert_eq!(holed.spec().start, Start::None);
        assert_eq!(fitted(&base, "_7/8/8/3ox3/3xo3/8/8/8,x").spec().start, Start::Cross);

        let odd = fitted(&base, "9/9/3ox4/3xo4/9/9/9,x");
        assert_eq!((odd.geometry().columns(), odd.geometry().rows()), (9, 7));
        assert_eq!(odd.base_name(), None);

        let oct = variant_of(spec("oct"));
        let cut = fitted(&oct, "__6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__5___,x");
        assert_eq!((cut.base_name(), cut.spec().holes), (Some("oct"), Holes::Squares(set("h10"))));
        let full = fitted(&oct, "10/10/10/10/4ox4/4xo4/10/10/10/10,x");
        assert_eq!((full.base_name(), full.spec().cut), (None, 0));
        // The shape follows the size.
        assert_eq!(fitted(&oct, "8/8/8/3ox3/3xo3/8/8/8,x").base_name(), Some("othello"));
        let annex = variant_of(spec("annex"));
        assert!(!fitted(&annex, "8/8/8/3ox3/3xo3/8/8/8,x").spec().annex);
        let reversi = variant_of(spec("reversi"));
        assert_eq!(fitted(&reversi, "6/6/6/6/6/6,x,p4").spec().start, Start::Free);

        let other_size = Variant::with_position(spec("othello"), &setup("6/6/2ox2/2xo2/6/6,x"));
        assert_eq!(other_size, Err(VariantError::BadSize { columns: 6, rows: 6 }));
        for token in ["8/3x4/3o4/1xo1ox2/3_4/3o4/3x4/8,x", "9/9/3ox4/3xo4/9/9/9,x"] {
            let once = fitted(&base, token);
            assert_eq!(once.for_position(&setup(token)).as_ref(), Ok(&once));
        }
    }

    #[test]
    fn free_centre_of_odd_boards_is_the_upper_left_candidate() {
        let variant = variant_of(spec("reversi")).for_position(&setup("9/9/9/9/9/9/9,x,p4")).unwrap();
        assert_eq!(variant.geometry().centre_set(), set("d3 e3 d4 e4"));
        assert_eq!(variant.start_state().legal(variant.rules()), set("d3 e3 d4 e4"));
    }

    #[test]
    fn k1_k2_match_types() {
        let plain =
            GgsType { synchro: false, size: 8, komi: false, anti: false, random: None, colour: None };
        let synchro = GgsType { synchro: true, ..plain };
        let random = |base, discs| GgsType { random: Some(discs), ..base };
        for (kind, text, result) in [
            (random(synchro, 20), "s8r20", Ok(())),
            (random(plain, 20), "8r20", Err(GgsError::Unbalanced)),
            (
                GgsType { komi: true, colour: Some(Side::Black), ..plain },
                "8kb",
                Err(GgsError::Contradiction),
            ),
            (GgsType { komi: true, ..synchro }, "s8k", Err(GgsError::Contradiction)),
            (
                random(GgsType { size: 88, ..synchro }, 45),
                "s88r45",
                Err(GgsError::TooManyDiscs { discs: 45, most: 44 }),
            ),
            (random(synchro, 3), "s8r3", Err(GgsError::TooFewDiscs(3))),
            (random(synchro, 49), "s8r49", Err(GgsError::TooManyDiscs { discs: 49, most: 48 })),
            (GgsType { size: 9, ..plain }, "9", Err(GgsError::BadSize(9))),
            (GgsType { size: 10, anti: true, ..plain }, "10a", Ok(())),
            (GgsType { size: 88, ..plain }, "88", Ok(())),
        ] {
            assert_eq!(kind.validate(), result, "{text}");
            assert_eq!(kind.to_string(), text);
        }
        let oct = GgsType { size: 88, anti: true, ..plain }.spec(0).unwrap();
        assert_eq!((variant_of(oct).base_name(), oct.rules.anti), (Some("oct"), true));
        let start = random(synchro, 20).spec(5).unwrap().start;
        assert_eq!(start, Start::Random { discs: 20, seed: 5 });
    }
}
