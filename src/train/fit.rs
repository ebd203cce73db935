//! Finds the weights that come nearest to the values of samples.
//!
//! The evaluation is a sum of weights, so the weights of a phase solve a linear least-squares
//! problem: over the examples `e` with targets `t` and weights `w` of trust,
//!
//! ```text
//! minimise  sum w_e (t_e - sum of e's weights)^2 + ridge * sum (weight - prior)^2
//! ```
//!
//! Conjugate gradients on the normal equations, scaled by their diagonal, come near the solution
//! in some dozens of passes over the examples, without a rate to tune and the same way every time.
//! What is left of the way is mostly noise in rare patterns: the passes end when examples of games
//! that were held out are not met any better.
//!
//! Positions a few plies from the phase are taken in with less trust, which makes neighbouring
//! phases alike and gives rare patterns more examples. The prior of a weight is what the following
//! phase has found for it, so a pattern that is never seen keeps the value it has later on.

use std::thread;

use crate::eval::patterns::{Folding, N_FOLDED};
use crate::eval::weights::{LIMIT, N_PHASES, UNITS_PER_DISC, phase};
use crate::rules::{Position, SplitMix64};

use super::model::{Model, Weights, weights_of};
use super::samples::{Recipe, Sample, canonical};

/// What decides a fit beside the examples.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Passes over the examples of a phase, at most.
    pub passes: u32,
    /// How strongly a weight is drawn to its prior: so many examples would weigh as much.
    pub ridge: f32,
    /// The trust in an example of a position one ply outside of the phase; two plies outside it is
    /// the square of that, and so on, down to a hundredth.
    pub near: f32,
    /// An example that the prior takes to be worth so many discs to one side is trusted half as much
    /// as an even one. The fit would else be decided by lopsided games, whose values are the
    /// hardest to meet and matter least in a search. By what is expected and not by what came of
    /// it: that would draw all values to zero.
    pub even: f32,
    /// Threads.
    pub threads: usize,
}

/// What decides what the examples are.
#[derive(Clone, Copy, Debug)]
pub struct Choosing {
    /// Of 1000 games, so many are held out.
    pub held_out: u32,
    /// Decides which.
    pub seed: u64,
    /// How much the outcome of a game counts against the value of a search, 0 to 1.
    pub outcome_share: f32,
}

/// A position with the value it should have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The discs, in canonical form.
    pub position: Position<u64>,
    /// The value for the mover, in discs.
    pub target: f32,
    /// How much it is trusted.
    pub trust: f32,
    /// Its value is proved.
    pub is_exact: bool,
    /// No weight may know it.
    pub is_held_out: bool,
}

impl Example {
    /// How many discs it has.
    #[must_use]
    pub fn n_discs(&self) -> u32 {
        (self.position.own | self.position.other).count_ones()
    }
}

/// Examples from files of samples, one for each position and its mirror images, in the order of
/// the positions.
///
/// Where several games have a position, its exact value is taken, else the mean of those values that
/// a search has part in, else the mean of the outcomes. A
/// position of both kinds of games is kept for those that are not held out.
#[must_use]
pub fn examples(files: &[(Recipe, Vec<Sample>)], choosing: &Choosing) -> Vec<Example> {
    struct Known {
        held_out: bool,
        worth: Worth,
        target: f32,
        plies: u32,
        position: Position<u64>,
    }
    let mut known = Vec::with_capacity(files.iter().map(|(_, samples)| samples.len()).sum());
    for (recipe, samples) in files {
        let seed = choosing.seed ^ number_of(recipe);
        for sample in samples {
            let Some((target, worth)) = target(sample, choosing.outcome_share) else { continue };
            let held_out = is_held_out(choosing.held_out, seed, sample.game);
            let plies = if worth == Worth::Outcome { sample.plies_to_outcome() } else { 0 };
            let position = canonical(&sample.position);
            known.push(Known { held_out, worth, target, plies, position });
        }
    }
    // Of one position: what may be learned first, then what is worth most.
    known.sort_by_key(|known| (known.position, known.held_out, known.worth));
    let same = |a: &Known, b: &Known| a.position == b.position;
    let examples = known.chunk_by(same).map(|group| {
        let best = &group[0];
        let alike = group
            .iter()
            .take_while(|known| known.held_out == best.held_out && known.worth == best.worth);
        let (n, sum, plies) = alike.fold((0.0, 0.0, 0.0), |(n, sum, plies), known| {
            (n + 1.0, sum + known.target, plies + known.plies as f32)
        });
        let is_exact = best.worth == Worth::Proved;
        let target = sum / n;
        let trust = if is_exact { 1.0 } else { f32::sqrt(n).min(MOST_TRUST) };
        let trust = trust / (1.0 + (plies / n / HALF_TRUST_PLIES).powi(2));
        Example { position: best.position, target, trust, is_exact, is_held_out: best.held_out }
    });
    examples.collect()
}

