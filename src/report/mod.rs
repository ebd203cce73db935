//! Games looked at afterwards: what every ply cost, who erred how much, and where the game turned.
//!
//! Knows games, their records, and the `Engine` trait. Must not know any search or evaluation, nor
//! write anything anywhere: it makes values, rows and pages, and others put them where they belong.
//!
//! **Signs.** `value` is what a position is worth with best play, `after` what it is worth with what
//! was played, both in discs of the scoring rule in force, without komi, and from the view of the
//! side to move. Only graphs and the open end of a game turn to Black's view, and say so.
//!
//! **Grades.** A loss below [`INACCURACY`] is none: estimates are no better than that. From there on
//! it is an inaccuracy, a mistake from [`MISTAKE`] on, a blunder from [`BLUNDER`] on. Passes, and
//! moves that were the only one, have no grade and count for nothing but the number of moves.
//!
//! **Turning points** are the plies that gave a result away, from won to drawn or lost or from drawn
//! to lost, when that is proved or the estimate dropped by a mistake at least; and the
//! [`MOST_LARGE`] largest blunders besides.

// What is found, then how it is told.
pub mod read;
pub mod row;

pub mod diagram;
mod graph;
pub mod html;
pub mod table;

use std::cmp::Ordering;

use crate::engine::analysis::{self, Effort, Ended, Judgement, Moment};
use crate::engine::{Choice, Engine, StopFlag};
use crate::rules::{BySide, Game, Rules, Side};
use row::{Id, Number};

/// A loss of so many hundredths of a disc is an inaccuracy.
pub const INACCURACY: i32 = 100;
/// A loss of so many hundredths of a disc is a mistake.
pub const MISTAKE: i32 = 300;
/// A loss of so many hundredths of a disc is a blunder.
pub const BLUNDER: i32 = 800;
/// So many of the largest blunders are turning points whatever they did to the result.
pub const MOST_LARGE: usize = 3;

/// What a loss is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing was lost, or nothing that can be told from nothing.
    Good,
    /// See [`INACCURACY`].
    Inaccuracy,
    /// See [`MISTAKE`].
    Mistake,
    /// See [`BLUNDER`].
    Blunder,
}

impl Grade {
    /// The grade of a loss in hundredths of a disc.
    #[must_use]
    pub fn of(loss_centidiscs: i32) -> Grade {
        match loss_centidiscs {
            BLUNDER.. => Grade::Blunder,
            MISTAKE.. => Grade::Mistake,
            INACCURACY.. => Grade::Inaccuracy,
            _ => Grade::Good,
        }
    }

    /// Its name; nothing for [`Grade::Good`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Grade::Good => "",
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }
}

/// One ply of an analysed game. Values are hundredths of a disc, from the view of `side`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Place in the game, from 1, passes counted.
    pub item: u32,
    /// Who was to move.
    pub side: Side,
    /// What was played.
    pub played: Choice,
    /// Worth of the position with best play.
    pub value: i32,
    /// Worth of the position with what was played, never above `value`.
    pub after: i32,
    /// What was best, in the order of the squares: all of it where `exact`.
    pub best: Vec<Choice>,
    /// Both values are proved.
    pub exact: bool,
    /// Empty squares before it.
    pub empties: u32,
    /// How many choices there were; 0 for a forced pass.
    pub n_choices: u32,
}

impl Ply {
    /// What it cost, in hundredths of a disc, never negative.
    #[must_use]
    pub fn loss(&self) -> i32 {
        self.value - self.after
    }

    /// Its grade; a ply without a choice has none.
    #[must_use]
    pub fn grade(&self) -> Grade {
        if self.n_choices > 1 { Grade::of(self.loss()) } else { Grade::Good }
    }

    /// A value of the mover from Black's view.
    #[must_use]
    pub fn for_black(&self, centidiscs: i32) -> i32 {
        for_black(self.side, centidiscs)
    }
}

fn for_black(side: Side, centidiscs: i32) -> i32 {
    match side {
        Side::Black => centidiscs,
        Side::White => -centidiscs,
    }
}

/// What the last position of a game is worth that was not played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Who is to move.
    pub side: Side,
    /// Hundredths of a disc from the view of `side`.
    pub value: i32,
    /// What is best, as in [`Ply`].
    pub best: Vec<Choice>,
    /// The value is proved.
    pub exact: bool,
}

/// An analysed game.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// What the game is called.
    pub id: Id,
    /// The players' names, where they are known.
    pub players: BySide<Option<String>>,
    /// The game.
    pub game: Game,
    /// The level of the estimates; nothing where it was the default of the board.
    pub level: Option<u32>,
    /// Positions of at most so many empty squares were solved.
    pub exact_from: u32,
    /// The plies that were judged, in order. An analysis that was broken off lacks the first ones.
    pub plies: Vec<Ply>,
    /// What the last position is worth, where the game is not played out and this is known.
    pub open: Option<Open>,
}

