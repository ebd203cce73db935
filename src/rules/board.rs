//! Discs on a board of any size.
//!
//! Knows where discs are and what a move does to them. Must not know whose turn
//! it is, how a game ends or which variant is played.
//!
//! [`Position`] is the search's node in one width, [`Board`] hides the three
//! widths from everything that is not a hot loop.

use std::sync::Arc;

use super::bits::{Bits, U256};
use super::flips;
use super::geometry::{Geometry, Width};
use super::square::{BySide, Side, Square, SquareSet};

/// The discs from the mover's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position<B> {
    /// The mover's discs.
    pub own: B,
    /// The opponent's discs.
    pub other: B,
}

impl<B: Bits> Position<B> {
    /// Where the mover may play.
    #[inline]
    pub fn moves(self, playable: B) -> B {
        flips::mobility(self.own, self.other, playable)
    }

    /// What the mover's disc on this square turns.
    #[inline]
    pub fn flips(self, index: u32) -> B {
        flips::flips(self.own, self.other, index)
    }

    /// The position after a move, from the opponent's view.
    #[inline]
    #[must_use]
    pub fn play(self, index: u32) -> Self {
        self.play_flips(index, self.flips(index))
    }

    /// [`Position::play`] with the flips already known.
    #[inline]
    #[must_use]
    pub fn play_flips(self, index: u32, flips: B) -> Self {
        Self { own: self.other ^ flips, other: self.own | flips | B::bit(index) }
    }

    /// The same discs from the opponent's view.
    #[inline]
    #[must_use]
    pub fn pass(self) -> Self {
        Self { own: self.other, other: self.own }
    }
}

/// A position in the width its board needs, with the squares that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnyPosition {
    /// Up to 8×8.
    W64 {
        /// The discs.
        position: Position<u64>,
        /// The squares that exist.
        playable: u64,
    },
    /// Up to 11×11.
    W128 {
        /// The discs.
        position: Position<u128>,
        /// The squares that exist.
        playable: u128,
    },
    /// Up to 16×16.
    W256 {
        /// The discs.
        position: Position<U256>,
        /// The squares that exist.
        playable: U256,
    },
}

/// A board with discs on it.
///
/// ```
/// use outflank::rules::{Side, Square, Variant, by_name};
/// let board = Variant::new(by_name("othello").unwrap()).unwrap().start_state().board;
/// assert_eq!(board.mobility(Side::Black).to_string(), "d3,c4,f5,e6");
/// assert_eq!(board.flips(Side::Black, Square::new(5, 4).unwrap()).to_string(), "e5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    geometry: Arc<Geometry>,
    layers: Layers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Layers {
    W64(Layer<u64>),
    W128(Layer<u128>),
    W256(Layer<U256>),
}

/// Discs by colour, and the squares that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Layer<B> {
    discs: BySide<B>,
    playable: B,
}

macro_rules! in_its_width {
    ($layers:expr, $layer:ident => $do:expr) => {
        match $layers {
            Layers::W64($layer) => $do,
            Layers::W128($layer) => $do,
            Layers::W256($layer) => $do,
        }
    };
}

impl<B: Bits> Layer<B> {
    fn new(geometry: &Geometry, discs: BySide<SquareSet>) -> Self {
        Self { discs: discs.map(B::from_set), playable: B::from_set(geometry.playable()) }
    }

    #[inline]
    fn position(&self, side: Side) -> Position<B> {
        Position { own: self.discs[side], other: self.discs[side.other()] }
    }

    #[inline]
    fn empty(&self) -> B {
        self.playable & !(self.discs.black | self.discs.white)
    }

    /// Empty where the square is not free.
    #[inline]
    fn flips(&self, side: Side, square: Square) -> B {
        if !B::holds(square) {
            return B::EMPTY;
        }
        let index = B::index_of(square);
        if self.empty().has(index) { self.position(side).flips(index) } else { B::EMPTY }
    }

    #[inline]
    fn put(&mut self, side: Side, square: Square) {
        let disc = B::from_set(square.into()) & self.playable;
        self.discs[side] |= disc;
        self.discs[side.other()] &= !disc;
    }

    #[inline]
    fn play(&mut self, side: Side, square: Square) -> B {
        let flips = self.flips(side, square);
        if !flips.is_empty() {
            self.discs[side] |= flips | B::bit(B::index_of(square));
            self.discs[side.other()] ^= flips;
        }
        flips
    }
}

