//! Inputs through several threads, and what becomes of them in the order of the inputs.
//!
//! One thread reads, the others play the games through and do what is asked with them; the caller
//! takes the results. Whatever can be had without waiting goes on together, so that a line through a
//! pipe is answered before the next one comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;

use super::input::{Input, Inputs};
use super::subject::{Room, Subject};

/// Batches that wait between two threads.
const WAITING: usize = 4;

/// How often it is looked whether to stop while nothing comes.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Raised by Ctrl-C in commands that end their work by themselves.
#[derive(Clone, Debug, Default)]
pub struct Halt(Arc<AtomicBool>);

impl Halt {
    /// Raises it; whether it was not raised before.
    pub fn raise(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A thread that plays games through.
struct Player<T> {
    results: Receiver<Vec<T>>,
    thread: Option<JoinHandle<()>>,
}

/// Does `work` with every input on several threads and gives the results to `take` in order.
///
/// The threads are not waited for: when the results are no longer wanted, or the work is halted, the
/// process ends and they with it.
///
/// # Errors
/// What `take` says, and threads that cannot be started.
pub fn each<T: Send + 'static>(
    inputs: Inputs,
    room: &Arc<Room>,
    halt: &Halt,
    work: impl Fn(Subject) -> T + Clone + Send + 'static,
    mut take: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let n_workers = thread::available_parallelism().map_or(1, usize::from).min(16);
    let mut feeds = Vec::new();
    let mut players: Vec<Player<T>> = Vec::new();
    for number in 0..n_workers {
        let (feed, fed) = sync_channel::<Vec<Input>>(WAITING);
        let (done, result) = sync_channel(WAITING);
        let (room, work) = (Arc::clone(room), work.clone());
        let play = move || {
            for batch in fed {
                let finished = batch.into_iter().map(|input| work(room.subject(input))).collect();
                if done.send(finished).is_err() {
                    return;
                }
            }
        };
        let player = thread::Builder::new()
            .name(format!("player {number}"))
            .spawn(play)
            .context("starting a thread")?;
        feeds.push(feed);
        players.push(Player { results: result, thread: Some(player) });
    }
    let read = move || {
        let mut inputs = inputs;
        for feed in feeds.iter().cycle() {
            let Some(batch) = inputs.next_batch() else { return };
            if feed.send(batch).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read).context("starting a thread")?;
    for index in (0..n_workers).cycle() {
        let Some(player) = players.get_mut(index) else { break };
        // The batches went round, so the first thread that has no more ends it.
        let Some(batch) = next(&player.results, halt) else {
            let ended = player.thread.take().filter(|_| !halt.is_raised()).map(JoinHandle::join);
            if let Some(Err(panic)) = ended {
                std::panic::resume_unwind(panic);
            }
            return Ok(());
        };
        for item in batch {
            take(item)?;
        }
    }
    Ok(())
}

fn next<T>(results: &Receiver<T>, halt: &Halt) -> Option<T> {
    while !halt.is_raised() {
        match results.recv_timeout(LOOK_EVERY) {
            Ok(batch) => return Some(batch),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}
