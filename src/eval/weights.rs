//! The trained evaluation of 8x8: weights of [`patterns`](super::patterns), as they are stored
//! and as they are used.
//!
//! # The value of a position
//!
//! A position with so many discs belongs to a [phase](phase), and each phase has a table of
//! weights, one a row. With the indexes of the position ([`features`](super::patterns::features)):
//!
//! ```text
//! value = constant(discs) + sum over the lanes of table(discs)[start of its pattern + index]
//! ```
//!
//! in units of 1/128 disc ([`UNITS_PER_DISC`]), for the mover, a guess of the final margin. Weights may
//! have a [net](super::net) on top, which makes the guess better and takes longer than the sum.
//!
//! # The file
//!
//! All numbers are little-endian.
//!
//! ```text
//! 0   8  "outflank"
//! 8   2  version, 3
//! 10  1  columns, 8
//! 11  1  rows, 8
//! 12  1  0 when most discs win, 1 when fewest do
//! 13  1  units of a disc in this file: a power of two, at most 128
//! 14  2  phases, 30
//! 16  4  fingerprint of the patterns
//! 20  4  bytes of the rest, from 32 on
//! 24  8  checksum of all that is before and behind it
//! 32     constants of 0 to 63 discs, 64 times 2 bytes in 1/128 disc; then for each phase the bytes
//!        of its block in 4 bytes and the block, which holds its folded weights (`huffman.rs`);
//!        then the net (`net.rs`), if there is one
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use super::huffman;
use super::net::{self, Net};
use super::patterns::{FINGERPRINT, Folding, Lanes, N_FOLDED, N_TABLE_ROWS, sum};

/// Phases of the game; each is two plies long.
pub(crate) const N_PHASES: usize = 30;

/// Units of a disc in weights and values.
pub(crate) const UNITS_PER_DISC: i32 = 128;

/// No weight is larger than this in size: about 32 discs.
pub(crate) const LIMIT: i16 = 4095;

/// The rows of one phase.
type Table = [i16; N_TABLE_ROWS];

/// No result is larger than this in size.
const MOST_CENTIDISCS: i32 = 6400;

/// The phase of a position with so many discs, 0 to 29. The first one takes positions with less
/// than four discs as well.
#[inline(always)]
pub(crate) const fn phase(n_discs: u32) -> usize {
    let played = n_discs.saturating_sub(4) as usize / 2;
    if played < N_PHASES { played } else { N_PHASES - 1 }
}

/// A value in 1/128 disc as centidiscs, rounded down, within what a result can be.
#[inline(always)]
pub(crate) const fn to_centidiscs(value: i32) -> i32 {
    let centidiscs = (value * 100) >> UNITS_PER_DISC.trailing_zeros();
    if centidiscs > MOST_CENTIDISCS {
        MOST_CENTIDISCS
    } else if centidiscs < -MOST_CENTIDISCS {
        -MOST_CENTIDISCS
    } else {
        centidiscs
    }
}

/// The weights of all phases. A phase is made ready for use, half a megabyte in a millisecond or
/// two, when it is first asked for, so that the first answer of a program waits for few of them.
pub(crate) struct Weights {
    tables: [OnceLock<Box<Table>>; N_PHASES],
    bytes: Cow<'static, [u8]>,
    /// By phase: its block among the bytes.
    blocks: [Range<usize>; N_PHASES],
    units: u8,
    /// By discs.
    constants: [i32; 65],
    /// The bytes of the net, if there is one, and the net when it was first asked for.
    net_bytes: Option<Range<usize>>,
    net: OnceLock<Option<Box<Net>>>,
    objective: Objective,
    checksum: u64,
}

/// What weights were trained for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Most discs win.
    Most,
    /// Fewest discs win.
    Fewest,
}

/// Those of this build, by objective.
static EMBEDDED: [&[u8]; 2] =
    [include_bytes!("weights/othello.bin"), include_bytes!("weights/anti.bin")];

/// Those in use, by objective.
static TRAINED: [OnceLock<Arc<Weights>>; 2] = [const { OnceLock::new() }; 2];

