//! Which moves of a node are searched first.

use crate::rules::{Bits, Position};

use super::node::{Kind, Look};
use super::stamp::{Played, Stamp};
use super::table::Table;
use super::worker::{Candidate, INFINITE, Worker};

/// From this depth on, children are looked up in the table before any is searched.
const LOOK_AHEAD_FROM: u32 = 5;
/// From this depth on, moves of a limited search are ordered by the evaluation, from these depths
/// on after a ply or two.
const EVAL_FROM: u32 = 3;
/// See [`EVAL_FROM`].
const ONE_PLY_FROM: u32 = 6;
/// See [`EVAL_FROM`].
const TWO_PLIES_FROM: u32 = 9;
/// What a reply of the opponent takes off a move's value there, in centidiscs.
const REPLY: i32 = 20;
/// From so many empties on, the evaluation helps to order the moves of a search to the end.
pub(crate) const EVAL_END_FROM: u32 = 12;
/// From so many on after a ply.
const ONE_PLY_END_FROM: u32 = 16;
/// What a disc of the evaluation is worth there, where a reply less is worth 64.
const DISC_END: i32 = 12;

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

impl<B> Node<B> {
    /// How many plies the search looks ahead to order the moves by what it sees.
    #[inline(always)]
    fn plies_to_order(&self) -> u32 {
        if self.to_end {
            u32::from(self.n_empties >= ONE_PLY_END_FROM)
        } else {
            u32::from(self.depth >= ONE_PLY_FROM) + u32::from(self.depth >= TWO_PLIES_FROM)
        }
    }
}

/// Adds the candidates of a node to the worker's, the most promising with the highest score. A
/// value when the table already knows of a child that decides the node.
#[inline(always)]
pub(crate) fn candidates<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    views: &S::Views,
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
    let look = node.plies_to_order();
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
        let flips = position.other & !child.own;
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
        let valued = |worker: &mut Worker<'_, B>| {
            worker.meter.count();
            if look > 0 {
                let after = stamp.views_after(worker.eval, views, index, flips);
                let look = Look { alpha: -INFINITE, beta: INFINITE, depth: look, kind: Kind::Pv };
                -stamp.node(worker, &child, &after, look)
            } else {
                -stamp.quick_value_after(worker, views, &child, Played { index, flips })
            }
        };
        if node.to_end {
            score = -64 * n_replies - 64 * corner * n_corner_replies - 8 * n_potential
                + 64 * corner * is_corner
                + 24 * is_odd;
            if node.n_empties >= EVAL_END_FROM {
                score += DISC_END * valued(worker) / 100;
            }
        } else if node.depth >= EVAL_FROM {
            score = valued(worker) - REPLY * n_replies;
        } else {
            score = -64 * n_replies - 66 * corner * n_corner_replies - 16 * n_potential
                + 400 * corner * is_corner;
        }
        worker.candidate(at).score = score;
    }
    None
}
