//! Every tier of this processor against the portable code, and that against a model that walks
//! a board square by square.

use super::*;

/// More of everything when the environment asks for it.
fn n_boards(usual: usize) -> usize {
    if std::env::var_os("OUTFLANK_FULL").is_some_and(|value| value == "1") { usual * 20 } else { usual }
}

/// xorshift64*: the same boards in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Each square with a chance of `n` in 16.
    fn dense(&mut self, n: u32) -> u64 {
        let mut set = if n >= 16 { !0 } else { 0 };
        for bit in 0..4 {
            let random = self.next();
            set = if n >> bit & 1 == 1 { set | random } else { set & random };
        }
        set
    }
}

/// A board of this size in the top left corner.
fn rectangle(columns: u32, rows: u32) -> u64 {
    let row = (1u64 << columns) - 1;
    (0..rows).fold(0, |set, n| set | row << (8 * n))
}

/// Playable squares: whole, octagonal, small and with holes.
fn shapes(random: &mut Random) -> Vec<u64> {
    let octagon = !0x8100_0000_0000_0081 & !0x0081_0000_0000_8100 & !0x4200_0000_0000_0042;
    let mut shapes =
        vec![!0, octagon, rectangle(6, 6), rectangle(4, 4), rectangle(6, 8), rectangle(8, 6)];
    shapes.extend((0..26).map(|n| !random.dense(1 + n % 6)));
    shapes
}

#[derive(Clone, Copy, Debug)]
struct Board {
    own: u64,
    other: u64,
    playable: u64,
}

/// Sparse, dense and full boards on all shapes.
fn boards(n: usize, mut each: impl FnMut(Board)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let shapes = shapes(&mut random);
    for i in 0..n {
        let playable = shapes[i % shapes.len()];
        let discs = random.dense(i as u32 / 7 % 17) & playable;
        let own = random.dense(2 + i as u32 / 119 % 13) & discs;
        each(Board { own, other: discs & !own, playable });
    }
}

/// What stands on a square of the model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Own,
    Other,
    Empty,
    Hole,
}

/// A board as rows of squares.
struct Model([[At; 8]; 8]);

const STEPS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

impl Model {
    fn new(board: Board) -> Self {
        let at = |index: usize| {
            let is_in = |set: u64| set >> index & 1 == 1;
            if is_in(board.own) {
                At::Own
            } else if is_in(board.other) {
                At::Other
            } else if is_in(board.playable) {
                At::Empty
            } else {
                At::Hole
            }
        };
        Model(std::array::from_fn(|row| std::array::from_fn(|column| at(row * 8 + column))))
    }

    fn at(&self, column: i32, row: i32) -> At {
        let on_board = (0..8).contains(&column) && (0..8).contains(&row);
        if on_board { self.0[row as usize][column as usize] } else { At::Hole }
    }

    /// The squares of a line from one beside a square on, as bits and what is on them.
    fn ray(&self, index: u32, (dc, dr): (i32, i32)) -> impl Iterator<Item = (u64, At)> {
        let (column, row) = (index as i32 % 8, index as i32 / 8);
        (1..=8).map(move |n| {
            let (column, row) = (column + n * dc, row + n * dr);
            let at = self.at(column, row);
            let is_off = !(0..8).contains(&column) || !(0..8).contains(&row);
            (if is_off { 0 } else { 1 << (row * 8 + column) }, at)
        })
    }

    fn flips(&self, index: u32) -> u64 {
        let mut flips = 0;
        for step in STEPS {
            let mut run = 0;
            for (bit, at) in self.ray(index, step) {
                match at {
                    At::Other => run |= bit,
                    At::Own => {
                        flips |= run;
                        break;
                    }
                    At::Empty | At::Hole => break,
                }
            }
        }
        flips
    }

    fn mobility(&self) -> u64 {
        let can = |index: &u32| {
            let at = self.0[*index as usize / 8][*index as usize % 8];
            matches!(at, At::Empty | At::Hole) && self.flips(*index) != 0
        };
        (0..64).filter(can).fold(0, |set, index| set | 1 << index)
    }

