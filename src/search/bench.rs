//! A fixed amount of work: its nodes are the signature of the search, its
//! time is the speed.

use std::time::{Duration, Instant};

use crate::engine::{Goal, SearchRequest, StopFlag};
use crate::rules::{Holes, Rules, SplitMix64, Start, State, Variant, VariantSpec, by_name};

use super::Searcher;

/// What the bench positions have cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bench {
    /// One entry a position, always in the same order.
    pub positions: Vec<BenchPosition>,
    /// The nodes of all positions together. On one thread they are equal for
    /// equal searches, whatever the machine; on more they differ from run to
    /// run.
    pub signature: u64,
    /// Time for all of them.
    pub time: Duration,
}

/// One position of the bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchPosition {
    /// Which board and rules.
    pub name: &'static str,
    /// Empty squares.
    pub n_empties: u32,
    /// Plies searched.
    pub depth: u32,
    /// Nodes visited.
    pub nodes: u64,
}

/// Searches every bench position with an empty table on so many threads.
pub fn bench(threads: usize) -> Bench {
    let started = Instant::now();
    let positions: Vec<BenchPosition> = GAMES.iter().flat_map(|game| run_game(game, threads)).collect();
    Bench {
        signature: positions.iter().map(|position| position.nodes).sum(),
        positions,
        time: started.elapsed(),
    }
}

/// A variant and, for each of its positions, the empties and the depth.
struct BenchGame {
    name: &'static str,
    spec: fn() -> Option<VariantSpec>,
    positions: &'static [(u32, u32)],
}

static GAMES: &[BenchGame] = &[
    BenchGame {
        name: "othello",
        spec: || by_name("othello"),
        positions: &[
            (60, 10),
            (55, 9),
            (50, 9),
            (45, 9),
            (40, 9),
            (35, 9),
            (30, 9),
            (25, 9),
            (20, 10),
            (18, 18),
            (16, 16),
            (15, 15),
            (14, 14),
            (12, 12),
            (10, 10),
            (8, 8),
        ],
    },
    BenchGame {
        name: "othello, discs",
        spec: || with_rules(by_name("othello"), |rules| rules.scoring = DISCS),
        positions: &[(14, 14), (12, 12)],
    },
    BenchGame {
        name: "parallel",
        spec: || Some(VariantSpec { start: Start::Parallel(0), ..by_name("othello")? }),
        positions: &[(52, 6), (32, 6), (13, 13)],
    },
    BenchGame {
        name: "anti",
        spec: || with_rules(by_name("othello"), |rules| rules.anti = true),
        positions: &[(48, 6), (28, 6), (14, 14), (11, 11)],
    },
    BenchGame {
        name: "holes",
        spec: || Some(VariantSpec { holes: Holes::Drawn { count: 3, seed: 42 }, ..by_name("othello")? }),
        positions: &[(46, 6), (26, 6), (13, 13), (10, 10)],
    },
    BenchGame {
        name: "6x6",
        spec: || Some(VariantSpec::sized(6, 6)),
        positions: &[(32, 7), (20, 7), (14, 14), (12, 12)],
    },
    BenchGame { name: "octagon", spec: || by_name("oct"), positions: &[(70, 6), (40, 6), (11, 11)] },
    BenchGame {
        name: "10x10",
        spec: || Some(VariantSpec::sized(10, 10)),
        positions: &[(80, 6), (45, 6), (10, 10)],
    },
    BenchGame {
        name: "12x12",
        spec: || Some(VariantSpec::sized(12, 12)),
        positions: &[(110, 4), (60, 4), (8, 8)],
    },
    BenchGame { name: "reversi", spec: || by_name("reversi"), positions: &[(64, 6), (61, 7)] },
];

const DISCS: crate::rules::Scoring = crate::rules::Scoring::Discs;
/// The bench is small enough not to fill this.
const HASH_BYTES: usize = 16 << 20;

fn with_rules(spec: Option<VariantSpec>, change: fn(&mut Rules)) -> Option<VariantSpec> {
    let mut spec = spec?;
    change(&mut spec.rules);
    Some(spec)
}

fn run_game(game: &BenchGame, threads: usize) -> Vec<BenchPosition> {
    // The table of games is tested to hold valid variants only.
    let variant = (game.spec)().and_then(|spec| Variant::new(spec).ok());
    let Some(variant) = variant else {
        return Vec::new();
    };
    let positions = game.positions.iter().zip(0..);
    positions
        .map(|(&(n_empties, depth), seed)| {
            let state = random_state(&variant, n_empties, seed);
            let mut request = SearchRequest::new(state, *variant.rules());
            request.limits.depth = Some(depth);
            request.deterministic = threads == 1;
            if depth >= n_empties {
                request.goal = Goal::Solve { wld: false, all_moves: false, optimal_moves: false };
            }
            let mut searcher = Searcher::new(HASH_BYTES);
            searcher.set_threads(threads);
            let found = searcher.run(&request, &StopFlag::new(), &mut |_| {});
            BenchPosition {
                name: game.name,
                n_empties: request.state.board.empties(),
                depth,
                nodes: found.nodes,
            }
        })
        .collect()
}

/// A position with this many empties that is not over, by random legal play.
fn random_state(variant: &Variant, n_empties: u32, seed: u64) -> State {
    let rules = variant.rules();
    let mut random = SplitMix64::new(seed);
    loop {
        let mut state = variant.start_state();
        while state.board.empties() > n_empties && !state.is_over(rules) {
            let legal = state.legal(rules);
            let drawn = random.below(u64::from(legal.len())) as usize;
            let done = match legal.iter().nth(drawn) {
                Some(square) => state.play(rules, None, square).is_ok(),
                None => state.pass(rules, None).is_ok(),
            };
            debug_assert!(done);
        }
        if !state.is_over(rules) {
            return state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_game_is_a_variant() {
        for game in GAMES {
            let spec = (game.spec)().expect(game.name);
            assert!(Variant::new(spec).is_ok(), "{}", game.name);
        }
    }
}
