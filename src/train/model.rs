//! Weights as they are fitted: in discs, not rounded.
//!
//! # The file
//!
//! ```text
//! 0   8  "oflmodel"
//! 8   4  fingerprint of the patterns
//! 12  4  phases, 30
//! 16     for each phase: its folded weights, 4 bytes each (IEEE 754, little-endian), in discs
//! then   constants of 0 to 63 discs, 4 bytes each, in discs
//! ```

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::eval::patterns::{FINGERPRINT, FIRST_ROWS, Folding, N_FEATURES, N_FOLDED, features};
use crate::eval::weights::{Folded, LIMIT, N_PHASES, Objective, UNITS_PER_DISC, phase};
use crate::rules::Position;

const MAGIC: &[u8; 8] = b"oflmodel";

/// A weight for each folded row of each phase, and a constant for each number of discs.
pub struct Model {
    /// By phase, in discs.
    pub phases: Vec<Vec<f32>>,
    /// By discs, in discs.
    pub constants: [f32; 64],
}

/// The weights of a position within a phase: one a feature.
pub type Weights = [u32; N_FEATURES];

/// The numbers of the folded weights that a position has.
#[must_use]
pub fn weights_of(folding: &Folding, position: &Position<u64>) -> Weights {
    let indexes = features(position).0;
    std::array::from_fn(|lane| folding.weights[FIRST_ROWS[lane] as usize + usize::from(indexes[lane])])
}

impl Model {
    /// A model that thinks every position is even.
    #[must_use]
    pub fn new() -> Self {
        Self { phases: vec![vec![0.0; N_FOLDED]; N_PHASES], constants: [0.0; 64] }
    }

    /// The value of a position with at most 63 discs in discs, for the mover.
    #[must_use]
    pub fn value(&self, folding: &Folding, position: &Position<u64>) -> f32 {
        let n_discs = (position.own | position.other).count_ones();
        let weights = &self.phases[phase(n_discs)];
        let sum: f32 =
            weights_of(folding, position).iter().map(|&weight| weights[weight as usize]).sum();
        sum + self.constants[n_discs as usize]
    }

    /// The file that the engine reads, with weights rounded to so many units of a disc: a power of
    /// two up to 128.
    ///
    /// Where many positions share weights, as they do while most squares are empty, what rounding
    /// takes from these does not cancel out. The constants are moved against it, so that on
    /// average over the positions that are given values stay what they were.
    #[must_use]
    pub fn rounded<'a>(
        &self,
        objective: Objective,
        units: u8,
        folding: &Folding,
        positions: impl Iterator<Item = &'a Position<u64>>,
        net: Vec<u8>,
    ) -> Vec<u8> {
        let limit = f32::from(LIMIT / (UNITS_PER_DISC as i16 / i16::from(units)));
        let round = |weight: f32| (weight * f32::from(units)).round().clamp(-limit, limit) as i16;
        let rounded = |phase: &Vec<f32>| phase.iter().copied().map(round).collect();
        let phases: Vec<Vec<i16>> = self.phases.iter().map(rounded).collect();
        let mut gained = [(0_u32, 0.0_f64); 64];
        for position in positions {
            let n_discs = (position.own | position.other).count_ones();
            let (exact, rounded) = (&self.phases[phase(n_discs)], &phases[phase(n_discs)]);
            let gain = |&weight: &u32| {
                let weight = weight as usize;
                f32::from(rounded[weight]) / f32::from(units) - exact[weight]
            };
            let (n, sum) = &mut gained[n_discs as usize];
            *n += 1;
            *sum += f64::from(weights_of(folding, position).iter().map(gain).sum::<f32>());
        }
        let constant = |n_discs: usize| {
            let (n, sum) = gained[n_discs];
            let constant = f64::from(self.constants[n_discs]) - sum / f64::from(n.max(1));
            (constant * f64::from(UNITS_PER_DISC)).round() as i16
        };
        let constants = std::array::from_fn(constant);
        Folded { objective, units, constants, phases, net }.write()
    }

    /// Writes the model to a file, which is there as a whole or not at all.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        let failed = |error| ModelError::Io { path: path.into(), error };
        let mut bytes = Vec::from(MAGIC);
        bytes.extend(FINGERPRINT.to_le_bytes());
        bytes.extend((N_PHASES as u32).to_le_bytes());
        let numbers = self.phases.iter().flatten().chain(&self.constants);
        bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        let beside = path.with_extension("part");
        fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).map_err(failed)
    }

    /// Reads a model from a file.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = fs::read(path).map_err(|error| ModelError::Io { path: path.into(), error })?;
        let not_one = || ModelError::NotAModel { path: path.into() };
        let (head, numbers) = bytes.split_at_checked(16).ok_or_else(not_one)?;
        let mut expected = Vec::from(MAGIC);
        expected.extend(FINGERPRINT.to_le_bytes());
        expected.extend((N_PHASES as u32).to_le_bytes());
        if head != expected || numbers.len() != 4 * (N_PHASES * N_FOLDED + 64) {
            return Err(not_one());
        }
        let mut numbers = numbers
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let mut model = Self::new();
        let places = model.phases.iter_mut().flatten().chain(&mut model.constants);
        places.zip(&mut numbers).for_each(|(place, number)| *place = number);
        Ok(model)
    }
}

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a model cannot be read or written.
#[derive(Debug)]
pub enum ModelError {
    /// What the system said.
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The file is not a model of these patterns.
    NotAModel {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::NotAModel { path } => {
                write!(f, "{}: not a model of these patterns", path.display())
            }
        }
    }
}

impl std::error::Error for ModelError {}