/// The mean of many games says more than one game, but no position is worth more than this.
const MOST_TRUST: f32 = 4.0;

/// An outcome that no search stands beside says less of a position the more plies lie between: with so
/// many it is trusted half as much. Theoretical scores with 24 empties count half for positions with 36.
const HALF_TRUST_PLIES: f32 = 12.0;

/// What the value of a sample is from, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Proved,
    Searched,
    Outcome,
}

/// The value of a sample in discs.
fn target(sample: &Sample, outcome_share: f32) -> Option<(f32, Worth)> {
    let discs = |centidiscs: i16| f32::from(centidiscs) / 100.0;
    let n_empties = (sample.position.own | sample.position.other).count_zeros();
    match (sample.outcome, sample.searched) {
        (Some(outcome), _) if u32::from(outcome.empties) == n_empties => {
            Some((discs(outcome.centidiscs), Worth::Proved))
        }
        (Some(outcome), Some(searched)) => {
            let (outcome, searched) = (discs(outcome.centidiscs), discs(searched.centidiscs));
            Some((searched + outcome_share * (outcome - searched), Worth::Searched))
        }
        (None, Some(searched)) => Some((discs(searched.centidiscs), Worth::Searched)),
        (Some(outcome), None) => Some((discs(outcome.centidiscs), Worth::Outcome)),
        (None, None) => None,
    }
}

/// Files are told apart by what made them, so that the same games are held out in whatever order
/// files are given, and however many there are.
fn number_of(recipe: &Recipe) -> u64 {
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    recipe.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, add)
}

fn is_held_out(of_1000: u32, seed: u64, game: u32) -> bool {
    let mut random = SplitMix64::new(seed.wrapping_add(u64::from(game) << 20));
    random.below(1000) < u64::from(of_1000)
}

/// How far values are from what they should be, over some examples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    n: u64,
    absolute: f64,
    squared: f64,
}

impl Errors {
    /// Takes in the error of one example, in discs.
    pub fn add(&mut self, error: f32) {
        let error = f64::from(error);
        self.n += 1;
        self.absolute += error.abs();
        self.squared += error * error;
    }

    /// How many examples there were.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Mean absolute error in discs.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.absolute / self.n.max(1) as f64
    }

    /// Root of the mean squared error in discs.
    #[must_use]
    pub fn rms(&self) -> f64 {
        (self.squared / self.n.max(1) as f64).sqrt()
    }
}

/// What became of a phase.
#[derive(Clone, Copy, Debug)]
pub struct Fitted {
    /// Examples that were fitted to, near ones included.
    pub n_examples: usize,
    /// Passes after which held-out examples were met best.
    pub passes: u32,
    /// Errors of held-out examples of the phase.
    pub held_out: Errors,
    /// Errors of those among them whose values are proved.
    pub proved: Errors,
}

