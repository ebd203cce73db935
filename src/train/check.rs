//! How far evaluations are from what positions are worth, phase by phase.

use crate::eval::Hand;
use crate::eval::patterns::Folding;
use crate::eval::weights::{N_PHASES, Objective, UNITS_PER_DISC, Weights, WeightsError, phase};
use crate::rules::{Rules, Variant, by_name};

use super::fit::{Errors, Example};
use super::model::Model;
use super::net::Net;

/// Up to so many discs to either side a position is even.
const EVEN: f32 = 12.0;

/// What a phase has come to, over some examples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Checked {
    /// Errors of the weights as the engine uses them.
    pub engine: Errors,
    /// The same where the value is proved.
    pub proved: Errors,
    /// The same where the value is no more than [`EVEN`].
    pub even: Errors,
    /// Errors of the evaluation made by hand.
    pub hand: Errors,
    /// The engine's values against those of the model before rounding; nothing without a model.
    pub rounding: Errors,
    /// The largest of these, in discs.
    pub most_rounding: f32,
}

/// Values examples with weights from a file, with the hand-made evaluation and perhaps with the
/// model and the net that the weights were made from; one entry a phase.
///
/// # Errors
/// The file is not one of weights.
pub fn check(
    weights: &[u8],
    (model, net): (Option<&Model>, Option<&Net>),
    examples: &[Example],
) -> Result<Vec<Checked>, BadWeights> {
    let weights = Weights::read(weights.to_vec()).map_err(BadWeights)?;
    let variant = by_name("othello").and_then(|spec| Variant::new(spec).ok());
    let variant = variant.expect("Othello can be played");
    let rules = Rules { anti: weights.objective() == Objective::Fewest, ..Rules::default() };
    let hand = Hand::<u64>::new(variant.geometry(), &rules);
    let folding = Folding::new();
    let mut phases = vec![Checked::default(); N_PHASES];
    for example in examples {
        let checked = &mut phases[phase(example.n_discs())];
        let value = weights.value(&example.position) as f32 / UNITS_PER_DISC as f32;
        let error = example.target - value.clamp(-64.0, 64.0);
        checked.engine.add(error);
        if example.is_exact {
            checked.proved.add(error);
        }
        if example.target.abs() <= EVEN {
            checked.even.add(error);
        }
        checked.hand.add(example.target - hand.value(&example.position) as f32 / 100.0);
        if let Some(model) = model {
            let position = &example.position;
            let on_top = net.map_or(0.0, |net| net.value(&folding, position));
            let rounding = value - model.value(&folding, position) - on_top;
            checked.rounding.add(rounding);
            checked.most_rounding = checked.most_rounding.max(rounding.abs());
        }
    }
    Ok(phases)
}

/// Bytes are no weights that the engine could use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadWeights(WeightsError);

impl std::fmt::Display for BadWeights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BadWeights {}
