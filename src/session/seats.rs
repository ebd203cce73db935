//! The sides that the engine plays by itself, what it plays without thinking, its thinking while the
//! others do, and the analysis of whatever position stands.

use std::time::Instant;

use outflank_protocol::message::{Done, Purpose, SearchText, SeatsText, Tag};
use outflank_protocol::words::MoveWord;

use super::Session;
use crate::engine::Choice;
use crate::record;
use crate::rules::{BySide, Game, Side, State};

/// Every position that comes to stand is analysed.
#[derive(Debug)]
pub(super) struct Watch {
    /// Of the request that began it.
    tag: Tag,
    /// The position that was analysed to the end, so that it is not begun again.
    done: Option<State>,
}

impl Session {
    /// From now on the engine plays these sides.
    pub(super) fn take(&mut self, tag: &Tag, seats: SeatsText) {
        let mover = self.game.state().side;
        let only = |side: Side| BySide::from_fn(|other| other == side);
        let before = self.seats;
        self.seats = match seats {
            SeatsText::None => BySide::default(),
            SeatsText::Both => BySide { black: true, white: true },
            SeatsText::Side(side) => only(record::side(side)),
            SeatsText::Mover => only(mover),
            SeatsText::Other => only(mover.other()),
        };
        // A clock that was told as the engine's goes along with it to the other side.
        let has_changed_sides = before.black != before.white
            && (self.seats.black, self.seats.white) == (before.white, before.black);
        if has_changed_sides && self.clocks_of_engine {
            self.clocks.swap();
        }
        self.state(tag);
    }

    /// The line that the engine plays without thinking.
    pub(super) fn force(&mut self, tag: &Tag, moves: &[MoveWord]) {
        let mut line = self.game.from_start();
        if let Err(error) = record::play_words(&mut line, moves) {
            return self.fail(tag, error.failure());
        }
        self.forced = (!line.is_empty()).then_some(line);
        self.state(tag);
    }

    /// What the forced line has next, where the game has gone along it.
    pub(super) fn forced_choice(&self) -> Option<Choice> {
        let line = self.forced.as_ref()?;
        let made = |game: &Game| game.log().iter().map(|entry| entry.mv).collect::<Vec<_>>();
        let (ahead, behind) = (made(line), made(&self.game));
        let goes_along = line.start() == self.game.start() && ahead.starts_with(&behind);
        let next = ahead.get(behind.len()).filter(|_| goes_along)?;
        Some(Choice::of(next.act))
    }

    /// The side that the engine plays: the mover's where it plays none or both.
    pub(super) fn engine_side(&self) -> Side {
        match (self.seats.black, self.seats.white) {
            (true, false) => Side::Black,
            (false, true) => Side::White,
            _ => self.game.state().side,
        }
    }

    /// Another turn behind a move of the engine's own: what was read meanwhile comes before it,
    /// for it may say that the engine shall play no longer.
    pub(super) fn turn_after(&mut self, tag: &Tag, at: Instant) {
        if self.queue.is_empty() { self.take_turn(tag, at) } else { self.due = Some(tag.clone()) }
    }

    /// The turn that had to wait.
    pub(super) fn take_due_turn(&mut self, at: Instant) {
        if self.thinking.is_none()
            && let Some(tag) = self.due.take()
        {
            self.take_turn(&tag, at);
        }
    }

    /// Where it is the engine's turn, it thinks; where it is not, it may think all the same.
    pub(super) fn take_turn(&mut self, tag: &Tag, at: Instant) {
        if self.thinking.is_some() || self.game.is_over() {
            return;
        }
        self.due = None;
        if !self.seats[self.game.state().side] {
            return;
        }
        let mut text = SearchText::new(Purpose::Generate { play: true });
        text.clock = true;
        self.search(tag, &text, at);
    }

    /// From now on every position is analysed, or no longer.
    pub(super) fn watch(&mut self, tag: &Tag, on: bool) {
        self.watch = on.then(|| Watch { tag: tag.clone(), done: None });
        self.done(tag, Done::Plain);
    }

    /// The analysis of a position that is not analysed yet begins, where nothing else is to be done.
    pub(super) fn watch_on(&mut self, at: Instant) {
        let busy = self.thinking.is_some() || !self.queue.is_empty();
        if busy || self.left || self.game.is_over() {
            return;
        }
        let Some(Watch { tag, done }) = &self.watch else { return };
        if done.as_ref() == Some(self.game.state()) {
            return;
        }
        let tag = tag.clone();
        let mut text = SearchText::new(Purpose::HintInBackground);
        text.infinite = true;
        self.search(&tag, &text, at);
    }

    /// A search has come to its own end, or to that of the input: what it looked at needs no second
    /// look.
    pub(super) fn watched_to_the_end(&mut self) {
        let state = self.game.state().clone();
        if let Some(watch) = &mut self.watch {
            watch.done = Some(state);
        }
    }
}