    /// Stable discs of the mover by the rule in words, until nothing is added.
    fn stable(&self) -> u64 {
        let is_own = |index: u32| self.0[index as usize / 8][index as usize % 8] == At::Own;
        let mut found = 0;
        loop {
            let is_stable = |&index: &u32| {
                STEPS[..4].iter().all(|&(dc, dr)| {
                    let ways = [(dc, dr), (-dc, -dr)];
                    let is_open = ways.iter().any(|&step| {
                        let mut line = self.ray(index, step).map(|(_, at)| at);
                        line.find(|at| matches!(at, At::Empty | At::Hole)) == Some(At::Empty)
                    });
                    let is_missing = |&step: &(i32, i32)| {
                        self.ray(index, step).next().is_none_or(|(_, at)| at == At::Hole)
                    };
                    let is_held = |&step: &(i32, i32)| {
                        self.ray(index, step).next().is_some_and(|(bit, _)| bit & found != 0)
                    };
                    !is_open || ways.iter().any(is_missing) || ways.iter().any(is_held)
                })
            };
            let all = (0..64).filter(|&index| is_own(index)).filter(is_stable);
            let wider = all.fold(0, |set, index| set | 1 << index);
            if wider == found {
                return found;
            }
            found = wider;
        }
    }
}

#[test]
fn the_portable_kernels_do_what_the_model_does() {
    boards(n_boards(10_000), |board| {
        let Board { own, other, playable } = board;
        let model = Model::new(board);
        assert_eq!(portable::mobility(own, other), model.mobility(), "{board:x?}");
        for index in 0..64 {
            assert_eq!(portable::flips(own, other, index), model.flips(index), "{board:x?} {index}");
        }
        let empties = playable & !(own | other);
        assert_eq!(portable::stable(own, empties, playable), model.stable(), "{board:x?}");
    });
}

#[test]
fn the_last_disc_turns_what_the_model_says() {
    let mut random = Random(5);
    for n in 0..n_boards(2000) as u32 {
        let own = random.dense(n % 17);
        for index in 0..64 {
            let (own, other) = (own & !(1 << index), !own & !(1 << index));
            let board = Board { own, other, playable: !0 };
            let turned = Model::new(board).flips(index).count_ones();
            assert_eq!(portable::last_flips(own, index), turned, "{own:x} {index}");
        }
    }
}

/// What a layer of units is asked.
struct Layer {
    begin: [i16; UNITS],
    rows: Vec<[u8; UNITS]>,
    worth: [i16; UNITS],
}

impl Layer {
    fn random(random: &mut Random) -> Self {
        // One layer of four begins anywhere, so that sums wrap around; worths cannot overflow.
        let width = if random.next().is_multiple_of(4) { 1 << 16 } else { 1400 };
        Self {
            begin: std::array::from_fn(|_| ((random.next() % width) as i16).wrapping_sub(600)),
            rows: (0..random.next() % 40)
                .map(|_| std::array::from_fn(|_| random.next() as u8))
                .collect(),
            worth: std::array::from_fn(|_| (random.next() % 4001) as i16 - 2000),
        }
    }

    fn rows(&self) -> Vec<&[u8; UNITS]> {
        self.rows.iter().collect()
    }

    /// What the units come to, in 16 bits.
    fn sums(&self) -> [i16; UNITS] {
        std::array::from_fn(|unit| {
            let rows: i32 = self.rows.iter().map(|row| i32::from(row[unit] as i8)).sum();
            (i32::from(self.begin[unit]) + rows) as i16
        })
    }

    /// One unit after the other.
    fn model(&self) -> i32 {
        let output = |(sum, worth): (i16, i16)| {
            let held = i32::from(sum.clamp(0, MOST_OF_UNIT));
            held * held / 16 * i32::from(worth)
        };
        self.sums().into_iter().zip(self.worth).map(output).sum()
    }
}

#[test]
fn a_layer_is_what_its_units_say_one_by_one() {
    let mut random = Random(7);
    // Sums below 0, between, and above what a unit is held to.
    let mut n_of_each = [0; 3];
    for _ in 0..n_boards(500) {
        let layer = Layer::random(&mut random);
        let output = portable::units(&layer.begin, &layer.rows(), &layer.worth);
        assert_eq!(output, layer.model());
        for sum in layer.sums() {
            n_of_each[usize::from(sum >= 0) + usize::from(sum > MOST_OF_UNIT)] += 1;
        }
    }
    assert!(n_of_each.iter().all(|&n| n > 100), "{n_of_each:?}");
    // The largest output there may be: some 132,000 of worth, all units held.
    for worth in [4128, -4128] {
        let full = Layer { begin: [i16::MAX; UNITS], rows: Vec::new(), worth: [worth; UNITS] };
        assert_eq!(portable::units(&full.begin, &[], &full.worth), full.model());
        assert_eq!(full.model(), i32::from(worth) * 32 * 16_256);
    }
}

