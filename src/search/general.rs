//! The slow search for rules under which two sets of discs do not make a
//! position: limited discs in hand, games that end when a side is stuck, and
//! captures within the opening. It knows a position only as the rules do.

use std::collections::HashMap;

use crate::engine::{Bound, Choice, Line, Report, Value};
use crate::eval::Hand;
use crate::rules::{AnyPosition, BySide, Rules, Side, SquareSet, State, U256, score};

use super::clock::Plan;
use super::control::Meter;
use super::root::Wld;
use super::worker::INFINITE;

/// An evaluator of whatever width the board has.
pub(crate) enum AnyEvaluator {
    /// Up to 8x8.
    W64(Hand<u64>),
    /// Up to 11x11.
    W128(Hand<u128>),
    /// Up to 16x16.
    W256(Hand<U256>),
}

impl AnyEvaluator {
    /// The evaluator for the board of a state.
    pub fn new(state: &State, rules: &Rules) -> Self {
        let geometry = state.board.geometry();
        match state.board.position(state.side) {
            AnyPosition::W64 { .. } => Self::W64(Hand::new(geometry, rules)),
            AnyPosition::W128 { .. } => Self::W128(Hand::new(geometry, rules)),
            AnyPosition::W256 { .. } => Self::W256(Hand::new(geometry, rules)),
        }
    }

    fn value(&self, state: &State) -> i32 {
        match (self, state.board.position(state.side)) {
            (Self::W64(eval), AnyPosition::W64 { position, .. }) => eval.value(&position),
            (Self::W128(eval), AnyPosition::W128 { position, .. }) => eval.value(&position),
            (Self::W256(eval), AnyPosition::W256 { position, .. }) => eval.value(&position),
            // A board never changes its width.
            _ => 0,
        }
    }
}

/// Everything the rules remember of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    black: SquareSet,
    white: SquareSet,
    side: Side,
    placements: u8,
    hand: Option<BySide<u16>>,
}

impl Key {
    fn of(state: &State) -> Self {
        Self {
            black: state.board.black(),
            white: state.board.white(),
            side: state.side,
            placements: state.placements,
            hand: state.hand,
        }
    }
}

#[derive(Clone, Copy)]
struct Known {
    lower: i32,
    upper: i32,
    depth: u32,
    exact: bool,
    best: Choice,
}

/// A value or bound, and whether it holds whatever the depth.
#[derive(Clone, Copy)]
struct Seen {
    value: i32,
    exact: bool,
}

/// What is asked of a general search.
pub(crate) struct General<'r> {
    /// The rules in force.
    pub rules: &'r Rules,
    /// The first moves to consider; nothing means all.
    pub only: Option<SquareSet>,
    /// Lines, best first.
    pub n_lines: usize,
    /// When set, only who wins.
    pub wld: Option<Wld>,
    meter: Meter<'r>,
    eval: AnyEvaluator,
    known: HashMap<Key, Known>,
    max_known: usize,
}

impl<'r> General<'r> {
    /// A search of at most `bytes` of memory for what it has seen.
    pub fn new(rules: &'r Rules, meter: Meter<'r>, eval: AnyEvaluator, bytes: usize) -> Self {
        Self {
            rules,
            only: None,
            n_lines: 1,
            wld: None,
            meter,
            eval,
            known: HashMap::new(),
            // A hash map doubles when it is seven eighths full.
            max_known: (bytes / (2 * size_of::<(Key, Known)>())).max(1024),
        }
    }

