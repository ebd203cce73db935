//! Counting the leaves of the game tree: the proof that the rules are right.
//!
//! Knows both ways to count a pass. Must not keep anything between calls.

use super::bits::{Bits, U256};
use super::board::{AnyPosition, Position};
use super::state::{Act, State};
use super::variant::{Rules, Stuck};
#[cfg(target_arch = "x86_64")]
use crate::kernel::{Avx2, Avx512};
use crate::kernel::{Kernel, Portable, Tier, for_every_tier, on_tier, stamped};

/// What a forced pass costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassCost {
    /// One ply, as in the published table of the start (OEIS A124004).
    Ply,
    /// Nothing: depth counts discs put down.
    Free,
}

/// The leaves at a depth. A game that ends earlier counts once. `stop` is asked
/// now and then; once it says yes, the answer is `None`.
///
/// ```
/// use outflank::rules::{PassCost, Variant, by_name, perft};
/// let variant = Variant::new(by_name("othello").unwrap()).unwrap();
/// let leaves = perft(&variant.start_state(), variant.rules(), 6, PassCost::Ply, &|| false);
/// assert_eq!(leaves, Some(8200));
/// ```
pub fn perft(
    state: &State,
    rules: &Rules,
    depth: u32,
    cost: PassCost,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    perft_on(Tier::chosen(), state, rules, depth, cost, stop)
}

/// [`perft`] by the code of a tier; by the portable one if the processor lacks the tier.
pub fn perft_on(
    tier: Tier,
    state: &State,
    rules: &Rules,
    depth: u32,
    cost: PassCost,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    // Openings, limited discs and games that end when stuck are walked state by
    // state; all others, and openings once they are over, go the fast way.
    if !state.in_opening() && state.hand.is_none() && rules.stuck == Stuck::Pass {
        let side = state.side;
        return match state.board.position(side) {
            AnyPosition::W64 { position, playable } => {
                on_tier!(tier, kernel => count(kernel, position, playable, depth, cost, stop))
            }
            AnyPosition::W128 { position, playable } => {
                on_tier!(tier, kernel => count(kernel, position, playable, depth, cost, stop))
            }
            AnyPosition::W256 { position, playable } => {
                on_tier!(tier, kernel => count(kernel, position, playable, depth, cost, stop))
            }
        };
    }
    if depth == 0 || state.is_over(rules) {
        return Some(1);
    }
    if depth >= DEPTH_TO_ASK && stop() {
        return None;
    }
    let mut leaves = 0;
    for (_, next, depth) in children(state, rules, depth, cost) {
        leaves += perft_on(tier, &next, rules, depth, cost, stop)?;
    }
    Some(leaves)
}

/// [`perft`] split by the first placement, move or pass; nothing at depth 0 or
/// when the game is over.
///
/// ```
/// use outflank::rules::{PassCost, Variant, by_name, divide};
/// let variant = Variant::new(by_name("othello").unwrap()).unwrap();
/// let split = divide(&variant.start_state(), variant.rules(), 6, PassCost::Ply, &|| false).unwrap();
/// assert_eq!(split.len(), 4);
/// assert!(split.iter().all(|&(_, leaves)| leaves == 2050));
/// ```
pub fn divide(
    state: &State,
    rules: &Rules,
    depth: u32,
    cost: PassCost,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<(Act, u64)>> {
    if depth == 0 || state.is_over(rules) {
        return Some(Vec::new());
    }
    children(state, rules, depth, cost)
        .into_iter()
        .map(|(act, next, depth)| Some((act, perft(&next, rules, depth, cost, stop)?)))
        .collect()
}

/// Below this depth a node is too cheap to ask whether to stop.
const DEPTH_TO_ASK: u32 = 5;

/// What can be done, what comes of it, and the depth that is left there.
fn children(state: &State, rules: &Rules, depth: u32, cost: PassCost) -> Vec<(Act, State, u32)> {
    let mut passed = state.clone();
    if let Ok(reason) = passed.pass(rules, None) {
        let depth = match cost {
            PassCost::Ply => depth - 1,
            PassCost::Free => depth,
        };
        return vec![(Act::Pass(reason), passed, depth)];
    }
    state
        .legal(rules)
        .iter()
        .filter_map(|square| {
            let mut next = state.clone();
            let made = next.play(rules, None, square).ok()?;
            Some((made.act, next, depth - 1))
        })
        .collect()
}

/// No board has more squares, so no position has more moves.
const MOST_MOVES: usize = 256;

/// What is the same in all nodes of a count.
#[derive(Clone, Copy)]
struct Ground<B> {
    playable: B,
    cost: PassCost,
}

/// A count under way.
struct Walk<'a, B> {
    ground: Ground<B>,
    stop: &'a dyn Fn() -> bool,
    /// The stop has said yes; what is counted from then on is worth nothing.
    is_stopped: bool,
    /// Where a node at depth 2 keeps its children.
    children: [Position<B>; MOST_MOVES],
}

