//! A text, for the reader that the first byte picks.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_fuzz::{Target, pick};

fuzz_target!(|data: &[u8]| {
    if let Some((target, bytes)) = pick(data, |target| matches!(target, Target::Format(_))) {
        target.feed(bytes);
    }
});
