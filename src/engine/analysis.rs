//! A game looked at position by position: what each was worth, and what was made of it.
//!
//! Knows states, rules and the `Engine` trait. Must not know where the game comes from, nor how
//! what is found is told.
//!
//! **Order.** Positions are searched from the last to the first, so that what the table knows of the
//! later ones helps the earlier ones.
//!
//! **Two kinds of values.** Near the end a position is solved, and what was played is worth what the
//! next position was found to be worth: nothing is searched twice. Before that, values are estimates,
//! and an estimate is held against nothing but an estimate of the same effort: an exact value on one
//! side only would show losses that are errors of the other side. So a repeatable analysis empties
//! the table where the estimates begin.
//!
//! **Losses are never negative.** Where the move that was played comes out above the best one, it is
//! the best one. Moves that a symmetry of the position makes equal are equally good, and a player
//! with one choice, a forced pass above all, loses nothing by it.
//!
//! **Turned games.** Searches break ties by the order of squares. So the game is first laid down in
//! the one of its eight ways that comes first, and a game that is turned or mirrored is searched as
//! the very same positions.

use super::{Bound, Choice, Engine, Evaluation, Found, Goal, Limits, SearchRequest, StopFlag, Value};
use crate::rules::score::margin_for_black;
use crate::rules::{Geometry, HalfDiscs, Rules, Side, Square, SquareSet, State, Symmetry};

/// A position of a game and what was done from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The position.
    pub state: State,
    /// The choice that led to the next moment; nothing at the end of an unfinished game.
    pub played: Option<Choice>,
}

/// How much is done for each position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effort {
    /// Bounds of each search that makes an estimate.
    pub limits: Limits,
    /// From so many empty squares on positions are solved, whatever it takes.
    pub exact_from: u32,
    /// What positions are valued by that are not searched to the end.
    pub evaluation: Evaluation,
    /// The answer depends on the game and the effort alone: estimates are made by one thread, without
    /// clocks, and without what earlier searches have left behind. Exact values never depend on more.
    pub repeatable: bool,
}

/// What was found out about a moment. All values are the mover's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// With best play.
    pub value: Value,
    /// Plies that were looked ahead for it; 0 where what comes next says it.
    pub depth: u32,
    /// Selectivity of that search in percent, 100 for none.
    pub selectivity: u32,
    /// With what was played, where it is known; never above `value`.
    pub after: Option<Value>,
    /// What is worth `value`, in the order of the squares: all such choices where the position was
    /// solved, else those known to be. Empty only when the game is over.
    pub best: Vec<Choice>,
}

impl Judgement {
    /// What playing as was played cost, in hundredths of a disc, never negative.
    #[must_use]
    pub fn loss_centidiscs(&self) -> Option<i32> {
        Some(self.value.centidiscs - self.after?.centidiscs)
    }

    /// Whether what is said of this moment is proved.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.value.exact && self.after.is_none_or(|after| after.exact)
    }
}

/// How an analysis ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every moment was judged.
    Finished,
    /// The flag was raised; the moments before the last one told are not judged.
    Stopped,
    /// A search broke; the moments before the last one told are not judged.
    Failed,
}

/// Judges the moments of one game, which follow each other, from the last to the first; each is told
/// with its index as soon as it is judged.
pub fn analyze(
    engine: &mut dyn Engine,
    moments: &[Moment],
    rules: &Rules,
    effort: &Effort,
    stop: &StopFlag,
    tell: &mut dyn FnMut(usize, Judgement),
) -> Ended {
    let way = orientation(moments);
    let mut analyst = Analyst { engine, rules, effort, stop, is_estimating: false };
    let mut later: Option<(Side, Judgement)> = None;
    for (index, moment) in moments.iter().enumerate().rev() {
        if stop.is_raised() {
            return Ended::Stopped;
        }
        let turned = turned(moment, way);
        let judgement = match analyst.judge(&turned, later.as_ref()) {
            Ok(judgement) => judgement,
            Err(ended) => return ended,
        };
        tell(index, turned_back(&judgement, turned.state.board.geometry(), way));
        later = Some((turned.state.side, judgement));
    }
    Ended::Finished
}

// ---------------------------------------------------------------------------------------------
// The way a game is laid down

