//! What somebody else knows, put into the table.
//!
//! A lesson is bounds of a position with a line of best play. The same bounds hold all along the
//! line, each time from the other side: whoever is to move gets by the move of the line what the
//! position is worth. Of the moves beside the line it says one thing only: none is worth more than
//! the position, or it would be worth more itself. That too is put down, for a search that asks
//! whether any move does better looks at all of them.
//!
//! What was taught is trusted like what was searched: at its depth, with its selectivity, and as a
//! proof where it left nothing out and reached the end. Nobody can check it for less than the search
//! that it is to save. But what has been searched at least as deeply here is not overwritten by what
//! contradicts it.

use crate::engine::{Choice, Lesson};
use crate::rules::{Bits, Position, mobility};

use super::ground::Ground;
use super::probcut;
use super::table::{Known, NO_MOVE, Table};
use super::worker::INFINITE;

/// What is known of one position of the line.
#[derive(Clone, Copy)]
struct Bounds {
    lower: i32,
    upper: i32,
    depth: u32,
}

impl Bounds {
    /// The same for the other side.
    fn turned(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower, ..self }
    }
}

/// Puts a lesson about `position` into the table.
pub(crate) fn teach<B: Bits>(
    table: &Table<B>,
    ground: &Ground<B>,
    position: Position<B>,
    lesson: &Lesson,
) {
    let most = 100 * ground.squares as i32;
    let unless = |says_nothing: bool, bound, nothing| if says_nothing { nothing } else { bound };
    let mut position = position;
    let mut bounds = Bounds {
        lower: unless(lesson.lower <= -most, lesson.lower.min(most), -INFINITE),
        upper: unless(lesson.upper >= most, lesson.upper.max(-most), INFINITE),
        depth: lesson.depth,
    };
    let writer = Writer { table, ground, selectivity: probcut::level_reached(lesson.selectivity) };
    let mut line = lesson.line.iter();
    loop {
        let moves = mobility(position.own, position.other, ground.playable);
        let next = line.next();
        if moves.is_empty() {
            // A pass costs no depth; where there is none, the game is over.
            let Some(Choice::Pass) = next else { return };
            position = position.pass();
            bounds = bounds.turned();
            continue;
        }
        let best = match next {
            Some(Choice::Play(square)) => (moves & B::from_set((*square).into())).iter().next(),
            Some(Choice::Pass) | None => None,
        };
        if bounds.depth == 0 {
            return;
        }
        writer.put(&position, bounds, best.map_or(NO_MOVE, |index| index as u8));
        let after = Bounds { depth: bounds.depth - 1, ..bounds.turned() };
        let beside = best.map_or(moves, |index| moves & !B::bit(index));
        for index in beside.iter() {
            writer.put(&position.play(index), Bounds { upper: INFINITE, ..after }, NO_MOVE);
        }
        let Some(index) = best else { return };
        position = position.play(index);
        bounds = after;
    }
}

struct Writer<'t, B: Bits> {
    table: &'t Table<B>,
    ground: &'t Ground<B>,
    selectivity: u8,
}

impl<B: Bits> Writer<'_, B> {
    fn put(&self, position: &Position<B>, bounds: Bounds, best: u8) {
        let n_empties = self.ground.empties(position).count();
        let Bounds { mut lower, mut upper, depth } = bounds;
        if depth >= n_empties {
            // Results are whole discs.
            let whole = |bound: i32| 100 * bound.div_euclid(100);
            lower = if lower > -INFINITE { -whole(-lower) } else { lower };
            upper = if upper < INFINITE { whole(upper) } else { upper };
        }
        let says_nothing = lower <= -INFINITE && upper >= INFINITE && best == NO_MOVE;
        if depth == 0 || says_nothing || lower > upper {
            return;
        }
        let known =
            Known { lower, upper, depth: depth.min(n_empties), selectivity: self.selectivity, best };
        self.table.put_taught(position, Table::key(position), &known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Evaluation;
    use crate::rules::{Game, Square, State, Variant, VariantSpec};

    /// A lesson about a position after `moves`, with this line, and the table that took it in.
    fn taught(lesson: impl Fn(State) -> Lesson) -> (Table<u64>, Position<u64>) {
        let game = Game::new(Variant::new(VariantSpec::sized(8, 8)).expect("Othello"));
        let state = game.state().clone();
        let ground = Ground::new(state.board.geometry(), game.rules());
        let position = state.board.position64(state.side).expect("a board of 8x8").0;
        let table = Table::new(1 << 16);
        teach(&table, &ground, position, &lesson(state));
        (table, position)
    }

    fn lesson(state: State, bounds: (i32, i32), depth: u32, line: &[(u8, u8)]) -> Lesson {
        let square = |&(column, row): &(u8, u8)| Square::new(column, row).expect("a square");
        Lesson {
            state,
            rules: *Game::new(Variant::new(VariantSpec::sized(8, 8)).expect("Othello")).rules(),
            evaluation: Evaluation::Trained,
            lower: bounds.0,
            upper: bounds.1,
            depth,
            selectivity: 80,
            line: line.iter().map(|at| Choice::Play(square(at))).collect(),
        }
    }

    /// f5 and d6.
    const LINE: &[(u8, u8)] = &[(5, 4), (3, 5)];

    fn bounds_of(table: &Table<u64>, position: &Position<u64>) -> Option<(i32, i32, u32)> {
        let entry = table.get(position, Table::key(position))?;
        Some((entry.lower, entry.upper, entry.depth))
    }

    #[test]
    fn bounds_go_along_the_line_and_say_of_other_moves_only_that_they_are_no_better() {
        let (table, start) = taught(|state| lesson(state, (-150, 250), 12, LINE));
        assert_eq!(bounds_of(&table, &start), Some((-150, 250, 12)));
        let entry = table.get(&start, Table::key(&start)).expect("the start");
        // A selectivity between two levels is the lower one.
        assert_eq!((probcut::percent(entry.selectivity), entry.best[0]), (73, 37));
        let after_f5 = start.play(37);
        assert_eq!(bounds_of(&table, &after_f5), Some((-250, 150, 11)));
        assert_eq!(bounds_of(&table, &start.play(19)), Some((-250, INFINITE, 11)));
        let after_d6 = after_f5.play(43);
        assert_eq!(bounds_of(&table, &after_d6), Some((-150, 250, 10)));
    }

    #[test]
    fn what_says_nothing_is_not_put_down() {
        let (table, start) = taught(|state| lesson(state, (-6400, 6400), 6, LINE));
        assert_eq!(bounds_of(&table, &start), Some((-INFINITE, INFINITE, 6)));
        assert_eq!(bounds_of(&table, &start.play(19)), None);
        // The last position of the line has neither a bound nor a move.
        assert_eq!(bounds_of(&table, &start.play(37).play(43)), None);
        let (table, start) = taught(|state| lesson(state, (100, 50), 6, LINE));
        assert_eq!(bounds_of(&table, &start), None);
        let (table, start) = taught(|state| lesson(state, (100, 150), 1, LINE));
        assert_eq!(bounds_of(&table, &start), Some((100, 150, 1)));
        assert_eq!(bounds_of(&table, &start.play(37)), None);
    }

    #[test]
    fn results_at_the_end_of_the_game_are_whole_discs() {
        let (table, start) = taught(|state| lesson(state, (-150, 250), 99, &[]));
        assert_eq!(bounds_of(&table, &start), Some((-100, 200, 60)));
        assert_eq!(bounds_of(&table, &start.play(37)), Some((-200, INFINITE, 59)));
    }
}