impl Board {
    /// A board without discs.
    pub fn empty(geometry: Arc<Geometry>) -> Self {
        Self::with_discs(geometry, SquareSet::EMPTY, SquareSet::EMPTY)
    }

    /// A board with these discs. Those on squares that do not exist are left
    /// out; where both sides claim a square it is Black's.
    pub fn with_discs(geometry: Arc<Geometry>, black: SquareSet, white: SquareSet) -> Self {
        let playable = geometry.playable();
        let discs = BySide { black: black & playable, white: (white & playable).without(black) };
        let layers = match geometry.width() {
            Width::W64 => Layers::W64(Layer::new(&geometry, discs)),
            Width::W128 => Layers::W128(Layer::new(&geometry, discs)),
            Width::W256 => Layers::W256(Layer::new(&geometry, discs)),
        };
        Self { geometry, layers }
    }

    /// Size and holes.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// Black's discs.
    pub fn black(&self) -> SquareSet {
        self.discs(Side::Black)
    }

    /// White's discs.
    pub fn white(&self) -> SquareSet {
        self.discs(Side::White)
    }

    /// A side's discs.
    pub fn discs(&self, side: Side) -> SquareSet {
        in_its_width!(&self.layers, layer => layer.discs[side].to_set())
    }

    /// All discs.
    pub fn occupied(&self) -> SquareSet {
        in_its_width!(&self.layers, layer => (layer.discs.black | layer.discs.white).to_set())
    }

    /// The playable squares without a disc.
    pub fn empty_squares(&self) -> SquareSet {
        in_its_width!(&self.layers, layer => layer.empty().to_set())
    }

    /// Whose disc is on the square, if any.
    pub fn disc(&self, square: Square) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.discs(side).contains(square))
    }

    /// How many playable squares have no disc.
    pub fn empties(&self) -> u32 {
        in_its_width!(&self.layers, layer => layer.empty().count())
    }

    /// How many discs each side has.
    pub fn counts(&self) -> BySide<u32> {
        in_its_width!(&self.layers, layer => layer.discs.map(Bits::count))
    }

    /// Where a side would turn something.
    pub fn mobility(&self, side: Side) -> SquareSet {
        in_its_width!(&self.layers, layer => layer.position(side).moves(layer.playable).to_set())
    }

    /// Whether a side would turn something anywhere.
    pub fn has_move(&self, side: Side) -> bool {
        in_its_width!(&self.layers, layer => !layer.position(side).moves(layer.playable).is_empty())
    }

    /// What a side's disc on the square would turn: nothing where the square
    /// does not exist or is taken.
    pub fn flips(&self, side: Side, square: Square) -> SquareSet {
        in_its_width!(&self.layers, layer => layer.flips(side, square).to_set())
    }

    /// Puts a disc on a square and turns nothing; a disc already there is
    /// replaced, and a square that does not exist stays as it is.
    pub fn put(&mut self, side: Side, square: Square) {
        in_its_width!(&mut self.layers, layer => layer.put(side, square));
    }

    /// Makes a capture and says what it turned; where it turns nothing the
    /// board stays as it is.
    pub fn play(&mut self, side: Side, square: Square) -> SquareSet {
        in_its_width!(&mut self.layers, layer => layer.play(side, square).to_set())
    }

    /// The discs from a side's view, in the width of the board.
    pub fn position(&self, side: Side) -> AnyPosition {
        match &self.layers {
            Layers::W64(layer) => {
                AnyPosition::W64 { position: layer.position(side), playable: layer.playable }
            }
            Layers::W128(layer) => {
                AnyPosition::W128 { position: layer.position(side), playable: layer.playable }
            }
            Layers::W256(layer) => {
                AnyPosition::W256 { position: layer.position(side), playable: layer.playable }
            }
        }
    }

    /// Position and playable squares of a board up to 8×8.
    pub fn position64(&self, side: Side) -> Option<(Position<u64>, u64)> {
        match self.position(side) {
            AnyPosition::W64 { position, playable } => Some((position, playable)),
            _ => None,
        }
    }

    /// Position and playable squares of a board kept in 11×11.
    pub fn position128(&self, side: Side) -> Option<(Position<u128>, u128)> {
        match self.position(side) {
            AnyPosition::W128 { position, playable } => Some((position, playable)),
            _ => None,
        }
    }

    /// Position and playable squares of a board kept in 16×16.
    pub fn position256(&self, side: Side) -> Option<(Position<U256>, U256)> {
        match self.position(side) {
            AnyPosition::W256 { position, playable } => Some((position, playable)),
            _ => None,
        }
    }
}