/// The way that makes start and moves come first in the order of squares. Games that are images of
/// each other become the same game.
fn orientation(moments: &[Moment]) -> Symmetry {
    let Some(first) = moments.first() else { return Symmetry::IDENTITY };
    let key = |way: Symmetry| {
        let state = way.state(&first.state);
        let geometry = state.board.geometry();
        let shape = (geometry.columns(), geometry.rows(), geometry.holes());
        let course: Vec<Option<Square>> = moments
            .iter()
            .map(|moment| square_of(moment.played?).map(|square| image(way, &first.state, square)))
            .collect();
        (shape, state.board.black(), state.board.white(), course)
    };
    Symmetry::ALL.into_iter().min_by_key(|&way| key(way)).unwrap_or(Symmetry::IDENTITY)
}

fn square_of(choice: Choice) -> Option<Square> {
    match choice {
        Choice::Play(square) => Some(square),
        Choice::Pass => None,
    }
}

/// Where a square of a state's board goes.
fn image(way: Symmetry, state: &State, square: Square) -> Square {
    let geometry = state.board.geometry();
    way.square(geometry.columns(), geometry.rows(), square)
}

fn turned(moment: &Moment, way: Symmetry) -> Moment {
    let turn = |choice| match choice {
        Choice::Play(square) => Choice::Play(image(way, &moment.state, square)),
        Choice::Pass => Choice::Pass,
    };
    Moment { state: way.state(&moment.state), played: moment.played.map(turn) }
}

/// A judgement of a turned moment, whose board is `geometry`, as one of the moment itself.
fn turned_back(judgement: &Judgement, geometry: &Geometry, way: Symmetry) -> Judgement {
    let back = way.inverse();
    let turn = |choice: &Choice| match *choice {
        Choice::Play(square) => Choice::Play(back.square(geometry.columns(), geometry.rows(), square)),
        Choice::Pass => Choice::Pass,
    };
    let mut best: Vec<Choice> = judgement.best.iter().map(turn).collect();
    best.sort_by_key(|&choice| square_of(choice));
    Judgement { best, ..judgement.clone() }
}

// ---------------------------------------------------------------------------------------------
// One moment

struct Analyst<'a> {
    engine: &'a mut dyn Engine,
    rules: &'a Rules,
    effort: &'a Effort,
    stop: &'a StopFlag,
    /// The solved part of the game lies behind.
    is_estimating: bool,
}

/// A guess that is known to be no more than that.
fn value(centidiscs: i32, exact: bool) -> Value {
    Value { centidiscs, bound: Bound::Value, exact }
}

