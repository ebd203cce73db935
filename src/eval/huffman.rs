//! Small whole numbers in few bits: weights as they are stored.
//!
//! Most weights are near zero, and rare patterns leave runs of zeros, so numbers and runs become
//! symbols of a Huffman code. A block is
//!
//! ```text
//! lengths  121 bytes: the length of the code of each of the 242 symbols, 0 to 12, in half bytes,
//!          the lower half first
//! bits     the codes and their extra bits, the highest bit of a byte first, filled up with zeros
//! ```
//!
//! Symbols are, by number:
//!
//! ```text
//! 0 to 224    the number symbol - 112
//! 225         any other number: 16 more bits, two's complement
//! 226 to 241  a run of zeros: with k = symbol - 225, k more bits, which are added to 2^k
//! ```
//!
//! The code is canonical: shorter codes before longer ones, equally long ones in the order of
//! their symbols. Decoding is one look into a table a symbol.

/// Numbers from minus this to this have symbols.
const LARGEST: i16 = 112;
const ESCAPE: usize = 225;
/// The symbol of a run is this plus the number of its extra bits.
const RUN: usize = 225;
const MAX_RUN_BITS: usize = 16;
const N_SYMBOLS: usize = RUN + MAX_RUN_BITS + 1;
/// Bytes before the bits.
const HEAD: usize = N_SYMBOLS / 2;
const MAX_CODE_BITS: u32 = 12;
/// Bits of a number that has no symbol.
const PLAIN_BITS: u32 = 16;

/// A block is not what it should be: too short, or no code at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadBlock;

/// Fills `numbers` from a block.
///
/// # Errors
/// The block is damaged. What is in `numbers` then means nothing.
pub(crate) fn decode(block: &[u8], numbers: &mut [i16]) -> Result<(), BadBlock> {
    let (head, bits) = block.split_at_checked(HEAD).ok_or(BadBlock)?;
    let mut lengths = [0; N_SYMBOLS];
    for (pair, &byte) in lengths.chunks_exact_mut(2).zip(head) {
        (pair[0], pair[1]) = (byte & 15, byte >> 4);
    }
    let table = table(&lengths)?;
    let mut reader = Reader { bytes: bits, at: 0, held: 0, n_held: 0 };
    let mut at = 0;
    while at < numbers.len() {
        reader.fill();
        // As many as surely fit what is held: nearly all symbols are numbers.
        for _ in 0..FILLED / MAX_CODE_BITS {
            let entry = table[reader.peek(MAX_CODE_BITS) as usize];
            let symbol = usize::from(entry >> 4);
            if symbol >= ESCAPE || entry == 0 {
                break;
            }
            let Some(number) = numbers.get_mut(at) else { break };
            *number = symbol as i16 - LARGEST;
            at += 1;
            reader.skip(u32::from(entry & 15));
        }
        reader.fill();
        let entry = table[reader.peek(MAX_CODE_BITS) as usize];
        let symbol = usize::from(entry >> 4);
        if entry == 0 && at < numbers.len() {
            return Err(BadBlock);
        }
        if symbol < ESCAPE || at >= numbers.len() {
            continue;
        }
        reader.skip(u32::from(entry & 15));
        if symbol == ESCAPE {
            numbers[at] = reader.peek(PLAIN_BITS) as u16 as i16;
            reader.skip(PLAIN_BITS);
            at += 1;
        } else {
            let n_bits = (symbol - RUN) as u32;
            let run = (1 << n_bits) + reader.peek(n_bits) as usize;
            reader.skip(n_bits);
            numbers.get_mut(at..at + run).ok_or(BadBlock)?.fill(0);
            at += run;
        }
    }
    if reader.is_overdrawn() { Err(BadBlock) } else { Ok(()) }
}

