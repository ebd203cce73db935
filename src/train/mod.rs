//! How the weights of the evaluation are made: positions with their values, and a fit to them.
//!
//! [`wthor`], [`games`], [`leaves`] and [`relabel`] make labelled positions, [`produce`] lets
//! several threads do it and writes what they make, [`samples`] are the files. [`fit`] finds
//! weights for them, [`model`] is what it finds, before and after rounding, [`net`] learns what
//! they leave, and [`check`] holds the engine's numbers against it and against the samples.
//! [`doubts`] measures what ProbCut has to know of it. Knows the engine as those who ask it do.
//! Must not write to standard output; progress is told to whoever calls.

pub mod ask;
pub mod check;
pub mod doubts;
pub mod fit;
pub mod games;
pub mod leaves;
pub mod model;
pub mod net;
pub mod produce;
pub mod relabel;
pub mod samples;
pub mod wthor;