impl Analyst<'_> {
    /// `later` is the judgement of the next moment, with its mover.
    fn judge(&mut self, moment: &Moment, later: Option<&(Side, Judgement)>) -> Result<Judgement, Ended> {
        let Moment { state, played } = moment;
        let legal = state.legal(self.rules);
        let follows = played.and_then(|choice| self.worth_of_next(state, choice, later));
        // Without a choice the position is worth what comes of it.
        if let (Some(played), Some(worth), true) = (*played, follows, legal.len() <= 1) {
            return Ok(Judgement {
                value: worth,
                depth: 0,
                selectivity: 100,
                after: Some(worth),
                best: vec![played],
            });
        }
        let solve = state.board.empties() <= self.effort.exact_from;
        if !solve && !self.is_estimating {
            self.is_estimating = true;
            if self.effort.repeatable {
                self.engine.clear();
            }
        }
        let mut judgement = self.best(state, solve)?;
        let Some(played) = *played else { return Ok(judgement) };
        let after = if judgement.best.contains(&played) {
            Some(judgement.value)
        } else {
            match follows.filter(|worth| worth.exact && judgement.value.exact) {
                Some(worth) => Some(worth),
                None => self.alone(state, played, solve)?,
            }
        };
        let Some(mut after) = after else { return Ok(judgement) };
        if after.centidiscs > judgement.value.centidiscs && !judgement.value.exact {
            // It is the best choice known. Another one may be better still.
            judgement.value = value(after.centidiscs, false);
            judgement.best = images_of(state, &[played]);
        }
        after.centidiscs = after.centidiscs.min(judgement.value.centidiscs);
        if after == judgement.value {
            judgement.best.push(played);
            judgement.best = images_of(state, &judgement.best);
        }
        judgement.after = Some(after);
        Ok(judgement)
    }

    /// The worth, to the mover of `state`, of what a choice leads to, where that is known already.
    fn worth_of_next(
        &self,
        state: &State,
        choice: Choice,
        later: Option<&(Side, Judgement)>,
    ) -> Option<Value> {
        let mut next = state.clone();
        match choice {
            Choice::Play(square) => next.play(self.rules, None, square).map(|_| ()).ok()?,
            Choice::Pass => next.pass(self.rules, None).map(|_| ()).ok()?,
        }
        if next.is_over(self.rules) {
            return Some(value(final_centidiscs(&next, self.rules, state.side), true));
        }
        let (side, judgement) = later?;
        let sign = if *side == state.side { 1 } else { -1 };
        Some(value(sign * judgement.value.centidiscs, judgement.value.exact))
    }

    /// The best choices with their value.
    fn best(&mut self, state: &State, solve: bool) -> Result<Judgement, Ended> {
        let found = self.search(state, None, solve)?;
        let Some(first) = found.lines.first() else {
            let worth = final_centidiscs(state, self.rules, state.side);
            let (value, best) = (value(worth, true), Vec::new());
            return Ok(Judgement { value, depth: 0, selectivity: 100, after: None, best });
        };
        let is_equal = |worth: &Value| {
            *worth == first.value && worth.bound == Bound::Value && (worth.exact || !solve)
        };
        let mut equal: Vec<Choice> =
            found.lines.iter().filter(|line| is_equal(&line.value)).map(|line| line.choice()).collect();
        if equal.is_empty() {
            equal.push(first.choice());
        }
        Ok(Judgement {
            value: first.value,
            depth: first.depth,
            selectivity: first.selectivity,
            after: None,
            best: images_of(state, &equal),
        })
    }

    /// The value of one choice by itself.
    fn alone(&mut self, state: &State, choice: Choice, solve: bool) -> Result<Option<Value>, Ended> {
        let only = square_of(choice).map(SquareSet::from);
        let found = self.search(state, only, solve)?;
        let line = found.lines.iter().find(|line| line.choice() == choice);
        Ok(line.map(|line| line.value))
    }

    fn search(&mut self, state: &State, only: Option<SquareSet>, solve: bool) -> Result<Found, Ended> {
        let mut request = SearchRequest::new(state.clone(), *self.rules);
        if solve {
            let optimal_moves = only.is_none();
            request.goal = Goal::Solve { wld: false, all_moves: false, optimal_moves };
        } else {
            request.goal = Goal::Values;
            request.limits = self.effort.limits.clone();
            request.deterministic = self.effort.repeatable;
        }
        request.only = only;
        request.evaluation = self.effort.evaluation;
        let found = self.engine.run(&request, self.stop, &mut |_| {});
        match (found.failed, self.stop.is_raised()) {
            (true, _) => Err(Ended::Failed),
            // A search that was broken off may know less of one move than of another.
            (false, true) => Err(Ended::Stopped),
            (false, false) => Ok(found),
        }
    }
}

/// These choices and those that a symmetry of the position makes equal to one of them, in the order
/// of the squares.
fn images_of(state: &State, choices: &[Choice]) -> Vec<Choice> {
    let mut all: Vec<Choice> = Symmetry::of(state.board.geometry())
        .filter(|way| way.state(state) == *state)
        .flat_map(|way| {
            choices.iter().map(move |choice| match *choice {
                Choice::Play(square) => Choice::Play(image(way, state, square)),
                Choice::Pass => Choice::Pass,
            })
        })
        .collect();
    all.sort_by_key(|&choice| square_of(choice));
    all.dedup();
    all
}

/// The final margin of a finished game from the view of a side, in hundredths of a disc, as values
/// are: of the scoring rule in force, without komi.
#[must_use]
pub fn final_centidiscs(state: &State, rules: &Rules, side: Side) -> i32 {
    let without_komi = Rules { komi: HalfDiscs::ZERO, ..*rules };
    let for_black = margin_for_black(&state.board, &without_komi).0 * 50;
    match side {
        Side::Black => for_black,
        Side::White => -for_black,
    }
}