/// By the next [`MAX_CODE_BITS`] bits: the symbol times 16 plus the length of its code, or 0.
fn table(lengths: &[u8; N_SYMBOLS]) -> Result<Box<[u16; 1 << MAX_CODE_BITS]>, BadBlock> {
    let mut table = Box::new([0; 1 << MAX_CODE_BITS]);
    let mut at = 0;
    for length in 1..=MAX_CODE_BITS {
        let width = 1 << (MAX_CODE_BITS - length);
        for symbol in (0..N_SYMBOLS).filter(|&symbol| u32::from(lengths[symbol]) == length) {
            let entries = table.get_mut(at..at + width).ok_or(BadBlock)?;
            entries.fill((symbol as u16) << 4 | length as u16);
            at += width;
        }
    }
    if lengths.iter().any(|&length| u32::from(length) > MAX_CODE_BITS) {
        return Err(BadBlock);
    }
    Ok(table)
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Bytes that have been taken into what is held, as far as they count in `n_held`; past the
    /// end there are zeros.
    at: usize,
    /// The next bits, from the highest one on; behind `n_held` of them there may be some that are
    /// taken again.
    held: u64,
    n_held: u32,
}

/// Bits that are held after [`Reader::fill`], at least.
const FILLED: u32 = 56;

impl Reader<'_> {
    /// Makes at least [`FILLED`] bits available.
    #[inline(always)]
    fn fill(&mut self) {
        let word = match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            Some(word) => u64::from_be_bytes(*word),
            None => self.last_bytes(),
        };
        self.held |= word >> self.n_held;
        let n_bytes = (63 - self.n_held) / 8;
        self.at += n_bytes as usize;
        self.n_held += 8 * n_bytes;
    }

    #[cold]
    fn last_bytes(&self) -> u64 {
        let mut word = [0; 8];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        word[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(word)
    }

    /// The next bits, 1 to 64.
    #[inline(always)]
    fn peek(&self, n: u32) -> u64 {
        self.held >> (64 - n)
    }

    #[inline(always)]
    fn skip(&mut self, n: u32) {
        self.held <<= n;
        self.n_held -= n;
    }

    /// Whether bits have been taken from behind the end.
    fn is_overdrawn(&self) -> bool {
        8 * self.at > 8 * self.bytes.len() + self.n_held as usize
    }
}

/// The block of some numbers.
#[cfg(any(test, feature = "train"))]
pub(crate) fn encode(numbers: &[i16]) -> Vec<u8> {
    let symbols = symbols(numbers);
    let mut counts = [0_u64; N_SYMBOLS];
    symbols.iter().for_each(|symbol| counts[symbol.number] += 1);
    let lengths = lengths(counts);
    let codes = codes(&lengths);
    let mut bytes: Vec<u8> =
        lengths.chunks_exact(2).map(|pair| pair[0] as u8 | (pair[1] as u8) << 4).collect();
    let (mut held, mut n_held) = (0_u64, 0);
    for Symbol { number, extra, n_extra } in symbols {
        held = held << lengths[number] | codes[number];
        held = held << n_extra | extra;
        n_held += lengths[number] + n_extra;
        while n_held >= 8 {
            n_held -= 8;
            bytes.push((held >> n_held) as u8);
        }
    }
    if n_held > 0 {
        bytes.push((held << (8 - n_held)) as u8);
    }
    bytes
}

/// Fewer zeros are coded one by one: a short run takes the decoder longer than it saves bits.
#[cfg(any(test, feature = "train"))]
const SHORTEST_RUN: usize = 12;

/// A symbol with the bits that follow its code.
#[cfg(any(test, feature = "train"))]
struct Symbol {
    number: usize,
    extra: u64,
    n_extra: u32,
}

#[cfg(any(test, feature = "train"))]
fn symbols(numbers: &[i16]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut rest = numbers;
    while let [number, ..] = rest {
        let zeros = rest.iter().take_while(|&&number| number == 0).count().min(1 << MAX_RUN_BITS);
        if zeros >= SHORTEST_RUN {
            let n_extra = zeros.ilog2();
            let extra = zeros as u64 - (1 << n_extra);
            symbols.push(Symbol { number: RUN + n_extra as usize, extra, n_extra });
            rest = &rest[zeros..];
            continue;
        }
        symbols.push(if number.unsigned_abs() <= LARGEST.unsigned_abs() {
            Symbol { number: (number + LARGEST) as usize, extra: 0, n_extra: 0 }
        } else {
            Symbol { number: ESCAPE, extra: u64::from(*number as u16), n_extra: PLAIN_BITS }
        });
        rest = &rest[1..];
    }
    symbols
}

