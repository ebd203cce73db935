//! The first moves: deepening, which lines are wanted, what is expected to
//! follow them.

use crate::engine::{Bound, Choice, Line, Report, Value};
use crate::rules::{Bits, Position, mobility};

use super::clock::Plan;
use super::control::EVERY_MOVE;
use super::probcut;
use super::table::{EXACT, NO_MOVE, Table};
use super::worker::{INFINITE, INFINITE_DISCS, Worker};

/// What is wanted of the first moves.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<B> {
    /// The first moves to consider; nothing means all.
    pub only: Option<B>,
    /// Lines, best first.
    pub n_lines: usize,
    /// Once the end is reached: also every move as good as the best one.
    pub optimal: bool,
    /// When set, only who wins.
    pub wld: Option<Wld>,
    /// Between these, in centidiscs, the value itself is wanted; of another, that it is at most the
    /// first or at least the second. Heeded with one line.
    pub window: (i32, i32),
}

/// Where winning begins, in discs for the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wld {
    /// At most this loses.
    pub loss: i32,
    /// At least this wins; two above `loss` when there are draws.
    pub win: i32,
}

impl Wld {
    /// The limits under a komi for the mover (he wins with more than that)
    /// when a draw is worth `draw` to him.
    pub fn new(komi_half_discs: i32, draw: i32) -> Self {
        let komi = komi_half_discs.div_euclid(2);
        let (loss, win) = match (komi_half_discs.rem_euclid(2), draw.signum()) {
            (1, _) | (_, -1) => (komi, komi + 1),
            (_, 1) => (komi - 1, komi),
            _ => (komi - 1, komi + 1),
        };
        Self { loss, win }
    }

    /// 1 for a win, 0 for a draw, -1 for a loss with this value.
    pub fn class(self, discs: i32) -> i32 {
        if discs >= self.win {
            1
        } else if discs <= self.loss {
            -1
        } else {
            0
        }
    }
}

/// A first move, or the pass of a mover who has none.
#[derive(Clone, Debug)]
struct RootMove<B> {
    choice: Choice,
    child: Position<B>,
    value: i32,
    bound: Bound,
    depth: u32,
    exact: bool,
    selectivity: u32,
    pv: Vec<Choice>,
}

/// A guess that was wrong is followed by a target so many steps away, then by one twice as far.
const FIRST_STRIDE: i32 = 2;

/// A search that has visited so many nodes gets the whole table for its next depth.
const LARGE: u64 = 20_000;
/// A search to the end from so many empties on gets it at once.
const LARGE_END: u32 = 14;

/// From so many empties on, a search to the end with so many moves a node goes before the proof;
/// the third number is how often its value is the exact one, in percent (60 positions of 20
/// empties: 17 %, off by 4.9 discs on average, where the evaluation is off by 10). Together they
/// take a third off the nodes of FFO 40 to 49.
const WIDTHS: [(u32, u32, u32); 2] = [(11, 3, 17), (23, 5, 20)];

/// The first of the levels of ProbCut.
const BOLDEST: u8 = 0;
/// From so many empties on, a search to the end with the boldest cuts goes before a more careful
/// one: a fifth off the nodes of FFO 44 and 45, while with fewer empties it costs more than it saves.
const BOLD_FROM: u32 = 23;

/// Searches the moves of a position whose game is not over.
pub(crate) struct Root<'w, 'a, B: Bits> {
    worker: &'w mut Worker<'a, B>,
    wanted: Wanted<B>,
    n_empties: u32,
    moves: Vec<RootMove<B>>,
    /// Moves behind the wanted lines that are as good as the best one.
    n_ties: usize,
    /// Of the search at hand, in percent.
    selectivity: u32,
}

impl<'w, 'a, B: Bits> Root<'w, 'a, B> {
    /// A root that has had a look at every move.
    pub fn new(worker: &'w mut Worker<'a, B>, position: Position<B>, wanted: Wanted<B>) -> Self {
        let ground = worker.ground;
        let all = mobility(position.own, position.other, ground.playable);
        let chosen = all & wanted.only.unwrap_or(all);
        let chosen = if chosen.is_empty() { all } else { chosen };
        let mut moves: Vec<RootMove<B>> = chosen
            .iter()
            .map(|index| (Choice::Play(B::square_of(index)), position.play(index)))
            .chain(all.is_empty().then(|| (Choice::Pass, position.pass())))
            .map(|(choice, child)| RootMove {
                choice,
                child,
                value: -worker.guess(&child),
                bound: Bound::Value,
                depth: 0,
                exact: false,
                selectivity: 100,
                pv: vec![choice],
            })
            .collect();
        moves.sort_by_key(|mv| -mv.value);
        let n_empties = ground.empties(&position).count();
        Self { worker, wanted, n_empties, moves, n_ties: 0, selectivity: 100 }
    }

