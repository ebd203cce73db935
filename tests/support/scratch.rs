//! Folders for the files of one test.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that only this test has, deleted when it is dropped.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// An empty folder.
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("outflank-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder in the temporary folder");
        Scratch(path)
    }

    /// Where a file of this name is or would be.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path that is text").to_owned()
    }

    /// Writes a file and tells its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("a file in a folder of our own");
        path
    }

    /// What a file holds.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file that is there, and text")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
