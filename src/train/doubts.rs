//! How far off shallow searches are, for the cuts of ProbCut.
//!
//! Positions are searched to every depth from 1 to [`DEPTHS`] plies without cuts, and late ones to
//! the end. What the values of two depths differ by is the error a cut has to reckon with. Its
//! spread is fitted by
//!
//! ```text
//! ln spread = a + b empties + c empties^2 + d ln depth + e ln (shallow depth + 1)
//! ln spread = f + g ln (shallow depth + 1)                     for searches to the end
//! ```
//!
//! (the form is ours; M. Buro, "Experiments with Multi-ProbCut", 1997, fits a line for each pair of
//! depths). The numbers are pasted into `search/probcut.rs`.

use crate::rules::{Position, SplitMix64};

use super::ask::Asker;
use super::samples::Sample;

/// The deepest search.
pub const DEPTHS: usize = 10;
/// Positions of so many empties and fewer are searched to the end as well.
pub const END_EMPTIES: u32 = 20;
/// Empties of positions that are taken.
const EMPTIES: std::ops::RangeInclusive<u32> = 16..=52;
/// Positions within so many empties are looked at together.
const CELL: u32 = 4;
/// Fewer differences say too little of a spread.
const FEWEST: usize = 30;

/// What searches say of a position, in discs for the mover.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Squares without a disc.
    pub n_empties: u32,
    /// Values of depths 1 to [`DEPTHS`].
    pub by_depth: [f64; DEPTHS],
    /// The exact value, where it was asked for.
    pub exact: Option<f64>,
}

/// Positions evenly over the empties, each once, drawn by the seed.
#[must_use]
pub fn positions(files: &[Vec<Sample>], n: usize, seed: u64) -> Vec<Position<u64>> {
    let n_cells = (EMPTIES.end() - EMPTIES.start()) / CELL + 1;
    let mut cells = vec![Vec::new(); n_cells as usize];
    for sample in files.iter().flatten() {
        let n_empties = empties(&sample.position);
        if EMPTIES.contains(&n_empties) && (n_empties - EMPTIES.start()).is_multiple_of(CELL) {
            cells[((n_empties - EMPTIES.start()) / CELL) as usize].push(sample.position);
        }
    }
    let mut random = SplitMix64::new(seed);
    let mut taken = Vec::new();
    for mut cell in cells {
        cell.sort_unstable();
        cell.dedup();
        for _ in 0..n.div_ceil(n_cells as usize).min(cell.len()) {
            let place = random.below(cell.len() as u64) as usize;
            taken.push(cell.swap_remove(place));
        }
    }
    taken
}

fn empties(position: &Position<u64>) -> u32 {
    (position.own | position.other).count_zeros()
}

/// Searches a position.
pub fn measure(position: &Position<u64>, asker: &mut Asker) -> Measured {
    let n_empties = empties(position);
    asker.forget();
    let discs = |centidiscs: i32| f64::from(centidiscs) / 100.0;
    Measured {
        n_empties,
        by_depth: std::array::from_fn(|at| discs(asker.search(position, at as u32 + 1).centidiscs)),
        exact: (n_empties <= END_EMPTIES).then(|| asker.solve(position).map(f64::from)).flatten(),
    }
}

/// Differences between two searches of the positions of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Empties of the positions.
    pub n_empties: u32,
    /// Plies of the deep search; nothing for the end of the game.
    pub depth: Option<usize>,
    /// Plies of the shallow one.
    pub shallow: usize,
    /// How many.
    pub n: usize,
    /// Deep minus shallow, on average, in discs.
    pub mean: f64,
    /// Standard deviation that a normal distribution of the same mean absolute deviation has: a
    /// few positions that turn over do not decide it.
    pub spread: f64,
}

/// What was fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubts {
    /// `a` to `e` of the first formula.
    pub midgame: [f64; 5],
    /// `f` and `g` of the second one.
    pub end: [f64; 2],
    /// Root mean square of what the logarithms are off by, for both.
    pub off: [f64; 2],
    /// By cell: half of what the values of odd depths lie above those of even ones, in discs.
    pub tempo: Vec<(u32, f64)>,
    /// What it was fitted to.
    pub spreads: Vec<Spread>,
}

/// Fits the formulas.
#[must_use]
pub fn fit(measured: &[Measured]) -> Doubts {
    let mut spreads = Vec::new();
    let mut tempo = Vec::new();
    for n_empties in EMPTIES.step_by(CELL as usize) {
        let here: Vec<&Measured> = measured.iter().filter(|it| it.n_empties == n_empties).collect();
        if here.is_empty() {
            continue;
        }
        // Depths that nearly reach the end are not those of the middle of a game.
        let deepest = DEPTHS.min(n_empties as usize - 7);
        tempo.push((n_empties, tempo_of(&here, deepest)));
        for shallow in 1..deepest {
            for depth in (shallow + 2..=deepest).step_by(2) {
                let off = here.iter().map(|it| it.by_depth[depth - 1] - it.by_depth[shallow - 1]);
                spreads.extend(spread(n_empties, Some(depth), shallow, off.collect()));
            }
        }
        for shallow in 1..deepest.min(7) {
            let off = here.iter().filter_map(|it| Some(it.exact? - it.by_depth[shallow - 1]));
            spreads.extend(spread(n_empties, None, shallow, off.collect()));
        }
    }
    let midgame = spreads.iter().filter_map(|it| {
        let (empties, depth) = (f64::from(it.n_empties), it.depth? as f64);
        let row = [1.0, empties, empties * empties, depth.ln(), (it.shallow as f64 + 1.0).ln()];
        Some((row, it.spread.ln()))
    });
    let end = spreads.iter().filter(|it| it.depth.is_none());
    let end = end.map(|it| ([1.0, (it.shallow as f64 + 1.0).ln()], it.spread.ln()));
    let (midgame, midgame_off) = least_squares(&midgame.collect::<Vec<_>>());
    let (end, end_off) = least_squares(&end.collect::<Vec<_>>());
    Doubts { midgame, end, off: [midgame_off, end_off], tempo, spreads }
}

