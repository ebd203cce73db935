//! Folders for the files of one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::process::PATIENCE;

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

    /// Waits until no process has this folder in its command line.
    pub fn nothing_runs(&self) {
        let started = Instant::now();
        while let Some(running) = running(&self.0) {
            assert!(started.elapsed() < PATIENCE, "left running: {running}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A process with this path in its command line; none where the system does not tell.
fn running(path: &Path) -> Option<String> {
    let own = std::process::id().to_string();
    let path = path.to_str().expect("a path that is text");
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == own || !name.chars().all(|c| c.is_ascii_digit()) {
            continue;
        }
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(path) {
            return Some(format!("{name}: {line}"));
        }
    }
    None
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
