//! An evaluation made by hand that works on every shape of board.
//!
//! It guesses the final margin from what the field agrees matters: moves to
//! choose from, moves to come, discs that cannot be flipped, and the squares
//! that give those away.

use crate::rules::{Bits, Geometry, Position, Rules, Scoring, final_margin, mobility};

use super::shape::{self, AXES, DIAGONAL, STRAIGHT};

/// What the terms are worth, in centidiscs, at the beginning of the game and
/// at its end; between them a weight moves in proportion to the empties.
struct Weights {
    /// Own moves against the opponent's, as a share of both: the whole share.
    mobility: [i32; 2],
    /// Empty squares next to the opponent's discs against those next to own
    /// discs, as a share of both: the whole share.
    potential: [i32; 2],
    /// A disc on a square that can never be flipped.
    corner: [i32; 2],
    /// Another disc that is anchored to such squares.
    anchored: [i32; 2],
    /// A disc diagonally next to an empty corner.
    diagonal: [i32; 2],
    /// A disc straight next to an empty corner.
    beside: [i32; 2],
    /// A disc more than the opponent.
    disc: [i32; 2],
    /// The last move of the game, as far as the number of empties tells.
    last_move: [i32; 2],
    /// The right to move.
    tempo: [i32; 2],
}

/// When most discs win.
const MOST_DISCS: Weights = Weights {
    mobility: [2600, 1800],
    potential: [1800, 700],
    corner: [1100, 900],
    anchored: [300, 320],
    diagonal: [-600, -350],
    beside: [-220, -120],
    disc: [-8, 30],
    last_move: [0, 150],
    tempo: [50, 50],
};

/// When fewest discs win: moves still give a choice, but what cannot be
/// flipped is a burden.
const FEWEST_DISCS: Weights = Weights {
    mobility: [900, 300],
    potential: [600, 200],
    corner: [-1200, -900],
    anchored: [-350, -320],
    diagonal: [250, 150],
    beside: [100, 50],
    disc: [-30, -60],
    last_move: [0, -100],
    tempo: [0, 0],
};

/// Values positions of one board under one set of rules.
pub(crate) struct Evaluator<B: Bits> {
    playable: B,
    squares: u32,
    corners: B,
    /// On each axis, squares that lack a neighbour.
    ends: [B; 4],
    anti: bool,
    scoring: Scoring,
}

impl<B: Bits> Evaluator<B> {
    /// The evaluator for a geometry and rules.
    pub fn new(geometry: &Geometry, rules: &Rules) -> Self {
        let playable = B::from_set(geometry.playable());
        let ends =
            AXES.map(|(forward, back)| playable & !(playable.shift(forward) & playable.shift(back)));
        Self {
            playable,
            squares: playable.count(),
            corners: shape::corners(playable),
            ends,
            anti: rules.anti,
            scoring: rules.scoring,
        }
    }

    /// The guessed final margin for the mover, in centidiscs; the true one
    /// when the game is over.
    pub fn value(&self, position: &Position<B>) -> i32 {
        let Position { own, other } = *position;
        let own_moves = mobility(own, other, self.playable);
        let other_moves = mobility(other, own, self.playable);
        self.value_knowing(position, own_moves, other_moves)
    }

    /// [`Evaluator::value`] for a caller who knows where both sides may play.
    #[inline(always)]
    pub fn value_knowing(&self, position: &Position<B>, own_moves: B, other_moves: B) -> i32 {
        let Position { own, other } = *position;
        let (n_own, n_other) = (own.count() as i32, other.count() as i32);
        let limit = 100 * self.squares as i32;
        if own_moves.is_empty() && other_moves.is_empty() {
            let margin = final_margin(own.count(), other.count(), self.squares, self.scoring);
            return if self.anti { -100 * margin } else { 100 * margin };
        }
        let weights = if self.anti { &FEWEST_DISCS } else { &MOST_DISCS };
        let n_empties = self.squares as i32 - n_own - n_other;
        let blend = |[begin, end]: [i32; 2]| end + (begin - end) * n_empties / self.squares as i32;

        let empties = self.playable & !(own | other);
        let near_other = (other.neighbours() & empties).count() as i32;
        let near_own = (own.neighbours() & empties).count() as i32;
        let mut value = blend(weights.tempo)
            + share(blend(weights.mobility), own_moves.count() as i32, other_moves.count() as i32)
            + share(blend(weights.potential), near_other, near_own)
            + blend(weights.disc) * (n_own - n_other);
        value += blend(weights.last_move) * (2 * (n_empties & 1) - 1);

        let difference = |squares: B| (own & squares).count() as i32 - (other & squares).count() as i32;
        let taken = self.corners & !empties;
        if !taken.is_empty() {
            let corners = difference(self.corners);
            let anchored = self.anchored(own).count() as i32 - self.anchored(other).count() as i32;
            value += blend(weights.corner) * corners;
            value += blend(weights.anchored) * (anchored - corners);
        }
        let open = self.corners & empties;
        if !open.is_empty() {
            let diagonal = Self::next_to(open, &DIAGONAL);
            let beside = Self::next_to(open, &STRAIGHT) & !diagonal;
            value += blend(weights.diagonal) * difference(diagonal);
            value += blend(weights.beside) * difference(beside);
        }
        value.clamp(-limit, limit)
    }

    /// Discs of a colour that lean on unflippable squares on every axis.
    fn anchored(&self, owner: B) -> B {
        let mut found = owner & self.corners;
        while !found.is_empty() {
            let mut wider = owner;
            for (ends, &(forward, back)) in self.ends.iter().zip(&AXES) {
                wider &= *ends | found.shift(forward) | found.shift(back);
            }
            if wider == found {
                break;
            }
            found = wider;
        }
        found
    }

    fn next_to(squares: B, directions: &[u32; 4]) -> B {
        directions.iter().fold(B::EMPTY, |near, &direction| near | squares.shift(direction))
    }
}

/// `whole` times how much larger `own` is than `other`, as a share of both.
fn share(whole: i32, own: i32, other: i32) -> i32 {
    whole * (own - other) / (own + other + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Variant, by_name};

    fn evaluator(anti: bool) -> Evaluator<u64> {
        let mut spec = by_name("othello").expect("othello");
        spec.rules.anti = anti;
        let variant = Variant::new(spec).expect("a variant");
        Evaluator::new(variant.geometry(), variant.rules())
    }

    #[test]
    fn a_finished_game_has_its_true_value() {
        let wiped_out = Position { own: 0x0f0f, other: 0 };
        assert_eq!(evaluator(false).value(&wiped_out), 6400);
        assert_eq!(evaluator(true).value(&wiped_out), -6400);
    }

    #[test]
    fn a_corner_is_an_asset_unless_fewest_discs_win() {
        let centre = Position::<u64> { own: 1 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 };
        let cornered = Position { own: centre.own | 1, ..centre };
        let gain = |anti| evaluator(anti).value(&cornered) - evaluator(anti).value(&centre);
        assert!(gain(false) > 0 && gain(true) < 0);
    }
}
