//! The inner loops on every tier of this processor: `cargo bench`.

use divan::{Bencher, counter::ItemsCount};
use outflank::kernel::Tier;
use outflank::kernel::measure::{Operation, run, samples};
use outflank::rules::{PassCost, Variant, VariantSpec, perft_on};

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

#[divan::bench(args = tiers())]
fn units(bencher: Bencher<'_, '_>, tier: Tier) {
    time(bencher, tier, Operation::Units);
}

/// Leaves at depth 8 from the start of a board.
fn time_leaves(bencher: Bencher<'_, '_>, tier: Tier, spec: VariantSpec, leaves: u32) {
    let variant = Variant::new(spec).expect("the variants here are in order");
    let state = variant.start_state();
    bencher
        .counter(ItemsCount::new(leaves))
        .bench(|| perft_on(tier, &state, variant.rules(), 8, PassCost::Ply, &|| false));
}

#[divan::bench(args = tiers())]
fn perft(bencher: Bencher<'_, '_>, tier: Tier) {
    time_leaves(bencher, tier, VariantSpec::sized(8, 8), 390_216);
}

#[divan::bench(args = tiers())]
fn perft_10x10(bencher: Bencher<'_, '_>, tier: Tier) {
    time_leaves(bencher, tier, VariantSpec::sized(10, 10), 392_268);
}

#[divan::bench(args = tiers())]
fn perft_16x16(bencher: Bencher<'_, '_>, tier: Tier) {
    time_leaves(bencher, tier, VariantSpec::sized(16, 16), 392_268);
}