    /// Deepens until the plan is done or the search must end, and reports each depth.
    pub fn think(&mut self, plan: &Plan, observer: &mut dyn FnMut(&Report)) {
        let mut told = None;
        self.deepen(plan, &mut |report| {
            told = report.lines.first().cloned();
            observer(report);
        });
        // A depth that was cut short may have found a better move or another value of the best one,
        // of which nobody has heard yet.
        let report = self.report();
        let best = report.lines.first();
        let is_news = |line: &Line| {
            let known = told.as_ref().map(|told| (told.choice(), told.value, told.depth));
            line.depth > 0 && known != Some((line.choice(), line.value, line.depth))
        };
        if best.is_some_and(is_news) {
            observer(&report);
        }
    }

    fn report(&self) -> Report {
        Report {
            lines: self.lines(),
            nodes: self.worker.meter.total(),
            time: self.worker.control().elapsed(),
        }
    }

    fn deepen(&mut self, plan: &Plan, observer: &mut dyn FnMut(&Report)) {
        let to_end = plan.max_depth >= self.n_empties;
        let mut depth = 1;
        loop {
            if self.worker.is_void() {
                return;
            }
            let at_end = depth >= self.n_empties;
            let exact = at_end && plan.end_level == EXACT;
            let is_large = self.worker.meter.total() >= LARGE || at_end && self.n_empties >= LARGE_END;
            if is_large {
                self.worker.table.open();
            }
            let level = if at_end { plan.end_level } else { plan.level };
            if at_end && !self.look_to_end(level) || !self.search_at(level, depth, exact) {
                return;
            }
            let is_known = self.moves[0].bound == Bound::Value;
            if exact && is_known && self.wanted.optimal && !self.find_ties(depth) {
                return;
            }
            self.find_courses(depth, exact);
            observer(&self.report());
            if depth >= plan.max_depth.min(self.n_empties) {
                return;
            }
            let elapsed = self.worker.control().elapsed();
            if plan.soft.is_some_and(|soft| elapsed >= soft / 2) {
                return;
            }
            depth = if to_end && self.time_to_go_to_end(depth, plan) {
                self.n_empties
            } else {
                (depth + 1).min(plan.max_depth)
            };
        }
    }

    /// The wanted lines as far as they are known.
    pub fn lines(&self) -> Vec<Line> {
        let wld = self.wanted.wld;
        let shown = self.moves.iter().take(self.wanted.n_lines.max(1).saturating_add(self.n_ties));
        shown
            .zip(1..)
            .map(|(mv, rank)| Line {
                rank,
                value: Value {
                    centidiscs: match wld {
                        Some(wld) if mv.exact => 100 * wld.class(mv.value.div_euclid(100)),
                        _ => mv.value,
                    },
                    bound: mv.bound,
                    exact: mv.exact,
                },
                wld: wld.is_some() && mv.exact,
                depth: mv.depth,
                selectivity: mv.selectivity,
                pv: mv.pv.clone(),
            })
            .collect()
    }

    /// Whether the next depth should be the end of the game. Shallower
    /// searches order the moves for it; more of them than this do not pay.
    fn time_to_go_to_end(&self, depth: u32, plan: &Plan) -> bool {
        let prepared = depth + 8 >= self.n_empties || depth + 1 >= self.n_empties / 2;
        if !prepared || !plan.end_if_affordable {
            return prepared;
        }
        let control = self.worker.control();
        let n_nodes = nodes_to_end(self.n_empties);
        let by_nodes = n_nodes <= control.nodes_left() as f64;
        let by_time = control.time_left().is_none_or(|left| {
            let per_second = f64::from(nodes_per_second(self.worker.ground.squares));
            n_nodes / per_second <= left.as_secs_f64()
        });
        by_nodes && by_time || depth + 4 >= self.n_empties
    }

    /// Searches to the end with the boldest cuts, or where there are none with few moves at each
    /// node, before a search at this level. What comes of it is a guess of the value
    /// and of the best moves deep in the tree, for a small part of what the proof takes. False
    /// when aborted.
    fn look_to_end(&mut self, level: u8) -> bool {
        if self.worker.eval.weights.is_some() {
            return self.n_empties < BOLD_FROM
                || level == BOLDEST
                || self.search_at(BOLDEST, self.n_empties, false);
        }
        for (from, width, selectivity) in WIDTHS {
            if self.n_empties >= from {
                self.worker.control().set_width(width);
                self.selectivity = selectivity;
                let done = self.search(self.n_empties, false);
                self.selectivity = 100;
                self.worker.control().set_width(EVERY_MOVE);
                if !done {
                    return false;
                }
                log::debug!("{width} moves a node: {} centidiscs", self.moves[0].value);
            }
        }
        true
    }

