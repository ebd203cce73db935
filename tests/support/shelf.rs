//! The reference shelf: material that a clone does not have.

use std::path::{Path, PathBuf};

/// A file or folder of the shelf, or `None` with a message when it is not here.
pub fn find(relative: &str) -> Option<PathBuf> {
    let shelf = match std::env::var_os("OUTFLANK_SHELF") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let path = shelf.join(relative);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: the reference shelf has no {relative} here");
    None
}