/// The leaves at a depth, by the code of a tier.
fn count<B: Bits, K: Count<B>>(
    kernel: K,
    position: Position<B>,
    playable: B,
    depth: u32,
    cost: PassCost,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    let ground = Ground { playable, cost };
    let children = [Position::default(); MOST_MOVES];
    let mut walk = Walk { ground, stop, is_stopped: false, children };
    let leaves = match depth {
        0 => 1,
        1 => kernel.ends(position, ground),
        _ => kernel.leaves(position, depth, &mut walk),
    };
    (!walk.is_stopped).then_some(leaves)
}

/// The count as machine code of a tier for a width of boards.
trait Count<B: Bits>: Copy {
    fn mobility(self, position: Position<B>, playable: B) -> B;
    fn flips(self, position: Position<B>, index: u32) -> B;

    /// The leaves at a depth of at least 2.
    fn leaves(self, position: Position<B>, depth: u32, walk: &mut Walk<'_, B>) -> u64;

    /// The leaves at depth 1.
    fn ends(self, position: Position<B>, ground: Ground<B>) -> u64;
}

/// The methods of [`Count`] that are machine code of their own.
macro_rules! recursive {
    ($bits:ty, $tier:ident, $features:tt) => {
        fn leaves(self, position: Position<$bits>, depth: u32, walk: &mut Walk<'_, $bits>) -> u64 {
            stamped!($features (
                kernel: $tier = self,
                position: Position<$bits> = position,
                depth: u32 = depth,
                walk: &mut Walk<'_, $bits> = walk,
            ) -> u64 {
                leaves(kernel, position, depth, walk)
            })
        }

        fn ends(self, position: Position<$bits>, ground: Ground<$bits>) -> u64 {
            stamped!($features (
                kernel: $tier = self,
                position: Position<$bits> = position,
                ground: Ground<$bits> = ground,
            ) -> u64 {
                ends(kernel, position, ground)
            })
        }
    };
}

macro_rules! within_8x8 {
    ($tier:ident, $features:tt) => {
        impl Count<u64> for $tier {
            #[inline(always)]
            fn mobility(self, position: Position<u64>, playable: u64) -> u64 {
                Kernel::mobility(self, position.own, position.other) & playable
            }

            #[inline(always)]
            fn flips(self, position: Position<u64>, index: u32) -> u64 {
                Kernel::flips(self, position.own, position.other, index)
            }

            recursive!(u64, $tier, $features);
        }
    };
}
for_every_tier!(within_8x8);

macro_rules! beyond_8x8 {
    ($bits:ty, $tier:ident, $features:tt) => {
        impl Count<$bits> for $tier {
            #[inline(always)]
            fn mobility(self, position: Position<$bits>, playable: $bits) -> $bits {
                Bits::mobility(position.own, position.other, playable)
            }

            #[inline(always)]
            fn flips(self, position: Position<$bits>, index: u32) -> $bits {
                Bits::flips(position.own, position.other, index)
            }

            recursive!($bits, $tier, $features);
        }
    };
    ($tier:ident, $features:tt) => {
        beyond_8x8!(u128, $tier, $features);
        beyond_8x8!(U256, $tier, $features);
    };
}
for_every_tier!(beyond_8x8);

#[inline(always)]
fn leaves<B: Bits, K: Count<B>>(
    kernel: K,
    position: Position<B>,
    depth: u32,
    walk: &mut Walk<'_, B>,
) -> u64 {
    let moves = kernel.mobility(position, walk.ground.playable);
    if moves.is_empty() {
        return leaves_behind_a_pass(kernel, position, depth, walk);
    }
    if depth == 2 {
        return leaves_of_children(kernel, position, moves, walk);
    }
    if depth >= DEPTH_TO_ASK && (walk.is_stopped || (walk.stop)()) {
        walk.is_stopped = true;
        return 0;
    }
    moves.iter().map(|index| kernel.leaves(played(kernel, position, index), depth - 1, walk)).sum()
}

/// The leaves at depth 2. All moves are made before any child is looked at: a processor can work
/// on several children at once only while what it does for each of them is short. A quarter more
/// leaves a second in portable code, an eighth more on AVX2.
#[inline(always)]
fn leaves_of_children<B: Bits, K: Count<B>>(
    kernel: K,
    position: Position<B>,
    moves: B,
    walk: &mut Walk<'_, B>,
) -> u64 {
    let ground = walk.ground;
    let mut n_children = 0;
    for index in moves.iter() {
        // Without the mask there would be a check.
        walk.children[n_children & (MOST_MOVES - 1)] = played(kernel, position, index);
        n_children += 1;
    }
    let children = walk.children.iter().take(n_children);
    // Without a branch in this loop, portable code counts two children at once.
    let (mut leaves, mut is_any_stuck) = (0, false);
    for &child in children.clone() {
        let n_moves = kernel.mobility(child, ground.playable).count();
        leaves += u64::from(n_moves.max(1));
        is_any_stuck |= n_moves == 0;
    }
    if is_any_stuck && ground.cost == PassCost::Free {
        leaves = children.map(|&child| kernel.ends(child, ground)).sum();
    }
    leaves
}

#[inline(always)]
fn played<B: Bits, K: Count<B>>(kernel: K, position: Position<B>, index: u32) -> Position<B> {
    position.play_flips(index, kernel.flips(position, index))
}

/// The leaves at depth 1: the moves, or one where there is none.
#[inline(always)]
fn ends<B: Bits, K: Count<B>>(kernel: K, position: Position<B>, ground: Ground<B>) -> u64 {
    let moves = kernel.mobility(position, ground.playable);
    if moves.is_empty() { ends_behind_a_pass(position, ground) } else { u64::from(moves.count()) }
}

#[cold]
fn ends_behind_a_pass<B: Bits>(position: Position<B>, ground: Ground<B>) -> u64 {
    match ground.cost {
        // The pass is the last ply, and the end of the game would count once as well.
        PassCost::Ply => 1,
        PassCost::Free => u64::from(position.pass().moves(ground.playable).count().max(1)),
    }
}

#[cold]
fn leaves_behind_a_pass<B: Bits, K: Count<B>>(
    kernel: K,
    position: Position<B>,
    depth: u32,
    walk: &mut Walk<'_, B>,
) -> u64 {
    let passed = position.pass();
    if passed.moves(walk.ground.playable).is_empty() {
        return 1;
    }
    match (walk.ground.cost, depth) {
        (PassCost::Ply, 2) => kernel.ends(passed, walk.ground),
        (PassCost::Ply, _) => kernel.leaves(passed, depth - 1, walk),
        (PassCost::Free, _) => kernel.leaves(passed, depth, walk),
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::{Scoring, final_margin};
    use super::super::square::{Side, SquareSet};
    use super::super::testing::{set, spec, variant_of};
    use super::super::variant::{Handicap, Holes, Place, Start, Variant, VariantSpec};
    use super::*;

    fn check(spec: VariantSpec, table: &[u64]) {
        let variant = variant_of(spec);
        for (depth, &leaves) in (1..).zip(table) {
            let counted =
                perft(&variant.start_state(), variant.rules(), depth, PassCost::Ply, &|| false);
            assert_eq!(counted, Some(leaves), "{spec:?} depth {depth}");
        }
    }

    fn holes(squares: &str) -> VariantSpec {
        VariantSpec { holes: Holes::Squares(set(squares)), ..spec("othello") }
    }

    #[test]
    fn the_tables_of_the_rule_cards() {
        let othello = spec("othello");
        check(othello, &[4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288]);
        check(spec("reversi"), &[4, 12, 24, 24, 96, 320, 1536, 6624, 38208]);
        let mut place = spec("reversi");
        place.rules.place = Place::Must;
        check(place, &[4, 12, 24, 48, 112, 304, 1072]);
        place.rules.place = Place::May;
        check(place, &[4, 12, 24, 72]);
        for n in 0..4 {
            let start = Start::Parallel(n);
            check(VariantSpec { start, ..othello }, &[4, 14, 68, 292, 1690, 9696, 64794]);
        }
        check(holes("b7 g2 d1"), &[4, 12, 56, 244, 1388, 8081, 53137]);
        check(holes("c7 f2"), &[4, 12, 52, 216, 1180, 6658]);
        check(holes("a2 g2 d7"), &[4, 12, 56, 241, 1332]);
        check(spec("oct"), &[4, 12, 56, 244, 1396, 8200, 55136]);
        check(VariantSpec { cut: 2, ..othello }, &[4, 12, 56, 244, 1392, 8000]);
        check(VariantSpec { cut: 1, ..othello }, &[4, 12, 56, 244, 1396, 8188]);
        let four = [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436];
        check(VariantSpec::sized(4, 4), &four);
        check(VariantSpec::sized(6, 6), &[4, 12, 56, 244, 1364, 7604, 47740]);
        for (columns, rows) in [(6, 4), (4, 6)] {
            check(VariantSpec::sized(columns, rows), &[4, 12, 50, 180, 798, 3338]);
        }
        for (columns, rows) in [(6, 8), (8, 6)] {
            check(VariantSpec::sized(columns, rows), &[4, 12, 56, 244, 1380]);
        }
        check(VariantSpec::sized(10, 10), &[4, 12, 56, 244, 1396, 8200, 55180]);
        check(spec("annex"), &[4, 12, 56, 240, 1328, 7288]);
        let handicap = |n| VariantSpec { handicap: Handicap::Count(n), ..othello };
        check(handicap(1), &[4, 12, 56, 244, 1398, 8196]);
        for n in 2..=4 {
            check(handicap(n), &[4, 12, 56, 244, 1400, 8192]);
        }
    }

    #[test]
    fn passes_cost_a_ply_or_nothing() {
        let variant = variant_of(spec("othello"));
        let leaves = |cost| perft(&variant.start_state(), variant.rules(), 9, cost, &|| false);
        assert_eq!(leaves(PassCost::Ply), Some(3_005_288));
        assert_eq!(leaves(PassCost::Free), Some(3_005_320));
    }

    #[test]
    fn the_walk_by_states_counts_the_same() {
        // A hand that never runs out changes nothing but the way taken.
        for cost in [PassCost::Ply, PassCost::Free] {
            let mut small = VariantSpec::sized(4, 4);
            let fast = variant_of(small);
            small.rules.hand = Some(99);
            let slow = variant_of(small);
            for depth in 0..=16 {
                let count = |variant: &Variant| {
                    perft(&variant.start_state(), variant.rules(), depth, cost, &|| false)
                };
                assert_eq!(count(&fast), count(&slow), "depth {depth}");
            }
        }
    }

    /// The leaves without anything clever.
    fn plain<B: Bits>(position: Position<B>, playable: B, depth: u32, cost: PassCost) -> u64 {
        let moves = position.moves(playable);
        let passed = position.pass();
        if depth == 0 || moves.is_empty() && passed.moves(playable).is_empty() {
            1
        } else if !moves.is_empty() {
            moves.iter().map(|index| plain(position.play(index), playable, depth - 1, cost)).sum()
        } else {
            plain(passed, playable, depth - u32::from(cost == PassCost::Ply), cost)
        }
    }

    #[test]
    fn every_tier_counts_the_same() {
        let drawn = |count, seed| Holes::Drawn { count, seed };
        for (spec, depth) in [
            (spec("othello"), 8),
            (VariantSpec { holes: drawn(5, 3), ..spec("othello") }, 8),
            (VariantSpec::sized(6, 6), 8),
            (VariantSpec::sized(4, 4), 8),
            (spec("oct"), 7),
            // Little room, so that passes come early.
            (VariantSpec { holes: drawn(70, 3), ..VariantSpec::sized(10, 10) }, 8),
            (VariantSpec::sized(16, 4), 7),
            (VariantSpec { holes: drawn(110, 3), ..VariantSpec::sized(12, 12) }, 8),
        ] {
            let variant = variant_of(spec);
            let (state, rules) = (variant.start_state(), variant.rules());
            for (cost, depth) in (0..=depth).flat_map(|n| [(PassCost::Ply, n), (PassCost::Free, n)]) {
                let expected = match state.board.position(state.side) {
                    AnyPosition::W64 { position, playable } => plain(position, playable, depth, cost),
                    AnyPosition::W128 { position, playable } => plain(position, playable, depth, cost),
                    AnyPosition::W256 { position, playable } => plain(position, playable, depth, cost),
                };
                for tier in Tier::all_here() {
                    let counted = perft_on(tier, &state, rules, depth, cost, &|| false);
                    assert_eq!(counted, Some(expected), "{spec:?} {cost:?} depth {depth} {tier}");
                }
            }
        }
    }

    #[test]
    fn perft_stops_when_told() {
        let variant = variant_of(spec("othello"));
        let counted = perft(&variant.start_state(), variant.rules(), 12, PassCost::Ply, &|| true);
        assert_eq!(counted, None);
    }

    #[test]
    fn divide_adds_up() {
        let variant = variant_of(spec("reversi"));
        let split = divide(&variant.start_state(), variant.rules(), 8, PassCost::Ply, &|| false);
        let split = split.unwrap();
        assert_eq!(split.iter().map(|&(_, leaves)| leaves).sum::<u64>(), 6624);
        assert!(split.iter().all(|(act, _)| matches!(act, Act::Place(_))));
    }

    /// The value for the mover, by walking the whole tree.
    fn value(state: &State, rules: &Rules, scoring: Scoring) -> i32 {
        if state.is_over(rules) {
            let counts = state.board.counts();
            let margin = final_margin(
                counts[state.side],
                counts[state.side.other()],
                state.board.geometry().squares(),
                scoring,
            );
            return if rules.anti { -margin } else { margin };
        }
        children(state, rules, 1, PassCost::Free)
            .into_iter()
            .map(|(_, next, _)| -value(&next, rules, scoring))
            .max()
            .unwrap()
    }

    #[test]
    fn d6_f_c_h3_values_of_four_by_four() {
        let holed = |squares: &str| VariantSpec {
            holes: Holes::Squares(if squares.is_empty() { SquareSet::EMPTY } else { set(squares) }),
            ..VariantSpec::sized(4, 4)
        };
        let parallel = VariantSpec { start: Start::Parallel(0), ..holed("") };
        let mut anti = holed("");
        anti.rules.anti = true;
        for (spec, official, discs) in [
            (holed(""), -10, -8),
            (holed("a1"), 15, 13),
            (holed("a1 d4"), 14, 13),
            (holed("b1"), -11, -9),
            (parallel, -4, -3),
            (anti, 4, 3),
        ] {
            let variant = variant_of(spec);
            let solved = |scoring| value(&variant.start_state(), variant.rules(), scoring);
            assert_eq!(variant.first(), Side::Black);
            assert_eq!(solved(Scoring::Official), official, "{spec:?}");
            assert_eq!(solved(Scoring::Discs), discs, "{spec:?}");
        }
    }

    #[test]
    fn b7_values_when_a_stuck_mover_ends_the_game() {
        for (start, discs) in [(Start::Cross, -6), (Start::Parallel(0), -2)] {
            let mut spec = VariantSpec { start, ..VariantSpec::sized(4, 4) };
            spec.rules.stuck = Stuck::End;
            let variant = variant_of(spec);
            let solved = value(&variant.start_state(), variant.rules(), Scoring::Discs);
            assert_eq!(solved, discs, "{start:?}");
        }
    }
}