/// Analyses a game; `tell` hears after each position how many are done and how many there are.
pub fn analyze(
    engine: &mut dyn Engine,
    id: Id,
    players: BySide<Option<String>>,
    game: Game,
    effort: &Effort,
    stop: &StopFlag,
    tell: &mut dyn FnMut(usize, usize),
) -> (Analysis, Ended) {
    let moments = moments(&game);
    let mut judgements: Vec<Option<Judgement>> = vec![None; moments.len()];
    let mut n_done = 0;
    let ended =
        analysis::analyze(engine, &moments, game.rules(), effort, stop, &mut |index, judgement| {
            judgements[index] = Some(judgement);
            n_done += 1;
            tell(n_done, moments.len());
        });
    let mut plies = Vec::new();
    let mut open = None;
    for ((index, moment), judgement) in moments.iter().enumerate().zip(judgements) {
        let Some(judgement) = judgement else { continue };
        match (moment.played, judgement.after) {
            (Some(played), Some(after)) => plies.push(Ply {
                item: u32::try_from(index + 1).unwrap_or(u32::MAX),
                side: moment.state.side,
                played,
                value: judgement.value.centidiscs,
                after: after.centidiscs,
                exact: judgement.is_exact(),
                best: judgement.best,
                empties: moment.state.board.empties(),
                n_choices: moment.state.legal(game.rules()).len(),
            }),
            (None, _) => {
                open = Some(Open {
                    side: moment.state.side,
                    value: judgement.value.centidiscs,
                    best: judgement.best,
                    exact: judgement.value.exact,
                });
            }
            // Nothing is known of what was played.
            (Some(_), None) => {}
        }
    }
    let (level, exact_from) = (effort.limits.level, effort.exact_from);
    (Analysis { id, players, game, level, exact_from, plies, open }, ended)
}

/// The positions of a game with what was played, and the last one where the rules let it go on.
fn moments(game: &Game) -> Vec<Moment> {
    let log = game.log().iter().enumerate();
    let mut moments: Vec<Moment> = log
        .map(|(index, entry)| Moment {
            state: game.state_at(index).clone(),
            played: Some(Choice::of(entry.mv.act)),
        })
        .collect();
    if !game.state().is_over(game.rules()) {
        moments.push(Moment { state: game.state().clone(), played: None });
    }
    moments
}

// ---------------------------------------------------------------------------------------------
// What it adds up to

/// What the plies of one side add up to. Losses are hundredths of a disc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Discs put down.
    pub moves: u32,
    /// Moves with another choice; the rest of the numbers are about these.
    pub choices: u32,
    /// Of these, those without a grade.
    pub accurate: u32,
    /// All losses.
    pub loss: i32,
    /// Losses that are proved.
    pub exact_loss: i32,
    /// Losses of this grade.
    pub inaccuracies: u32,
    /// Losses of this grade.
    pub mistakes: u32,
    /// Losses of this grade.
    pub blunders: u32,
}

impl Totals {
    fn add(&mut self, ply: &Ply) {
        if ply.played == Choice::Pass {
            return;
        }
        self.moves += 1;
        if ply.n_choices < 2 {
            return;
        }
        self.choices += 1;
        self.loss += ply.loss();
        self.exact_loss += if ply.exact { ply.loss() } else { 0 };
        *match ply.grade() {
            Grade::Good => &mut self.accurate,
            Grade::Inaccuracy => &mut self.inaccuracies,
            Grade::Mistake => &mut self.mistakes,
            Grade::Blunder => &mut self.blunders,
        } += 1;
    }

    /// The part of the moves with a choice that lost less than an inaccuracy, 0 to 1.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        (self.choices > 0).then(|| f64::from(self.accurate) / f64::from(self.choices))
    }

    /// Hundredths of a disc lost for each move with a choice.
    #[must_use]
    pub fn mean_loss(&self) -> Option<f64> {
        (self.choices > 0).then(|| f64::from(self.loss) / f64::from(self.choices))
    }
}

/// A ply that decided something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurningPoint<'a> {
    /// The ply.
    pub ply: &'a Ply,
    /// Who would have won with best play, if anybody.
    pub before: Option<Side>,
    /// Who wins after it.
    pub after: Option<Side>,
}

impl TurningPoint<'_> {
    /// Whether the result changed.
    #[must_use]
    pub fn turns(&self) -> bool {
        self.before != self.after
    }
}