/// Lengths of codes for symbols that occur so often; 0 for those that do not.
///
/// Codes that get too long are avoided by making the counts more equal, as bzip2 does.
#[cfg(any(test, feature = "train"))]
fn lengths(counts: [u64; N_SYMBOLS]) -> [u32; N_SYMBOLS] {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    let mut counts = counts;
    loop {
        let used: Vec<usize> = (0..N_SYMBOLS).filter(|&symbol| counts[symbol] > 0).collect();
        let mut lengths = [0; N_SYMBOLS];
        // A code of no bits would be no code.
        if let [only] = used[..] {
            lengths[only] = 1;
            return lengths;
        }
        let mut parents = vec![0; 2 * used.len()];
        let leaves = used.iter().enumerate().map(|(node, &symbol)| Reverse((counts[symbol], node)));
        let mut heap: BinaryHeap<_> = leaves.collect();
        let mut n_nodes = used.len();
        while let (Some(Reverse((a, left))), Some(Reverse((b, right)))) = (heap.pop(), heap.pop()) {
            (parents[left], parents[right]) = (n_nodes, n_nodes);
            heap.push(Reverse((a + b, n_nodes)));
            n_nodes += 1;
            if heap.len() == 1 {
                break;
            }
        }
        for (leaf, &symbol) in used.iter().enumerate() {
            let mut node = leaf;
            while node + 1 != n_nodes {
                node = parents[node];
                lengths[symbol] += 1;
            }
        }
        if lengths.iter().all(|&length| length <= MAX_CODE_BITS) {
            return lengths;
        }
        counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
    }
}

#[cfg(any(test, feature = "train"))]
fn codes(lengths: &[u32; N_SYMBOLS]) -> [u64; N_SYMBOLS] {
    let mut codes = [0; N_SYMBOLS];
    let mut next = 0;
    for length in 1..=MAX_CODE_BITS {
        next <<= 1;
        for symbol in (0..N_SYMBOLS).filter(|&symbol| lengths[symbol] == length) {
            codes[symbol] = next;
            next += 1;
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::SplitMix64;

    fn check(numbers: &[i16]) -> usize {
        let block = encode(numbers);
        let mut decoded = vec![77; numbers.len()];
        assert_eq!(decode(&block, &mut decoded), Ok(()));
        assert_eq!(decoded, numbers);
        block.len()
    }

    /// Near zero as weights are, in steep or flat distributions.
    fn numbers(steepness: u32, len: usize) -> Vec<i16> {
        let mut random = SplitMix64::new(u64::from(steepness));
        let mut number = || {
            let bits = random.next_u64();
            let size = (bits & bits >> 16) as u16 as i16;
            size >> ((bits >> 40) % u64::from(steepness) + 1).min(15)
        };
        (0..len).map(|_| number()).collect()
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        check(&[]);
        check(&[0]);
        check(&[5; 100]);
        check(&[0; 200_000]);
        check(&[i16::MIN, i16::MAX, 0, 112, -112, 113, -113, 0, 0, 0, 1]);
        for steepness in [1, 8, 14, 15, 40] {
            check(&numbers(steepness, 100_000));
        }
        assert!(check(&[0; 200_000]) < HEAD + 32);
    }

    #[test]
    fn a_damaged_block_is_refused_or_decoded_and_never_a_panic() {
        let numbers = numbers(14, 5000);
        let block = encode(&numbers);
        let mut decoded = vec![0; numbers.len()];
        for len in (0..block.len()).step_by(7) {
            assert_eq!(decode(&block[..len], &mut decoded), Err(BadBlock), "{len}");
        }
        let mut random = SplitMix64::new(3);
        for _ in 0..300 {
            let mut damaged = block.clone();
            let at = random.below(block.len().min(400) as u64) as usize;
            damaged[at] ^= 1 << random.below(8);
            let _ = decode(&damaged, &mut decoded);
        }
    }
}
