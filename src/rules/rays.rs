//! Runs of discs on boards of several words, for both widths beyond 8×8.
//!
//! Knows words of bits and how many columns a row has. Must not know squares or rules beyond the
//! one in [`super::flips`].
//!
//! A ray crosses few rows within one word, so a word is filled in a few doublings, and what leaves
//! it enters the next one: runs of any length are found without a branch and without shifting
//! whole boards. `W` is the number of words, `C` the number of columns.

use crate::kernel::rays::{self, Rays};

/// Where runs of discs that can be crossed end that begin beside one of `own`. `inner` is `other`
/// without the outer columns: rays that change column cross nothing else, so they cannot run
/// around the edge. Squares with discs, or beyond the board, may be among the ends.
#[inline(always)]
pub(super) fn ends_of_runs<const W: usize, const C: usize>(
    own: [u64; W],
    other: [u64; W],
    inner: [u64; W],
) -> [u64; W] {
    let mut ends = [0; W];
    ends_in_rows::<W, C>(own, inner, &mut ends);
    ends_both_ways::<W, C>(own, inner, C - 1, &mut ends);
    ends_both_ways::<W, C>(own, other, C, &mut ends);
    ends_both_ways::<W, C>(own, inner, C + 1, &mut ends);
    ends
}

/// The ends of runs that change row: a step is `n` bits.
#[inline(always)]
fn ends_both_ways<const W: usize, const C: usize>(
    own: [u64; W],
    crossable: [u64; W],
    n: usize,
    ends: &mut [u64; W],
) {
    // What the last word reached goes on in the next; so do the ends of its runs.
    let (mut reached, mut beyond) = (0, 0);
    for w in 0..W {
        let through = crossable[w];
        let run = fill::<C>(own[w] | reached & through, through, |set, steps| set << (steps * n));
        let crossed = run & through;
        ends[w] |= crossed << n | beyond;
        (reached, beyond) = (run >> (64 - n), crossed >> (64 - n));
    }
    let (mut reached, mut beyond) = (0, 0);
    for w in (0..W).rev() {
        let through = crossable[w];
        let run = fill::<C>(own[w] | reached & through, through, |set, steps| set >> (steps * n));
        let crossed = run & through;
        ends[w] |= crossed >> n | beyond;
        (reached, beyond) = (run << (64 - n), crossed << (64 - n));
    }
}

/// `run`, and what it reaches through squares of the same word. `moved` moves a set by steps.
#[inline(always)]
fn fill<const C: usize>(run: u64, through: u64, moved: impl Fn(u64, usize) -> u64) -> u64 {
    let pairs = through & moved(through, 1);
    let mut run = run | moved(run, 1) & through;
    run |= moved(run, 2) & pairs;
    // From the first row of a word to its last: three steps on 16 columns, five on 11.
    if 64_usize.div_ceil(C) > 4 {
        run |= moved(run, 2) & pairs;
    }
    run
}

/// The ends of runs along rows.
#[inline(always)]
fn ends_in_rows<const W: usize, const C: usize>(own: [u64; W], inner: [u64; W], ends: &mut [u64; W]) {
    // To the right, a sum carries from the first disc of a run to behind its last. The outer
    // columns are free, so no carry leaves its row.
    let (mut beside, mut carry) = (0, false);
    for w in 0..W {
        let starts = (own[w] << 1 | beside) & inner[w];
        let (sum, carry_of_sum) = inner[w].overflowing_add(starts);
        let (sum, carry_of_carry) = sum.overflowing_add(u64::from(carry));
        ends[w] |= sum;
        (beside, carry) = (own[w] >> 63, carry_of_sum | carry_of_carry);
    }
    let (mut reached, mut beyond) = (0, 0);
    for w in (0..W).rev() {
        let ones = inner[w];
        let twos = ones & ones >> 1;
        let fours = twos & twos >> 2;
        let eights = fours & fours >> 4;
        let mut run = own[w] | reached & ones;
        run |= run >> 1 & ones;
        run |= run >> 2 & twos;
        run |= run >> 4 & fours;
        run |= run >> 8 & eights;
        let crossed = run & ones;
        ends[w] |= crossed >> 1 | beyond;
        (reached, beyond) = (run << 63, crossed << 63);
    }
}

/// The rays of 11×11. 15 KiB.
pub(super) static SEEN_11: [Rays<2>; 121] = rays::seen::<2, 11, 121>();
/// The rays of 16×16. 64 KiB.
pub(super) static SEEN_16: [Rays<4>; 256] = rays::seen::<4, 16, 256>();

/// The discs of `other` between a square in the word `home` and the nearest disc of `own` on each
/// of its rays. The nearest square of a ray that is not an enemy decides.
#[inline(always)]
pub(super) fn runs_to_own<const W: usize, const C: usize>(
    rays: &Rays<W>,
    own: [u64; W],
    other: [u64; W],
    home: usize,
) -> [u64; W] {
    let mut turned = [0; W];
    for (n, (up, down)) in rays[..4].iter().zip(&rays[4..]).enumerate() {
        let is_in_one_word = n == 0 && 64 % C == 0;
        let (first, last) = if is_in_one_word { (home, home) } else { (0, W - 1) };
        let up = run_to_own(up, own, other, home..=last, |stops| stops ^ stops.wrapping_sub(1));
        let down = run_to_own(down, own, other, (first..=home).rev(), |stops| {
            !(u64::MAX >> 1 >> (stops | 1).leading_zeros())
        });
        for w in 0..W {
            turned[w] |= up[w] | down[w];
        }
    }
    turned
}

/// The run of one ray, which goes through the words in this order. `as_far` as the first stop of a
/// word, in the direction of the ray, is a mask that holds the stop; if there is none, it is full.
#[inline(always)]
fn run_to_own<const W: usize>(
    ray: &[u64; W],
    own: [u64; W],
    other: [u64; W],
    words: impl Iterator<Item = usize> + Clone,
    as_far: impl Fn(u64) -> u64,
) -> [u64; W] {
    let mut run = [0; W];
    let mut ours = 0;
    let mut open = u64::MAX;
    for w in words.clone() {
        let stops = ray[w] & !other[w];
        let near = as_far(stops) & open;
        run[w] = ray[w] & other[w] & near;
        ours |= stops & own[w] & near;
        open &= mask(stops == 0);
    }
    for w in words {
        run[w] &= mask(ours != 0);
    }
    run
}

#[inline(always)]
fn mask(all: bool) -> u64 {
    u64::from(all).wrapping_neg()
}
