//! Balanced openings: lines of moves after which neither side stands better.
//!
//! Knows the rules and asks an engine for values. Must not know what the lines are used for.
//!
//! A line is so many moves drawn at random from the start of the variant, each move of a position
//! as likely as the others. Placements of a free opening are drawn as well, before the moves, and
//! are not counted; passes are made where they are due and not counted either. The position at the
//! end is kept when nobody has won yet, when no symmetry of the board makes it one that was met
//! before, by whatever order of moves, and when a search of a fixed depth by one thread finds it
//! within the margin. Value and margin are final discs, komi taken off. Every search begins with an
//! empty table, so that the seed alone decides what is found.
//!
//! **When there are no more.** After [`STALE_LINES`] lines in a row that end where others did, all
//! positions at that ply are listed, and what was not met yet is searched: from then on it is
//! certain how many there are. Where they are too many to be listed ([`MOST_LISTED`]), drawing goes
//! on. It ends without certainty after [`PATIENCE`] lines in a row that bring nothing new, and
//! after [`PATIENCE`] new positions in a row that are not balanced.

use std::collections::HashSet;

use super::openings::shuffle;
use crate::engine::{Bound, Engine, Goal, Limits, SearchRequest, StopFlag};
use crate::rules::{BySide, Game, Phase, Side, SplitMix64, Square, SquareSet, State, Symmetry, Variant};

/// Lines in a row that bring no new position, before all of them are listed.
pub const STALE_LINES: u32 = 300;
/// Most positions of one ply that are listed.
pub const MOST_LISTED: usize = 200_000;
/// Lines in a row without anything new, or positions in a row without balance, after which the
/// search for more is given up.
pub const PATIENCE: u32 = 20_000;
/// Plies that the search looks ahead unless it is told otherwise.
pub const USUAL_DEPTH: u32 = 8;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Moves after the placements.
    pub plies: u32,
    /// Greatest distance from an even result, in hundredths of a disc.
    pub margin_centidiscs: i32,
    /// How many openings.
    pub count: usize,
    /// Decides which.
    pub seed: u64,
    /// Plies that the search looks ahead.
    pub depth: u32,
}

/// A balanced opening.
#[derive(Clone, Debug)]
pub struct Balanced {
    /// The start and the moves.
    pub game: Game,
    /// The value for Black after komi, in hundredths of a disc.
    pub black_centidiscs: i32,
    /// The value is proved to the end of the game.
    pub exact: bool,
}

/// How the search for openings ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As many as were asked for.
    Enough,
    /// There are no others, for certain.
    NoMore,
    /// None was found for long; there may be others.
    GivenUp,
}

/// What has been done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Different positions searched.
    pub searched: usize,
    /// Balanced ones among them.
    pub found: usize,
}

/// Finds balanced openings, hands each to `take` as it is found, and says how it ended. `told` is
/// called after every search.
///
/// # Errors
/// What `take` returns; the search for openings ends with it.
pub fn balanced<E>(
    variant: &Variant,
    wanted: &Wanted,
    engine: &mut dyn Engine,
    take: &mut dyn FnMut(&Balanced) -> Result<(), E>,
    told: &mut dyn FnMut(Progress),
) -> Result<End, E> {
    let mut finder = Finder {
        variant,
        wanted,
        engine,
        take,
        told,
        random: SplitMix64::new(wanted.seed),
        met: HashSet::new(),
        progress: Progress::default(),
        unbalanced: 0,
    };
    finder.run()
}

/// A position as it is told from others: discs, mover, placements and hand of the representative of
/// all its images.
type Key = (SquareSet, SquareSet, Side, u8, Option<BySide<u16>>);

fn key(state: &State) -> Key {
    let (state, _) = Symmetry::canonical(state);
    (state.board.black(), state.board.white(), state.side, state.placements, state.hand)
}

struct Finder<'a, E> {
    variant: &'a Variant,
    wanted: &'a Wanted,
    engine: &'a mut dyn Engine,
    take: &'a mut dyn FnMut(&Balanced) -> Result<(), E>,
    told: &'a mut dyn FnMut(Progress),
    random: SplitMix64,
    /// Final positions that were met.
    met: HashSet<Key>,
    progress: Progress,
    /// Positions searched since the last balanced one.
    unbalanced: u32,
}

