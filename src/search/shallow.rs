//! Endgames of a dozen empties and less, with a null window: fastest-first with a small cache.
//! Values are in discs, for the mover.
//!
//! Fastest-first: the move that leaves the opponent the fewest replies has the smallest subtree
//! and, as he is then short of moves, is often the best one too.

use crate::rules::{Bits, Position};

use super::cache::Cache;
use super::last::FEW;
use super::stability;
use super::stamp::Stamp;
use super::table::NO_MOVE;
use super::worker::{INFINITE_DISCS, Worker};

/// Up to this many empties an endgame is searched here.
pub(crate) const SHALLOW: u32 = 9;

/// A reply less for the opponent; one into a corner counts double.
const REPLY: i32 = 4;
/// Playing into a quarter with an odd number of empties: it decides between moves that leave as
/// many replies.
const ODD: i32 = 3;
/// Children are looked up in the cache before any is searched above this many empties.
const LOOK_AHEAD_ABOVE: u32 = 8;

#[derive(Clone, Copy, Default)]
struct Candidate<B> {
    child: Position<B>,
    /// What the opponent can reply.
    replies: B,
    score: i32,
    index: u8,
}

/// More than [`FEW`] and at most [`SHALLOW`] empties; `moves` are all the mover has. A value
/// above alpha is a lower bound, one at most alpha an upper bound. Void when the worker is.
#[inline(always)]
pub(crate) fn search<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    moves: B,
    alpha: i32,
) -> i32 {
    if worker.visit() {
        return 0;
    }
    let ground = worker.ground;
    let playable = if S::STANDARD { B::ALL } else { ground.playable };
    if moves.is_empty() {
        let passed = position.pass();
        let replies = stamp.mobility(passed.own, passed.other, playable);
        return if replies.is_empty() {
            ground.final_result(position)
        } else {
            -stamp.shallow(worker, &passed, replies, -alpha - 1)
        };
    }
    let empties = playable & !(position.own | position.other);
    let n_empties = empties.count();
    if let Some(bound) = stability::cut(stamp, ground, position, empties, n_empties, alpha) {
        return bound;
    }
    let place = Cache::place(position);
    let mut first = NO_MOVE;
    if let Some(known) = worker.cache.get(place, position) {
        let (lower, upper) = (i32::from(known.lower), i32::from(known.upper));
        if lower > alpha {
            return lower;
        }
        if upper <= alpha {
            return upper;
        }
        first = known.best;
    }
    let mut best = -INFINITE_DISCS;
    let mut best_move = NO_MOVE;
    if first != NO_MOVE {
        let index = u32::from(first);
        let child = position.play_flips(index, stamp.flips(position.own, position.other, index));
        let value =
            -below(stamp, worker, &child, empties & !B::bit(index), None, n_empties - 1, -alpha - 1);
        if worker.is_void() {
            return 0;
        }
        best = value;
        best_move = first;
    }
    if best <= alpha {
        let rest = if first == NO_MOVE { moves } else { moves & !B::bit(u32::from(first)) };
        let odd = ground.odd_quarters(empties);
        let mut candidates = [Candidate::<B>::default(); SHALLOW as usize];
        let mut n_candidates = 0;
        for (index, candidate) in rest.iter().zip(&mut candidates) {
            let child = position.play_flips(index, stamp.flips(position.own, position.other, index));
            if n_empties > LOOK_AHEAD_ABOVE
                && let Some(known) = worker.cache.get(Cache::place(&child), &child)
                && -i32::from(known.upper) > alpha
            {
                return -i32::from(known.upper);
            }
            let replies = stamp.mobility(child.own, child.other, playable);
            let n_corner_replies = (replies & ground.corners).count();
            let mut score = -REPLY * (replies.count() + n_corner_replies) as i32;
            if odd.has(index) {
                score += ODD;
            }
            *candidate = Candidate { child, replies, score, index: index as u8 };
            n_candidates += 1;
        }
        let candidates = &mut candidates[..n_candidates];
        for at in 0..candidates.len() {
            let mut pick = at;
            for later in at + 1..candidates.len() {
                if candidates[later].score > candidates[pick].score {
                    pick = later;
                }
            }
            let candidate = candidates[pick];
            candidates[pick] = candidates[at];
            let left = empties & !B::bit(u32::from(candidate.index));
            let replies = Some(candidate.replies);
            let value =
                -below(stamp, worker, &candidate.child, left, replies, n_empties - 1, -alpha - 1);
            if worker.is_void() {
                return 0;
            }
            if value > best {
                best = value;
                best_move = candidate.index;
                if value > alpha {
                    break;
                }
            }
        }
    }
    let (lower, upper) = if best > alpha { (best, INFINITE_DISCS) } else { (-INFINITE_DISCS, best) };
    worker.cache.put(place, position, lower, upper, best_move);
    best
}

#[inline(always)]
fn below<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    child: &Position<B>,
    empties: B,
    replies: Option<B>,
    n_empties: u32,
    alpha: i32,
) -> i32 {
    if n_empties <= FEW {
        stamp.few(worker, child, empties, alpha)
    } else {
        let playable = if S::STANDARD { B::ALL } else { worker.ground.playable };
        let replies = replies.unwrap_or_else(|| stamp.mobility(child.own, child.other, playable));
        stamp.shallow(worker, child, replies, alpha)
    }
}
