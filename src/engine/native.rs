//! The engine of this crate: its search and its evaluation behind the trait.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::{Engine, EngineError, Found, Lesson, MAX_THREADS, Report, SearchRequest, StopFlag};
use crate::eval::weights::Weights;
pub use crate::eval::weights::{Objective, WeightsError};
use crate::kernel::{Tier, TierMissing};
use crate::rules::{Rules, State};
pub use crate::search::bench::{Bench, BenchPosition, bench};
use crate::search::{self, Searcher};

/// The largest table supported, in MiB.
pub const MAX_HASH_MIB: usize = 1 << 16;
/// The table when nothing is said, in MiB.
pub const DEFAULT_HASH_MIB: usize = 64;

/// Has this process value positions by other trained weights than those of its build. To be called
/// before the first search. What is returned says which games they are for; others keep theirs.
///
/// # Errors
/// The bytes are no weights for this program; the message says why.
pub fn use_weights(bytes: Vec<u8>) -> Result<Objective, WeightsError> {
    let weights = Weights::read(bytes)?;
    log::info!("trained weights with the checksum {:016x}", weights.checksum());
    let objective = weights.objective();
    let is_in_time = weights.replace();
    debug_assert!(is_in_time, "no search has run yet");
    Ok(objective)
}

/// Makes the weights that most games are played with ready for use, while the caller does something
/// else. Without this, the first search does it for those that it asks for, which takes as long as
/// a move in a game of a second or two.
pub fn prepare() {
    let prepare = || Weights::trained(Objective::Most).prepare();
    // Where there is no thread to be had, the first search does it.
    let _ = thread::Builder::new().name("weights".to_owned()).spawn(prepare);
}

/// The most empty squares of a position like this one from which a level (0 to 60), or what is done
/// without one, sees the end of the game and leaves nothing out.
#[must_use]
pub fn exact_from(level: Option<u32>, state: &State, rules: &Rules) -> u32 {
    search::exact_from(level, state, rules)
}

/// The search with its table.
pub struct NativeEngine {
    searcher: Searcher,
}

impl NativeEngine {
    /// An engine whose table takes this many MiB, brought within 1 to
    /// [`MAX_HASH_MIB`]. The memory is set aside at once. A search uses one thread unless more are
    /// set.
    pub fn new(hash_mib: usize) -> Self {
        Self { searcher: Searcher::new(hash_mib.clamp(1, MAX_HASH_MIB) << 20) }
    }

    /// The same engine as code of a tier that the processor has, whatever the process has chosen.
    ///
    /// # Errors
    /// The processor lacks the tier.
    pub fn on_tier(hash_mib: usize, tier: Tier) -> Result<Self, TierMissing> {
        if !tier.is_here() {
            return Err(TierMissing { tier });
        }
        let mut engine = Self::new(hash_mib);
        engine.searcher.set_tier(tier);
        Ok(engine)
    }
}

impl Default for NativeEngine {
    fn default() -> Self {
        Self::new(DEFAULT_HASH_MIB)
    }
}

impl Engine for NativeEngine {
    fn run(
        &mut self,
        request: &SearchRequest,
        stop: &StopFlag,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let attempt = AssertUnwindSafe(|| self.searcher.run(request, stop, observer));
        catch_unwind(attempt).unwrap_or_else(|_| {
            log::error!("the search broke");
            // What it was about to write may be half written.
            self.searcher.clear();
            Found { failed: true, ..Found::any_legal(&request.state, &request.rules) }
        })
    }

    fn clear(&mut self) {
        self.searcher.clear();
    }

    fn teach(&mut self, lesson: &Lesson) {
        self.searcher.teach(lesson);
    }

    fn set_hash_mib(&mut self, mib: usize) -> Result<(), EngineError> {
        if !(1..=MAX_HASH_MIB).contains(&mib) {
            return Err(EngineError::HashSize { mib, max_mib: MAX_HASH_MIB });
        }
        if self.searcher.set_hash_bytes(mib << 20) {
            Ok(())
        } else {
            Err(EngineError::OutOfMemory { mib })
        }
    }

    fn set_threads(&mut self, n: usize) -> Result<(), EngineError> {
        if !(1..=MAX_THREADS).contains(&n) {
            return Err(EngineError::Threads { n, max: MAX_THREADS });
        }
        self.searcher.set_threads(n);
        Ok(())
    }

    fn name(&self) -> &str {
        crate::NAME
    }
}
