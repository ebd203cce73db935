//! The inner loops on every tier of this processor: `cargo bench`.

use divan::{Bencher, counter::ItemsCount};
use outflank::kernel::Tier;
use outflank::kernel::measure::{Operation, run, samples};
use outflank::rules::{PassCost, Variant, by_name, perft_on};

const N_SAMPLES: usize = 1024;

fn main() {
    divan::main();
}

fn tiers() -> impl Iterator<Item = Tier> {
    Tier::all_here()
}

fn time(bencher: Bencher<'_, '_>, tier: Tier, operation: Operation) {
    let samples = samples(N_SAMPLES);
    bencher.counter(ItemsCount::new(N_SAMPLES)).bench(|| run(tier, operation, &samples));
}

#[divan::bench(args = tiers())]
fn mobility(bencher: Bencher<'_, '_>, tier: Tier) {
    time(bencher, tier, Operation::Mobility);
}

#[divan::bench(args = tiers())]
fn flips(bencher: Bencher<'_, '_>, tier: Tier) {
    time(bencher, tier, Operation::Flips);
}

#[divan::bench(args = tiers())]
fn last_flips(bencher: Bencher<'_, '_>, tier: Tier) {
    time(bencher, tier, Operation::LastFlips);
}

#[divan::bench(args = tiers())]
fn stable(bencher: Bencher<'_, '_>, tier: Tier) {
    time(bencher, tier, Operation::Stable);
}

/// Leaves at depth 8 from the start.
#[divan::bench(args = tiers())]
fn perft(bencher: Bencher<'_, '_>, tier: Tier) {
    let spec = by_name("othello").expect("othello is in the table of variants");
    let variant = Variant::new(spec).expect("othello is a variant");
    let state = variant.start_state();
    bencher
        .counter(ItemsCount::new(390_216_u32))
        .bench(|| perft_on(tier, &state, variant.rules(), 8, PassCost::Ply, &|| false));
}