/// Fits a phase and writes what was found into the model. The following phase has to be in it
/// already: phases are fitted from the last one on.
pub fn fit_phase(
    model: &mut Model,
    phase_index: usize,
    by_discs: &ByDiscs<'_>,
    folding: &Folding,
    settings: &Settings,
) -> Fitted {
    let mut problem = Problem::new(phase_index, by_discs, folding, settings);
    let first = 4 + 2 * phase_index;
    // Where the following phase ends is where this one begins.
    let (prior, constant) = match model.phases.get(phase_index + 1) {
        Some(later) if phase_index + 1 < N_PHASES => (later.clone(), model.constants[first + 2]),
        _ => (vec![0.0; N_FOLDED], 0.0),
    };
    let mut prior = prior;
    prior.resize(N_FOLDED + problem.n_constants, constant);
    problem.trust_even(&prior, settings.even);
    let (mut weights, passes) = problem.solve(prior, settings);
    // A few rows that hardly ever come up would be worth more than the engine can store.
    let most = f32::from(LIMIT) / UNITS_PER_DISC as f32;
    weights[..N_FOLDED].iter_mut().for_each(|weight| *weight = weight.clamp(-most, most));
    for n_discs in first..first + 2 {
        model.constants[n_discs] = weights[N_FOLDED + n_discs - problem.first_constant];
    }
    model.phases[phase_index] = weights[..N_FOLDED].to_vec();
    let (held_out, proved) = problem.held_out_errors(&weights);
    Fitted { n_examples: problem.rows.len(), passes, held_out, proved }
}

/// Examples by how many discs they have.
pub struct ByDiscs<'a>(Vec<Vec<&'a Example>>);

impl<'a> ByDiscs<'a> {
    /// Sorts examples.
    pub fn new(examples: &'a [Example]) -> Self {
        let mut by_discs: Vec<Vec<&Example>> = vec![Vec::new(); 65];
        for example in examples {
            by_discs[example.n_discs() as usize].push(example);
        }
        Self(by_discs)
    }
}

/// The equations of a phase. Unknowns are its weights, and behind them a constant for each number
/// of discs.
struct Problem {
    rows: Vec<Row>,
    held_out: Vec<(Row, bool)>,
    first_constant: usize,
    n_constants: usize,
}

struct Row {
    weights: Weights,
    constant: u32,
    target: f32,
    trust: f32,
}

impl Row {
    #[inline(always)]
    fn sum(&self, weights: &[f32]) -> f32 {
        let sum: f32 = self.weights.iter().map(|&weight| weights[weight as usize]).sum();
        sum + weights[self.constant as usize]
    }

    #[inline(always)]
    fn add_to(&self, sums: &mut [f32], value: f32) {
        self.weights.iter().for_each(|&weight| sums[weight as usize] += value);
        sums[self.constant as usize] += value;
    }
}

impl Problem {
    fn new(phase_index: usize, by_discs: &ByDiscs<'_>, folding: &Folding, settings: &Settings) -> Self {
        let own = 4 + 2 * phase_index;
        let trust_of = |n_discs: usize| {
            let distance = own.saturating_sub(n_discs).max(n_discs.saturating_sub(own + 1));
            settings.near.powi(distance as i32)
        };
        let near: Vec<usize> = (4..64).filter(|&n_discs| trust_of(n_discs) >= 0.01).collect();
        let first_constant = near[0];
        let mut problem =
            Self { rows: Vec::new(), held_out: Vec::new(), first_constant, n_constants: near.len() };
        for n_discs in near {
            let constant = (N_FOLDED + n_discs - first_constant) as u32;
            let is_own = phase(n_discs as u32) == phase_index;
            for example in &by_discs.0[n_discs] {
                let row = || Row {
                    weights: weights_of(folding, &example.position),
                    constant,
                    target: example.target,
                    trust: example.trust * trust_of(n_discs),
                };
                if !example.is_held_out {
                    problem.rows.push(row());
                } else if is_own {
                    problem.held_out.push((row(), example.is_exact));
                }
            }
        }
        problem
    }

    /// Takes trust from examples that are expected to be lopsided.
    fn trust_even(&mut self, prior: &[f32], even: f32) {
        for row in self.rows.iter_mut().chain(self.held_out.iter_mut().map(|(row, _)| row)) {
            row.trust /= 1.0 + (row.sum(prior) / even).powi(2);
        }
    }

