//! A position as it comes from outside, not necessarily legal.
//!
//! Knows what can be wrong with one. Must not know how it was written.

use std::fmt;

use super::board::Board;
use super::score::HalfDiscs;
use super::square::{BySide, Side, Square, SquareSet};
use super::state::State;
use super::variant::{Variant, VariantError};

/// A position as somebody described it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// Columns.
    pub columns: u8,
    /// Rows.
    pub rows: u8,
    /// All squares of the rectangle that do not exist.
    pub holes: SquareSet,
    /// Black's discs.
    pub black: SquareSet,
    /// White's discs.
    pub white: SquareSet,
    /// Who is to move; `None` says that neither side can.
    pub side: Option<Side>,
    /// Discs of a free opening that are still to be placed.
    pub placements: u8,
    /// Discs left in hand, where the variant limits them.
    pub hand: Option<BySide<u16>>,
    /// Komi for Black, where the position fixes it.
    pub komi: Option<HalfDiscs>,
}

/// Why a position cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The position has another size than the variant.
    BadSize {
        /// Columns of the position.
        columns: u8,
        /// Rows of the position.
        rows: u8,
    },
    /// The holes differ from the variant's, first at this square.
    HolesDiffer(Square),
    /// A disc on a square that does not exist.
    DiscOffBoard(Square),
    /// Both sides have a disc on one square.
    Overlapping(Square),
    /// Placements are left, but the variant has no free opening.
    PlacementsWithoutFreeStart,
    /// The placements left differ from the free centre squares.
    PlacementsMismatch {
        /// Placements said to be left.
        placements: u8,
        /// Centre squares without a disc.
        free: u32,
    },
    /// Discs in hand, but the variant does not limit them.
    HandWithoutLimit,
    /// More discs in hand than a side owns.
    HandTooLarge(Side),
    /// Fewer discs in hand than a side has to place.
    HandTooSmall(Side),
    /// Nobody is said to be to move, but somebody can.
    SideMissing,
    /// The variant does not allow a board of this kind.
    Variant(VariantError),
}

impl From<VariantError> for SetupError {
    fn from(error: VariantError) -> Self {
        Self::Variant(error)
    }
}

impl Setup {
    /// The position of a state, such that reading it back gives the state.
    /// The side is `None` if nobody can go on.
    pub fn of(state: &State, rules: &super::variant::Rules) -> Self {
        let geometry = state.board.geometry();
        Self {
            columns: geometry.columns(),
            rows: geometry.rows(),
            holes: geometry.holes(),
            black: state.board.black(),
            white: state.board.white(),
            side: (!state.is_over(rules)).then_some(state.side),
            placements: state.placements,
            hand: state.hand,
            komi: None,
        }
    }

    fn placements_by_side(&self, first: Side) -> BySide<u16> {
        let placements = u16::from(self.placements);
        let mut left = BySide { black: placements / 2, white: placements / 2 };
        left[first] += placements % 2;
        left
    }

    /// Discs each side would have left if it had made half of the moves; the
    /// odd one is the opponent's, who moved last.
    fn guessed_hand(&self, limit: u16, side: Side) -> BySide<u16> {
        let used = (self.black | self.white).len() as u16;
        BySide::from_fn(|owner| {
            let odd = if owner == side { 0 } else { used % 2 };
            limit.saturating_sub(used / 2 + odd)
        })
    }
}

impl State {
    /// The state of a position under a variant of the same size and holes
    /// (see [`Variant::for_position`]). A mover without a move is accepted.
    /// Where the variant limits discs and the position does not tell how many
    /// are left, each side is taken to have made half of the moves.
    ///
    /// # Errors
    /// One of [`SetupError`], the first that applies in their order.
    pub fn from_setup(variant: &Variant, setup: &Setup) -> Result<Self, SetupError> {
        let geometry = variant.geometry();
        let rules = variant.rules();
        if (setup.columns, setup.rows) != (geometry.columns(), geometry.rows()) {
            return Err(SetupError::BadSize { columns: setup.columns, rows: setup.rows });
        }
        if let Some(square) = (setup.holes ^ geometry.holes()).first() {
            return Err(SetupError::HolesDiffer(square));
        }
        if let Some(square) = (setup.black | setup.white).without(geometry.playable()).first() {
            return Err(SetupError::DiscOffBoard(square));
        }
        if let Some(square) = (setup.black & setup.white).first() {
            return Err(SetupError::Overlapping(square));
        }
        let board = Board::with_discs(geometry.clone(), setup.black, setup.white);
        if setup.placements > 0 {
            if !variant.opens_freely() {
                return Err(SetupError::PlacementsWithoutFreeStart);
            }
            let free = (board.empty_squares() & geometry.centre_set()).len();
            if free != u32::from(setup.placements) {
                return Err(SetupError::PlacementsMismatch { placements: setup.placements, free });
            }
        }
        let side = setup.side.unwrap_or(variant.first());
        let hand = match (rules.hand, setup.hand) {
            (None, Some(_)) => return Err(SetupError::HandWithoutLimit),
            (None, None) => None,
            (Some(limit), given) => {
                let hand = given.unwrap_or_else(|| setup.guessed_hand(limit, side));
                let needed = setup.placements_by_side(side);
                for side in Side::BOTH {
                    if hand[side] > limit {
                        return Err(SetupError::HandTooLarge(side));
                    }
                    if hand[side] < needed[side] {
                        return Err(SetupError::HandTooSmall(side));
                    }
                }
                Some(hand)
            }
        };
        let state = Self { board, side, placements: setup.placements, hand };
        if setup.side.is_none()
            && !(state.is_over(rules) && state.with_side(side.other()).is_over(rules))
        {
            return Err(SetupError::SideMissing);
        }
        Ok(state)
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSize { columns, rows } => {
                write!(f, "a position of {columns}x{rows} does not fit the variant")
            }
            Self::HolesDiffer(square) => {
                write!(f, "position and variant differ about a hole at {square}")
            }
            Self::DiscOffBoard(square) => write!(f, "there is no square {square} for a disc"),
            Self::Overlapping(square) => write!(f, "{square} holds discs of both sides"),
            Self::PlacementsWithoutFreeStart => {
                f.write_str("placements are left, but the variant has no free opening")
            }
            Self::PlacementsMismatch { placements, free } => {
                write!(f, "placements left are {placements}, but free centre squares are {free}")
            }
            Self::HandWithoutLimit => f.write_str("discs in hand, but the variant does not limit them"),
            Self::HandTooLarge(side) => write!(f, "{side} has more discs in hand than it owns"),
            Self::HandTooSmall(side) => write!(f, "{side} has too few discs for its placements"),
            Self::SideMissing => f.write_str("nobody is to move, but somebody can"),
            Self::Variant(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SetupError {}