fn tempo_of(measured: &[&Measured], deepest: usize) -> f64 {
    let mean = |depth: usize| {
        measured.iter().map(|it| it.by_depth[depth - 1]).sum::<f64>() / measured.len() as f64
    };
    // Each depth against the mean of its neighbours, so that a trend cancels out.
    let middles: Vec<usize> = (2..deepest).collect();
    let halves = middles.iter().map(|&depth| {
        let above = mean(depth) - (mean(depth - 1) + mean(depth + 1)) / 2.0;
        if depth % 2 == 1 { above / 2.0 } else { -above / 2.0 }
    });
    halves.sum::<f64>() / middles.len().max(1) as f64
}

fn spread(n_empties: u32, depth: Option<usize>, shallow: usize, off: Vec<f64>) -> Option<Spread> {
    let n = off.len();
    if n < FEWEST {
        return None;
    }
    let mean = off.iter().sum::<f64>() / n as f64;
    let deviation = off.iter().map(|it| (it - mean).abs()).sum::<f64>() / n as f64;
    let spread = deviation * (std::f64::consts::PI / 2.0).sqrt();
    (spread > 0.0).then_some(Spread { n_empties, depth, shallow, n, mean, spread })
}

/// Factors of the rows whose sums come nearest to the values, and what they are off by (root mean
/// square). Zeros where the rows do not decide them.
fn least_squares<const N: usize>(rows: &[([f64; N], f64)]) -> ([f64; N], f64) {
    let mut left = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (row, value) in rows {
        for at in 0..N {
            for across in 0..N {
                left[at][across] += row[at] * row[across];
            }
            right[at] += row[at] * value;
        }
    }
    // Elimination with the largest pivot first.
    for at in 0..N {
        let pivot = (at..N).max_by(|&a, &b| left[a][at].abs().total_cmp(&left[b][at].abs()));
        let pivot = pivot.unwrap_or(at);
        if left[pivot][at].abs() < 1e-12 {
            return ([0.0; N], f64::NAN);
        }
        left.swap(at, pivot);
        right.swap(at, pivot);
        for below in at + 1..N {
            let share = left[below][at] / left[at][at];
            let above = left[at];
            left[below].iter_mut().zip(above).for_each(|(entry, over)| *entry -= share * over);
            right[below] -= share * right[at];
        }
    }
    let mut factors = [0.0; N];
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|across| left[at][across] * factors[across]).sum();
        factors[at] = (right[at] - known) / left[at][at];
    }
    let off = |(row, value): &([f64; N], f64)| {
        let sum: f64 = row.iter().zip(factors).map(|(a, b)| a * b).sum();
        (sum - value).powi(2)
    };
    (factors, (rows.iter().map(off).sum::<f64>() / rows.len().max(1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_that_made_the_values_are_found_again() {
        let made = [2.0, -0.5, 0.25];
        let rows: Vec<([f64; 3], f64)> = (1..20)
            .map(|n| {
                let row = [1.0, f64::from(n), f64::from(n).sqrt()];
                (row, row.iter().zip(made).map(|(a, b)| a * b).sum())
            })
            .collect();
        let (factors, off) = least_squares(&rows);
        for (found, made) in factors.iter().zip(made) {
            assert!((found - made).abs() < 1e-9, "{factors:?}");
        }
        assert!(off < 1e-9);
        assert!(least_squares(&[([1.0, 2.0], 3.0)]).1.is_nan(), "one row decides nothing");
    }

    #[test]
    fn tempo_and_spreads_of_made_up_searches_are_found() {
        // Odd depths say 1.5 discs more than the truth, even ones as much less; each position adds
        // an error of its own that shrinks with depth.
        let mut random = SplitMix64::new(3);
        let measured: Vec<Measured> = (0..400)
            .map(|_| {
                let error = random.below(2001) as f64 / 1000.0 - 1.0;
                let by_depth = std::array::from_fn(|at| {
                    let parity = if at % 2 == 0 { 1.5 } else { -1.5 };
                    parity + 8.0 * error / (at as f64 + 1.0)
                });
                Measured { n_empties: 32, by_depth, exact: None }
            })
            .collect();
        let doubts = fit(&measured);
        let [(32, tempo)] = doubts.tempo[..] else { panic!("{:?}", doubts.tempo) };
        assert!((tempo - 1.5).abs() < 0.1, "{tempo}");
        let of = |depth, shallow| {
            let mut all = doubts.spreads.iter();
            all.find(|it| (it.depth, it.shallow) == (Some(depth), shallow)).expect("a spread")
        };
        assert!(of(8, 2).mean.abs() < 0.5 && of(8, 2).spread > of(8, 6).spread);
    }
}