impl Weights {
    /// The weights in use for an objective: those of this build, read when they are first asked
    /// for, unless others were put in their place before.
    pub fn trained(objective: Objective) -> &'static Arc<Self> {
        TRAINED[objective as usize].get_or_init(|| {
            let embedded = Self::parse(Cow::Borrowed(EMBEDDED[objective as usize]), Trust::Full);
            Arc::new(embedded.expect("the weights of this build are weights"))
        })
    }

    /// Puts these weights in the place of those of this build for their objective. False when that
    /// is too late: some are in use.
    pub fn replace(self) -> bool {
        TRAINED[self.objective as usize].set(Arc::new(self)).is_ok()
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// See [`WeightsError`].
    pub fn read(bytes: Vec<u8>) -> Result<Self, WeightsError> {
        let weights = Self::parse(Cow::Owned(bytes), Trust::None)?;
        for phase in 0..N_PHASES {
            let table = weights.unfold(phase)?;
            weights.tables[phase].get_or_init(|| table);
        }
        if weights.has_net() && weights.net().is_none() {
            return Err(WeightsError::DamagedNet);
        }
        Ok(weights)
    }

    /// Reads all but the weights themselves.
    fn parse(bytes: Cow<'static, [u8]>, trust: Trust) -> Result<Self, WeightsError> {
        let (header, rest) = Header::read(&bytes, trust)?;
        let mut cursor = rest;
        let mut constants = [0; 65];
        for constant in &mut constants[..64] {
            *constant = i32::from(i16::from_le_bytes(take(&mut cursor, "a constant")?));
        }
        // The 65th is of full boards, which only the root guesses before it counts them.
        constants[64] = constants[63];
        let mut blocks = [const { 0..0 }; N_PHASES];
        for block in &mut blocks {
            let len = u32::from_le_bytes(take(&mut cursor, "the length of a phase")?) as usize;
            let begin = bytes.len() - cursor.len();
            let cut = WeightsError::TooShort { wanted: "a phase" };
            (_, cursor) = cursor.split_at_checked(len).ok_or(cut)?;
            *block = begin..begin + len;
        }
        let Header { objective, units, checksum } = header;
        let net_bytes = match cursor.len() {
            0 => None,
            net::N_BYTES => Some(bytes.len() - net::N_BYTES..bytes.len()),
            found => return Err(WeightsError::Net { found }),
        };
        let tables = [const { OnceLock::new() }; N_PHASES];
        let net = OnceLock::new();
        Ok(Self { tables, blocks, units, constants, net_bytes, net, objective, checksum, bytes })
    }

    /// The table of a phase from its block.
    fn unfold(&self, phase: usize) -> Result<Box<Table>, WeightsError> {
        let damaged = || WeightsError::Damaged { phase };
        let times = UNITS_PER_DISC as i16 / i16::from(self.units);
        let mut folded = vec![0; N_FOLDED];
        huffman::decode(&self.bytes[self.blocks[phase].clone()], &mut folded).map_err(|_| damaged())?;
        let mut table: Box<Table> = vec![0; N_TABLE_ROWS].try_into().map_err(|_| damaged())?;
        let mut largest = 0;
        for (&[place, mirrored], &weight) in FOLDING.places.iter().zip(&folded) {
            largest = largest.max(weight.unsigned_abs());
            let weight = weight.wrapping_mul(times);
            (table[place as usize], table[mirrored as usize]) = (weight, weight);
        }
        if largest > (LIMIT / times).unsigned_abs() { Err(damaged()) } else { Ok(table) }
    }

    /// The rows for positions with so many discs, in 1/128 disc.
    #[inline(always)]
    pub fn table(&self, n_discs: u32) -> &Table {
        let phase = phase(n_discs);
        match self.tables[phase].get() {
            Some(table) => table,
            None => self.made_ready(phase),
        }
    }

    #[cold]
    fn made_ready(&self, phase: usize) -> &Table {
        // Bytes from outside are made ready when they are read; those of this build are tested.
        let unfold = || self.unfold(phase).expect("the weights of this build are not damaged");
        self.tables[phase].get_or_init(unfold)
    }

    /// The sum of weights for the mover who sees these indexes among so many discs, in 1/128 disc.
    #[inline(always)]
    pub fn sum(&self, n_discs: u32, lanes: &Lanes) -> i32 {
        self.constant(n_discs) + sum(self.table(n_discs), lanes)
    }

    /// Whether there is a net.
    #[inline(always)]
    pub fn has_net(&self) -> bool {
        self.net_bytes.is_some()
    }

    /// The net, if there is one, made ready for use when it is first asked for.
    #[inline(always)]
    pub fn net(&self) -> Option<&Net> {
        match self.net.get() {
            Some(net) => net.as_deref(),
            None => self.net_made_ready(),
        }
    }

    /// Makes everything ready for use that is not yet.
    pub fn prepare(&self) {
        self.net();
        for n_discs in 0..64 {
            self.table(n_discs);
        }
    }

    #[cold]
    fn net_made_ready(&self) -> Option<&Net> {
        let read = |range: &Range<usize>| Net::read(&self.bytes[range.clone()], &FOLDING);
        self.net.get_or_init(|| self.net_bytes.as_ref().and_then(read).map(Box::new)).as_deref()
    }

    /// What every position with so many discs (at most 64) has in common, in 1/128 disc.
    #[inline(always)]
    pub fn constant(&self, n_discs: u32) -> i32 {
        self.constants[n_discs as usize]
    }

    /// What the weights were trained for.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The checksum of their file, which tells weights apart.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// The value of a position in 1/128 disc, net and all.
    #[cfg(any(test, feature = "train"))]
    pub fn value(&self, position: &crate::rules::Position<u64>) -> i32 {
        self.plain_sum(position) + self.net().map_or(0, |net| net.value_of(position))
    }

    /// The sum of weights of a position in 1/128 disc, in plain code: what faster code is held
    /// against.
    #[cfg(any(test, feature = "train"))]
    pub fn plain_sum(&self, position: &crate::rules::Position<u64>) -> i32 {
        use super::patterns::{PATTERNS, TABLE_STARTS, features};

        let n_discs = (position.own | position.other).count_ones();
        let table = self.table(n_discs);
        let lanes = features(position);
        let rows = PATTERNS
            .iter()
            .zip(TABLE_STARTS)
            .flat_map(|(pattern, start)| std::iter::repeat_n(start, pattern.n_features()));
        let sum: i32 =
            rows.zip(lanes.0).map(|(start, index)| i32::from(table[start + usize::from(index)])).sum();
        self.constant(n_discs) + sum
    }
}