    /// What was visited.
    pub fn meter(&self) -> &Meter<'r> {
        &self.meter
    }

    /// Deepens until the plan is done or the search must end; the lines as
    /// far as they are known.
    pub fn think(&mut self, state: &State, plan: &Plan, observer: &mut dyn FnMut(&Report)) -> Vec<Line> {
        let mut lines = self.first_look(state);
        let n_all = lines.len();
        for depth in 1..=plan.max_depth.max(1) {
            let Some(mut deeper) = self.search_root(state, &lines, depth) else {
                break;
            };
            let done = deeper.iter().all(|line| line.value.exact);
            if !done && self.n_lines <= 1 {
                // The best is proved only when the others are proved worse.
                deeper[0].value.exact = false;
            }
            for line in deeper.iter_mut().take(self.n_lines.max(1)) {
                self.extend(state, line, depth);
            }
            lines = deeper;
            let shown = self.shown(&lines);
            let elapsed = self.meter.control().elapsed();
            observer(&Report { lines: shown, nodes: self.meter.total(), time: elapsed });
            let late = plan.soft.is_some_and(|soft| elapsed >= soft / 2);
            if done || late || self.meter.void {
                break;
            }
        }
        debug_assert_eq!(lines.len(), n_all);
        self.shown(&lines)
    }

    fn shown(&self, lines: &[Line]) -> Vec<Line> {
        let mut shown: Vec<Line> = lines.iter().take(self.n_lines.max(1)).cloned().collect();
        for (line, rank) in shown.iter_mut().zip(1..) {
            line.rank = rank;
            if let Some(wld) = self.wld
                && line.value.exact
            {
                line.wld = true;
                line.value.centidiscs = 100 * wld.class(line.value.centidiscs.div_euclid(100));
            }
        }
        shown
    }

    fn first_look(&self, state: &State) -> Vec<Line> {
        let legal = state.legal(self.rules);
        let chosen = legal & self.only.unwrap_or(legal);
        let chosen = if chosen.is_empty() { legal } else { chosen };
        let plays = chosen.iter().map(Choice::Play);
        let pass = legal.is_empty().then_some(Choice::Pass);
        let mut lines: Vec<Line> = plays
            .chain(pass)
            .map(|choice| {
                let value = -self.guess(&self.after(state, choice)).value;
                line(choice, Seen { value, exact: false }, 0)
            })
            .collect();
        lines.sort_by_key(|line| -line.value.centidiscs);
        lines
    }

    /// The moves of `lines` searched to a depth, best first. Nothing when
    /// aborted.
    fn search_root(&mut self, state: &State, lines: &[Line], depth: u32) -> Option<Vec<Line>> {
        let mut alpha = -INFINITE;
        let mut deeper = Vec::with_capacity(lines.len());
        for old in lines {
            let choice = old.choice();
            let child = self.after(state, choice);
            // A pass costs no depth, as below.
            let depth_left = if choice == Choice::Pass { depth } else { depth - 1 };
            let seen = self.search(&child, -INFINITE, -alpha, depth_left);
            if self.meter.void {
                return None;
            }
            let seen = negated(seen);
            if self.n_lines <= 1 {
                alpha = alpha.max(seen.value);
            }
            deeper.push(line(choice, seen, depth));
        }
        // A bound that equals the best value must stay behind it.
        deeper.sort_by_key(|line| -line.value.centidiscs);
        Some(deeper)
    }

    fn search(&mut self, state: &State, alpha: i32, beta: i32, depth: u32) -> Seen {
        if self.meter.visit() {
            self.meter.add();
        }
        if self.meter.void {
            return Seen { value: 0, exact: false };
        }
        if depth == 0 || state.is_over(self.rules) {
            return self.guess(state);
        }
        let (mut alpha, mut beta) = (alpha, beta);
        let key = Key::of(state);
        let known = self.known.get(&key).copied();
        if let Some(known) = known
            && (known.exact || known.depth >= depth)
        {
            let seen = |value| Seen { value, exact: known.exact };
            if known.lower >= beta || known.lower == known.upper {
                return seen(known.lower);
            }
            if known.upper <= alpha {
                return seen(known.upper);
            }
            if known.exact {
                alpha = alpha.max(known.lower);
                beta = beta.min(known.upper);
            }
        }
        let searched_from = alpha;
        let mut best = -INFINITE;
        let mut exact = true;
        let mut best_choice = Choice::Pass;
        for (choice, child) in self.ordered(state, known.map(|known| known.best), depth) {
            let depth_left = match choice {
                Choice::Pass => depth,
                Choice::Play(_) => depth - 1,
            };
            let seen = negated(self.search(&child, -beta, -alpha, depth_left));
            if self.meter.void {
                return seen;
            }
            exact &= seen.exact;
            if seen.value > best {
                best = seen.value;
                best_choice = choice;
                alpha = alpha.max(best);
                if best >= beta {
                    // One proved refutation is enough.
                    exact = seen.exact;
                    break;
                }
            }
        }
        if self.known.len() >= self.max_known {
            self.known.clear();
        }
        self.known.insert(
            key,
            Known {
                lower: if best > searched_from { best } else { -INFINITE },
                upper: if best < beta { best } else { INFINITE },
                depth,
                exact,
                best: best_choice,
            },
        );
        Seen { value: best, exact }
    }

    /// The value without looking further: proved if the game is over.
    fn guess(&self, state: &State) -> Seen {
        if !state.is_over(self.rules) {
            return Seen { value: self.look_at(state), exact: false };
        }
        let difference = score(&state.board, self.rules.scoring).difference().0;
        let for_black = if self.rules.anti { -difference } else { difference };
        let halves = match state.side {
            Side::Black => for_black,
            Side::White => -for_black,
        };
        Seen { value: 50 * halves, exact: true }
    }

    /// What a position is worth at a look. While discs are placed, a side that has none yet has not
    /// lost them, and nothing else tells the sides apart.
    fn look_at(&self, state: &State) -> i32 {
        if state.in_opening() { 0 } else { self.eval.value(state) }
    }

    fn ordered(&self, state: &State, first: Option<Choice>, depth: u32) -> Vec<(Choice, State)> {
        let legal = state.legal(self.rules);
        let plays = legal.iter().map(Choice::Play);
        let pass = legal.is_empty().then_some(Choice::Pass);
        let mut children: Vec<(i32, Choice, State)> = plays
            .chain(pass)
            .map(|choice| {
                let child = self.after(state, choice);
                let order = if first == Some(choice) {
                    -INFINITE
                } else if depth >= 2 {
                    self.look_at(&child)
                } else {
                    0
                };
                (order, choice, child)
            })
            .collect();
        children.sort_by_key(|&(order, ..)| order);
        children.into_iter().map(|(_, choice, child)| (choice, child)).collect()
    }

    fn after(&self, state: &State, choice: Choice) -> State {
        let mut next = state.clone();
        let done = match choice {
            Choice::Play(square) => next.play(self.rules, None, square).is_ok(),
            Choice::Pass => next.pass(self.rules, None).is_ok(),
        };
        debug_assert!(done, "only legal choices are tried");
        next
    }

    /// Adds to a line what follows its first choice: to the end of the game
    /// if it is proved, else as far as what is known reaches.
    fn extend(&mut self, state: &State, line: &mut Line, depth: u32) {
        let mut state = self.after(state, line.choice());
        let mut value = -line.value.centidiscs;
        let mut left = depth - 1;
        while !state.is_over(self.rules) {
            let next = if line.value.exact {
                self.choice_worth(&state, value)
            } else if left == 0 {
                None
            } else {
                let best = self.known.get(&Key::of(&state)).map(|known| known.best);
                best.map(|choice| (choice, self.after(&state, choice)))
            };
            let Some((choice, child)) = next else {
                return;
            };
            line.pv.push(choice);
            state = child;
            value = -value;
            left = left.saturating_sub(1);
        }
    }

    fn choice_worth(&mut self, state: &State, value: i32) -> Option<(Choice, State)> {
        let known = self.known.get(&Key::of(state)).map(|known| known.best);
        for (choice, child) in self.ordered(state, known, 1) {
            let seen = negated(self.search(&child, -value, 1 - value, u32::MAX / 2));
            if self.meter.void {
                return None;
            }
            if seen.value >= value {
                return Some((choice, child));
            }
        }
        None
    }
}

fn negated(seen: Seen) -> Seen {
    Seen { value: -seen.value, exact: seen.exact }
}

fn line(choice: Choice, seen: Seen, depth: u32) -> Line {
    Line {
        rank: 1,
        value: Value { centidiscs: seen.value, bound: Bound::Value, exact: seen.exact },
        wld: false,
        depth,
        selectivity: 100,
        pv: vec![choice],
    }
}
