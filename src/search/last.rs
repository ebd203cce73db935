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
    if n_empties <= 4 {
        return at_most_four(stamp, worker, position, empties, n_empties, alpha);
    }
    worker.meter.count();
    let ground = worker.ground;
    let mut best = -INFINITE_DISCS;
    let odd = empties & ground.odd_quarters(empties);
    let (mut squares, mut later) = (odd, empties & !odd);
    loop {
        if squares.is_empty() {
            if later.is_empty() {
                break;
            }
            (squares, later) = (later, B::EMPTY);
        }
        let index = squares.first() as u8;
        squares = squares.without_first();
        let Some(child) = played(stamp, worker, position, index) else { continue };
        let left = empties & !B::bit(u32::from(index));
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

/// So few empties only when a search begins with them, so this is not code of a tier.
#[cold]
fn at_most_four<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    empties: B,
    n_empties: u32,
    alpha: i32,
) -> i32 {
    let mut rest = empties;
    let mut next = || {
        let index = if rest.is_empty() { 0 } else { rest.first() as u8 };
        rest = rest.without_first();
        index
    };
    match n_empties {
        0 => {
            worker.meter.count();
            worker.ground.final_result(position)
        }
        1 => one(stamp, worker, position, next(), alpha),
        2 => two(stamp, worker, position, next(), next(), alpha),
        3 => stamp.three(worker, position, [next(), next(), next()], alpha),
        _ => stamp.four(worker, position, by_parity(worker, empties), alpha),
    }
}

/// Four empties, those of odd quarters first.
#[inline(always)]
fn by_parity<B: Bits>(worker: &Worker<'_, B>, empties: B) -> [u8; 4] {
    let odd = worker.ground.odd_quarters(empties);
    // Filled in a register from both ends.
    let (mut squares, mut packed) = (empties, 0_u32);
    let (mut front, mut back) = (0, 24);
    for _ in 0..4 {
        let index = squares.first();
        squares = squares.without_first();
        if odd.has(index) {
            packed |= index << front;
            front += 8;
        } else {
            packed |= index << back;
            back -= 8;
        }
    }
    packed.to_le_bytes()
}

/// The position after a move, if it is one.
#[inline(always)]
fn played<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &Worker<'_, B>,
    position: &Position<B>,
    index: u8,
) -> Option<Position<B>> {
    if (worker.ground.around(index) & position.other).is_empty() {
        return None;
    }
    let flips = stamp.flips(position.own, position.other, u32::from(index));
    (!flips.is_empty()).then(|| position.play_flips(u32::from(index), flips))
}

/// Tries a move: returns from the caller when it decides the node, else keeps the best value.
macro_rules! attempt {
    ($stamp:expr, $worker:expr, $position:expr, $index:expr, $alpha:expr, $best:ident, |$child:ident| $below:expr) => {
        if let Some($child) = played($stamp, $worker, $position, $index) {
            let value = -$below;
            if value > $alpha {
                return value;
            }
            $best = $best.max(value);
        }
    };
}

/// Four empty squares, those of odd quarters first.
#[inline(always)]
pub(crate) fn four<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    [a, b, c, d]: [u8; 4],
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let mut best = -INFINITE_DISCS;
    let below = -alpha - 1;
    attempt!(stamp, worker, position, a, alpha, best, |child| stamp.three(
        worker,
        &child,
        [b, c, d],
        below
    ));
    attempt!(stamp, worker, position, b, alpha, best, |child| stamp.three(
        worker,
        &child,
        [a, c, d],
        below
    ));
    attempt!(stamp, worker, position, c, alpha, best, |child| stamp.three(
        worker,
        &child,
        [d, a, b],
        below
    ));
    attempt!(stamp, worker, position, d, alpha, best, |child| stamp.three(
        worker,
        &child,
        [c, a, b],
        below
    ));
    if best > -INFINITE_DISCS {
        return best;
    }
    // Not by an iterator: its code would not be that of the tier.
    let passed = position.pass();
    if played(stamp, worker, &passed, a).is_some()
        || played(stamp, worker, &passed, b).is_some()
        || played(stamp, worker, &passed, c).is_some()
        || played(stamp, worker, &passed, d).is_some()
    {
        -stamp.four(worker, &passed, [a, b, c, d], below)
    } else {
        worker.ground.final_result(position)
    }
}

/// Three empty squares; one that is alone in its quarter comes first.
#[inline(always)]
pub(crate) fn three<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    [mut a, mut b, mut c]: [u8; 3],
    alpha: i32,
) -> i32 {
    worker.meter.count();
    if same_quarter::<B, S>(worker, a, b) {
        // a and b are a pair, so c goes first unless it belongs to them.
        (a, c) = (c, a);
    } else if same_quarter::<B, S>(worker, a, c) {
        (a, b) = (b, a);
    }
    let mut best = -INFINITE_DISCS;
    let below = -alpha - 1;
    attempt!(stamp, worker, position, a, alpha, best, |child| two(stamp, worker, &child, b, c, below));
    attempt!(stamp, worker, position, b, alpha, best, |child| two(stamp, worker, &child, a, c, below));
    attempt!(stamp, worker, position, c, alpha, best, |child| two(stamp, worker, &child, a, b, below));
    if best > -INFINITE_DISCS {
        return best;
    }
    let passed = position.pass();
    if played(stamp, worker, &passed, a).is_some()
        || played(stamp, worker, &passed, b).is_some()
        || played(stamp, worker, &passed, c).is_some()
    {
        -stamp.three(worker, &passed, [a, b, c], below)
    } else {
        worker.ground.final_result(position)
    }
}

#[inline(always)]
fn same_quarter<B: Bits, S: Stamp<B>>(worker: &Worker<'_, B>, a: u8, b: u8) -> bool {
    // Of an 8x8 index, bit 2 tells left from right and bit 5 upper from lower.
    if S::STANDARD { (a ^ b) & 0b10_0100 == 0 } else { worker.ground.same_quarter(a, b) }
}

/// Two empty squares.
#[inline(always)]
fn two<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    a: u8,
    b: u8,
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let best = either(stamp, worker, position, a, b, alpha);
    if best > -INFINITE_DISCS {
        return best;
    }
    // A pass: the window and the values turn round.
    let passed = position.pass();
    let best = either(stamp, worker, &passed, a, b, -alpha - 1);
    if best > -INFINITE_DISCS { -best } else { worker.ground.final_result(position) }
}

/// The better move to one of two empty squares, or the first that decides the node; less than any
/// value when neither is a move.
#[inline(always)]
fn either<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    a: u8,
    b: u8,
    alpha: i32,
) -> i32 {
    let mut best = -INFINITE_DISCS;
    let below = -alpha - 1;
    attempt!(stamp, worker, position, a, alpha, best, |child| one(stamp, worker, &child, b, below));
    attempt!(stamp, worker, position, b, alpha, best, |child| one(stamp, worker, &child, a, below));
    best
}

/// One empty square: the discs are counted without playing.
#[inline(always)]
fn one<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    index: u8,
    alpha: i32,
) -> i32 {
    worker.meter.count();
    let ground = worker.ground;
    let index = u32::from(index);
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
    let odd = moves & ground.odd_quarters(empties);
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
