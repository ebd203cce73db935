//! Search to the end of the game. Values are in discs, for the mover.

use crate::rules::{Bits, Position, flips, mobility};

use super::stability;
use super::table::{EXACT, Entry, Known, NO_MOVE, Table};
use super::worker::{Candidate, INFINITE_DISCS, Worker};

/// Up to this many empties moves are ordered by parity alone.
const PARITY_ONLY: u32 = 6;
/// From this many empties on, children are looked up before any is searched.
const LOOK_AHEAD_FROM: u32 = 10;
/// From this many empties on, the evaluation helps to order moves.
const EVAL_FROM: u32 = 12;

impl<B: Bits> Worker<'_, B> {
    /// The exact value of `position` if it lies between `alpha` and `beta`,
    /// else a bound on the side where it lies. Void when aborted.
    pub fn solve(&mut self, position: &Position<B>, alpha: i32, beta: i32) -> i32 {
        let empties = self.ground.empties(position);
        let n_empties = empties.count();
        if n_empties <= PARITY_ONLY {
            let parity = self.ground.parity(empties);
            self.solve_few(position, alpha, beta, empties, n_empties, parity, false)
        } else {
            self.solve_many(position, alpha, beta, empties, n_empties)
        }
    }

    fn solve_many(
        &mut self,
        position: &Position<B>,
        alpha: i32,
        beta: i32,
        empties: B,
        n_empties: u32,
    ) -> i32 {
        if self.control.visit() {
            return 0;
        }
        let key = Table::key(position);
        self.table.prefetch(key);
        if stability::least_upper_bound(self.ground, position) <= alpha {
            let bound = stability::upper_bound(self.ground, position, empties);
            if bound <= alpha {
                return bound;
            }
        }
        let (mut alpha, mut beta) = (alpha, beta);
        let entry = self.table.get(position, key);
        if let Some(entry) = entry
            && (entry.depth, entry.selectivity) == (n_empties, EXACT)
        {
            let (lower, upper) = discs(&entry);
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
        let mut best = -INFINITE_DISCS;
        let mut best_move = NO_MOVE;

        // The table's move needs no ordering, and often ends the node.
        let known = self.table_move(position, entry);
        if let Some((index, child)) = known {
            let value = -self.solve(&child, -beta, -alpha);
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
                return self.solve_pass(position, alpha, beta);
            }
            let begin = self.open_candidates();
            let rest = known.map_or(moves, |(index, _)| moves & !B::bit(index));
            let cut = self.order_endgame(position, rest, empties, n_empties, beta);
            if let Some(value) = cut {
                self.close_candidates(begin);
                return value;
            }
            let mut at = begin;
            while let Some(candidate) = self.pick_candidate(at) {
                at += 1;
                let child = &candidate.child;
                let mut value;
                if best == -INFINITE_DISCS {
                    value = -self.solve(child, -beta, -alpha);
                } else {
                    value = -self.solve(child, -alpha - 1, -alpha);
                    if alpha < value && value < beta {
                        value = -self.solve(child, -beta, -value);
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
        self.table.put(
            position,
            key,
            &Known {
                lower: 100 * if best > searched_from { best } else { -INFINITE_DISCS },
                upper: 100 * if best < beta { best } else { INFINITE_DISCS },
                depth: n_empties,
                selectivity: EXACT,
                best: best_move,
            },
        );
        best
    }

    /// The mover has no move: the opponent goes on, or the game is over.
    fn solve_pass(&mut self, position: &Position<B>, alpha: i32, beta: i32) -> i32 {
        let passed = position.pass();
        if mobility(passed.own, passed.other, self.ground.playable).is_empty() {
            self.ground.final_result(position)
        } else {
            -self.solve(&passed, -beta, -alpha)
        }
    }

    /// Adds the candidates of a node: those that leave few replies first.
    /// A value when the table already knows of a child that ends the node.
    fn order_endgame(
        &mut self,
        position: &Position<B>,
        moves: B,
        empties: B,
        n_empties: u32,
        beta: i32,
    ) -> Option<i32> {
        let ground = self.ground;
        let parity = ground.parity(empties);
        // What cannot be flipped is a burden when fewest discs win.
        let corner = if ground.anti() { -64 } else { 64 };
        for index in moves.iter() {
            let child = position.play(index);
            if n_empties >= LOOK_AHEAD_FROM
                && let Some(entry) = self.table.get(&child, Table::key(&child))
                && (entry.depth, entry.selectivity) == (n_empties - 1, EXACT)
            {
                let (_, upper) = discs(&entry);
                if -upper >= beta {
                    return Some(-upper);
                }
            }
            let replies = mobility(child.own, child.other, ground.playable);
            let left = empties & !B::bit(index);
            // Replies into a corner count double; a square next to few of
            // the mover's own discs opens little.
            let n_replies = replies.count() as i32;
            let n_corner_replies = (replies & ground.corners).count() as i32;
            let mut score = -64 * n_replies - corner * n_corner_replies;
            if n_empties > 8 {
                score -= 8 * (left & child.other.neighbours()).count() as i32;
            }
            if ground.quarter[index as usize] & parity != 0 {
                score += 24;
            }
            if ground.corners.has(index) {
                score += corner;
            }
            if n_empties >= EVAL_FROM {
                self.control.count(1);
                score -= self.eval.value(&child) / 8;
            }
            self.push_candidate(Candidate { child, index, score });
        }
        None
    }

    /// A few empties: no table, no sorting, only the odd quarters first.
    #[expect(clippy::too_many_arguments, reason = "kept in registers")]
    fn solve_few(
        &mut self,
        position: &Position<B>,
        alpha: i32,
        beta: i32,
        empties: B,
        n_empties: u32,
        parity: u8,
        passed: bool,
    ) -> i32 {
        match n_empties {
            0 => {
                self.control.visit();
                return self.ground.final_result(position);
            }
            1 => return self.solve_last(position, empties.first()),
            _ => {}
        }
        if self.control.visit() {
            return 0;
        }
        let mut best = -INFINITE_DISCS;
        let mut alpha = alpha;
        let odd = empties & self.ground.quarters[usize::from(parity)];
        for part in [odd, empties & !odd] {
            for index in part.iter() {
                if (self.ground.around[index as usize] & position.other).is_empty() {
                    continue;
                }
                let flips = flips(position.own, position.other, index);
                if flips.is_empty() {
                    continue;
                }
                let child = position.play_flips(index, flips);
                let value = -self.solve_few(
                    &child,
                    -beta,
                    -alpha,
                    empties & !B::bit(index),
                    n_empties - 1,
                    parity ^ self.ground.quarter[index as usize],
                    false,
                );
                if value > best {
                    best = value;
                    if value > alpha {
                        alpha = value;
                        if value >= beta {
                            return value;
                        }
                    }
                }
            }
        }
        if best > -INFINITE_DISCS {
            return best;
        }
        if passed {
            return self.ground.final_result(position);
        }
        let child = position.pass();
        -self.solve_few(&child, -beta, -alpha, empties, n_empties, parity, true)
    }

    /// One empty square: the discs are counted without playing.
    #[inline]
    fn solve_last(&mut self, position: &Position<B>, index: u32) -> i32 {
        self.control.count(1);
        let (own, other) = (position.own, position.other);
        let n_own = own.count();
        let n_other = self.ground.squares - 1 - n_own;
        let gain = flips(own, other, index).count();
        if gain > 0 {
            return self.ground.result(n_own + gain + 1, n_other - gain);
        }
        let loss = flips(other, own, index).count();
        if loss > 0 {
            return self.ground.result(n_own - loss, n_other + loss + 1);
        }
        self.ground.result(n_own, n_other)
    }
}

/// The bounds of an entry in discs.
#[inline]
fn discs(entry: &Entry) -> (i32, i32) {
    (entry.lower / 100, entry.upper / 100)
}
