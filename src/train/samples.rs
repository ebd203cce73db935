//! Labelled positions, and the files they are kept in.
//!
//! # The file
//!
//! Append-only; all numbers are little-endian.
//!
//! ```text
//! 0   8  "oflsampl"
//! 8   2  version, 1
//! 10  2  bytes of a record, 28
//! 12  4  bytes of the recipe
//! 16     the recipe: JSON with what makes the records, see [`Recipe`]
//! then records:
//! 0   8  the mover's discs, bit `row * 8 + column`
//! 8   8  the opponent's discs
//! 16  2  outcome for the mover in centidiscs, -32768 if there is none
//! 18  2  value of a search for the mover in centidiscs, -32768 if there is none
//! 20  1  empties of the position whose exact value the outcome is
//! 21  1  depth of the search
//! 22  2  0
//! 24  4  number of the game within its file
//! ```
//!
//! Games come in the order of their numbers and each is written at once. So a run that was ended
//! in the middle goes on at its last game: what may be half of one is cut off.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine::Evaluation;
use crate::eval::weights::Objective;
use crate::rules::Position;

use super::ask::Games;

const MAGIC: &[u8; 8] = b"oflsampl";
const VERSION: u16 = 1;
const RECORD: usize = 28;
/// No recipe is longer.
const MAX_RECIPE: usize = 1 << 16;
const NO_VALUE: i16 = i16::MIN;

/// A position and what is known of its worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The discs.
    pub position: Position<u64>,
    /// How the game ends from here, as far as is known.
    pub outcome: Option<Outcome>,
    /// What a search has said.
    pub searched: Option<Searched>,
    /// The game it is from.
    pub game: u32,
}

/// How a game ends, with best play from some moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Margin for the mover.
    pub centidiscs: i16,
    /// Empty squares from where on play is the best; those of the position itself for its exact
    /// value.
    pub empties: u8,
}

/// What a search has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Value for the mover.
    pub centidiscs: i16,
    /// Plies looked ahead.
    pub depth: u8,
}

impl Sample {
    /// Plies between the position and the one whose exact value its outcome is.
    #[must_use]
    pub fn plies_to_outcome(&self) -> u32 {
        let n_empties = (self.position.own | self.position.other).count_zeros();
        self.outcome.map_or(0, |outcome| n_empties.saturating_sub(u32::from(outcome.empties)))
    }

    fn to_bytes(self) -> [u8; RECORD] {
        let outcome = self.outcome.unwrap_or(Outcome { centidiscs: NO_VALUE, empties: 0 });
        let searched = self.searched.unwrap_or(Searched { centidiscs: NO_VALUE, depth: 0 });
        let mut bytes = [0; RECORD];
        bytes[0..8].copy_from_slice(&self.position.own.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.position.other.to_le_bytes());
        bytes[16..18].copy_from_slice(&outcome.centidiscs.to_le_bytes());
        bytes[18..20].copy_from_slice(&searched.centidiscs.to_le_bytes());
        (bytes[20], bytes[21]) = (outcome.empties, searched.depth);
        bytes[24..28].copy_from_slice(&self.game.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; RECORD]) -> Self {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|n| bytes[at + n]));
        let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let known = |value: i16| (value != NO_VALUE).then_some(value);
        Self {
            position: Position { own: word(0), other: word(8) },
            outcome: known(number(16)).map(|centidiscs| Outcome { centidiscs, empties: bytes[20] }),
            searched: known(number(18)).map(|centidiscs| Searched { centidiscs, depth: bytes[21] }),
            game: u32::from_le_bytes([bytes[24], bytes[25], bytes[26], bytes[27]]),
        }
    }
}

/// What makes the records of a file: the same recipe makes the same records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// What kind of games: `wthor`, `endgames`, `selfplay`.
    pub kind: String,
    /// What decides the games beside the seed, as options of the command line.
    pub options: String,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The commit of the program that began the file.
    pub commit: String,
}

/// The option that marks samples of games that the fewest discs win.
pub const ANTI: &str = "--anti";
/// The option that marks samples whose moves were chosen by the evaluation made by hand.
pub const BY_HAND: &str = "--by-hand";

impl Recipe {
    /// What the games were played for.
    #[must_use]
    pub fn objective(&self) -> Objective {
        if self.has(ANTI) { Objective::Fewest } else { Objective::Most }
    }

    /// How the games are played. Those that others were taken from may have been played otherwise; the
    /// options tell of them behind `of:`.
    #[must_use]
    pub fn games(&self) -> Games {
        let own = self.options.split(" of: ").next().unwrap_or_default();
        let is_by_hand = own.split_whitespace().any(|word| word == BY_HAND);
        let evaluation = if is_by_hand { Evaluation::Hand } else { Evaluation::Trained };
        Games { objective: self.objective(), evaluation }
    }

    fn has(&self, option: &str) -> bool {
        self.options.split_whitespace().any(|word| word == option)
    }
}

/// A file that games are added to.
pub struct Writer {
    out: BufWriter<File>,
    path: PathBuf,
    next_game: u32,
    n_samples: u64,
}

