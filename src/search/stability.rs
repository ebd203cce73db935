//! Discs that can never be flipped again, and what they say about the result.

use crate::eval::shape::AXES;
use crate::rules::{Bits, Position};

use super::ground::Ground;
use super::stamp::Stamp;

/// From so high an alpha on (in discs, and two more for each empty square beyond four) it pays
/// to count stable discs.
const CUT_FROM: i32 = 4;

/// A bound at most `alpha` on the result of the mover, in discs, if stable discs give one.
///
/// The opponent keeps his stable discs; when fewest discs win the mover keeps his own. This holds
/// under both scoring rules, because the winner of the empties cannot be the side with fewer
/// discs.
#[inline(always)]
pub(crate) fn cut<B: Bits, S: Stamp<B>>(
    stamp: S,
    ground: &Ground<B>,
    position: &Position<B>,
    empties: B,
    n_empties: u32,
    alpha: i32,
) -> Option<i32> {
    if alpha < CUT_FROM + 2 * (n_empties as i32 - 4) {
        return None;
    }
    let (squares, kept) = if S::STANDARD {
        (64, position.other)
    } else {
        (ground.squares as i32, if ground.anti() { position.own } else { position.other })
    };
    // Not even if all of them were stable?
    if squares - 2 * kept.count() as i32 > alpha {
        return None;
    }
    let bound = squares - 2 * stamp.stable(kept, empties, ground.playable).count() as i32;
    (bound <= alpha).then_some(bound)
}

/// Some of the discs of `owner` that can never be flipped, for any width: see
/// [`crate::kernel::Kernel::stable`].
#[inline(always)]
pub(crate) fn stable<B: Bits>(owner: B, empties: B, playable: B) -> B {
    let mut safe = [B::EMPTY; 4];
    for (safe, &(forward, back)) in safe.iter_mut().zip(&AXES) {
        let open = spread(empties, playable, forward) | spread(empties, playable, back);
        let flanked = playable.shift(forward) & playable.shift(back);
        *safe = owner & !(open & flanked);
    }
    let mut found = safe[0] & safe[1] & safe[2] & safe[3];
    // Everything else can only be anchored to what is found.
    while !found.is_empty() {
        let mut wider = owner;
        for (safe, &(forward, back)) in safe.iter().zip(&AXES) {
            wider &= *safe | found.shift(forward) | found.shift(back);
        }
        if wider == found {
            break;
        }
        found = wider;
    }
    found
}

/// `from` and the playable squares reached from it in one direction.
#[inline(always)]
fn spread<B: Bits>(from: B, playable: B, direction: u32) -> B {
    let mut reached = from;
    loop {
        let further = reached | (reached.shift(direction) & playable);
        if further == reached {
            return reached;
        }
        reached = further;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Geometry, Holes, SplitMix64, Variant, VariantSpec, by_name, mobility};

    fn check<B: Bits>(spec: VariantSpec, read: fn(&Variant) -> Position<B>) {
        let variant = Variant::new(spec).expect("a variant");
        let geometry: &Geometry = variant.geometry();
        let ground = Ground::<B>::new(geometry, variant.rules());
        let mut random = SplitMix64::new(11);
        for _ in 0..200 {
            let mut position = read(&variant);
            let (mut stable_own, mut stable_other) = (B::EMPTY, B::EMPTY);
            loop {
                assert_eq!(stable_own & !position.own, B::EMPTY);
                assert_eq!(stable_other & !position.other, B::EMPTY);
                let empties = ground.empties(&position);
                stable_own |= stable(position.own, empties, ground.playable);
                stable_other |= stable(position.other, empties, ground.playable);
                let moves = mobility(position.own, position.other, ground.playable);
                if moves.is_empty() {
                    let passed = position.pass();
                    if mobility(passed.own, passed.other, ground.playable).is_empty() {
                        break;
                    }
                    position = passed;
                } else {
                    let drawn = random.below(u64::from(moves.count())) as usize;
                    position = position.play(moves.iter().nth(drawn).expect("a move"));
                }
                (stable_own, stable_other) = (stable_other, stable_own);
            }
        }
    }

    #[test]
    fn what_is_called_stable_is_never_flipped() {
        let narrow = |variant: &Variant| {
            let state = variant.start_state();
            state.board.position64(state.side).expect("8x8").0
        };
        let wide = |variant: &Variant| {
            let state = variant.start_state();
            state.board.position128(state.side).expect("11x11").0
        };
        let othello = by_name("othello").expect("othello");
        let holes = Holes::Drawn { count: 4, seed: 7 };
        check::<u64>(VariantSpec { holes, ..othello }, narrow);
        check::<u64>(othello, narrow);
        check::<u64>(VariantSpec::sized(6, 4), narrow);
        check::<u128>(by_name("oct").expect("oct"), wide);
    }
}