    /// [`Self::search`] with the cuts of a level.
    fn search_at(&mut self, level: u8, depth: u32, exact: bool) -> bool {
        self.worker.control().set_level(level);
        self.selectivity = probcut::percent(level);
        let done = self.search(depth, exact);
        self.selectivity = 100;
        self.worker.control().set_level(EXACT);
        done
    }

    /// Searches the moves as deep as `depth`. False when aborted; what was
    /// found until then is kept.
    fn search(&mut self, depth: u32, exact: bool) -> bool {
        let n_lines = self.wanted.n_lines.clamp(1, self.moves.len());
        let each_alone = n_lines == self.moves.len();
        for place in 0..n_lines {
            let end = if each_alone { place + 1 } else { self.moves.len() };
            if !self.search_best(place, end, depth, exact) {
                return false;
            }
        }
        if each_alone {
            let wld = self.wanted.wld.filter(|_| exact);
            self.moves.sort_by_key(|mv| match wld {
                Some(wld) => -wld.class(mv.value.div_euclid(100)),
                None => -mv.value,
            });
        }
        true
    }

    /// Finds the best move of those from `place` to before `end` with its
    /// value and moves it to `place`.
    fn search_best(&mut self, place: usize, end: usize, depth: u32, exact: bool) -> bool {
        if let Some(wld) = self.wanted.wld.filter(|_| exact) {
            return self.scan(place, end, 100 * wld.loss, 100 * wld.win, depth, exact).is_some();
        }
        if depth >= self.n_empties {
            return self.close_in(place, end, depth, exact);
        }
        let (low, high) = self.wanted.window;
        let guess = self.moves[place].value.clamp(low, high);
        let mut width = 400;
        let (mut alpha, mut beta) =
            if depth <= 2 { (low, high) } else { (guess - width, guess + width) };
        let (mut failed_low, mut failed_high) = (false, false);
        loop {
            alpha = alpha.max(low);
            beta = beta.min(high);
            let Some(value) = self.scan(place, end, alpha, beta, depth, exact) else {
                return false;
            };
            width *= 2;
            if value <= low && low > -INFINITE {
                // No move is worth more; which of them is worth that much nobody knows.
                self.settle(place, value, Bound::Upper, depth, exact);
                return true;
            }
            if value >= high && high < INFINITE {
                return true;
            }
            if value <= alpha && alpha > low {
                failed_low = true;
                beta = value + 1;
                alpha = value - width;
            } else if value >= beta && beta < high {
                failed_high = true;
                alpha = value - 1;
                beta = value + width;
            } else {
                return true;
            }
            // Cuts and the table may answer two windows in ways that contradict each other.
            if failed_low && failed_high {
                (alpha, beta) = (low, high);
            }
        }
    }

    /// What the search at hand has found of the move at `place`.
    fn settle(&mut self, place: usize, value: i32, bound: Bound, depth: u32, exact: bool) {
        let selectivity = self.selectivity;
        let mv = &mut self.moves[place];
        (mv.value, mv.bound, mv.depth, mv.exact) = (value, bound, depth, exact);
        mv.selectivity = selectivity;
    }

    /// Finds the exact value of the best move of those from `place` to before `end` by asking
    /// whether it reaches one number of discs after another, and moves it to `place`.
    ///
    /// Null windows suit a guess that may be far off: what one of them has refuted stays in the
    /// table for the next (A. Plaat et al., "Best-first fixed-depth minimax algorithms", 1996).
    fn close_in(&mut self, place: usize, end: usize, depth: u32, exact: bool) -> bool {
        let most = 100 * self.worker.ground.squares as i32;
        let step = 100 * self.worker.ground.step();
        let guess = self.moves[place].value.clamp(-most, most);
        let (mut lower, mut upper) = (-most, most);
        let (low, high) = self.wanted.window;
        // The least results above the window's lower end and not below its upper one.
        let (first, last) = ((low.div_euclid(step) + 1) * step, -(-high).div_euclid(step) * step);
        let within = |target: i32, lower: i32, upper: i32| {
            let least = first.max(lower + step);
            target.clamp(least, last.min(upper).max(least))
        };
        let mut stride = FIRST_STRIDE * step;
        let mut target = within(guess.div_euclid(step) * step, lower, upper);
        let (mut reached, mut failed) = (false, false);
        while lower < upper && lower < high && upper > low {
            let Some(value) = self.scan(place, end, target - 100, target, depth, exact) else {
                return false;
            };
            if value >= target {
                reached = true;
                lower = value.min(upper);
            } else {
                failed = true;
                // A bound may lie between two results.
                upper = (value.div_euclid(step) * step).max(lower);
            }
            target = match (reached, failed) {
                (true, false) => lower + stride,
                (false, true) => upper + step - stride,
                _ => lower + ((upper - lower) / (2 * step) + 1) * step,
            };
            target = within(target, lower, upper);
            stride *= 2;
        }
        let (value, bound) = if lower >= upper {
            (lower, Bound::Value)
        } else if lower >= high {
            (lower, Bound::Lower)
        } else {
            (upper, Bound::Upper)
        };
        self.settle(place, value, bound, depth, exact);
        true
    }