/// Weights as they are trained and stored: one number for rows that mean the same.
#[cfg(any(test, feature = "train"))]
pub(crate) struct Folded {
    /// What they are for.
    pub objective: Objective,
    /// Units of a disc in the weights: a power of two, at most 128.
    pub units: u8,
    /// By discs, in 1/128 disc.
    pub constants: [i16; 64],
    /// By phase, each [`N_FOLDED`] long and within [`LIMIT`] when brought to 1/128 disc.
    pub phases: Vec<Vec<i16>>,
    /// The bytes of a net, or none.
    pub net: Vec<u8>,
}

#[cfg(any(test, feature = "train"))]
impl Folded {
    /// The bytes of a file.
    pub fn write(&self) -> Vec<u8> {
        let mut rest: Vec<u8> =
            self.constants.iter().flat_map(|constant| constant.to_le_bytes()).collect();
        for phase in &self.phases {
            let block = huffman::encode(phase);
            rest.extend((block.len() as u32).to_le_bytes());
            rest.extend(block);
        }
        rest.extend(&self.net);
        let mut bytes = Vec::with_capacity(HEADER + rest.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([8, 8, self.objective as u8, self.units]);
        bytes.extend((self.phases.len() as u16).to_le_bytes());
        bytes.extend(FINGERPRINT.to_le_bytes());
        bytes.extend((rest.len() as u32).to_le_bytes());
        bytes.extend(checksum(&bytes, &rest).to_le_bytes());
        bytes.extend(rest);
        bytes
    }
}

/// Which rows share a weight.
static FOLDING: LazyLock<Folding> = LazyLock::new(Folding::new);

const MAGIC: &[u8; 8] = b"outflank";
const VERSION: u16 = 3;
#[cfg(any(test, feature = "train"))]
const HEADER: usize = 32;

/// Whether bytes may have been changed since they were written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// They may.
    None,
    /// They are those of this build, whose checksum a test looks at. Adding them up takes two
    /// milliseconds of the first answer.
    Full,
}