    /// The best weights found, and after how many passes.
    fn solve(&self, prior: Vec<f32>, settings: &Settings) -> (Vec<f32>, u32) {
        let n = prior.len();
        let ridge = settings.ridge;
        // What is left of the gradient, and the diagonal of the equations.
        let (mut residual, scale) = self.sums(settings.threads, n, |row, residual, scale| {
            row.add_to(residual, row.trust * (row.target - row.sum(&prior)));
            row.add_to(scale, row.trust);
        });
        let scale: Vec<f32> = scale.iter().map(|sum| 1.0 / (sum + ridge)).collect();
        let mut weights = prior;
        let mut best = (self.held_out_squares(&weights), weights.clone(), 0);
        let mut direction: Vec<f32> = residual.iter().zip(&scale).map(|(r, s)| r * s).collect();
        let mut steepness = dot(&residual, &direction);
        for pass in 1..=settings.passes {
            if steepness <= f64::EPSILON {
                break;
            }
            let (image, _) = self.sums(settings.threads, n, |row, image, _| {
                row.add_to(image, row.trust * row.sum(&direction));
            });
            let image: Vec<f32> = image.iter().zip(&direction).map(|(i, d)| i + ridge * d).collect();
            let step = (steepness / dot(&direction, &image)) as f32;
            weights.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
            residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
            let scaled: Vec<f32> = residual.iter().zip(&scale).map(|(r, s)| r * s).collect();
            let steeper = dot(&residual, &scaled);
            let keep = (steeper / steepness) as f32;
            direction.iter_mut().zip(&scaled).for_each(|(d, s)| *d = s + keep * *d);
            steepness = steeper;
            if pass % LOOK_EVERY == 0 || pass == settings.passes || steepness <= f64::EPSILON {
                let squares = self.held_out_squares(&weights);
                if squares < best.0 || self.held_out.is_empty() {
                    best = (squares, weights.clone(), pass);
                } else if pass >= best.2 + PATIENCE {
                    break;
                }
            }
        }
        (best.1, best.2)
    }

    /// Two sums over all rows, each with an entry for each unknown; added up in an order that does
    /// not depend on which thread is faster.
    fn sums(
        &self,
        threads: usize,
        n: usize,
        add: impl Fn(&Row, &mut [f32], &mut [f32]) + Sync,
    ) -> (Vec<f32>, Vec<f32>) {
        let part = self.rows.len().div_ceil(threads.max(1)).max(1);
        let sums_of = |rows: &[Row]| {
            let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
            rows.iter().for_each(|row| add(row, &mut a, &mut b));
            (a, b)
        };
        let sums_of = &sums_of;
        thread::scope(|scope| {
            let parts: Vec<_> =
                self.rows.chunks(part).map(|rows| scope.spawn(move || sums_of(rows))).collect();
            let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
            for part in parts {
                let (more_a, more_b) = part.join().expect("sums do not panic");
                a.iter_mut().zip(more_a).for_each(|(sum, more)| *sum += more);
                b.iter_mut().zip(more_b).for_each(|(sum, more)| *sum += more);
            }
            (a, b)
        })
    }

    fn held_out_squares(&self, weights: &[f32]) -> f64 {
        let square = |row: &Row| f64::from((row.target - row.sum(weights)).powi(2) * row.trust);
        self.held_out.iter().map(|(row, _)| square(row)).sum()
    }

    /// Errors of all held-out examples, and of those whose values are proved.
    fn held_out_errors(&self, weights: &[f32]) -> (Errors, Errors) {
        let (mut all, mut proved) = (Errors::default(), Errors::default());
        for (row, is_exact) in &self.held_out {
            let error = row.target - row.sum(weights).clamp(-64.0, 64.0);
            all.add(error);
            if *is_exact {
                proved.add(error);
            }
        }
        (all, proved)
    }
}