    /// One pass over the moves with a window. Nothing when aborted.
    fn scan(
        &mut self,
        place: usize,
        end: usize,
        alpha: i32,
        beta: i32,
        depth: u32,
        exact: bool,
    ) -> Option<i32> {
        let searched_from = alpha;
        let mut alpha = alpha;
        let mut best = -INFINITE;
        let mut best_at = place;
        for at in place..end {
            let child = self.moves[at].child;
            let depth_left = match self.moves[at].choice {
                Choice::Pass => depth,
                Choice::Play(_) => depth - 1,
            };
            let worker = &mut *self.worker;
            let mut value;
            if at == place {
                value = -worker.look(&child, -beta, -alpha, depth_left);
            } else {
                value = -worker.look(&child, -alpha - 1, -alpha, depth_left);
                if !worker.is_void() && alpha < value && value < beta {
                    value = -worker.look(&child, -beta, -alpha, depth_left);
                }
            }
            if worker.is_void() {
                // A move that beat the first one at this depth is better even
                // if the others are not known.
                if best > searched_from && best_at > place {
                    self.bring_forward(place, best_at);
                }
                return None;
            }
            if value > best {
                best = value;
                best_at = at;
                let mv = &mut self.moves[at];
                if value > searched_from || self.wanted.wld.is_some() && exact {
                    mv.value = value;
                    mv.depth = depth;
                    mv.selectivity = self.selectivity;
                    mv.bound = if value >= beta { Bound::Lower } else { Bound::Value };
                    mv.exact = exact && (value < beta || self.wanted.wld.is_some());
                    if mv.exact {
                        mv.bound = Bound::Value;
                    }
                    mv.pv.truncate(1);
                }
                if value > alpha {
                    alpha = value;
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        // Values below the window are bounds that say nothing of the order.
        if best > searched_from {
            self.bring_forward(place, best_at);
        }
        Some(best)
    }

    /// Brings the other moves that are as good as the best one behind it. What was found before
    /// an abort is kept; false then.
    fn find_ties(&mut self, depth: u32) -> bool {
        if self.wanted.n_lines != 1 {
            return true;
        }
        let value = self.moves[0].value;
        let target = match self.wanted.wld {
            None => value,
            Some(wld) => match wld.class(value.div_euclid(100)) {
                1 => 100 * wld.win,
                0 => 100 * (wld.loss + 1),
                _ => -INFINITE,
            },
        };
        for at in 1..self.moves.len() {
            let child = self.moves[at].child;
            let ties = target <= -INFINITE
                || -self.worker.look(&child, -target, 100 - target, depth - 1) >= target;
            if self.worker.is_void() {
                return false;
            }
            if ties {
                let mv = &mut self.moves[at];
                (mv.value, mv.bound, mv.depth, mv.exact) = (value, Bound::Value, depth, true);
                mv.selectivity = 100;
                mv.pv.truncate(1);
                self.n_ties += 1;
                self.bring_forward(self.n_ties, at);
            }
        }
        true
    }

    fn bring_forward(&mut self, place: usize, at: usize) {
        self.moves[place..=at].rotate_right(1);
    }

    /// What is expected after each of the wanted moves.
    fn find_courses(&mut self, depth: u32, exact: bool) {
        let n_lines = self.wanted.n_lines.clamp(1, self.moves.len());
        for at in 0..n_lines {
            let RootMove { choice, child, value, bound, .. } = self.moves[at];
            let mut pv = vec![choice];
            if exact && bound == Bound::Value {
                let worker = &mut *self.worker;
                match self.wanted.wld {
                    None => worker.exact_course(child, -value / 100, &mut pv),
                    Some(wld) => worker.wld_course(child, wld, value.div_euclid(100), &mut pv),
                }
            } else {
                self.worker.table_course(child, depth - 1, &mut pv);
            }
            self.moves[at].pv = pv;
        }
    }
}

/// About how many nodes it takes to see the end, fitted on ordinary 8x8
/// positions of 12 to 24 empties.
fn nodes_to_end(n_empties: u32) -> f64 {
    20_000.0 * 2.3_f64.powi(n_empties as i32 - 12)
}

/// A cautious guess of the speed of the endgame by the size of the board.
fn nodes_per_second(squares: u32) -> u32 {
    match squares {
        0..=64 => 12_000_000,
        65..=121 => 5_000_000,
        _ => 2_000_000,
    }
}

impl<B: Bits> Worker<'_, B> {
    /// Adds best play of both sides from `position`, whose exact value for
    /// its mover is `value` discs, to the end of the game.
    pub fn exact_course(&mut self, position: Position<B>, value: i32, pv: &mut Vec<Choice>) {
        let (mut position, mut value) = (position, value);
        while let Some((choice, child)) = self.move_worth(&position, value) {
            pv.push(choice);
            position = child;
            value = -value;
        }
    }

    /// Adds play that keeps the result of the root's mover, to the end.
    /// `value` is what his move, which led to `position`, is worth to him.
    fn wld_course(&mut self, position: Position<B>, wld: Wld, value: i32, pv: &mut Vec<Choice>) {
        let mut position = position;
        // What the next mover has to reach: a side that has lost need not
        // reach anything.
        let class = wld.class(value);
        let (root_target, reply_target) = match class {
            1 => (wld.win, -INFINITE_DISCS),
            0 => (wld.win - 1, 1 - wld.win),
            _ => (-INFINITE_DISCS, -wld.loss),
        };
        let mut replying = true;
        loop {
            let target = if replying { reply_target } else { root_target };
            let Some((choice, child)) = self.move_worth(&position, target) else {
                return;
            };
            pv.push(choice);
            position = child;
            replying = !replying;
        }
    }

    /// A move, or the pass, after which the mover gets at least `value`
    /// discs. Nothing at the end of the game or when aborted.
    fn move_worth(&mut self, position: &Position<B>, value: i32) -> Option<(Choice, Position<B>)> {
        let moves = mobility(position.own, position.other, self.ground.playable);
        if moves.is_empty() {
            let passed = position.pass();
            let replies = mobility(passed.own, passed.other, self.ground.playable);
            return (!replies.is_empty()).then_some((Choice::Pass, passed));
        }
        let first = self.table_move(position).filter(|&index| moves.has(index));
        let rest = first.map_or(moves, |index| moves & !B::bit(index));
        for index in first.into_iter().chain(rest.iter()) {
            let child = position.play(index);
            let good = value <= -INFINITE_DISCS || -self.solve(&child, -value, 1 - value) >= value;
            if self.is_void() {
                return None;
            }
            if good {
                return Some((Choice::Play(B::square_of(index)), child));
            }
        }
        None
    }

    /// The table's move.
    fn table_move(&self, position: &Position<B>) -> Option<u32> {
        let entry = self.table.get(position, Table::key(position))?;
        (entry.best[0] != NO_MOVE).then_some(u32::from(entry.best[0]))
    }

    /// Adds what the table expects from `position`, at most `depth` moves.
    pub fn table_course(&mut self, position: Position<B>, depth: u32, pv: &mut Vec<Choice>) {
        let mut position = position;
        let mut depth = depth;
        while depth > 0 {
            let moves = mobility(position.own, position.other, self.ground.playable);
            if let Some(index) = self.table_move(&position).filter(|&index| moves.has(index)) {
                pv.push(Choice::Play(B::square_of(index)));
                position = position.play(index);
                depth -= 1;
                continue;
            }
            let passed = position.pass();
            let replies = mobility(passed.own, passed.other, self.ground.playable);
            if !moves.is_empty() || replies.is_empty() {
                return;
            }
            pv.push(Choice::Pass);
            position = passed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_and_the_worth_of_a_draw_move_the_limits_of_winning() {
        let wld = |komi, draw| {
            let Wld { loss, win } = Wld::new(komi, draw);
            (loss, win)
        };
        assert_eq!(wld(0, 0), (-1, 1));
        assert_eq!(wld(0, 1), (-1, 0));
        assert_eq!(wld(0, -1), (0, 1));
        assert_eq!(wld(8, 0), (3, 5));
        assert_eq!(wld(7, 0), (3, 4));
        assert_eq!(wld(-7, 0), (-4, -3));
        assert_eq!(wld(-7, 1), (-4, -3));
    }
}
