//! Whatever is written to a dialect, a client or a reader of formats: nothing panics, nothing hangs,
//! and what comes out is whole lines.
//!
//! A quick round is part of every test run. `OUTFLANK_FUZZ=10000000` feeds that many inputs in all,
//! `OUTFLANK_FUZZ_SECONDS=60` feeds every target that long; `OUTFLANK_FUZZ_SEED` begins elsewhere.
//! An input that upsets a target is printed; seed and number bring it back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../fuzz/src/lib.rs"]
#[allow(dead_code)]
mod fuzz;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fuzz::{Target, targets};

/// Inputs of a quick round.
const QUICK: u64 = 20_000;
/// An input that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers that are as good as random (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, or 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}

/// What inputs for a target are made of: lines that were written to it, and their words.
struct Soup {
    lines: Vec<String>,
    words: Vec<String>,
    /// Words of all targets.
    others: Vec<String>,
}

/// Words that mean something nearly everywhere, or nowhere.
const SPICE: &[&str] = &[
    "0",
    "-1",
    "007",
    "4294967296",
    "18446744073709551616",
    "1e309",
    "nan",
    "-0.5",
    "99999",
    "\u{0}",
    "é",
    "\u{feff}",
    "\u{2028}",
    "=",
    "==",
    "\"",
    "\\",
    "#",
    ";",
    "(;",
    ";)",
    "]",
    "--",
    "a1",
    "p16",
    "q17",
    "pass",
    "X",
    "8/8/8/3ox3/3xo3/8/8/8,x",
    "othello+hole=3@42",
    "%",
    "{}",
    "%s",
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The lines of every file in a folder, and of none where it is not there.
fn lines_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts = paths.iter().filter_map(|path| fs::read_to_string(path).ok());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The conversations of a dialect, as far as one side wrote them.
fn spoken(dialect: &str, mark: &str) -> Vec<String> {
    let lines = lines_in(&folder("sessions").join(dialect));
    let spoken = lines.iter().filter_map(|line| line.strip_prefix(mark));
    spoken.filter(|line| *line != "...").map(str::to_owned).collect()
}

impl Soup {
    fn of(target: Target) -> Soup {
        let samples = lines_in(&folder("samples"));
        let lines = match target {
            Target::Dialect(row) => spoken(row.name, "> "),
            Target::Client(row) => spoken(row.name, "< "),
            Target::Format(_) => samples.clone(),
        };
        let words_of = |lines: &[String]| -> Vec<String> {
            let words: BTreeSet<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            words.into_iter().map(str::to_owned).collect()
        };
        let others = words_of(&samples);
        Soup { words: words_of(&lines), lines, others }
    }

    /// One input, in the same buffer.
    fn serve(&self, random: &mut Random, out: &mut Vec<u8>) {
        out.clear();
        let lines = 1 + random.below(4);
        for line in 0..lines {
            if line > 0 {
                out.extend_from_slice(if random.below(9) == 0 { b"\r\n" } else { b"\n" });
            }
            let begin = out.len();
            match random.below(8) {
                0 => {
                    let n = random.below(80);
                    out.extend((0..n).map(|_| random.next() as u8));
                }
                1..=3 => self.soup(random, out),
                _ => {
                    out.extend_from_slice(
                        random.one_of(&self.lines).map_or(b"", |line| line.as_bytes()),
                    );
                    for _ in 0..random.below(4) {
                        self.mutate(random, out, begin);
                    }
                }
            }
        }
    }

    fn word(&self, random: &mut Random) -> &str {
        match random.below(8) {
            0 => random.one_of(SPICE).copied(),
            1 => random.one_of(&self.others).map(String::as_str),
            _ => random.one_of(&self.words).map(String::as_str),
        }
        .unwrap_or_default()
    }

    fn soup(&self, random: &mut Random, out: &mut Vec<u8>) {
        for word in 0..random.below(8) {
            if word > 0 {
                out.push(if random.below(16) == 0 { b'\t' } else { b' ' });
            }
            out.extend_from_slice(self.word(random).as_bytes());
        }
    }

    /// Changes what stands behind `begin`.
    fn mutate(&self, random: &mut Random, out: &mut Vec<u8>, begin: usize) {
        let at = begin + random.below(out.len() - begin + 1);
        let end = (at + random.below(12)).min(out.len());
        match random.below(6) {
            0 => out.truncate(at),
            1 => drop(out.drain(at..end)),
            2 => {
                let again = out[at..end].repeat(1 + random.below(40));
                out.splice(at..at, again);
            }
            3 => out.insert(at, random.next() as u8),
            4 => {
                let word = self.word(random).as_bytes().to_vec();
                out.splice(at..end, word);
            }
            _ => {
                if let Some(byte) = out.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

/// How long each target is fed.
enum Portion {
    Inputs(u64),
    Time(Duration),
}

/// What is being fed, for whoever watches.
#[derive(Default)]
struct Plate {
    fed: AtomicU64,
    input: Mutex<Vec<u8>>,
    is_done: AtomicBool,
}

/// Ends the process when one input keeps a target busy: a thread that hangs cannot be stopped.
fn watch(plate: &Plate) {
    let mut seen = (u64::MAX, Instant::now());
    while !plate.is_done.load(Ordering::Relaxed) {
        thread::park_timeout(Duration::from_secs(1));
        let fed = plate.fed.load(Ordering::Relaxed);
        if fed != seen.0 {
            seen = (fed, Instant::now());
        } else if seen.1.elapsed() > PATIENCE {
            let input = plate.input.lock().map(|input| input.clone()).unwrap_or_default();
            eprintln!("input {fed} hangs: \"{}\"", input.escape_ascii());
            std::process::abort();
        }
    }
}

/// Feeds a target and returns how many inputs it took.
fn feed(target: Target, portion: &Portion, seed: u64, plate: &Plate) -> u64 {
    let soup = Soup::of(target);
    let begun = Instant::now();
    let mut fed = 0;
    let mut input = Vec::new();
    loop {
        let is_enough = match portion {
            Portion::Inputs(n) => fed >= *n,
            Portion::Time(time) => fed % 1024 == 0 && begun.elapsed() >= *time,
        };
        if is_enough {
            return fed;
        }
        // Each input has a beginning of its own, so that it can be had again alone.
        let mut random = Random(seed ^ fed.wrapping_mul(0xd6e8_feb8_6659_fd93));
        soup.serve(&mut random, &mut input);
        plate.input.lock().unwrap().clone_from(&input);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target.feed(&input))) {
            eprintln!("{}, seed {seed}, input {fed}: \"{}\"", target.name(), input.escape_ascii());
            resume_unwind(panic);
        }
        fed += 1;
        plate.fed.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn nothing_a_stranger_writes_upsets_anybody() {
    let targets = targets();
    let all = number("OUTFLANK_FUZZ").unwrap_or(QUICK);
    let portion = match number("OUTFLANK_FUZZ_SECONDS") {
        Some(seconds) => Portion::Time(Duration::from_secs(seconds)),
        None => Portion::Inputs(all.div_ceil(targets.len() as u64)),
    };
    let seed = number("OUTFLANK_FUZZ_SEED").unwrap_or(1);
    let plate = Plate::default();
    thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&plate));
        let result = catch_unwind(AssertUnwindSafe(|| {
            let begun = Instant::now();
            let mut total = 0;
            for target in targets {
                let begun = Instant::now();
                let fed = feed(target, &portion, seed, &plate);
                let rate = fed as f64 / begun.elapsed().as_secs_f64();
                println!("{:18} {fed:9} inputs, {rate:9.0} a second", target.name());
                assert!(fed > 0, "{}", target.name());
                total += fed;
            }
            let seconds = begun.elapsed().as_secs_f64();
            println!("{total} inputs in {seconds:.0} s without a panic or a hang, seed {seed}");
        }));
        plate.is_done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    });
}

#[test]
fn every_target_has_words_of_its_own() {
    for target in targets() {
        let soup = Soup::of(target);
        assert!(soup.words.len() > 5 && soup.lines.len() > 5, "{}", target.name());
    }
}

#[test]
fn the_same_seed_serves_the_same_inputs() {
    let soup = Soup::of(targets()[0]);
    let serve = |seed| {
        let (mut random, mut out, mut all) = (Random(seed), Vec::new(), Vec::new());
        for _ in 0..50 {
            soup.serve(&mut random, &mut out);
            all.push(out.clone());
        }
        all
    };
    assert_eq!(serve(7), serve(7));
    assert_ne!(serve(7), serve(8));
}
