//! Finds the net on top of the weights.
//!
//! The net is trained on what a model of weights leaves of the targets, one example after the other, by
//! stochastic gradient descent with a rate for each number that falls with the square root of its
//! summed squared gradients (AdaGrad: J. Duchi, E. Hazan and Y. Singer, "Adaptive subgradient methods
//! for online learning and stochastic optimization", 2011). So rare rows learn as much from an example
//! as frequent ones do. The rate also falls from epoch to epoch along half a cosine.
//!
//! Before the last epoch all vectors are held to the steps that the engine stores, and only worths and
//! constants still learn: so they know of the rounding, and the engine's values are those of training.
//!
//! One thread, in an order that seed and epoch decide: the same samples make the same net. A file
//! keeps all numbers after each epoch, and training goes on from it.
//!
//! # The file
//!
//! ```text
//! 0   8  "oflnet_4"
//! 8   4  fingerprint of the patterns
//! 12  4  epochs done
//! 16  8  a number of what it is trained for: the model and the settings
//! 24     all numbers, then their summed squares, 4 bytes each (IEEE 754, little-endian): vectors of
//!        rows, own moves, opponent's moves, odd quarters, quarters and discs; worths by phase; constants
//! ```

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::eval::net::{
    Counted, MOST_WORTH, N_DISCS, N_MOVES, N_NET_FOLDED, N_ODD, N_QUARTERS, N_ROWS_SEEN, NET_PATTERNS,
    ONE, Outlook, UNITS, WORTH_OF_DISC,
};
use crate::eval::patterns::{FINGERPRINT, FOLDED_STARTS, Folding, LANE_STARTS};
use crate::eval::weights::{N_PHASES, phase};
use crate::rules::{Position, SplitMix64};

use super::fit::{Errors, Example};
use super::model::{Model, weights_of};

const MAGIC: &[u8; 8] = b"oflnet_4";

/// Vectors that a position adds up.
const N_SEEN: usize = N_ROWS_SEEN + 8;
/// Where the vectors of each kind begin: those of rows come first.
const OWN_MOVES: usize = N_NET_FOLDED;
const OTHER_MOVES: usize = OWN_MOVES + N_MOVES;
const ODD: usize = OTHER_MOVES + N_MOVES;
const QUARTERS: usize = ODD + N_ODD;
const DISCS: usize = QUARTERS + N_QUARTERS;
const N_VECTORS: usize = DISCS + N_DISCS;

type Vector = [f32; UNITS];

/// A number a unit for everything that has one, and a constant a phase.
#[derive(Clone)]
struct Numbers {
    vectors: Vec<Vector>,
    worth: [Vector; N_PHASES],
    constants: [f32; N_PHASES],
}

/// A net as it is trained: worths in units of [`SCALE`] discs, not rounded.
pub struct Net {
    numbers: Numbers,
    /// The squares of all gradients so far, summed.
    squares: Numbers,
    epochs: u32,
    purpose: u64,
}

/// Discs of a worth of 1.
const SCALE: f32 = 8.0;
/// Vectors begin within half of this to either side of 0 ...
const BEGIN_VECTOR: f32 = 0.05;
/// ... those of discs at this, where every unit counts ...
const BEGIN_DISCS: f32 = 0.3;
/// ... and worths within half of this.
const BEGIN_WORTH: f32 = 8.0;
/// What summed squares begin with.
const BEGIN_SQUARES: f32 = 1e-6;
/// Larger errors, in discs, teach no more than this one.
const MOST_ERROR: f32 = 30.0;
/// Added to the share of the rate in each epoch, which falls from 1 towards 0.
const LEAST_RATE: f32 = 0.02;

/// What decides the training beside the examples.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Times that all examples are gone through, 2 and more.
    pub epochs: u32,
    /// The rate of vectors in the first one.
    pub rate: f32,
    /// That of worths.
    pub worth_rate: f32,
    /// See [`Seen::all`].
    pub even: f32,
    /// Decides where numbers begin and the order of examples.
    pub seed: u64,
}