impl Writer {
    /// Opens a file to go on with it, or begins it.
    ///
    /// # Errors
    /// See [`SamplesError`]: among others when the file was made by another recipe. The commit may
    /// differ.
    pub fn open(path: &Path, recipe: &Recipe) -> Result<Self, SamplesError> {
        let failed = |error| SamplesError::io(path, error);
        let exists = path.metadata().is_ok_and(|metadata| metadata.len() > 0);
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        if !exists {
            let head = head(recipe);
            if head.len() > 16 + MAX_RECIPE {
                let fault = format!("longer than {MAX_RECIPE} bytes");
                return Err(SamplesError::BadRecipe { path: path.into(), fault });
            }
            file.write_all(&head).map_err(failed)?;
            return Ok(Self {
                out: BufWriter::new(file),
                path: path.into(),
                next_game: 0,
                n_samples: 0,
            });
        }
        let (found, samples) = read_from(&file, path)?;
        let (theirs, ours) = (Recipe { commit: String::new(), ..found.clone() }, recipe);
        if theirs != (Recipe { commit: String::new(), ..ours.clone() }) {
            return Err(SamplesError::OtherRecipe {
                path: path.into(),
                found: Box::new(found),
                asked: Box::new(recipe.clone()),
            });
        }
        let next_game = samples.last().map_or(0, |sample| sample.game);
        let kept = samples.iter().take_while(|sample| sample.game < next_game).count();
        let len = head(&found).len() + kept * RECORD;
        file.set_len(len as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let n_samples = kept as u64;
        Ok(Self { out: BufWriter::new(file), path: path.into(), next_game, n_samples })
    }

    /// The first game that is not in the file.
    pub fn next_game(&self) -> u32 {
        self.next_game
    }

    /// How many samples the file has.
    pub fn n_samples(&self) -> u64 {
        self.n_samples
    }

    /// Adds the samples of a game, which must be a later one than all before.
    ///
    /// # Errors
    /// What the system says.
    pub fn add(&mut self, samples: &[Sample]) -> Result<(), SamplesError> {
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_bytes()).collect();
        self.n_samples += samples.len() as u64;
        self.out.write_all(&bytes).map_err(|error| SamplesError::io(&self.path, error))
    }

    /// Hands all that was added to the system.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&mut self) -> Result<(), SamplesError> {
        self.out.flush().map_err(|error| SamplesError::io(&self.path, error))
    }
}

fn head(recipe: &Recipe) -> Vec<u8> {
    let recipe = serde_json::to_vec(recipe).expect("strings and a number are JSON");
    let mut head = Vec::from(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.extend((RECORD as u16).to_le_bytes());
    head.extend((recipe.len() as u32).to_le_bytes());
    head.extend(recipe);
    head
}

/// The recipe and the samples of a file; half a record at its end is left out.
///
/// # Errors
/// See [`SamplesError`].
pub fn read(path: &Path) -> Result<(Recipe, Vec<Sample>), SamplesError> {
    let file = File::open(path).map_err(|error| SamplesError::io(path, error))?;
    read_from(&file, path)
}

fn read_from(file: &File, path: &Path) -> Result<(Recipe, Vec<Sample>), SamplesError> {
    let failed = |error| SamplesError::io(path, error);
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut head = [0; 16];
    let n = read_up_to(&mut reader, &mut head).map_err(failed)?;
    let numbers = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    if n < head.len() || &head[..8] != MAGIC || usize::from(numbers(10)) != RECORD {
        return Err(SamplesError::NotSamples { path: path.into() });
    }
    if numbers(8) != VERSION {
        return Err(SamplesError::Version { path: path.into(), version: numbers(8) });
    }
    let len = u32::from_le_bytes([head[12], head[13], head[14], head[15]]) as usize;
    let mut recipe = vec![0; len.min(MAX_RECIPE)];
    reader.read_exact(&mut recipe).map_err(failed)?;
    let recipe = serde_json::from_slice(&recipe)
        .map_err(|error| SamplesError::BadRecipe { path: path.into(), fault: error.to_string() })?;
    let mut samples = Vec::new();
    let mut record = [0; RECORD];
    while read_up_to(&mut reader, &mut record).map_err(failed)? == RECORD {
        let sample = Sample::from_bytes(&record);
        let Position { own, other } = sample.position;
        if own & other != 0 || own | other == !0 {
            return Err(SamplesError::NoPosition { path: path.into(), number: samples.len() });
        }
        samples.push(sample);
    }
    Ok((recipe, samples))
}

/// Fills the buffer, or as much of it as there is to read.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < buffer.len() {
        match reader.read(&mut buffer[n..])? {
            0 => break,
            more => n += more,
        }
    }
    Ok(n)
}

/// The same position for all eight that mirror each other: the one with the least discs as
/// numbers, the mover's first.
#[must_use]
pub fn canonical(position: &Position<u64>) -> Position<u64> {
    let mut least = *position;
    let mut turned = *position;
    for symmetry in 1..8 {
        let step = if symmetry == 4 { swap_axes } else { |set: u64| set.swap_bytes() };
        let step = if symmetry % 2 == 1 { mirror } else { step };
        turned = Position { own: step(turned.own), other: step(turned.other) };
        least = least.min(turned);
    }
    least
}