/// Held-out examples are looked at after so many passes.
const LOOK_EVERY: u32 = 4;
/// So many passes without any gain on them are the last ones.
const PATIENCE: u32 = 12;

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Outcome, Searched};
    use super::*;

    fn random_position(random: &mut SplitMix64, n_discs: u32) -> Position<u64> {
        let mut discs: u64 = 0;
        while discs.count_ones() < n_discs {
            discs |= 1 << random.below(64);
        }
        let own = discs & random.next_u64();
        Position { own, other: discs & !own }
    }

    /// A value that the patterns can express: corners, and who has more discs in the middle.
    fn value(position: &Position<u64>) -> f32 {
        let count = |mask: u64| {
            (position.own & mask).count_ones() as f32 - (position.other & mask).count_ones() as f32
        };
        4.0 * count(0x8100_0000_0000_0081) - 0.5 * count(0x0000_0018_1800_0000) + 1.0
    }

    fn examples_of(n: usize, n_discs: u32, seed: u64) -> Vec<Example> {
        let mut random = SplitMix64::new(seed);
        let example = |number| {
            let position = random_position(&mut random, n_discs);
            let is_held_out = number % 10 == 0;
            let target = value(&position);
            Example { position, target, trust: 1.0, is_exact: true, is_held_out }
        };
        (0..n).map(example).collect()
    }

    #[test]
    fn a_value_that_patterns_can_express_is_learned_with_any_number_of_threads() {
        let examples = examples_of(6000, 20, 1);
        let folding = Folding::new();
        let fit = |threads| {
            let settings = Settings { passes: 60, ridge: 0.05, near: 0.5, even: 1e9, threads };
            let mut model = Model::new();
            let by_discs = ByDiscs::new(&examples);
            let fitted = fit_phase(&mut model, phase(20), &by_discs, &folding, &settings);
            (fitted.held_out, model)
        };
        let (errors, model) = fit(1);
        assert_eq!(errors.n(), 600);
        let ignorant: f32 = examples.iter().map(|example| example.target.abs()).sum();
        let ignorant = ignorant / examples.len() as f32;
        assert!(errors.mean() < 0.4 * f64::from(ignorant), "{} {ignorant}", errors.mean());
        assert!((fit(2).0.mean() - errors.mean()).abs() < 0.02);
        let position = examples[0].position;
        let positions = examples.iter().map(|example| &example.position);
        let engine = crate::eval::weights::Weights::read(model.rounded(
            crate::eval::weights::Objective::Most,
            32,
            &folding,
            positions,
            Vec::new(),
        ))
        .expect("weights");
        let (float, rounded) =
            (model.value(&folding, &position), engine.value(&position) as f32 / 128.0);
        assert!((float - rounded).abs() < 0.5, "{float} {rounded}");
    }

    #[test]
    fn a_position_has_one_example_and_its_proved_value_counts() {
        let position = Position { own: 1_u64 << 9 | 1 << 20, other: 1 << 30 };
        let mirrored = Position { own: position.own.swap_bytes(), other: position.other.swap_bytes() };
        let outcome = |centidiscs, empties| Some(Outcome { centidiscs, empties });
        let sample = |position, outcome, searched| Sample { position, outcome, searched, game: 3 };
        let searched = Some(Searched { centidiscs: 100, depth: 5 });
        let choosing = Choosing { held_out: 0, seed: 1, outcome_share: 0.75 };
        let recipe =
            Recipe { kind: "test".into(), options: String::new(), seed: 0, commit: String::new() };
        let target = |samples: &[Sample]| {
            let examples = examples(&[(recipe.clone(), samples.to_vec())], &choosing);
            assert_eq!(examples.len(), 1);
            (examples[0].target, examples[0].is_exact)
        };
        let mixed = sample(position, outcome(500, 14), searched);
        assert_eq!(target(&[mixed]), (4.0, false));
        let outcomes = [-600, 400].map(|value| sample(mirrored, outcome(value, 24), None));
        assert_eq!(target(&outcomes), (-1.0, false));
        // 61 empties: an outcome with 49 is 12 plies away, one with 61 its own.
        let trust = |empties| {
            let samples = vec![sample(position, outcome(500, empties), None)];
            examples(&[(recipe.clone(), samples)], &choosing)[0].trust
        };
        assert_eq!([trust(61), trust(49)], [1.0, 0.5]);
        let other = outcomes[0];
        assert_eq!(target(&[other, mixed]), (4.0, false));
        let exact = sample(mirrored, outcome(800, 61), None);
        assert_eq!(target(&[mixed, exact, other]), (8.0, true));
    }
}
