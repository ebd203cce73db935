//! Games made by several threads, written in their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::ask::{Asker, Effort, Games};
use super::samples::{Sample, SamplesError, Writer};

/// Games that may wait for an earlier one, for each thread.
const AHEAD: usize = 256;
/// What is written is handed to the system this often.
const FLUSH_EVERY: Duration = Duration::from_secs(2);

/// Makes games from the writer's next one to before `end` and adds them to it, in order.
///
/// `told` hears how many games and samples the file has then.
///
/// # Errors
/// What cannot be written.
pub fn produce(
    writer: &mut Writer,
    end: u32,
    threads: usize,
    games: Games,
    make: &(impl Fn(u32, &mut Asker) -> Vec<Sample> + Sync),
    told: &mut dyn FnMut(u32, u64),
) -> Result<(), SamplesError> {
    let mut wanted = writer.next_game();
    let next = AtomicU32::new(wanted);
    let is_given_up = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel(AHEAD * threads.max(1));
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let sender = sender.clone();
            let (next, is_given_up) = (&next, &is_given_up);
            scope.spawn(move || {
                let mut asker = Asker::new(Effort::SMALL, games);
                while !is_given_up.load(Ordering::Relaxed) {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    if game >= end || sender.send((game, make(game, &mut asker))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut flushed = Instant::now();
        let write = || {
            // The receiver lives here, so that threads stop when nothing can be written.
            for (game, samples) in receiver {
                early.insert(game, samples);
                while let Some(samples) = early.remove(&wanted) {
                    writer.add(&samples)?;
                    wanted += 1;
                }
                if flushed.elapsed() >= FLUSH_EVERY {
                    writer.flush()?;
                    told(wanted, writer.n_samples());
                    flushed = Instant::now();
                }
            }
            writer.flush()
        };
        let written = write();
        is_given_up.store(true, Ordering::Relaxed);
        told(wanted, writer.n_samples());
        written
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Outcome, Recipe, read};
    use super::*;
    use crate::rules::Position;

    #[test]
    fn games_of_several_threads_come_in_order() {
        let path = std::env::temp_dir().join(format!("outflank-produce-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let recipe =
            Recipe { kind: "test".into(), options: String::new(), seed: 0, commit: String::new() };
        let make = |game: u32, _: &mut Asker| {
            let outcome = Some(Outcome { centidiscs: 100, empties: 4 });
            let position = Position { own: u64::from(game), other: 0 };
            vec![Sample { position, outcome, searched: None, game }; game as usize % 3]
        };
        for end in [500, 1000] {
            let mut writer = Writer::open(&path, &recipe).expect("a file");
            let mut last = (0, 0);
            produce(&mut writer, end, 3, Games::OTHELLO, &make, &mut |games, samples| {
                last = (games, samples)
            })
            .expect("written");
            assert_eq!(last.0, end);
        }
        let games: Vec<u32> = read(&path).expect("samples").1.iter().map(|sample| sample.game).collect();
        let expected: Vec<u32> = (0..1000).flat_map(|game| vec![game; game as usize % 3]).collect();
        assert_eq!(games, expected);
        std::fs::remove_file(&path).expect("removed");
    }
}
