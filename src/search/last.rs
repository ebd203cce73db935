//! The last few empties of a game: no table, no sorting, only parity. Values are in discs, for
//! the mover; windows are `(alpha, alpha + 1)` except in [`few_window`]. A value above alpha is
//! a lower bound, one at most alpha an upper bound.
//!
//! Parity: the side that plays last into a closed region profits, so squares in quarters with an
//! odd number of empties are tried first.

use crate::rules::{Bits, Position};

use super::stamp::Stamp;
use super::worker::{INFINITE_DISCS, Worker};

/// Up to this many empties there is nothing but parity.
pub(crate) const FEW: u32 = 6;

/// At most [`FEW`] empties, with a null window.
#[inline(always)]
pub(crate) fn few<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    empties: B,
    alpha: i32,
) -> i32 {
    let n_empties = empties.count();
    match n_empties {
        0 => {
            worker.meter.count();
            return worker.ground.final_result(position);
        }
        1 => return one(stamp, worker, position, empties.first(), alpha),
        2 => {
            let mut rest = empties.iter().map(|index| index as u8);
            let empty = [(); 2].map(|()| rest.next().unwrap_or(0));
            return two(stamp, worker, position, empty, alpha);
        }
        3 => {
            let mut rest = empties.iter().map(|index| index as u8);
            return stamp.three(worker, position, [(); 3].map(|()| rest.next().unwrap_or(0)), alpha);
        }
        4 => return stamp.four(worker, position, by_parity(worker, empties), alpha),
        _ => {}
    }
    worker.meter.count();
    let ground = worker.ground;
    let mut best = -INFINITE_DISCS;
    let odd = empties & ground.quarters[usize::from(ground.parity(empties))];
    for part in [odd, empties & !odd] {
        for index in part.iter() {
            if (ground.around(index) & position.other).is_empty() {
                continue;
            }
            let flips = stamp.flips(position.own, position.other, index);
            if flips.is_empty() {
                continue;
            }
            let child = position.play_flips(index, flips);
            let left = empties & !B::bit(index);
            let value = if n_empties == 5 {
                -stamp.four(worker, &child, by_parity(worker, left), -alpha - 1)
            } else {
                -stamp.few(worker, &child, left, -alpha - 1)
            };
            if value > alpha {
                return value;
            }
            best = best.max(value);
        }
    }
    if best > -INFINITE_DISCS {
        return best;
    }
    let passed = position.pass();
    if stamp.mobility(passed.own, passed.other, ground.playable).is_empty() {
        ground.final_result(position)
    } else {
        -stamp.few(worker, &passed, empties, -alpha - 1)
    }
}

/// Four empties, those of odd quarters first.
#[inline(always)]
fn by_parity<B: Bits>(worker: &Worker<'_, B>, empties: B) -> [u8; 4] {
    let ground = worker.ground;
    let odd = empties & ground.quarters[usize::from(ground.parity(empties))];
    let mut empty = [0; 4];
    let all = odd.iter().chain((empties & !odd).iter());
    for (slot, index) in empty.iter_mut().zip(all) {
        *slot = index as u8;
    }
    empty
}

/// The position after a move, if it is one.
#[inline(always)]
fn played<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &Worker<'_, B>,
    position: &Position<B>,
    index: u8,
) -> Option<Position<B>> {
    let index = u32::from(index);
    if (worker.ground.around(index) & position.other).is_empty() {
        return None;
    }
    let flips = stamp.flips(position.own, position.other, index);
    (!flips.is_empty()).then(|| position.play_flips(index, flips))
}

/// Four empty squares, those of odd quarters first.
#[inline(always)]
pub(crate) fn four<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    empty: [u8; 4],
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let [a, b, c, d] = empty;
    let mut position = *position;
    let mut alpha = alpha;
    let mut sign = 1;
    // The second time round is the opponent's, after a pass.
    for _ in 0..2 {
        let mut best = -INFINITE_DISCS;
        for (index, rest) in [(a, [b, c, d]), (b, [a, c, d]), (c, [d, a, b]), (d, [c, a, b])] {
            if let Some(child) = played(stamp, worker, &position, index) {
                let value = -stamp.three(worker, &child, rest, -alpha - 1);
                if value > alpha {
                    return sign * value;
                }
                best = best.max(value);
            }
        }
        if best > -INFINITE_DISCS {
            return sign * best;
        }
        position = position.pass();
        alpha = -alpha - 1;
        sign = -sign;
    }
    worker.ground.final_result(&position)
}

