//! The search as machine code of each kind of processor.
//!
//! The search proper is written once, generic over a [`Stamp`]: a width of boards on a tier of
//! processors. Its functions are `#[inline(always)]`, and those that call themselves go through
//! the methods here, each of which is a function of its own with the features of its tier. So
//! one choice at the beginning of a search is the only one, and nothing is dispatched inside.

use crate::eval::Evaluator;
use crate::eval::net::Outlook;
use crate::eval::patterns::{Lanes, Views};
use crate::eval::weights::{Weights, phase, to_centidiscs};
#[cfg(target_arch = "x86_64")]
use crate::kernel::{Avx2, Avx512};
use crate::kernel::{Kernel, Portable, Tier, for_every_tier, on_tier, stamped};
use crate::rules::{Bits, Position, U256};

use super::ground::Ground;
use super::last;
use super::node::{self, Look};
use super::shallow;
use super::stability;
use super::table::Table;
use super::worker::Worker;

/// One copy of the search.
pub(crate) trait Stamp<B: Bits>: Copy + Send + Sync + 'static {
    /// All 64 squares of 8x8 exist and most discs win, so that much is known beforehand.
    const STANDARD: bool;

    /// Where `own` may play.
    fn mobility(self, own: B, other: B, playable: B) -> B;
    /// What `own` turns by playing on a square.
    fn flips(self, own: B, other: B, index: u32) -> B;
    /// How many discs `own` turns by playing on the last empty square.
    fn last_flips(self, own: B, other: B, index: u32) -> u32;
    /// Some of the discs of `owner` that can never be flipped: see [`Kernel::stable`].
    fn stable(self, owner: B, empties: B, playable: B) -> B;

    /// What the evaluation sees of a position, kept up to date from move to move.
    type Views: Copy;
    /// The views of a position.
    fn views(self, eval: &Evaluator<B>, position: &Position<B>) -> Self::Views;
    /// The views after a move that turns `flips`.
    fn views_after(self, eval: &Evaluator<B>, views: &Self::Views, index: u32, flips: B) -> Self::Views;
    /// The views after a pass.
    fn views_passed(self, views: &Self::Views) -> Self::Views;
    /// The guessed margin of a position for its mover, in centidiscs.
    fn value(self, worker: &Worker<'_, B>, position: &Position<B>, views: &Self::Views) -> i32;
    /// A quick guess of the margin for the next mover of `child`, the position after a move, given the
    /// views before it: good enough to order moves by.
    fn quick_value_after(
        self,
        worker: &Worker<'_, B>,
        views: &Self::Views,
        child: &Position<B>,
        played: Played<B>,
    ) -> i32;
    /// The guessed margin for the next mover of `child`; a bound by alpha or beta, the window, where a
    /// quick guess lies further than [`FAR`] outside.
    fn leaf(
        self,
        worker: &Worker<'_, B>,
        views: &Self::Views,
        child: &Position<B>,
        played: Played<B>,
        window: (i32, i32),
    ) -> i32;

    /// See [`node::search`].
    fn node(
        self,
        worker: &mut Worker<'_, B>,
        position: &Position<B>,
        views: &Self::Views,
        look: Look,
    ) -> i32;
    /// See [`shallow::search`].
    fn shallow(self, worker: &mut Worker<'_, B>, position: &Position<B>, moves: B, alpha: i32) -> i32;
    /// See [`last::few`].
    fn few(self, worker: &mut Worker<'_, B>, position: &Position<B>, empties: B, alpha: i32) -> i32;
    /// See [`last::few_window`].
    fn few_window(
        self,
        worker: &mut Worker<'_, B>,
        position: &Position<B>,
        alpha: i32,
        beta: i32,
    ) -> i32;
    /// See [`last::four`].
    fn four(self, worker: &mut Worker<'_, B>, position: &Position<B>, empty: [u8; 4], alpha: i32)
    -> i32;
    /// See [`last::three`].
    fn three(
        self,
        worker: &mut Worker<'_, B>,
        position: &Position<B>,
        empty: [u8; 3],
        alpha: i32,
    ) -> i32;
}

/// A move.
#[derive(Clone, Copy)]
pub(crate) struct Played<B> {
    /// Its square.
    pub index: u32,
    /// What it turns.
    pub flips: B,
}

/// 8x8 with every square, when most discs win.
#[derive(Clone, Copy)]
pub(crate) struct Standard<K>(K);

/// Any board within 8x8, under any scoring.
#[derive(Clone, Copy)]
pub(crate) struct Shaped<K>(K);

/// A board beyond 8x8.
#[derive(Clone, Copy)]
pub(crate) struct Wide<K>(K);

/// The functions of a stamp that call themselves, as code with the features of its tier.
macro_rules! recursive {
    ($bits:ty, $stamp:ty, $features:tt) => {
        recursive! {
            $bits, $stamp, $features,
            node => node::search(position: &Position<$bits>, views: &<$stamp as Stamp<$bits>>::Views, look: Look);
            shallow => shallow::search(position: &Position<$bits>, moves: $bits, alpha: i32);
            few => last::few(position: &Position<$bits>, empties: $bits, alpha: i32);
            few_window => last::few_window(position: &Position<$bits>, alpha: i32, beta: i32);
            four => last::four(position: &Position<$bits>, empty: [u8; 4], alpha: i32);
            three => last::three(position: &Position<$bits>, empty: [u8; 3], alpha: i32);
        }
    };
    ($bits:ty, $stamp:ty, $features:tt,
        $($name:ident => $room:ident::$function:ident($($argument:ident: $ty:ty),*);)*) => {
        $(
            #[inline(always)]
            fn $name(self, worker: &mut Worker<'_, $bits>, $($argument: $ty),*) -> i32 {
                stamped!($features (stamp: $stamp = self, worker: &mut Worker<'_, $bits> = worker,
                    $($argument: $ty = $argument),*) -> i32 {
                    $room::$function(stamp, worker, $($argument),*)
                })
            }
        )*
    };
}

/// What is added to a value of the trained evaluation, and what more for each empty square, both in
/// centidiscs.
///
/// Where a search ends, the side that is not to move has chosen the last move by what the
/// evaluation says of it, and so by its errors as well: the values of its choice are too good by so
/// much on average. Without this, values of odd depths lie about twice as much above those of even
/// ones. Errors are larger where more is left to play.
/// For games that most discs win, and for those that the fewest win; measured by
/// `outflank train probcut`.
const TEMPO: [(i32, i32); 2] = [(-50, 4), (115, 0)];

/// Where the sum of weights lies so far outside the window, in centidiscs, nobody asks the net: it
/// hardly ever corrects more.
const FAR: i32 = 700;

/// A value of the trained evaluation in 1/128 disc as centidiscs, with what is added to it where so
/// many squares are taken; no result is larger than the board.
#[inline(always)]
fn for_mover<B: Bits>(value: i32, n_taken: u32, ground: &Ground<B>) -> i32 {
    let (tempo, of_empty) = TEMPO[usize::from(ground.anti())];
    let tempo = tempo + of_empty * (64 - n_taken as i32);
    let most = 100 * ground.squares as i32;
    (to_centidiscs(value) + tempo).clamp(-most, most)
}

/// What the net of the weights, if they have one, adds to their sum, in 1/128 disc.
#[inline(always)]
fn net_value<S: Stamp<u64>, K: Kernel>(
    stamp: S,
    kernel: K,
    worker: &Worker<'_, u64>,
    weights: &Weights,
    position: &Position<u64>,
    lanes: &Lanes,
) -> i32 {
    let Some(net) = weights.net() else { return 0 };
    let ground = worker.ground;
    let playable = if S::STANDARD { !0 } else { ground.playable };
    let n_taken = ground.n_taken(position);
    let outlook = Outlook {
        own_moves: stamp.mobility(position.own, position.other, playable),
        other_moves: stamp.mobility(position.other, position.own, playable),
        empties: playable & !(position.own | position.other),
        n_taken,
    };
    net.value(kernel, phase(n_taken), lanes, &outlook)
}

/// How boards within 8x8 are valued: by patterns where there are weights.
macro_rules! valued_by_patterns {
    () => {
        type Views = Views;

        #[inline(always)]
        fn views(self, eval: &Evaluator<u64>, position: &Position<u64>) -> Views {
            if eval.weights.is_some() { Views::new(position) } else { Views::NONE }
        }

        #[inline(always)]
        fn views_after(self, eval: &Evaluator<u64>, views: &Views, index: u32, flips: u64) -> Views {
            if eval.weights.is_some() { views.play(index, flips) } else { *views }
        }

        #[inline(always)]
        fn views_passed(self, views: &Views) -> Views {
            views.pass()
        }

        #[inline(always)]
        fn value(self, worker: &Worker<'_, u64>, position: &Position<u64>, views: &Views) -> i32 {
            match &worker.eval.weights {
                Some(weights) => {
                    let n_discs = worker.ground.n_taken(position);
                    let sum = weights.sum(n_discs, &views.mover);
                    let net = net_value(self, self.0, worker, weights, position, &views.mover);
                    for_mover(sum + net, n_discs, worker.ground)
                }
                None => by_hand(self, worker, position),
            }
        }

        #[inline(always)]
        fn quick_value_after(
            self,
            worker: &Worker<'_, u64>,
            views: &Views,
            child: &Position<u64>,
            played: Played<u64>,
        ) -> i32 {
            match &worker.eval.weights {
                Some(weights) => {
                    let n_discs = worker.ground.n_taken(child);
                    let sum = weights.sum(n_discs, &views.play_for_next(played.index, played.flips));
                    for_mover(sum, n_discs, worker.ground)
                }
                None => by_hand(self, worker, child),
            }
        }

        #[inline(always)]
        fn leaf(
            self,
            worker: &Worker<'_, u64>,
            views: &Views,
            child: &Position<u64>,
            played: Played<u64>,
            (alpha, beta): (i32, i32),
        ) -> i32 {
            let Some(weights) = &worker.eval.weights else { return by_hand(self, worker, child) };
            let lanes = views.play_for_next(played.index, played.flips);
            let n_discs = worker.ground.n_taken(child);
            let sum = weights.sum(n_discs, &lanes);
            let quick = for_mover(sum, n_discs, worker.ground);
            let Some(recent) = &worker.recent else { return quick };
            if quick <= alpha - FAR || quick >= beta + FAR {
                // How far outside is not known for sure.
                return quick.clamp(alpha, beta);
            }
            let key = Table::key(child);
            if let Some(value) = recent.get(key) {
                return value;
            }
            let net = net_value(self, self.0, worker, weights, child, &lanes);
            let value = for_mover(sum + net, n_discs, worker.ground);
            recent.put(key, value);
            value
        }
    };
}

#[inline(always)]
fn by_hand<B: Bits, S: Stamp<B>>(stamp: S, worker: &Worker<'_, B>, position: &Position<B>) -> i32 {
    let playable = if S::STANDARD { B::ALL } else { worker.ground.playable };
    let moves = stamp.mobility(position.own, position.other, playable);
    let replies = stamp.mobility(position.other, position.own, playable);
    worker.eval.hand.value_knowing(position, moves, replies)
}

macro_rules! within_8x8 {
    ($kernel:ty, $features:tt) => {
        impl Stamp<u64> for Standard<$kernel> {
            const STANDARD: bool = true;

            #[inline(always)]
            fn mobility(self, own: u64, other: u64, _: u64) -> u64 {
                self.0.mobility(own, other)
            }

            #[inline(always)]
            fn flips(self, own: u64, other: u64, index: u32) -> u64 {
                self.0.flips(own, other, index)
            }

            #[inline(always)]
            fn last_flips(self, own: u64, _: u64, index: u32) -> u32 {
                self.0.last_flips(own, index)
            }

            #[inline(always)]
            fn stable(self, owner: u64, empties: u64, _: u64) -> u64 {
                self.0.stable(owner, empties, !0)
            }

            valued_by_patterns!();
            recursive!(u64, Standard<$kernel>, $features);
        }

        impl Stamp<u64> for Shaped<$kernel> {
            const STANDARD: bool = false;

            #[inline(always)]
            fn mobility(self, own: u64, other: u64, playable: u64) -> u64 {
                self.0.mobility(own, other) & playable
            }

            #[inline(always)]
            fn flips(self, own: u64, other: u64, index: u32) -> u64 {
                self.0.flips(own, other, index)
            }

            // A hole is no enemy, so the count for a full board would be wrong.
            #[inline(always)]
            fn last_flips(self, own: u64, other: u64, index: u32) -> u32 {
                self.0.flips(own, other, index).count_ones()
            }

            #[inline(always)]
            fn stable(self, owner: u64, empties: u64, playable: u64) -> u64 {
                self.0.stable(owner, empties, playable)
            }

            valued_by_patterns!();
            recursive!(u64, Shaped<$kernel>, $features);
        }
    };
}

for_every_tier!(within_8x8);

macro_rules! beyond_8x8 {
    ($kernel:ident, $features:tt) => {
        beyond_8x8!(u128, $kernel, $features);
        beyond_8x8!(U256, $kernel, $features);
    };
    ($bits:ty, $kernel:ident, $features:tt) => {
        impl Stamp<$bits> for Wide<$kernel> {
            const STANDARD: bool = false;

            #[inline(always)]
            fn mobility(self, own: $bits, other: $bits, playable: $bits) -> $bits {
                Bits::mobility(own, other, playable)
            }

            #[inline(always)]
            fn flips(self, own: $bits, other: $bits, index: u32) -> $bits {
                Bits::flips(own, other, index)
            }

            #[inline(always)]
            fn last_flips(self, own: $bits, other: $bits, index: u32) -> u32 {
                self.flips(own, other, index).count()
            }

            #[inline(always)]
            fn stable(self, owner: $bits, empties: $bits, playable: $bits) -> $bits {
                stability::stable(owner, empties, playable)
            }

            type Views = ();

            #[inline(always)]
            fn views(self, _: &Evaluator<$bits>, _: &Position<$bits>) {}

            #[inline(always)]
            fn views_after(self, _: &Evaluator<$bits>, (): &(), _: u32, _: $bits) {}

            #[inline(always)]
            fn views_passed(self, (): &()) {}

            #[inline(always)]
            fn value(self, worker: &Worker<'_, $bits>, position: &Position<$bits>, (): &()) -> i32 {
                by_hand(self, worker, position)
            }

            #[inline(always)]
            fn quick_value_after(
                self,
                worker: &Worker<'_, $bits>,
                (): &(),
                child: &Position<$bits>,
                _: Played<$bits>,
            ) -> i32 {
                by_hand(self, worker, child)
            }

            #[inline(always)]
            fn leaf(
                self,
                worker: &Worker<'_, $bits>,
                (): &(),
                child: &Position<$bits>,
                _: Played<$bits>,
                _: (i32, i32),
            ) -> i32 {
                by_hand(self, worker, child)
            }

            recursive!($bits, Wide<$kernel>, $features);
        }
    };
}

for_every_tier!(beyond_8x8);

/// A stamp as the caller sees it who knows only the width.
pub(crate) trait Entry<B: Bits>: Send + Sync {
    /// See [`node::search`].
    fn enter(&self, worker: &mut Worker<'_, B>, position: &Position<B>, look: Look) -> i32;

    /// The guessed margin for the mover, in centidiscs.
    fn guess(&self, worker: &Worker<'_, B>, position: &Position<B>) -> i32;
}

impl<B: Bits, S: Stamp<B>> Entry<B> for S {
    fn enter(&self, worker: &mut Worker<'_, B>, position: &Position<B>, look: Look) -> i32 {
        self.node(worker, position, &self.views(worker.eval, position), look)
    }

    fn guess(&self, worker: &Worker<'_, B>, position: &Position<B>) -> i32 {
        self.value(worker, position, &self.views(worker.eval, position))
    }
}

/// The search for boards within 8x8 on a tier of processors.
pub(crate) fn within_8x8(tier: Tier, standard: bool) -> Box<dyn Entry<u64>> {
    on_tier!(tier, kernel => {
        if standard { Box::new(Standard(kernel)) } else { Box::new(Shaped(kernel)) }
    })
}

/// The search for boards within 11x11 on a tier of processors.
pub(crate) fn within_11x11(tier: Tier) -> Box<dyn Entry<u128>> {
    on_tier!(tier, kernel => Box::new(Wide(kernel)))
}

/// The search for boards within 16x16 on a tier of processors.
pub(crate) fn within_16x16(tier: Tier) -> Box<dyn Entry<U256>> {
    on_tier!(tier, kernel => Box::new(Wide(kernel)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::native::NativeEngine;
    use crate::engine::{Engine, Goal, Limits, SearchRequest, StopFlag};
    use crate::eval::weights::Objective;
    use crate::rules::{Game, SplitMix64, Square, Variant, VariantSpec};

    fn taken(position: &Position<u64>) -> u32 {
        (position.own | position.other).count_ones()
    }

    /// The value of a position some plies ahead by plain minimax over the plain value of the weights,
    /// net and all; nothing where a pass or an end comes into it.
    fn plain(ground: &Ground<u64>, position: &Position<u64>, depth: u32) -> Option<i32> {
        if depth == 0 {
            let value = Weights::trained(Objective::Most).value(position);
            return Some(for_mover(value, taken(position), ground));
        }
        let moves = crate::rules::mobility(position.own, position.other, !0);
        let children = moves.iter().map(|index| plain(ground, &position.play(index), depth - 1));
        children
            .map(|value| value.map(|value| -value))
            .try_fold(None, |best: Option<i32>, value| Some(best.max(Some(value?))))?
    }

    #[test]
    fn searches_see_what_the_plain_value_of_the_weights_says() {
        let mut random = SplitMix64::new(17);
        let mut engine = NativeEngine::new(1);
        let mut n_compared = 0;
        for _ in 0..12 {
            let mut game = Game::new(Variant::new(VariantSpec::sized(8, 8)).expect("Othello"));
            for _ in 0..10 + random.below(30) {
                let moves: Vec<Square> = game.legal().iter().collect();
                if moves.is_empty() {
                    break;
                }
                let square = moves[random.below(moves.len() as u64) as usize];
                game.play(None, square).expect("a legal move");
            }
            let state = game.state().clone();
            let ground = Ground::new(state.board.geometry(), game.rules());
            let position = state.board.position64(state.side).expect("a board of 8x8").0;
            for depth in [1, 2] {
                // In lopsided positions a net may correct more than is reckoned with.
                let even = |value: &i32| depth < 2 || value.abs() <= 1500;
                let Some(expected) = plain(&ground, &position, depth).filter(even) else { continue };
                let mut request = SearchRequest::new(state.clone(), *game.rules());
                (request.goal, request.deterministic) = (Goal::BestMove, true);
                request.limits = Limits { depth: Some(depth), ..Limits::default() };
                let found = engine.run(&request, &StopFlag::new(), &mut |_| {});
                assert_eq!(found.lines[0].value.centidiscs, expected, "{position:x?} {depth}");
                n_compared += 1;
            }
        }
        assert!(n_compared > 12, "{n_compared}");
    }
}