impl Analysis {
    /// Whether all of the game was judged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let is_open = !self.game.state().is_over(self.game.rules());
        self.plies.len() == self.game.len() && self.open.is_some() == is_open
    }

    /// What the plies of each side add up to.
    #[must_use]
    pub fn totals(&self) -> BySide<Totals> {
        let mut totals = BySide::<Totals>::default();
        for ply in &self.plies {
            totals[ply.side].add(ply);
        }
        totals
    }

    /// The plies that decided something, in order.
    #[must_use]
    pub fn turning_points(&self) -> Vec<TurningPoint<'_>> {
        let rules = self.game.rules();
        let mut points: Vec<TurningPoint<'_>> = Vec::new();
        let mut others: Vec<TurningPoint<'_>> = Vec::new();
        for ply in &self.plies {
            let point = TurningPoint {
                ply,
                before: winner(ply.for_black(ply.value), rules),
                after: winner(ply.for_black(ply.after), rules),
            };
            if point.turns() && (ply.exact || ply.loss() >= MISTAKE) {
                points.push(point);
            } else if ply.grade() == Grade::Blunder {
                others.push(point);
            }
        }
        others.sort_by_key(|point| std::cmp::Reverse(point.ply.loss()));
        points.extend(others.into_iter().take(MOST_LARGE));
        points.sort_by_key(|point| point.ply.item);
        points
    }

    /// Worth of the position after so many plies from Black's view, in hundredths of a disc, and
    /// whether that is proved; nothing where it was not judged.
    #[must_use]
    pub fn worth_for_black(&self, n_plies: usize) -> Option<(i32, bool)> {
        if n_plies < self.game.len() {
            let item = u32::try_from(n_plies + 1).ok()?;
            let ply = self.plies.iter().find(|ply| ply.item == item)?;
            return Some((ply.for_black(ply.value), ply.exact));
        }
        let (state, rules) = (self.game.state(), self.game.rules());
        if state.is_over(rules) {
            return Some((analysis::final_centidiscs(state, rules, Side::Black), true));
        }
        let open = self.open.as_ref()?;
        Some((for_black(open.side, open.value), open.exact))
    }

    /// A side as people call it: its name with its colour, or its colour.
    #[must_use]
    pub fn player(&self, side: Side) -> String {
        match &self.players[side] {
            Some(name) => format!("{name} ({})", colour(side)),
            None => colour(side).to_owned(),
        }
    }

    /// What the game is called above a table or a chapter.
    #[must_use]
    pub fn title(&self) -> String {
        let name = |side| self.players[side].clone().unwrap_or_else(|| colour(side).to_owned());
        match (&self.players.black, &self.players.white) {
            (None, None) => format!("Game {}", self.id),
            _ => format!("Game {}: {} – {}", self.id, name(Side::Black), name(Side::White)),
        }
    }
}

/// Who wins with this worth from Black's view, once komi is reckoned in.
fn winner(centidiscs_for_black: i32, rules: &Rules) -> Option<Side> {
    match centidiscs_for_black.cmp(&(rules.komi.0 * 50)) {
        Ordering::Greater => Some(Side::Black),
        Ordering::Less => Some(Side::White),
        Ordering::Equal => None,
    }
}

/// The colour of a side's discs.
#[must_use]
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}

/// A choice as it is written: the square, or `pass`.
#[must_use]
pub fn word(choice: Choice) -> String {
    match choice {
        Choice::Play(square) => square.to_string(),
        Choice::Pass => "pass".to_owned(),
    }
}

/// Choices with a separator between.
fn words(choices: &[Choice], separator: &str) -> String {
    choices.iter().copied().map(word).collect::<Vec<_>>().join(separator)
}

/// A loss as it is told, without a sign: whole discs where they are whole.
fn loss_text(centidiscs: i32) -> String {
    Number::of_centidiscs(centidiscs).to_string().trim_start_matches('+').to_owned()
}

/// How a turning point is told: who was winning and who is, or how much was lost.
fn turn_text(point: &TurningPoint<'_>) -> String {
    let won = |winner: Option<Side>| match winner {
        Some(side) => format!("won for {}", colour(side)),
        None => "drawn".to_owned(),
    };
    let ahead = |winner: Option<Side>| match winner {
        Some(side) => format!("{} ahead", colour(side)),
        None => "even".to_owned(),
    };
    match (point.turns(), point.ply.exact) {
        (true, true) => format!("{} before, {} now", won(point.before), won(point.after)),
        (true, false) => format!("{} before, {} now", ahead(point.before), ahead(point.after)),
        (false, true) => format!("still {}", won(point.after)),
        (false, false) => format!("still {}", ahead(point.after)),
    }
}