impl Settings {
    /// A number that changes with the settings and with the model: a net is of no use to another one.
    #[must_use]
    pub fn purpose(&self, model: &Model) -> u64 {
        let Self { epochs, rate, worth_rate, even, seed } = *self;
        let numbers = model.phases.iter().flatten().chain(&model.constants);
        let numbers =
            numbers.chain([&rate, &worth_rate, &even]).map(|number| u64::from(number.to_bits()));
        let all = numbers.chain([u64::from(epochs), seed]);
        all.fold(0xcbf2_9ce4_8422_2325, |sum, number| (sum ^ number).wrapping_mul(0x0100_0000_01b3))
    }
}

/// An example as the net sees it.
pub struct Seen {
    vectors: [u32; N_SEEN],
    phase: u8,
    is_held_out: bool,
    /// What the model leaves of the target, in discs.
    rest: f32,
    trust: f32,
}

impl Seen {
    /// What a net sees of examples with fewer than 64 discs, and what a model leaves of them. One that
    /// the model takes to be worth `even` discs to one side is trusted half as much as an even one.
    #[must_use]
    pub fn all(examples: &[Example], model: &Model, folding: &Folding, even: f32) -> Vec<Self> {
        let seen = |example: &Example| {
            let value = model.value(folding, &example.position);
            Self {
                vectors: vectors_of(folding, &example.position),
                phase: phase(example.n_discs()) as u8,
                is_held_out: example.is_held_out,
                rest: example.target - value,
                trust: example.trust / (1.0 + (value / even).powi(2)),
            }
        };
        examples.iter().filter(|example| example.n_discs() < 64).map(seen).collect()
    }
}

/// Which vectors a position adds up.
fn vectors_of(folding: &Folding, position: &Position<u64>) -> [u32; N_SEEN] {
    let weights = weights_of(folding, position);
    let mut vectors = [0; N_SEEN];
    let (mut at, mut first) = (0, 0);
    for pattern in NET_PATTERNS {
        for weight in &weights[LANE_STARTS[pattern]..LANE_STARTS[pattern + 1]] {
            vectors[at] = weight - FOLDED_STARTS[pattern] as u32 + first;
            at += 1;
        }
        first += (FOLDED_STARTS[pattern + 1] - FOLDED_STARTS[pattern]) as u32;
    }
    let Counted { own_moves, other_moves, odd_quarters, quarters, discs } =
        Outlook::of(position).counted();
    let [first, second, third, fourth] = quarters.map(|quarter| QUARTERS + quarter);
    let (own_moves, other_moves) = (OWN_MOVES + own_moves, OTHER_MOVES + other_moves);
    let counted =
        [own_moves, other_moves, ODD + odd_quarters, first, second, third, fourth, DISCS + discs];
    vectors[N_ROWS_SEEN..].copy_from_slice(&counted.map(|vector| vector as u32));
    vectors
}

/// How well examples are met that were held out, without the net and with it.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// By phase.
    pub phases: Vec<[Errors; 2]>,
    /// Root of the mean square of all errors by trust, in discs.
    pub by_trust: [f64; 2],
}

