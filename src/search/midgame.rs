//! Search to a limited depth. Values are in centidiscs, for the mover.

use crate::rules::{Bits, Position, mobility};

use super::table::{EXACT, Entry, Known, NO_MOVE, Table};
use super::worker::{Candidate, INFINITE, Worker};

/// From this depth on, the table is used.
const TABLE_FROM: u32 = 2;
/// From this depth on, moves are ordered by the evaluation, below it by the
/// replies they leave.
const EVAL_FROM: u32 = 3;
/// From this depth on, children are looked up before any is searched.
const LOOK_AHEAD_FROM: u32 = 4;

impl<B: Bits> Worker<'_, B> {
    /// The value of `position` when looking `depth` plies ahead, if it lies
    /// between `alpha` and `beta`, else a bound on the side where it lies.
    /// Void when aborted.
    pub fn look(&mut self, position: &Position<B>, alpha: i32, beta: i32, depth: u32) -> i32 {
        let empties = self.ground.empties(position);
        let n_empties = empties.count();
        if depth >= n_empties {
            let (low, high) = (alpha.div_euclid(100), -(-beta).div_euclid(100));
            return 100 * self.solve(position, low, high);
        }
        if self.control.visit() {
            return 0;
        }
        if depth == 0 {
            return self.eval.value(position);
        }
        let (mut alpha, mut beta) = (alpha, beta);
        let key = Table::key(position);
        let entry = if depth >= TABLE_FROM { self.table.get(position, key) } else { None };
        if let Some(entry) = entry
            && entry.depth >= depth
            && entry.selectivity == EXACT
        {
            let Entry { lower, upper, .. } = entry;
            if lower >= beta || lower == upper {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
            alpha = alpha.max(lower);
            beta = beta.min(upper);
        }
        let searched_from = alpha;
        let mut best = -INFINITE;
        let mut best_move = NO_MOVE;

        let known = self.table_move(position, entry);
        if let Some((index, child)) = known {
            let value = -self.look(&child, -beta, -alpha, depth - 1);
            if self.control.aborted() {
                return 0;
            }
            best = value;
            best_move = index as u8;
            alpha = alpha.max(value);
        }
        if best < beta {
            let moves = mobility(position.own, position.other, self.ground.playable);
            if moves.is_empty() {
                let passed = position.pass();
                return if mobility(passed.own, passed.other, self.ground.playable).is_empty() {
                    100 * self.ground.final_result(position)
                } else {
                    -self.look(&passed, -beta, -alpha, depth)
                };
            }
            let begin = self.open_candidates();
            let rest = known.map_or(moves, |(index, _)| moves & !B::bit(index));
            if let Some(value) = self.order_midgame(position, rest, empties, depth, beta) {
                self.close_candidates(begin);
                return value;
            }
            let mut at = begin;
            while let Some(candidate) = self.pick_candidate(at) {
                at += 1;
                let child = &candidate.child;
                let mut value;
                if best == -INFINITE {
                    value = -self.look(child, -beta, -alpha, depth - 1);
                } else {
                    value = -self.look(child, -alpha - 1, -alpha, depth - 1);
                    if alpha < value && value < beta {
                        value = -self.look(child, -beta, -value, depth - 1);
                    }
                }
                if self.control.aborted() {
                    self.close_candidates(begin);
                    return 0;
                }
                if value > best {
                    best = value;
                    best_move = candidate.index as u8;
                    if value > alpha {
                        alpha = value;
                        if value >= beta {
                            break;
                        }
                    }
                }
            }
            self.close_candidates(begin);
        }
        if depth >= TABLE_FROM {
            self.table.put(
                position,
                key,
                &Known {
                    lower: if best > searched_from { best } else { -INFINITE },
                    upper: if best < beta { best } else { INFINITE },
                    depth,
                    selectivity: EXACT,
                    best: best_move,
                },
            );
        }
        best
    }

    /// Adds the candidates of a node, the most promising with the highest
    /// score. A value when the table already knows of a child that ends it.
    fn order_midgame(
        &mut self,
        position: &Position<B>,
        moves: B,
        empties: B,
        depth: u32,
        beta: i32,
    ) -> Option<i32> {
        let ground = self.ground;
        let corner = if ground.anti() { -400 } else { 400 };
        for index in moves.iter() {
            let child = position.play(index);
            let mut score = 0;
            if depth > LOOK_AHEAD_FROM
                && let Some(entry) = self.table.get(&child, Table::key(&child))
                && entry.depth + 1 >= depth
                && entry.selectivity == EXACT
                && -entry.upper >= beta
            {
                return Some(-entry.upper);
            }
            if depth >= EVAL_FROM {
                self.control.count(1);
                score -= self.eval.value(&child);
            } else {
                let replies = mobility(child.own, child.other, ground.playable);
                let left = empties & !B::bit(index);
                score -= 64 * replies.count() as i32;
                score -= corner / 6 * (replies & ground.corners).count() as i32;
                score -= 16 * (left & child.other.neighbours()).count() as i32;
                if ground.corners.has(index) {
                    score += corner;
                }
            }
            self.push_candidate(Candidate { child, index, score });
        }
        None
    }
}