/// Left to right.
fn mirror(set: u64) -> u64 {
    set.reverse_bits().swap_bytes()
}

/// Along the diagonal from a1 to h8.
fn swap_axes(set: u64) -> u64 {
    let swap = |set: u64, mask: u64, distance: u32| {
        let differing = (set ^ set >> distance) & mask;
        set ^ differing ^ differing << distance
    };
    let set = swap(set, 0x00aa_00aa_00aa_00aa, 7);
    let set = swap(set, 0x0000_cccc_0000_cccc, 14);
    swap(set, 0x0000_0000_f0f0_f0f0, 28)
}

/// Why samples cannot be read or written.
#[derive(Debug)]
pub enum SamplesError {
    /// What the system said.
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The file is not one of samples.
    NotSamples {
        /// The file.
        path: PathBuf,
    },
    /// A version this program does not know.
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u16,
    },
    /// The recipe cannot be read.
    BadRecipe {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// A sample has two discs on a square, or no empty square.
    NoPosition {
        /// The file.
        path: PathBuf,
        /// Which sample, from 0.
        number: usize,
    },
    /// The file was made by another recipe, so its games would not fit together with new ones.
    OtherRecipe {
        /// The file.
        path: PathBuf,
        /// Its recipe.
        found: Box<Recipe>,
        /// The one that was to go on.
        asked: Box<Recipe>,
    },
}

impl SamplesError {
    fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.into(), error }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} --seed {}", self.kind, self.options, self.seed)
    }
}

impl fmt::Display for SamplesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::NotSamples { path } => write!(f, "{}: not a file of samples", path.display()),
            Self::Version { path, version } => {
                write!(f, "{}: version {version}; only {VERSION} is known", path.display())
            }
            Self::BadRecipe { path, fault } => write!(f, "{}: its recipe: {fault}", path.display()),
            Self::NoPosition { path, number } => {
                write!(f, "{}: sample {number} is no position with an empty square", path.display())
            }
            Self::OtherRecipe { path, found, asked } => {
                write!(f, "{}: was made by `{found}` and cannot go on with `{asked}`", path.display())
            }
        }
    }
}

impl std::error::Error for SamplesError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::SplitMix64;

    fn sample(game: u32) -> Sample {
        Sample {
            position: Position { own: 1 << game, other: 1 << 63 },
            outcome: game.is_multiple_of(2).then_some(Outcome { centidiscs: -6400, empties: 24 }),
            searched: game.is_multiple_of(3).then_some(Searched { centidiscs: 123, depth: 8 }),
            game,
        }
    }

    fn recipe(seed: u64) -> Recipe {
        Recipe { kind: "test".into(), options: "--n 3".into(), seed, commit: "abc".into() }
    }

    fn scratch_file(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("outflank-samples-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn a_run_that_was_ended_goes_on_at_its_last_game() {
        let path = scratch_file("resume");
        let mut writer = Writer::open(&path, &recipe(1)).expect("a new file");
        for game in 0..5 {
            writer.add(&[sample(game), sample(game)]).expect("added");
        }
        writer.flush().expect("flushed");
        drop(writer);
        // Killed in the middle of a record of game 4.
        let len = path.metadata().expect("a file").len();
        OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(len - 10)).expect("cut");

        let other = Recipe { commit: "def".into(), ..recipe(1) };
        let mut writer = Writer::open(&path, &other).expect("the same recipe");
        assert_eq!((writer.next_game(), writer.n_samples()), (4, 8));
        for game in 4..7 {
            writer.add(&[sample(game), sample(game)]).expect("added");
        }
        writer.flush().expect("flushed");
        let (found, samples) = read(&path).expect("samples");
        assert_eq!(found, recipe(1));
        let expected: Vec<Sample> = (0..7).flat_map(|game| [sample(game); 2]).collect();
        assert_eq!(samples, expected);

        let refused = Writer::open(&path, &recipe(2)).err().expect("another seed").to_string();
        assert!(refused.contains("was made by `test --n 3 --seed 1`"), "{refused}");
        std::fs::write(&path, "something else altogether").expect("written");
        assert!(matches!(read(&path), Err(SamplesError::NotSamples { .. })));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn mirrored_positions_have_one_canonical_form() {
        let mut random = SplitMix64::new(5);
        for _ in 0..100 {
            let own = random.next_u64();
            let position = Position { own, other: random.next_u64() & !own };
            let expected = canonical(&position);
            let both =
                |step: fn(u64) -> u64| Position { own: step(position.own), other: step(position.other) };
            for step in [mirror, swap_axes, u64::swap_bytes, u64::reverse_bits] {
                assert_eq!(canonical(&both(step)), expected, "{position:x?}");
            }
        }
        // b1 goes to a2.
        assert_eq!((mirror(1 << 1), swap_axes(1 << 1)), (1 << 6, 1 << 8));
    }
}