/// The tests of a tier, stamped for it.
trait Checks: Kernel {
    fn agrees_on_layers(self, layers: &[Layer]);
    fn agrees(self, boards: &[Board]);
    fn agrees_at_the_end(self, owns: &[u64]);
}

#[inline(always)]
fn agrees<K: Kernel>(tier: K, boards: &[Board]) {
    for &board in boards {
        let Board { own, other, playable } = board;
        let moves = portable::mobility(own, other);
        assert_eq!(tier.mobility(own, other), moves, "{tier:?} {board:x?}");
        for index in 0..64 {
            let flips = portable::flips(own, other, index);
            assert_eq!(tier.flips(own, other, index), flips, "{tier:?} {board:x?} {index}");
        }
        let empties = playable & !(own | other);
        for discs in [own, other] {
            let stable = portable::stable(discs, empties, playable);
            assert_eq!(tier.stable(discs, empties, playable), stable, "{tier:?} {board:x?}");
        }
    }
}

#[inline(always)]
fn agrees_at_the_end<K: Kernel>(tier: K, owns: &[u64]) {
    for &own in owns {
        for index in 0..64 {
            let own = own & !(1 << index);
            let turned = portable::flips(own, !own & !(1 << index), index).count_ones();
            assert_eq!(tier.last_flips(own, index), turned, "{tier:?} {own:x} {index}");
        }
    }
}

#[inline(always)]
fn agrees_on_layers<K: Kernel>(tier: K, layers: &[Layer]) {
    for layer in layers {
        let expected = portable::units(&layer.begin, &layer.rows(), &layer.worth);
        assert_eq!(tier.units(&layer.begin, &layer.rows(), &layer.worth), expected, "{tier:?}");
    }
}

macro_rules! stamp {
    ($tier:ident, $features:tt) => {
        impl Checks for $tier {
            fn agrees_on_layers(self, layers: &[Layer]) {
                stamped!($features (tier: $tier = self, layers: &[Layer] = layers) -> () {
                    agrees_on_layers(tier, layers);
                });
            }

            fn agrees(self, boards: &[Board]) {
                stamped!($features (tier: $tier = self, boards: &[Board] = boards) -> () {
                    agrees(tier, boards);
                });
            }

            fn agrees_at_the_end(self, owns: &[u64]) {
                stamped!($features (tier: $tier = self, owns: &[u64] = owns) -> () {
                    agrees_at_the_end(tier, owns);
                });
            }
        }
    };
}
for_every_tier!(stamp);

/// Runs a check on every tier of this processor, and says which ones are not tested.
fn every_tier(mut check: impl FnMut(Tier)) {
    for tier in Tier::ALL {
        if tier.is_here() {
            check(tier);
        } else {
            eprintln!("not tested: this processor has no {tier}");
        }
    }
}

#[test]
fn every_tier_agrees_with_the_portable_code() {
    let n = n_boards(300_000);
    let mut batch = Vec::new();
    let mut done = 0;
    boards(n, |board| {
        batch.push(board);
        done += 1;
        if batch.len() == 10_000 || done == n {
            every_tier(|tier| on_tier!(tier, kernel => kernel.agrees(&batch)));
            batch.clear();
        }
    });
}

#[test]
fn every_tier_has_the_same_output_of_a_layer() {
    let mut random = Random(8);
    let layers: Vec<Layer> = (0..n_boards(500)).map(|_| Layer::random(&mut random)).collect();
    every_tier(|tier| on_tier!(tier, kernel => kernel.agrees_on_layers(&layers)));
}

#[test]
fn every_tier_counts_what_the_last_disc_turns() {
    let mut random = Random(6);
    for _ in 0..n_boards(20) {
        let owns: Vec<u64> = (0..1000).map(|n| random.dense(n % 17)).collect();
        every_tier(|tier| on_tier!(tier, kernel => kernel.agrees_at_the_end(&owns)));
    }
}

#[test]
fn a_stamped_block_sees_its_arguments() {
    let (own, other) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
    let moves = stamped!([] (tier: Portable = Portable, own: u64 = own, other: u64 = other) -> u64 {
        tier.mobility(own, other)
    });
    assert_eq!(moves, 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44);
}