struct Header {
    objective: Objective,
    units: u8,
    checksum: u64,
}

impl Header {
    /// The header of a file, and what follows it.
    fn read(bytes: &[u8], trust: Trust) -> Result<(Self, &[u8]), WeightsError> {
        let mut cursor = bytes;
        if &take::<8>(&mut cursor, "the word `outflank`")? != MAGIC {
            return Err(WeightsError::NotWeights { begins: bytes[..8].to_vec() });
        }
        let version = u16::from_le_bytes(take(&mut cursor, "the version")?);
        if version != VERSION {
            return Err(WeightsError::Version { version });
        }
        let [columns, rows, objective, units] = take(&mut cursor, "the board")?;
        if (columns, rows) != (8, 8) {
            return Err(WeightsError::Board { columns, rows });
        }
        let objective = match objective {
            0 => Objective::Most,
            1 => Objective::Fewest,
            objective => return Err(WeightsError::Objective { objective }),
        };
        if !units.is_power_of_two() || i32::from(units) > UNITS_PER_DISC {
            return Err(WeightsError::Units { units });
        }
        let phases = u16::from_le_bytes(take(&mut cursor, "the number of phases")?);
        let fingerprint = u32::from_le_bytes(take(&mut cursor, "the fingerprint of the patterns")?);
        if fingerprint != FINGERPRINT || usize::from(phases) != N_PHASES {
            return Err(WeightsError::Patterns { phases, fingerprint });
        }
        let len = u32::from_le_bytes(take(&mut cursor, "the length")?) as usize;
        let before = &bytes[..bytes.len() - cursor.len()];
        let expected = u64::from_le_bytes(take(&mut cursor, "the checksum")?);
        if cursor.len() != len {
            return Err(WeightsError::Length { expected: len, found: cursor.len() });
        }
        if trust == Trust::None {
            let found = checksum(before, cursor);
            if found != expected {
                return Err(WeightsError::Checksum { expected, found });
            }
        }
        Ok((Self { objective, units, checksum: expected }, cursor))
    }
}

fn take<const N: usize>(cursor: &mut &[u8], wanted: &'static str) -> Result<[u8; N], WeightsError> {
    let (taken, rest) = cursor.split_first_chunk::<N>().ok_or(WeightsError::TooShort { wanted })?;
    *cursor = rest;
    Ok(*taken)
}

/// FNV-1a over words of 8 bytes, the last one of each part filled up with zeros, with the upper half
/// of each step brought down. Finds damage, and is no defence against malice.
fn checksum(before: &[u8], behind: &[u8]) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    for chunk in before.chunks(8).chain(behind.chunks(8)) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        sum ^= sum >> 32;
    }
    sum
}

