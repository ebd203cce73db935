//! Which tiers there are, which of them this processor has, and which one is used.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};

/// A kind of processor that there are kernels for, slowest first.
///
/// Processors of other families than x86-64, aarch64 among them, run the portable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Plain integer code, on every processor.
    Portable,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT.
    Avx2,
    /// The same with AVX-512 F, VL and CD.
    Avx512,
}

impl Tier {
    /// Every tier, slowest first.
    pub const ALL: [Tier; 3] = [Tier::Portable, Tier::Avx2, Tier::Avx512];

    /// The fastest tier that this processor has.
    #[must_use]
    pub fn best() -> Tier {
        Tier::all_here().last().unwrap_or(Tier::Portable)
    }

    /// The tiers that this processor has, slowest first.
    pub fn all_here() -> impl DoubleEndedIterator<Item = Tier> {
        Tier::ALL.into_iter().filter(|tier| tier.is_here())
    }

    /// Whether this processor has what the tier needs.
    #[must_use]
    pub fn is_here(self) -> bool {
        match self {
            Tier::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The tier this process uses: the one that was forced, or else the best.
    #[must_use]
    pub fn chosen() -> Tier {
        let forced = FORCED.load(Ordering::Relaxed);
        let forced = Tier::ALL.into_iter().find(|&tier| forced == tier as u8 + 1);
        forced.unwrap_or_else(Tier::best)
    }

    /// Makes this process use a tier from now on. What is already running goes on as it is.
    ///
    /// # Errors
    /// The processor lacks the tier; nothing is changed.
    pub fn force(tier: Tier) -> Result<(), TierMissing> {
        if !tier.is_here() {
            return Err(TierMissing { tier });
        }
        FORCED.store(tier as u8 + 1, Ordering::Relaxed);
        Ok(())
    }

    /// One word for the tier.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tier::Portable => "portable",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// The tier with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Tier> {
        Tier::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The tier that was forced as its number plus 1; 0 if none was.
static FORCED: AtomicU8 = AtomicU8::new(0);

/// A tier was asked for that this processor lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierMissing {
    /// What was asked for.
    pub tier: Tier,
}

impl fmt::Display for TierMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this processor has no {}", self.tier)
    }
}

impl std::error::Error for TierMissing {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_have_names_and_the_best_is_here() {
        for tier in Tier::ALL {
            assert_eq!(Tier::from_name(tier.name()), Some(tier));
        }
        assert_eq!(Tier::from_name("abacus"), None);
        assert!(Tier::best().is_here() && Tier::Portable.is_here());
        assert_eq!(Tier::all_here().next(), Some(Tier::Portable));
    }

    #[test]
    fn a_tier_that_is_absent_cannot_be_forced() {
        for tier in Tier::ALL.into_iter().filter(|tier| !tier.is_here()) {
            assert_eq!(Tier::force(tier), Err(TierMissing { tier }));
        }
        assert!(Tier::chosen().is_here());
    }
}
