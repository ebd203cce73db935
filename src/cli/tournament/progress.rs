//! What people see while a tournament runs: a line that renews itself on a terminal, a line every
//! so many games elsewhere. All of it on standard error.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress of a run.
pub struct Progress {
    bar: Option<ProgressBar>,
    every: u32,
    n_games: Option<u32>,
    started: Instant,
    n_new: u32,
}

impl Progress {
    /// Begins. `n_games` is the number of all games where it is known, `n_played` those of an
    /// earlier run, `every` the number of games between two lines.
    pub fn new(n_games: Option<u32>, n_played: u32, every: u32) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar =
                ProgressBar::with_draw_target(n_games.map(u64::from), ProgressDrawTarget::stderr());
            let form = if n_games.is_some() { "[{bar:24}] {msg}" } else { "{spinner} {msg}" };
            // A form that is wrong leaves the one that indicatif has.
            if let Ok(style) = ProgressStyle::with_template(form) {
                bar.set_style(style);
            }
            bar.set_position(u64::from(n_played));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Self { bar, every, n_games, started: Instant::now(), n_new: 0 }
    }

    /// One more game is played, `n_played` together; `standing` says how things stand.
    pub fn tell(&mut self, n_played: u32, standing: &str) {
        self.n_new += 1;
        let left =
            self.n_games.map_or(String::new(), |n| format!("{} to go, ", n.saturating_sub(n_played)));
        let line = format!("{standing}, {left}{}", self.rate());
        match &self.bar {
            Some(bar) => {
                bar.set_position(u64::from(n_played));
                bar.set_message(line);
            }
            None if self.n_new.is_multiple_of(self.every) => eprintln!("{line}"),
            None => {}
        }
    }

    /// Does something that writes to the terminal.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn rate(&self) -> String {
        let each = self.started.elapsed().as_secs_f64() / f64::from(self.n_new.max(1));
        if each >= 1.0 { format!("{each:.1} s each") } else { format!("{:.0}/s", 1.0 / each.max(1e-9)) }
    }
}