/// Why bytes are not weights this program can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// They begin with something else than the word `outflank`.
    NotWeights {
        /// The first bytes.
        begins: Vec<u8>,
    },
    /// They end too soon.
    TooShort {
        /// What would have come next.
        wanted: &'static str,
    },
    /// A version this program does not know.
    Version {
        /// It.
        version: u16,
    },
    /// They are for another board.
    Board {
        /// Its columns.
        columns: u8,
        /// Its rows.
        rows: u8,
    },
    /// They are for a goal this program does not know.
    Objective {
        /// Its number.
        objective: u8,
    },
    /// A unit that is no usual part of a disc.
    Units {
        /// Units of a disc.
        units: u8,
    },
    /// They are for other patterns or phases than this program has.
    Patterns {
        /// Phases of the file.
        phases: u16,
        /// The fingerprint of its patterns.
        fingerprint: u32,
    },
    /// They are longer or shorter than they say.
    Length {
        /// Bytes that should follow the header.
        expected: usize,
        /// Bytes that do.
        found: usize,
    },
    /// They have been changed.
    Checksum {
        /// What the header says.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// A phase cannot be read, or has weights out of range.
    Damaged {
        /// Which, from 0.
        phase: usize,
    },
    /// What follows the phases is not as long as a net.
    Net {
        /// Bytes behind the phases.
        found: usize,
    },
    /// The net has weights out of range.
    DamagedNet,
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWeights { begins } => {
                write!(f, "no weights: begins with `{}`", begins.escape_ascii())
            }
            Self::TooShort { wanted } => write!(f, "ends before {wanted}"),
            Self::Version { version } => {
                write!(f, "version {version}; only {VERSION} is known")
            }
            Self::Board { columns, rows } => write!(f, "for a board of {columns}x{rows}, not 8x8"),
            Self::Objective { objective } => {
                write!(f, "for the unknown goal {objective}; 0 is most discs, 1 fewest")
            }
            Self::Units { units } => {
                write!(f, "{units} units of a disc; a power of two up to {UNITS_PER_DISC} is possible")
            }
            Self::Patterns { phases, fingerprint } => write!(
                f,
                "{phases} phases of patterns {fingerprint:08x}; this program has {N_PHASES} of {FINGERPRINT:08x}"
            ),
            Self::Length { expected, found } => {
                write!(f, "{found} bytes after the header instead of {expected}")
            }
            Self::Checksum { expected, found } => {
                write!(f, "damaged: checksum {found:016x} instead of {expected:016x}")
            }
            Self::Damaged { phase } => write!(f, "damaged: phase {phase} cannot be read"),
            Self::Net { found } => {
                write!(f, "{found} bytes behind the phases; a net has {}", net::N_BYTES)
            }
            Self::DamagedNet => f.write_str("damaged: the net has weights out of range"),
        }
    }
}