impl<E> Finder<'_, E> {
    fn run(&mut self) -> Result<End, E> {
        let mut n_stale = 0;
        let mut is_listed = false;
        while self.progress.found < self.wanted.count {
            match self.draw() {
                Some(game) if self.met.insert(key(game.state())) => {
                    n_stale = 0;
                    self.weigh(&game)?;
                }
                _ => n_stale += 1,
            }
            if n_stale >= STALE_LINES && !is_listed {
                is_listed = true;
                if let Some(lines) = self.list() {
                    return self.weigh_all(lines);
                }
            }
            if n_stale >= PATIENCE || self.unbalanced >= PATIENCE {
                return Ok(End::GivenUp);
            }
        }
        Ok(End::Enough)
    }

    /// A random line; nothing where the game ended on the way.
    fn draw(&mut self) -> Option<Game> {
        let mut game = Game::new(self.variant.clone());
        let mut n_moves = 0;
        loop {
            while game.pass_if_forced().is_some() {}
            let is_placing = match game.phase() {
                Phase::Over => return None,
                Phase::Place => true,
                Phase::Play => false,
            };
            if !is_placing && n_moves == self.wanted.plies {
                return Some(game);
            }
            let legal = game.legal();
            let drawn = self.random.below(u64::from(legal.len())) as usize;
            game.play(None, legal.iter().nth(drawn)?).ok()?;
            n_moves += u32::from(!is_placing);
        }
    }

    /// Searches a new position, and hands it on if it is balanced.
    fn weigh(&mut self, game: &Game) -> Result<(), E> {
        self.engine.clear();
        let mut request = SearchRequest::new(game.state().clone(), *game.rules());
        request.goal = Goal::Values;
        request.limits = Limits { depth: Some(self.wanted.depth), ..Limits::default() };
        request.deterministic = true;
        request.seed = self.wanted.seed;
        let found = self.engine.run(&request, &StopFlag::new(), &mut |_| {});
        self.progress.searched += 1;
        self.unbalanced += 1;
        let value = found.lines.first().map(|line| line.value);
        if let Some(value) = value.filter(|value| value.bound == Bound::Value && !found.failed) {
            let for_black = match game.state().side {
                Side::Black => value.centidiscs,
                Side::White => -value.centidiscs,
            };
            let black_centidiscs = for_black - game.rules().komi.0 * CENTIDISCS_PER_HALF_DISC;
            if black_centidiscs.abs() <= self.wanted.margin_centidiscs {
                self.progress.found += 1;
                self.unbalanced = 0;
                (self.take)(&Balanced { game: game.clone(), black_centidiscs, exact: value.exact })?;
            }
        }
        (self.told)(self.progress);
        Ok(())
    }

    /// Searches all lines that end where none did before.
    fn weigh_all(&mut self, mut lines: Vec<Vec<Square>>) -> Result<End, E> {
        shuffle(&mut lines, self.wanted.seed);
        for line in lines {
            if self.progress.found >= self.wanted.count {
                return Ok(End::Enough);
            }
            if self.unbalanced >= PATIENCE {
                return Ok(End::GivenUp);
            }
            let Some(game) = self.play(&line) else { continue };
            if self.met.insert(key(game.state())) {
                self.weigh(&game)?;
            }
        }
        let is_enough = self.progress.found >= self.wanted.count;
        Ok(if is_enough { End::Enough } else { End::NoMore })
    }

    /// The game of a line, with the passes that are due.
    fn play(&self, line: &[Square]) -> Option<Game> {
        let mut game = Game::new(self.variant.clone());
        while game.pass_if_forced().is_some() {}
        for &square in line {
            game.play(None, square).ok()?;
            while game.pass_if_forced().is_some() {}
        }
        Some(game)
    }

    /// One line to every position at the ply that is wanted; nothing where they are too many.
    fn list(&self) -> Option<Vec<Vec<Square>>> {
        let rules = self.variant.rules();
        let start = self.play(&[])?;
        let mut layer = vec![(start.state().clone(), Vec::new())];
        while layer.iter().any(|(state, _)| state.phase(rules) == Phase::Place) {
            layer = self.next_layer(layer, Phase::Place)?;
        }
        for _ in 0..self.wanted.plies {
            layer = self.next_layer(layer, Phase::Play)?;
        }
        layer.retain(|(state, _)| state.phase(rules) == Phase::Play);
        Some(layer.into_iter().map(|(_, line)| line).collect())
    }

    /// What follows positions of a phase, each position once; those of another phase stay where
    /// only placements are made, and end otherwise.
    fn next_layer(&self, layer: Layer, phase: Phase) -> Option<Layer> {
        let rules = self.variant.rules();
        let mut met = HashSet::new();
        let mut next = Vec::new();
        for (state, line) in layer {
            if state.phase(rules) != phase {
                if phase == Phase::Place && met.insert(key(&state)) {
                    next.push((state, line));
                }
                continue;
            }
            for square in state.legal(rules).iter() {
                let mut after = state.clone();
                after.play(rules, None, square).ok()?;
                while after.must_pass(rules).is_some() {
                    after.pass(rules, None).ok()?;
                }
                if met.insert(key(&after)) {
                    let line = line.iter().copied().chain([square]).collect();
                    next.push((after, line));
                }
                if next.len() > MOST_LISTED {
                    return None;
                }
            }
        }
        Some(next)
    }
}

/// Positions of one ply, each with a line that leads there.
type Layer = Vec<(State, Vec<Square>)>;