/// Three empty squares; one that is alone in its quarter comes first.
#[inline(always)]
pub(crate) fn three<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    empty: [u8; 3],
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let [mut a, mut b, mut c] = empty;
    let ground = worker.ground;
    if ground.same_quarter(a, b) {
        // a and b are a pair, so c goes first unless it belongs to them.
        (a, c) = (c, a);
    } else if ground.same_quarter(a, c) {
        (a, b) = (b, a);
    }
    let mut position = *position;
    let mut alpha = alpha;
    let mut sign = 1;
    for _ in 0..2 {
        let mut best = -INFINITE_DISCS;
        for (index, rest) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
            if let Some(child) = played(stamp, worker, &position, index) {
                let value = -two(stamp, worker, &child, rest, -alpha - 1);
                if value > alpha {
                    return sign * value;
                }
                best = best.max(value);
            }
        }
        if best > -INFINITE_DISCS {
            return sign * best;
        }
        position = position.pass();
        alpha = -alpha - 1;
        sign = -sign;
    }
    worker.ground.final_result(&position)
}

/// Two empty squares.
#[inline(always)]
fn two<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    [a, b]: [u8; 2],
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let mut position = *position;
    let mut alpha = alpha;
    let mut sign = 1;
    for _ in 0..2 {
        let mut best = -INFINITE_DISCS;
        for (index, rest) in [(a, b), (b, a)] {
            if let Some(child) = played(stamp, worker, &position, index) {
                let value = -one(stamp, worker, &child, u32::from(rest), -alpha - 1);
                if value > alpha {
                    return sign * value;
                }
                best = best.max(value);
            }
        }
        if best > -INFINITE_DISCS {
            return sign * best;
        }
        position = position.pass();
        alpha = -alpha - 1;
        sign = -sign;
    }
    worker.ground.final_result(&position)
}

/// One empty square: the discs are counted without playing.
#[inline(always)]
fn one<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    index: u32,
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let ground = worker.ground;
    let Position { own, other } = *position;
    let n_own = own.count();
    if S::STANDARD {
        let n_own = n_own as i32;
        let gain = stamp.last_flips(own, other, index) as i32;
        if gain > 0 {
            return 2 * (n_own + gain) - 62;
        }
        // The opponent's move would make it worse.
        let nobody = ground.last_square_stays(n_own);
        if nobody <= alpha {
            return nobody;
        }
        let loss = stamp.last_flips(other, own, index) as i32;
        return if loss > 0 { 2 * (n_own - loss) - 64 } else { nobody };
    }
    let n_other = ground.squares - 1 - n_own;
    let gain = stamp.last_flips(own, other, index);
    if gain > 0 {
        return ground.result(n_own + gain + 1, n_other - gain);
    }
    let loss = stamp.last_flips(other, own, index);
    if loss > 0 {
        return ground.result(n_own - loss, n_other + loss + 1);
    }
    ground.result(n_own, n_other)
}

/// At most [`FEW`] empties with any window: the exact value if it lies between `alpha` and
/// `beta`, else a bound on the side where it lies.
#[inline(always)]
pub(crate) fn few_window<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    alpha: i32,
    beta: i32,
) -> i32 {
    let ground = worker.ground;
    let empties = ground.empties(position);
    if beta - alpha <= 1 {
        return stamp.few(worker, position, empties, alpha);
    }
    worker.meter.count();
    let moves = stamp.mobility(position.own, position.other, ground.playable);
    if moves.is_empty() {
        let passed = position.pass();
        return if stamp.mobility(passed.own, passed.other, ground.playable).is_empty() {
            ground.final_result(position)
        } else {
            -stamp.few_window(worker, &passed, -beta, -alpha)
        };
    }
    let mut alpha = alpha;
    let mut best = -INFINITE_DISCS;
    let odd = moves & ground.quarters[usize::from(ground.parity(empties))];
    for part in [odd, moves & !odd] {
        for index in part.iter() {
            let child = position.play_flips(index, stamp.flips(position.own, position.other, index));
            let value = -stamp.few_window(worker, &child, -beta, -alpha);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                return best;
            }
        }
    }
    best
}
