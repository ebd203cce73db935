//! Which moves of a node are searched first.

use crate::rules::{Bits, Position};

use super::node::Kind;
use super::stamp::Stamp;
use super::table::Table;
use super::worker::{Candidate, INFINITE, Worker};

/// From this depth on, children are looked up in the table before any is searched.
const LOOK_AHEAD_FROM: u32 = 5;
/// From this depth on, moves of a limited search are ordered by the evaluation.
const EVAL_FROM: u32 = 3;

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
    /// What is expected of the node.
    pub kind: Kind,
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
    let ahead = node.depth as i32 >= super::tune::p(3);
    // What cannot be flipped is a burden when fewest discs win.
    let corner = if ground.anti() { -1 } else { 1 };
    // Up to here the look at one's own candidates is a search of its own.
    let look = look_depth(node);
    for index in moves.iter() {
        let child = position.play_flips(index, stamp.flips(position.own, position.other, index));
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
            use super::tune::p;
            score = -64 * n_replies - p(6) * corner * n_corner_replies - p(8) * n_potential
                + p(7) * corner * is_corner
                + p(9) * is_odd;
            if let Some(depth) = look {
                let value = if depth == 0 {
                    worker.meter.count();
                    let own_moves = stamp.mobility(child.other, child.own, playable);
                    worker.eval.value_knowing(&child, replies, own_moves)
                } else {
                    stamp.node(worker, &child, -INFINITE, INFINITE, depth, Kind::Pv)
                };
                score -= value * p(10) / 64;
            }
        } else if node.depth >= EVAL_FROM {
            worker.meter.count();
            let own_moves = stamp.mobility(child.other, child.own, playable);
            score = -worker.eval.value_knowing(&child, replies, own_moves);
        } else {
            score = -64 * n_replies - 66 * corner * n_corner_replies - 16 * n_potential
                + 400 * corner * is_corner;
        }
        worker.push_candidate(Candidate { child, index: index as u8, score });
    }
    None
}

/// How deep to look at each child for the ordering; nothing when the fast ordering does.
#[inline(always)]
fn look_depth<B>(node: Node<B>) -> Option<u32> {
    use super::tune::p;
    let skip = if node.kind == Kind::All { p(15) } else { 0 };
    let n = node.n_empties as i32 - skip;
    if n < p(11) {
        None
    } else if n < p(12) {
        Some(0)
    } else if n < p(13) {
        Some(1)
    } else {
        Some(2)
    }
}