const CENTIDISCS_PER_HALF_DISC: i32 = 50;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::openings::{name_of, read};
    use super::*;
    use crate::engine::native::NativeEngine;
    use crate::record;
    use crate::rules::VariantSpec;
    use outflank_protocol::variant::read_variant;
    use std::convert::Infallible;

    const TABLE_MIB: usize = 1;

    fn spec(token: &str) -> VariantSpec {
        record::variant_spec(&read_variant(token).unwrap()).unwrap()
    }

    fn variant(token: &str) -> Variant {
        Variant::new(spec(token)).unwrap()
    }

    fn wanted(plies: u32, margin_centidiscs: i32, count: usize) -> Wanted {
        Wanted { plies, margin_centidiscs, count, seed: 7, depth: 3 }
    }

    fn find(token: &str, wanted: &Wanted) -> (Vec<Balanced>, End, Progress) {
        let (mut all, mut last) = (Vec::new(), Progress::default());
        let mut take = |found: &Balanced| -> Result<(), Infallible> {
            all.push(found.clone());
            Ok(())
        };
        let mut engine = NativeEngine::new(TABLE_MIB);
        let end =
            balanced(&variant(token), wanted, &mut engine, &mut take, &mut |progress| last = progress);
        (all, end.unwrap(), last)
    }

    fn names(all: &[Balanced]) -> Vec<String> {
        all.iter().map(|found| name_of(&found.game)).collect()
    }

    /// The first plies of Othello have as many positions as a program found that shares nothing with
    /// this one, all eight symmetries taken together.
    #[test]
    fn all_positions_of_a_ply_are_found_and_no_image_twice() {
        for (plies, n_positions) in [(0, 1), (1, 1), (2, 3), (3, 14), (4, 60), (5, 322)] {
            let (all, end, progress) = find("othello", &wanted(plies, i32::MAX, 1_000_000));
            assert_eq!((all.len(), end), (n_positions, End::NoMore), "{plies} plies");
            assert_eq!(progress.searched, n_positions);
            let keys: HashSet<Key> = all.iter().map(|found| key(found.game.state())).collect();
            assert_eq!(keys.len(), n_positions);
        }
    }

    #[test]
    fn a_seed_gives_the_same_openings_and_another_one_others() {
        let first = names(&find("othello", &wanted(8, 200, 12)).0);
        assert_eq!(names(&find("othello", &wanted(8, 200, 12)).0), first);
        let other = Wanted { seed: 8, ..wanted(8, 200, 12) };
        assert_ne!(names(&find("othello", &other).0), first);
        // More of them begin with the same ones.
        assert_eq!(names(&find("othello", &wanted(8, 200, 15)).0)[..12], first);
    }

    #[test]
    fn openings_are_within_the_margin_by_the_same_search() {
        let wanted = wanted(6, 150, 20);
        let (all, end, progress) = find("8x8+komi=2", &wanted);
        assert_eq!((all.len(), end), (20, End::Enough));
        assert!(progress.searched > 20, "nothing was refused: {progress:?}");
        let mut engine = NativeEngine::new(TABLE_MIB);
        for found in &all {
            engine.clear();
            let mut request = SearchRequest::new(found.game.state().clone(), *found.game.rules());
            request.limits.depth = Some(wanted.depth);
            request.goal = Goal::Values;
            request.deterministic = true;
            let answer = engine.run(&request, &StopFlag::new(), &mut |_| {});
            let value = answer.lines[0].value.centidiscs;
            let for_black = if found.game.state().side == Side::Black { value } else { -value };
            assert_eq!(for_black - 200, found.black_centidiscs);
            assert!(found.black_centidiscs.abs() <= 150);
        }
    }

    #[test]
    fn every_variant_has_openings_and_they_can_be_read_again() {
        for token in [
            "othello",
            "reversi",
            "oct",
            "10x10",
            "6x6",
            "4x4",
            "8x8+anti",
            "8x8+start=free+place=may",
            "8x8+hole=3@42",
            "othello+hc=2",
            "8x8+start=rand12@5",
            "annex",
        ] {
            let (all, _, _) = find(token, &wanted(3, 6400, 4));
            assert!(!all.is_empty(), "{token}");
            let text = names(&all).join("\n");
            let read = read("found", &text, &spec(token), None).unwrap();
            for (read, found) in read.iter().zip(&all) {
                let board = |game: &Game| (game.state().board.black(), game.state().board.white());
                assert_eq!(board(&read.game), board(&found.game), "{token}");
            }
        }
    }

    /// Three moves behind four placements.
    #[test]
    fn placements_come_before_the_plies_and_are_not_counted() {
        let (all, _, _) = find("reversi", &wanted(3, 6400, 3));
        for found in all {
            let state = found.game.state();
            assert_eq!(state.board.black().len() + state.board.white().len(), 7);
        }
    }

    #[test]
    fn a_game_that_is_over_before_the_ply_gives_nothing_and_ends() {
        let (all, end, _) = find("4x4", &wanted(60, 6400, 5));
        assert_eq!((all.len(), end), (0, End::NoMore));
    }
}