impl std::error::Error for WeightsError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::patterns::Views;
    use crate::rules::{Position, SplitMix64};

    /// Any weights, the same every time, within plus and minus one and a half discs.
    fn folded() -> Folded {
        let mut random = SplitMix64::new(9);
        let mut phase = || (0..N_FOLDED).map(|_| random.below(96) as i16 - 48).collect();
        let phases = (0..N_PHASES).map(|_| phase()).collect();
        let constants = std::array::from_fn(|n_discs| n_discs as i16 - 32);
        Folded { objective: Objective::Most, units: 32, constants, phases, net: Vec::new() }
    }

    #[test]
    fn what_was_written_is_read_and_unfolded() {
        let folded = folded();
        let weights = Weights::read(folded.write()).expect("weights");
        let folding = Folding::new();
        for n_discs in [4, 5, 33, 62, 63] {
            let table = weights.table(n_discs);
            let phase = &folded.phases[phase(n_discs)];
            for (&places, &weight) in folding.places.iter().zip(phase) {
                assert_eq!(places.map(|place| table[place as usize]), [4 * weight; 2], "{n_discs}");
            }
            let n_places = folding.weights.len();
            assert!(table.iter().filter(|&&row| row != 0).count() <= n_places);
            assert_eq!(weights.constant(n_discs), n_discs as i32 - 32);
        }
    }

    #[test]
    fn mirrored_positions_have_one_value() {
        let weights = Weights::read(folded().write()).expect("weights");
        let mut random = SplitMix64::new(4);
        for _ in 0..100 {
            let own = random.next_u64();
            let position = Position { own, other: random.next_u64() & !own };
            let Position { own, other } = position;
            let turned = Position { own: own.swap_bytes(), other: other.swap_bytes() };
            let mirrored = Position { own: own.reverse_bits(), other: other.reverse_bits() };
            assert_eq!(weights.value(&turned), weights.value(&position));
            assert_eq!(weights.value(&mirrored), weights.value(&position));
        }
    }

    #[test]
    fn phases_are_two_plies_long() {
        let phases = [0, 4, 5, 6, 33, 34, 62, 63, 64].map(phase);
        assert_eq!(phases, [0, 0, 0, 1, 14, 15, 29, 29, 29]);
    }

    #[test]
    fn centidiscs_stay_within_what_a_result_can_be() {
        let values = [0, 128, -128, 64, 9000, -9000].map(to_centidiscs);
        assert_eq!(values, [0, 100, -100, 50, 6400, -6400]);
    }

    #[test]
    fn wrong_files_are_refused_by_what_is_wrong() {
        let good = folded().write();
        let check = |change: &dyn Fn(&mut Vec<u8>), message: &str| {
            let mut bytes = good.clone();
            change(&mut bytes);
            let error = Weights::read(bytes).err().expect(message);
            assert!(error.to_string().contains(message), "{error}");
        };
        check(&|bytes| bytes.truncate(5), "ends before the word");
        check(&|bytes| bytes[..2].copy_from_slice(b"GI"), "begins with `GItflank`");
        check(&|bytes| bytes[8] = 9, "version 9; only 3");
        check(&|bytes| bytes[10] = 10, "10x8");
        check(&|bytes| bytes[12] = 2, "goal 2");
        check(&|bytes| bytes[13] = 3, "3 units");
        check(&|bytes| bytes[16] ^= 1, "this program has 30 of");
        check(&|bytes| bytes.truncate(bytes.len() - 1), "instead of");
        check(&|bytes| bytes[5000] ^= 4, "checksum");
        check(&|bytes| bytes[12] = 1, "checksum");
        check(&|bytes| bytes[13] = 64, "checksum");
    }

    #[test]
    fn a_net_on_top_is_read_and_counts() {
        let plain = Weights::read(folded().write()).expect("weights");
        let mut net = vec![0; net::N_BYTES];
        // The constant of the last phase but one.
        net[net::N_BYTES - 4] = 77;
        let with = Weights::read(Folded { net, ..folded() }.write()).expect("weights");
        assert!(with.has_net() && !plain.has_net());
        let other = !0 >> 4 & !0xff_u64;
        let position = Position { own: 0xff, other };
        assert_eq!(with.value(&position), plain.value(&position) + 77);
        let short = Folded { net: vec![0; 5], ..folded() }.write();
        let error = Weights::read(short).err().expect("refused");
        assert!(error.to_string().contains("5 bytes behind the phases"), "{error}");
        let mut wild = vec![0; net::N_BYTES];
        let end = wild.len() - 2 * N_PHASES;
        wild[end - 64..end].fill(0x7f);
        let error = Weights::read(Folded { net: wild, ..folded() }.write()).err().expect("refused");
        assert_eq!(error, WeightsError::DamagedNet);
    }

    #[test]
    fn every_objective_has_weights_of_its_own() {
        for objective in [Objective::Most, Objective::Fewest] {
            assert_eq!(Weights::trained(objective).objective(), objective);
        }
    }

    #[test]
    fn weights_that_are_prepared_wait_for_nothing() {
        let bytes = Cow::Borrowed(EMBEDDED[0]);
        let weights = Weights::parse(bytes, Trust::Full).expect("weights");
        assert!(weights.tables.iter().all(|table| table.get().is_none()));
        weights.prepare();
        assert!(weights.tables.iter().all(|table| table.get().is_some()) && weights.net.get().is_some());
    }

    #[test]
    fn the_weights_of_this_build_can_be_read() {
        let mut random = SplitMix64::new(6);
        for objective in [Objective::Most, Objective::Fewest] {
            let weights = Weights::read(EMBEDDED[objective as usize].to_vec()).expect("weights");
            let trained = Weights::trained(objective);
            assert_eq!(weights.objective(), objective);
            assert_eq!(trained.checksum(), weights.checksum());
            for _ in 0..1000 {
                let own = random.next_u64() & random.next_u64();
                let position = Position { own, other: random.next_u64() & random.next_u64() & !own };
                let n_discs = (position.own | position.other).count_ones();
                let sum = trained.sum(n_discs, &Views::new(&position).mover);
                assert_eq!(sum, weights.plain_sum(&position));
            }
        }
    }
}
