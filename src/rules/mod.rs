//! The game itself: squares, boards of every size and shape, variants, moves,
//! passes, free opening, undo, score and leaf counts.
//!
//! This module knows the rules of every variant. It must not know how anything
//! is written (text is read elsewhere and arrives here as [`Square`], [`Setup`]
//! or [`VariantSpec`]), nor how a move is searched for, nor any clock.
//!
//! From the bottom up: [`mod@square`] and [`mod@bits`] are sets of squares, [`mod@flips`]
//! is the one rule of the game, [`mod@geometry`] the shape of a board, [`mod@board`]
//! discs on it, [`mod@score`] what a board is worth, [`mod@variant`] the table of
//! variants, [`mod@setup`] positions from outside, [`mod@state`] one moment of a game,
//! [`mod@game`] the whole of it.
//!
//! ```
//! use outflank::rules::{Game, Side, Square, Variant, by_name};
//!
//! let variant = Variant::new(by_name("othello").unwrap()).unwrap();
//! let mut game = Game::new(variant);
//! let f5 = Square::new(5, 4).unwrap();
//! let made = game.play(Some(Side::Black), f5).unwrap();
//! assert_eq!(made.flips.to_string(), "e5");
//! assert_eq!(game.state().side, Side::White);
//! ```

pub mod bits;
pub mod board;
pub mod flips;
pub mod game;
pub mod geometry;
pub mod hash;
pub mod perft;
mod rays;
pub mod score;
pub mod setup;
pub mod square;
pub mod state;
pub mod symmetry;
pub mod variant;

#[cfg(test)]
mod testing;

pub use bits::{Bits, U256};
pub use board::{AnyPosition, Board, Position};
pub use flips::{flips, mobility};
pub use game::{EndReason, Ending, Entry, Forfeit, Game, NothingToRedo, NothingToUndo, Stop};
pub use geometry::{Geometry, GeometryError, Width};
pub use hash::{SplitMix64, hash};
pub use perft::{PassCost, divide, perft, perft_on};
pub use score::{
    Bound, Centidiscs, Discs, HalfDiscs, Official, Scoring, count, final_margin, score, winner,
};
pub use setup::{Setup, SetupError};
pub use square::{BySide, Side, Square, SquareSet};
pub use state::{Act, Move, PassReason, Phase, Refusal, Refused, State};
pub use symmetry::Symmetry;
pub use variant::{
    GgsError, GgsType, Handicap, Holes, HolesError, Place, Rules, Start, Stuck, VARIANTS, Variant,
    VariantError, VariantFault, VariantRow, VariantSpec, by_name,
};