impl Net {
    /// A net that knows nothing.
    #[must_use]
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut within = |width: f32| {
            let step = 1.0 / (1_u64 << 24) as f32;
            (random.below(1 << 24) as f32 * step - 0.5) * width
        };
        let mut vectors: Vec<Vector> =
            (0..DISCS).map(|_| std::array::from_fn(|_| within(BEGIN_VECTOR))).collect();
        vectors.resize(N_VECTORS, [BEGIN_DISCS; UNITS]);
        let worth = std::array::from_fn(|_| std::array::from_fn(|_| within(BEGIN_WORTH)));
        let squares = Numbers {
            vectors: vec![[BEGIN_SQUARES; UNITS]; N_VECTORS],
            worth: [[BEGIN_SQUARES; UNITS]; N_PHASES],
            constants: [BEGIN_SQUARES; N_PHASES],
        };
        let numbers = Numbers { vectors, worth, constants: [0.0; N_PHASES] };
        Self { numbers, squares, epochs: 0, purpose }
    }

    /// How many epochs have been done.
    #[must_use]
    pub fn epochs(&self) -> u32 {
        self.epochs
    }

    /// What it was trained for, see [`Settings::purpose`].
    #[must_use]
    pub fn purpose(&self) -> u64 {
        self.purpose
    }

    /// What is to be added to the model's value of a position with fewer than 64 discs, in discs. Rows
    /// that no example had count nothing.
    #[must_use]
    pub fn value(&self, folding: &Folding, position: &Position<u64>) -> f32 {
        let n_discs = (position.own | position.other).count_ones();
        let vectors = vectors_of(folding, position);
        let (_, squares) = self.units(vectors.iter().filter(|&&vector| self.is_known(vector as usize)));
        self.worth(phase(n_discs), &squares)
    }

    /// Whether an example had what a vector stands for; what had none is still where it began.
    fn is_known(&self, vector: usize) -> bool {
        self.squares.vectors[vector].iter().any(|&square| square > BEGIN_SQUARES)
    }

    /// Does the next epoch. Root of the mean square of what was left of the examples that taught, each
    /// looked at before it did, by trust, in discs.
    pub fn learn(&mut self, seen: &[Seen], settings: &Settings) -> f64 {
        let mut random = SplitMix64::new(settings.seed ^ (u64::from(self.epochs) + 1) << 32);
        let teaches = |&at: &u32| !seen[at as usize].is_held_out;
        let mut order: Vec<u32> = (0..seen.len() as u32).filter(teaches).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
        let is_last = self.epochs + 1 == settings.epochs;
        if is_last {
            self.hold_to_steps();
        }
        let way = f64::from(self.epochs) / f64::from(settings.epochs.max(1));
        let share = (0.5 * (1.0 + (std::f64::consts::PI * way).cos())) as f32 + LEAST_RATE;
        let rate = if is_last { 0.0 } else { settings.rate * share };
        let (mut squares, mut trust) = (0.0, 0.0);
        for at in order {
            let seen = &seen[at as usize];
            let left = self.teach(seen, rate, settings.worth_rate * share);
            squares += f64::from(left * left * seen.trust);
            trust += f64::from(seen.trust);
        }
        self.epochs += 1;
        root(squares, trust)
    }

    /// Makes vectors what the engine's whole numbers can hold: see [`crate::eval::net`].
    fn hold_to_steps(&mut self) {
        let one = f32::from(ONE);
        let (rows, others) = self.numbers.vectors.split_at_mut(N_NET_FOLDED);
        // What does not fit becomes the largest that does.
        let of_row = |unit: f32| f32::from((unit * one).round() as i8) / one;
        let of_other = |unit: f32| f32::from((unit * one).round() as i16) / one;
        rows.iter_mut().flatten().for_each(|unit| *unit = of_row(*unit));
        others.iter_mut().flatten().for_each(|unit| *unit = of_other(*unit));
    }

    /// How well the examples are met that are held out.
    #[must_use]
    pub fn held_out(&self, seen: &[Seen]) -> HeldOut {
        let mut phases = vec![[Errors::default(); 2]; N_PHASES];
        let (mut by_trust, mut trust) = ([0.0; 2], 0.0);
        for seen in seen.iter().filter(|seen| seen.is_held_out) {
            let known = seen.vectors.iter().filter(|&&vector| self.is_known(vector as usize));
            let (_, squares) = self.units(known);
            let errors = [seen.rest, seen.rest - self.worth(usize::from(seen.phase), &squares)];
            for (which, error) in errors.into_iter().enumerate() {
                phases[usize::from(seen.phase)][which].add(error);
                by_trust[which] += f64::from(error * error * seen.trust);
            }
            trust += f64::from(seen.trust);
        }
        HeldOut { phases, by_trust: by_trust.map(|sum| root(sum, trust)) }
    }

    /// Sums of the units, and the squares of what they are held to.
    #[inline(always)]
    fn units<'a>(&self, vectors: impl Iterator<Item = &'a u32>) -> (Vector, Vector) {
        let mut sums = [0.0; UNITS];
        for &vector in vectors {
            let vector = &self.numbers.vectors[vector as usize];
            sums.iter_mut().zip(vector).for_each(|(sum, unit)| *sum += unit);
        }
        (sums, sums.map(|sum| sum.clamp(0.0, 1.0).powi(2)))
    }

    /// What units are worth in a phase, in discs.
    #[inline(always)]
    fn worth(&self, phase: usize, squares: &Vector) -> f32 {
        let worth = self.numbers.worth[phase].iter().zip(squares).map(|(worth, square)| worth * square);
        SCALE * (worth.sum::<f32>() + self.numbers.constants[phase])
    }

    /// Learns from an example. What had been left of it, in discs.
    fn teach(&mut self, seen: &Seen, rate: f32, worth_rate: f32) -> f32 {
        let phase = usize::from(seen.phase);
        let (sums, squares) = self.units(seen.vectors.iter());
        let left = seen.rest - self.worth(phase, &squares);
        // Of half the squared error in units of the scale.
        let gradient = -left.clamp(-MOST_ERROR, MOST_ERROR) / SCALE * seen.trust;
        let mut of_sums = [0.0; UNITS];
        let worth = &self.numbers.worth[phase];
        for unit in 0..UNITS {
            let sum = sums[unit];
            let slope = if sum > 0.0 && sum < 1.0 { 2.0 * sum } else { 0.0 };
            of_sums[unit] = gradient * worth[unit] * slope;
        }
        let of_worth = squares.map(|square| gradient * square);
        step(&mut self.numbers.worth[phase], &mut self.squares.worth[phase], &of_worth, worth_rate);
        let (constant, sum) = (&mut self.numbers.constants[phase], &mut self.squares.constants[phase]);
        *sum += gradient * gradient;
        *constant -= worth_rate * gradient / sum.sqrt();
        for &vector in &seen.vectors {
            let vector = vector as usize;
            step(&mut self.numbers.vectors[vector], &mut self.squares.vectors[vector], &of_sums, rate);
        }
        left
    }

    /// The bytes of the net as the engine reads them, once the last epoch is done: see
    /// [`crate::eval::net`].
    #[must_use]
    pub fn rounded(&self) -> Vec<u8> {
        let one = f32::from(ONE);
        let mut bytes = Vec::new();
        for (at, vector) in self.numbers.vectors[..N_NET_FOLDED].iter().enumerate() {
            let is_known = self.is_known(at);
            let byte = |unit: &f32| if is_known { (unit * one).round() as i8 as u8 } else { 0 };
            bytes.extend(vector.iter().map(byte));
        }
        let mut add = |number: f32| bytes.extend((number.round() as i16).to_le_bytes());
        self.numbers.vectors[N_NET_FOLDED..].iter().flatten().for_each(|unit| add(unit * one));
        for (phase, worth) in self.numbers.worth.iter().enumerate() {
            let size: f32 = worth.iter().map(|unit| unit.abs() * SCALE * WORTH_OF_DISC).sum();
            // Rounding adds at most a half to each.
            let fit = ((MOST_WORTH - UNITS as i32) as f32 / size).min(1.0);
            if fit < 1.0 {
                log::warn!("the net of phase {phase} is scaled by {fit} to fit the engine's numbers");
            }
            worth.iter().for_each(|unit| add(unit * SCALE * WORTH_OF_DISC * fit));
        }
        self.numbers.constants.iter().for_each(|constant| add(constant * SCALE * 128.0));
        bytes
    }

    /// Writes the net to a file, which is there as a whole or not at all.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, path: &Path) -> Result<(), NetError> {
        let failed = |error| NetError::Io { path: path.into(), error };
        let mut bytes = Vec::from(MAGIC);
        bytes.extend(FINGERPRINT.to_le_bytes());
        bytes.extend(self.epochs.to_le_bytes());
        bytes.extend(self.purpose.to_le_bytes());
        for numbers in [&self.numbers, &self.squares] {
            let all = numbers.vectors.iter().chain(&numbers.worth).flatten().chain(&numbers.constants);
            bytes.extend(all.flat_map(|number| number.to_le_bytes()));
        }
        let beside = path.with_extension("part");
        fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).map_err(failed)
    }

    /// Reads a net from a file.
    ///
    /// # Errors
    /// See [`NetError`].
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let bytes = fs::read(path).map_err(|error| NetError::Io { path: path.into(), error })?;
        let mut net = Self::new(0, 0);
        let n_numbers = 2 * (UNITS * (N_VECTORS + N_PHASES) + N_PHASES);
        let fits = bytes.len() == 24 + 4 * n_numbers
            && bytes.starts_with(MAGIC)
            && bytes[8..12] == FINGERPRINT.to_le_bytes();
        if !fits {
            return Err(NetError::NotANet { path: path.into() });
        }
        let (words, _) = bytes[12..].as_chunks::<4>();
        net.epochs = u32::from_le_bytes(words[0]);
        let [low, high] = [words[1], words[2]].map(|word| u64::from(u32::from_le_bytes(word)));
        net.purpose = high << 32 | low;
        let mut read = words[3..].iter().map(|&word| f32::from_le_bytes(word));
        for numbers in [&mut net.numbers, &mut net.squares] {
            let all = numbers.vectors.iter_mut().chain(&mut numbers.worth).flatten();
            all.chain(&mut numbers.constants).zip(&mut read).for_each(|(place, number)| *place = number);
        }
        Ok(net)
    }
}

