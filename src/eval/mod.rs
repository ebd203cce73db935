//! What a position is worth without searching it.
//!
//! Two evaluations: one made by hand that works on every board ([`hand`]), and one of trained
//! [`weights`] over the [`patterns`] of 8x8. Knows boards and rules, and nothing of searches.

mod hand;
mod huffman;
pub(crate) mod patterns;
pub(crate) mod shape;
pub(crate) mod weights;

use std::sync::Arc;

use crate::rules::{Bits, Geometry, Rules};

pub(crate) use hand::Evaluator as Hand;
use weights::{Objective, Weights};

/// Values positions of one board under one set of rules.
pub(crate) struct Evaluator<B: Bits> {
    /// What every board has.
    pub hand: Hand<B>,
    /// Better where there are any.
    pub weights: Option<Arc<Weights>>,
}

impl<B: Bits> Evaluator<B> {
    /// The evaluator for a geometry and rules, with weights that are [for them](fitting).
    pub fn new(geometry: &Geometry, rules: &Rules, weights: Option<Arc<Weights>>) -> Self {
        Self { hand: Hand::new(geometry, rules), weights }
    }
}

/// The trained weights for a geometry and rules, where there are any.
pub(crate) fn fitting(geometry: &Geometry, rules: &Rules) -> Option<Arc<Weights>> {
    let objective = if rules.anti { Objective::Fewest } else { Objective::Most };
    let is_8x8 = (geometry.columns(), geometry.rows()) == (8, 8);
    is_8x8.then(|| Arc::clone(Weights::trained(objective)))
}
