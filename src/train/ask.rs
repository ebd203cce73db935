//! What the training asks the engine: exact values, and moves of shallow searches.

use std::sync::Arc;

use crate::engine::native::NativeEngine;
use crate::engine::{Choice, Engine, Evaluation, Found, Goal, Limits, SearchRequest, StopFlag};
use crate::eval::weights::Objective;
use crate::rules::{
    Bits, Board, Geometry, Position, Rules, Side, State, Variant, by_name, final_margin,
};

/// What an engine may take for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Size of its table.
    pub hash_mib: usize,
    /// Nodes of a proof.
    pub nodes: u64,
}

impl Effort {
    /// Enough for endgames of 16 empties and searches of a few plies.
    pub const SMALL: Self = Self { hash_mib: 4, nodes: 200_000_000 };
    /// Enough for endgames of 24 empties.
    pub const LARGE: Self = Self { hash_mib: 256, nodes: 100_000_000_000 };
}

/// The games that are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Games {
    /// What wins them.
    pub objective: Objective,
    /// What values positions.
    pub evaluation: Evaluation,
}

impl Games {
    /// Most discs win, and the engine values positions as it does by itself.
    pub const OTHELLO: Self = Self { objective: Objective::Most, evaluation: Evaluation::Trained };
}

/// An engine for 8x8 positions, asked one after the other. Answers depend on the questions alone.
pub struct Asker {
    engine: NativeEngine,
    most_nodes: u64,
    geometry: Arc<Geometry>,
    rules: Rules,
    evaluation: Evaluation,
    stop: StopFlag,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value for the mover.
    pub centidiscs: i32,
    /// The expected moves, the best one first. A pass is `None`.
    pub course: Vec<Option<u32>>,
}

impl Asker {
    /// An engine that knows nothing yet.
    #[must_use]
    pub fn new(effort: Effort, games: Games) -> Self {
        let spec = by_name("othello").expect("Othello is a variant");
        let variant = Variant::new(spec).expect("Othello can be played");
        Self {
            engine: NativeEngine::new(effort.hash_mib),
            most_nodes: effort.nodes,
            geometry: Arc::clone(variant.geometry()),
            rules: Rules { anti: games.objective == Objective::Fewest, ..*variant.rules() },
            evaluation: games.evaluation,
            stop: StopFlag::new(),
        }
    }

    /// Forgets earlier questions, on which the answer of a search that is not exact may depend.
    pub fn forget(&mut self) {
        self.engine.clear();
    }

    /// The exact margin for the mover in discs, empty squares to the winner; nothing when it takes
    /// too long, which no endgame of training should.
    pub fn solve(&mut self, position: &Position<u64>) -> Option<i32> {
        self.best_play(position).map(|answer| answer.centidiscs / 100)
    }

    /// The exact margin for the mover, and best play to the end; nothing when it takes too long.
    pub fn best_play(&mut self, position: &Position<u64>) -> Option<Answer> {
        let goal = Goal::Solve { wld: false, all_moves: false, optimal_moves: false };
        let limits = Limits { nodes: Some(self.most_nodes), ..Limits::default() };
        for _ in 0..2 {
            let found = self.ask(position, goal, limits.clone());
            if found.exact {
                return Some(self.answer(position, &found));
            }
            // What is known from earlier may be in the way.
            self.forget();
        }
        let Position { own, other } = position;
        log::warn!("{own:016x} {other:016x} is not solved within {} nodes", self.most_nodes);
        None
    }

    /// The value and the best move when looking some plies ahead. The course is empty when the
    /// game is over.
    pub fn search(&mut self, position: &Position<u64>, depth: u32) -> Answer {
        self.look(position, depth, None)
    }

    /// The same with a selectivity, in percent.
    pub fn look(&mut self, position: &Position<u64>, depth: u32, selectivity: Option<u32>) -> Answer {
        let limits = Limits { depth: Some(depth), selectivity, ..Limits::default() };
        let found = self.ask(position, Goal::BestMove, limits);
        self.answer(position, &found)
    }

    fn ask(&mut self, position: &Position<u64>, goal: Goal, limits: Limits) -> Found {
        let Position { own, other } = position;
        let board = Board::with_discs(Arc::clone(&self.geometry), own.to_set(), other.to_set());
        let state = State { board, side: Side::Black, placements: 0, hand: None };
        let mut request = SearchRequest::new(state, self.rules);
        (request.goal, request.limits, request.deterministic) = (goal, limits, true);
        request.evaluation = self.evaluation;
        self.engine.run(&request, &self.stop, &mut |_| {})
    }

    fn answer(&self, position: &Position<u64>, found: &Found) -> Answer {
        let Some(line) = found.lines.first() else {
            return Answer { centidiscs: 100 * self.finished(position), course: Vec::new() };
        };
        let course = line.pv.iter().map(|choice| match choice {
            Choice::Play(square) => Some(u64::index_of(*square)),
            Choice::Pass => None,
        });
        Answer { centidiscs: line.value.centidiscs, course: course.collect() }
    }

    /// The mover's result of a game that is over, in discs.
    fn finished(&self, position: &Position<u64>) -> i32 {
        let (own, other) = (position.own.count_ones(), position.other.count_ones());
        let margin = final_margin(own, other, 64, self.rules.scoring);
        if self.rules.anti { -margin } else { margin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_square_is_taken() {
        // h1 is empty; g1 and the rest of the first row are the opponent's, but for a1.
        let own = !0xff | 1;
        let position = Position { own, other: 0x7e };
        let answer = Asker::new(Effort::SMALL, Games::OTHELLO).best_play(&position);
        assert_eq!(answer, Some(Answer { centidiscs: 6400, course: vec![Some(7)] }));
        let lost = Position { own: 0, other: !0 };
        assert_eq!(Asker::new(Effort::SMALL, Games::OTHELLO).solve(&lost), Some(-64));
        assert_eq!(
            Asker::new(Effort::SMALL, Games { objective: Objective::Fewest, ..Games::OTHELLO })
                .solve(&lost),
            Some(64)
        );
    }
}