#[inline(always)]
fn step(numbers: &mut Vector, squares: &mut Vector, gradients: &Vector, rate: f32) {
    for ((number, square), gradient) in numbers.iter_mut().zip(squares).zip(gradients) {
        *square += gradient * gradient;
        *number -= rate * gradient / square.sqrt();
    }
}

fn root(squares: f64, trust: f64) -> f64 {
    if trust > 0.0 { (squares / trust).sqrt() } else { 0.0 }
}

/// Why a net cannot be read or written.
#[derive(Debug)]
pub enum NetError {
    /// What the system said.
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The file is not a net of these patterns.
    NotANet {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::NotANet { path } => write!(f, "{}: not a net of these patterns", path.display()),
        }
    }
}

impl std::error::Error for NetError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::net;

    /// Positions whose value is no sum over patterns: it is who has more moves that decides, but only
    /// while a corner is free.
    fn examples(n: usize) -> Vec<Example> {
        let mut random = SplitMix64::new(3);
        let example = |number| {
            let discs = random.next_u64() & random.next_u64();
            let own = discs & random.next_u64();
            let position = Position { own, other: discs & !own };
            let Counted { own_moves, other_moves, .. } = Outlook::of(&position).counted();
            let lead = own_moves as f32 - other_moves as f32;
            let target = if discs & 0x81 == 0 { 3.0 * lead } else { 0.0 };
            Example { position, target, trust: 1.0, is_exact: true, is_held_out: number % 8 == 0 }
        };
        (0..n).map(example).collect()
    }

    #[test]
    fn what_is_no_sum_is_learned_and_the_engine_has_the_same_values() {
        let (examples, folding) = (examples(30_000), Folding::new());
        let seen = Seen::all(&examples, &Model::new(), &folding, 1e9);
        let settings = Settings { epochs: 4, rate: 0.01, worth_rate: 0.3, even: 1e9, seed: 7 };
        let mut net = Net::new(settings.seed, 0);
        for _ in 0..settings.epochs {
            net.learn(&seen, &settings);
        }
        let [without, with] = net.held_out(&seen).by_trust;
        assert!(with < 0.75 * without, "{with} {without}");
        let engine = net::Net::read(&net.rounded(), &folding).expect("a net");
        let mut rounding = Errors::default();
        for example in examples.iter().take(2000) {
            let rounded = engine.value_of(&example.position) as f32 / 128.0;
            rounding.add(rounded - net.value(&folding, &example.position));
        }
        assert!(rounding.rms() < 0.02, "{}", rounding.rms());
    }

    #[test]
    fn training_goes_on_from_its_file() {
        let (examples, folding) = (examples(2000), Folding::new());
        let (model, seen) = (Model::new(), Seen::all(&examples, &Model::new(), &folding, 20.0));
        let settings = Settings { epochs: 2, rate: 0.02, worth_rate: 0.3, even: 20.0, seed: 7 };
        let purpose = settings.purpose(&model);
        assert_ne!(Settings { epochs: 3, ..settings }.purpose(&model), purpose);
        let path = std::env::temp_dir().join(format!("outflank-net-{}", std::process::id()));
        let mut straight = Net::new(settings.seed, purpose);
        straight.learn(&seen, &settings);
        straight.write(&path).expect("written");
        let mut resumed = Net::read(&path).expect("a net");
        assert_eq!((resumed.epochs(), resumed.purpose()), (1, purpose));
        let written = [&mut straight, &mut resumed].map(|net| {
            net.learn(&seen, &settings);
            net.write(&path).expect("written");
            fs::read(&path).expect("bytes")
        });
        assert!(written[0] == written[1]);
        fs::write(&path, b"oflnet_4 and no more").expect("written");
        assert!(matches!(Net::read(&path), Err(NetError::NotANet { .. })));
        fs::remove_file(&path).expect("removed");
    }
}
