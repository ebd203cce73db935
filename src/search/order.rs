//! Which moves of a node are searched first.

use crate::rules::{Bits, Position};

use super::stamp::Stamp;
use super::table::Table;
use super::worker::{Candidate, Worker};

/// From this depth on, children are looked up in the table before any is searched.
const LOOK_AHEAD_FROM: u32 = 5;
/// From this depth on, moves of a limited search are ordered by the evaluation.
const EVAL_FROM: u32 = 3;
/// From so many empties on, the evaluation helps to order the moves of a search to the end.
const EVAL_END_FROM: u32 = 12;

/// What ordering needs to know of a node.
#[derive(Clone, Copy)]
pub(crate) struct Node<B> {
    /// Squares without a disc.
    pub empties: B,
    /// How many.
    pub n_empties: u32,
    /// Plies to search.
    pub depth: u32,
    /// The search goes to the end of the game.
    pub to_end: bool,
    /// How much is left out.
    pub selectivity: u8,
    /// What decides the node.
    pub beta: i32,
}

/// Adds the candidates of a node to the worker's, the most promising with the highest score. A
/// value when the table already knows of a child that decides the node.
#[inline(always)]
pub(crate) fn candidates<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    moves: B,
    node: Node<B>,
) -> Option<i32> {
    let ground = worker.ground;
    let playable = if S::STANDARD { B::ALL } else { ground.playable };
    let odd = ground.odd_quarters(node.empties);
    let ahead = node.depth >= LOOK_AHEAD_FROM;
    // What cannot be flipped is a burden when fewest discs win.
    let corner = if ground.anti() { -1 } else { 1 };
    let begin = worker.open_candidates();
    for index in moves.iter() {
        let child = position.play_flips(index, stamp.flips(position.own, position.other, index));
        if ahead {
            worker.table.prefetch(Table::key(&child));
        }
        worker.push_candidate(Candidate { child, index: index as u8, score: 0 });
    }
    for at in begin..worker.open_candidates() {
        let Candidate { child, index, .. } = *worker.candidate(at);
        let index = u32::from(index);
        if ahead
            && let Some(entry) = worker.table.get(&child, Table::key(&child))
            && entry.depth + 1 >= node.depth
            && entry.selectivity >= node.selectivity
            && -entry.upper >= node.beta
        {
            return Some(-entry.upper);
        }
        let replies = stamp.mobility(child.own, child.other, playable);
        let left = node.empties & !B::bit(index);
        let n_replies = replies.count() as i32;
        let n_corner_replies = (replies & ground.corners).count() as i32;
        let n_potential = (left & child.other.neighbours()).count() as i32;
        let is_corner = i32::from(ground.corners.has(index));
        let is_odd = i32::from(odd.has(index));
        let mut score;
        if node.to_end {
            score = -64 * n_replies - 64 * corner * n_corner_replies - 8 * n_potential
                + 64 * corner * is_corner
                + 24 * is_odd;
            if node.n_empties >= EVAL_END_FROM {
                worker.meter.count();
                let own_moves = stamp.mobility(child.other, child.own, playable);
                score -= worker.eval.value_knowing(&child, replies, own_moves) / 8;
            }
        } else if node.depth >= EVAL_FROM {
            worker.meter.count();
            let own_moves = stamp.mobility(child.other, child.own, playable);
            score = -worker.eval.value_knowing(&child, replies, own_moves);
        } else {
            score = -64 * n_replies - 66 * corner * n_corner_replies - 16 * n_potential
                + 400 * corner * is_corner;
        }
        worker.candidate(at).score = score;
    }
    None
}
