//! Requests about the game: set-up, moves, taking back, clocks, and what is told of it.

use outflank_protocol::message::{
    Code, Done, Event, Failure, Reading, ShowStyle, StateText, Tag, Whose, Word,
};
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::{
    BoardText, ClockText, GameText, HalfDiscs as HalfText, MoveText, MoveWord, Mover, Point,
    Side as SideText, VariantText,
};

use super::clocks::{Clock, Flag};
use super::{Session, standard};
use crate::record::{self, RecordError};
use crate::rules::{Act, Game, HalfDiscs, Move, Side, Stop, VARIANTS, Variant, count};

impl Session {
    /// Replaces the game; clocks start anew.
    fn begin(&mut self, tag: &Tag, game: Game, reading: Option<Reading>) {
        self.game = game;
        self.idle_passes = 0;
        self.clocks.restart();
        self.settle(tag);
        self.state_with(tag, reading);
    }

    pub(super) fn new_game(
        &mut self,
        tag: &Tag,
        token: Option<&VariantText>,
        position: Option<&BoardText>,
    ) {
        match self.game_of(token, position) {
            Ok(game) => self.begin(tag, game, None),
            Err(error) => self.fail(tag, error.failure()),
        }
    }

    pub(super) fn game_of(
        &self,
        token: Option<&VariantText>,
        position: Option<&BoardText>,
    ) -> Result<Game, RecordError> {
        match (token, position) {
            (Some(token), None) => Ok(Game::new(record::variant(token)?)),
            (Some(token), Some(board)) => record::game_from(record::variant_spec(token)?, board),
            (None, Some(board)) => record::game_at(self.game.variant(), board),
            // Odd sides have no start of their own: such a game begins from its position again.
            (None, None) => Ok(Variant::new(*self.game.variant().spec())
                .map_or_else(|_| self.game.from_start(), Game::new)),
        }
    }

    pub(super) fn resize(&mut self, tag: &Tag, columns: u32, rows: u32) {
        let resized = || -> Result<Variant, RecordError> {
            let mut spec = record::size_spec(columns, rows)?;
            spec.rules = *self.game.rules();
            Ok(Variant::new(spec)?)
        };
        match resized() {
            Ok(variant) => self.begin(tag, Game::new(variant), None),
            Err(error) => self.fail(tag, error.failure()),
        }
    }

    pub(super) fn set_up(&mut self, tag: &Tag, board: &BoardText, reading: Option<Reading>) {
        match record::game_at(self.game.variant(), board) {
            Ok(game) => self.begin(tag, game, reading),
            Err(error) => self.fail(tag, error.failure()),
        }
    }

    /// The position as a client holds it that does not turn discs.
    pub(super) fn resync(&mut self, tag: &Tag, board: &BoardText) {
        // Before the first move nothing can have been turned.
        let known = if self.game.is_empty() {
            record::same_discs(self.game.state(), board)
        } else {
            record::same_squares_taken(self.game.state(), board)
        };
        if !known {
            return self.set_up(tag, board, None);
        }
        let mover = record::side_text(self.game.state().side);
        let passed = matches!(board.mover, Some(Mover::Side(side)) if side != mover);
        if passed && !self.game.is_over() { self.pass(tag, None) } else { self.state(tag) }
    }

    /// A game as a client tells it anew before each search.
    pub(super) fn arrange(
        &mut self,
        tag: &Tag,
        variant: Option<&VariantText>,
        start: Option<&BoardText>,
        moves: &[MoveWord],
    ) {
        match self.game_arranged(variant, start, moves) {
            Ok(game) => self.begin(tag, game, None),
            Err(error) => self.fail(tag, error.failure()),
        }
    }

    pub(super) fn game_arranged(
        &self,
        variant: Option<&VariantText>,
        start: Option<&BoardText>,
        moves: &[MoveWord],
    ) -> Result<Game, RecordError> {
        let spec = match variant {
            Some(words) => record::variant_spec(words)?,
            None => *self.game.variant().spec(),
        };
        let mut game = match start {
            Some(board) => record::game_with_discs(spec, board)?,
            None => Game::new(Variant::new(spec)?),
        };
        record::play_words(&mut game, moves)?;
        Ok(game)
    }

    pub(super) fn load(&mut self, tag: &Tag, text: &GameText) {
        match record::load(text, &standard()) {
            Ok(game) => {
                self.clocks.set(Side::Black, text.black.clock.map(Clock::new));
                self.clocks.set(Side::White, text.white.clock.map(Clock::new));
                self.begin(tag, game, None);
                self.spend_recorded(text);
            }
            Err(error) => self.fail(tag, error.failure()),
        }
    }

    /// The clocks of a loaded game stand where its move times leave them.
    fn spend_recorded(&mut self, text: &GameText) {
        let sides: Vec<Side> = self.game.log().iter().map(|entry| entry.mv.side).collect();
        let mut entries = sides.iter();
        for played in &text.moves {
            let side = match played.side {
                Some(side) => Some(record::side(side)),
                None => entries.next().copied(),
            };
            if let (Some(side), Some(seconds)) = (side, played.seconds)
                && let Some(clock) = self.clocks.get_mut(side)
            {
                clock.spend(seconds);
            }
        }
    }

    // -----------------------------------------------------------------------------------------
    // Moves

    /// Makes the forced passes that are due, where the dialect's clients expect that.
    pub(super) fn settle(&mut self, tag: &Tag) {
        if !self.settles() {
            return;
        }
        while let Some(pass) = self.game.pass_if_forced() {
            self.tell_move(tag, &pass);
        }
    }

    fn settles(&self) -> bool {
        self.announces() && self.options.is_on("autopass")
    }

    fn announces(&self) -> bool {
        self.dialect.as_ref().is_some_and(|dialect| dialect.habits().announces_passes)
    }

    fn tell_move(&mut self, tag: &Tag, mv: &Move) {
        let side = record::side_text(mv.side);
        let event = match mv.act {
            Act::Place(at) => Event::Placed { side, at: record::point(at) },
            Act::Play(at) => {
                Event::Played { side, at: record::point(at), flips: record::points(mv.flips) }
            }
            Act::Pass(reason) => Event::Passed { side, reason: record::pass_text(reason) },
        };
        self.tell(tag, event);
    }

    /// Plays moves in order. `seconds` is what the mover used for the first of them.
    pub(super) fn play(
        &mut self,
        tag: &Tag,
        side: Option<SideText>,
        moves: &[MoveWord],
        seconds: Option<f64>,
    ) {
        let side = side.map(record::side);
        for (index, word) in moves.iter().enumerate() {
            // A named side is the side of the first move; what follows alternates by itself.
            let by = if index == 0 { side } else { None };
            match self.play_word(by, word) {
                Ok(made) => {
                    for mv in &made {
                        self.tell_move(tag, mv);
                    }
                    if index == 0
                        && let (Some(mv), Some(seconds)) = (made.last(), seconds)
                        && let Some(clock) = self.clocks.get_mut(mv.side)
                    {
                        clock.spend(seconds);
                    }
                    self.settle(tag);
                }
                Err(mut failure) => {
                    if moves.len() > 1 {
                        failure.done = u32::try_from(index).ok();
                    }
                    return self.fail(tag, failure);
                }
            }
        }
        self.state(tag);
    }

    /// The game after one written move, and what happened.
    pub(super) fn game_after(
        &self,
        by: Option<Side>,
        word: &MoveWord,
    ) -> Result<(Game, Vec<Move>), Failure> {
        let what = match word {
            MoveWord::Move(what) => *what,
            MoveWord::Unreadable(text) => return Err(record::not_a_square(text, self.game.legal())),
        };
        let mut game = self.game.clone();
        let made = match (what, self.announces()) {
            // Passes are made by themselves here: a move is a move of the side to move.
            (MoveText::At(at), true) => {
                let square = record::square(at)
                    .ok_or_else(|| record::not_a_square(&at.to_string(), game.legal()))?;
                game.play(by, square).map(|mv| vec![mv])
            }
            (MoveText::Pass, false) if game.is_over() => Ok(Vec::new()),
            _ => record::play_item(&mut game, by, what),
        };
        match made {
            Ok(made) => Ok((game, made)),
            Err(refused) => Err(record::refusal(&refused, None)),
        }
    }

    fn play_word(&mut self, by: Option<Side>, word: &MoveWord) -> Result<Vec<Move>, Failure> {
        let (game, made) = self.game_after(by, word)?;
        self.game = game;
        // A pass that repeats one, or follows the end, is not in the log; `undo` knows of it.
        self.idle_passes = if made.is_empty() { self.idle_passes + 1 } else { 0 };
        Ok(made)
    }

    pub(super) fn pass(&mut self, tag: &Tag, side: Option<SideText>) {
        match self.game.pass(side.map(record::side)) {
            Ok(mv) => {
                self.tell_move(tag, &mv);
                self.settle(tag);
                self.state(tag);
            }
            Err(refused) => self.fail(tag, record::refusal(&refused, None)),
        }
    }

    pub(super) fn undo(&mut self, tag: &Tag, times: u32) {
        let whole = self.dialect.as_ref().is_some_and(|dialect| dialect.habits().undo_whole_moves);
        let mut trial = self.game.clone();
        let mut idle = self.idle_passes;
        for _ in 0..times {
            let taken = if whole && self.settles() {
                trial.undo_move().is_ok()
            } else if whole {
                // Passes that were said can be taken back when nothing else is left.
                trial.undo_move().is_ok() || trial.undo_entry().is_ok()
            } else if idle > 0 {
                idle -= 1;
                true
            } else {
                trial.undo_entry().is_ok()
            };
            if !taken {
                let prose = "there is no move to take back";
                return self.fail(tag, Failure::new(Code::NothingToUndo, prose));
            }
        }
        self.game = trial;
        self.idle_passes = idle;
        self.state(tag);
    }

    pub(super) fn redo(&mut self, tag: &Tag, times: u32) {
        let mut trial = self.game.clone();
        let mut made = Vec::new();
        for _ in 0..times {
            match trial.redo() {
                Ok(moves) => made.extend(moves),
                Err(_) => {
                    let prose = "there is no move to play again";
                    return self.fail(tag, Failure::new(Code::NothingToRedo, prose));
                }
            }
        }
        self.game = trial;
        for mv in &made {
            self.tell_move(tag, mv);
        }
        self.state(tag);
    }

    pub(super) fn game_replayed(
        &self,
        head: Option<&(VariantText, BoardText)>,
        moves: &[MoveWord],
        result: Option<&str>,
    ) -> Result<Game, RecordError> {
        match head {
            Some(head) => record::replay_record(head, moves, result),
            None => {
                let mut game = self.game.from_start();
                record::play_words(&mut game, moves)?;
                Ok(game)
            }
        }
    }

    pub(super) fn replay(
        &mut self,
        tag: &Tag,
        head: Option<&(VariantText, BoardText)>,
        moves: &[MoveWord],
        result: Option<&str>,
    ) {
        match self.game_replayed(head, moves, result) {
            Ok(game) => self.begin(tag, game, None),
            Err(error) => self.fail(tag, error.failure()),
        }
    }

    // -----------------------------------------------------------------------------------------
    // Games that are stopped

    fn stop_game(&mut self, tag: &Tag, stop: Stop) {
        match self.game.stop(stop) {
            Ok(()) => self.state(tag),
            Err(refused) => self.fail(tag, record::refusal(&refused, None)),
        }
    }

    pub(super) fn resign(&mut self, tag: &Tag, side: SideText) {
        self.stop_game(tag, Stop::Resigned(record::side(side)));
    }

    pub(super) fn time_out(&mut self, tag: &Tag, side: SideText, hard: bool) {
        self.stop_game(tag, Stop::TimedOut { side: record::side(side), hard });
    }

    pub(super) fn abandon(&mut self, tag: &Tag) {
        self.stop_game(tag, Stop::Abandoned);
    }

    pub(super) fn agree(&mut self, tag: &Tag, winner: Option<SideText>, margin: HalfText) {
        match self.agreement(winner, margin) {
            Ok(stop) => self.stop_game(tag, stop),
            Err(failure) => self.fail(tag, failure),
        }
    }

    /// The end that the players agree on, if it can be one.
    pub(super) fn agreement(&self, winner: Option<SideText>, margin: HalfText) -> Result<Stop, Failure> {
        let squares = i32::try_from(self.game.state().board.geometry().squares()).unwrap_or(i32::MAX);
        let legal = match winner {
            Some(_) => (1..=2 * squares).contains(&margin.0),
            None => margin.0 == 0,
        };
        if legal {
            return Ok(Stop::Agreed { winner: winner.map(record::side), margin: HalfDiscs(margin.0) });
        }
        let prose = format!("the winner's margin goes from 0.5 to {squares}, and is 0 for nobody");
        Err(Failure::new(Code::BadValue, prose).with_text(margin.to_string()))
    }

    // -----------------------------------------------------------------------------------------
    // Clocks

    pub(super) fn clock(&mut self, tag: &Tag, side: Option<SideText>, text: Option<ClockText>) {
        let sides = match side {
            Some(side) => vec![record::side(side)],
            None => vec![Side::Black, Side::White],
        };
        for side in sides {
            match text {
                Some(text) => self.clocks.set(side, Some(Clock::new(text))),
                None => self.tell_clock(tag, side),
            }
        }
        self.done(tag, Done::Plain);
    }

    fn tell_clock(&mut self, tag: &Tag, side: Side) {
        if let Some(clock) = self.clocks.get(side) {
            let (left, state) = (clock.left(), clock.state());
            self.tell(tag, Event::ClockLeft { side: record::side_text(side), left, state });
        }
    }

    pub(super) fn elapsed(&mut self, tag: &Tag, side: SideText, seconds: f64) {
        let side = record::side(side);
        let Some(clock) = self.clocks.get_mut(side) else {
            let prose = "this side has no clock; `clock` sets one";
            return self.fail(tag, Failure::new(Code::BadArgument, prose));
        };
        let flag = clock.spend(seconds);
        self.tell_clock(tag, side);
        match flag {
            Flag::Stands => self.done(tag, Done::Plain),
            // A game that is already over cannot be lost on time any more.
            Flag::Soft => {
                let _ = self.game.stop(Stop::TimedOut { side, hard: false });
                self.done(tag, Done::Plain);
            }
            Flag::Hard => {
                let _ = self.game.stop(Stop::TimedOut { side, hard: true });
                self.state(tag);
            }
        }
    }

    pub(super) fn time_left(&mut self, tag: &Tag, whose: Whose, seconds: f64, moves: Option<u32>) {
        self.clocks_of_engine = !matches!(whose, Whose::Side(_));
        let side = match whose {
            Whose::Side(side) => record::side(side),
            Whose::Engine => self.engine_side(),
            Whose::Opponent => self.engine_side().other(),
        };
        self.clocks.get_or_new(side).set_left(seconds, moves);
        self.done(tag, Done::Plain);
    }

    pub(super) fn time_settings(&mut self, tag: &Tag, main: f64, overtime: f64, moves: u32) {
        let clock = Clock::from_time_settings(main, overtime, moves);
        self.clocks.set(Side::Black, clock);
        self.clocks.set(Side::White, clock);
        self.done(tag, Done::Plain);
    }

    // -----------------------------------------------------------------------------------------
    // What is told of the game

    pub(super) fn state(&mut self, tag: &Tag) {
        self.state_with(tag, None);
    }

    /// The game as it stands, in words.
    pub(super) fn state_text(&self) -> Box<StateText> {
        Box::new(record::state_text(&self.game, self.options.forfeit()))
    }

    fn state_with(&mut self, tag: &Tag, reading: Option<Reading>) {
        let state = self.state_text();
        self.done(tag, Done::State { state, reading });
    }

    pub(super) fn list_variants(&mut self, tag: &Tag) {
        for row in VARIANTS {
            self.tell(tag, Event::VariantRow { name: row.name.to_owned(), about: row.about.to_owned() });
        }
        self.listed(tag, VARIANTS.len(), None);
    }

    pub(super) fn list_moves(&mut self, tag: &Tag) {
        let legal = self.game.legal();
        for square in legal.iter() {
            let flips = record::points(self.game.flips(square));
            self.tell(tag, Event::Legal { at: record::point(square), flips });
        }
        let side = (!self.game.is_over()).then(|| self.game.state().side);
        self.listed(tag, legal.len() as usize, side);
    }

    pub(super) fn why(&mut self, tag: &Tag, word: &Word<Point>) {
        let at = match word {
            Word::Read(at) => *at,
            Word::Unreadable(text) => {
                return self.fail(tag, record::not_a_square(text, self.game.legal()));
            }
        };
        let Some(square) = record::square(at) else {
            return self.fail(tag, Failure::new(Code::OffBoard, "that square is not on this board"));
        };
        match self.game.check(None, square) {
            Some(refused) => self.fail(tag, record::refusal(&refused, None)),
            None => {
                let flips = record::points(self.game.flips(square));
                self.done(tag, Done::Legal { at, flips });
            }
        }
    }

    pub(super) fn count(&mut self, tag: &Tag) {
        let discs = count(&self.game.state().board);
        self.done(tag, Done::Count(discs.black, discs.white));
    }

    pub(super) fn list_log(&mut self, tag: &Tag) {
        let log: Vec<Move> = self.game.log().iter().map(|entry| entry.mv).collect();
        for (index, mv) in log.iter().enumerate() {
            let what = record::log_text(mv.act);
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            self.tell(tag, Event::Logged { number, side: record::side_text(mv.side), what });
        }
        self.listed(tag, log.len(), None);
    }

    pub(super) fn show(&mut self, tag: &Tag, style: ShowStyle) {
        for (number, cells) in record::drawing(self.game.state(), style) {
            self.tell(tag, Event::Row { number, cells });
        }
        self.state(tag);
    }
}

/// The game of a variant's token.
pub(super) fn of_token(token: &str) -> Result<Game, Failure> {
    let words = read_variant(token).map_err(Failure::from)?;
    record::variant(&words).map(Game::new).map_err(|error| error.failure())
}

/// The same game under another komi.
pub(super) fn under_komi(game: &Game, value: &str) -> Result<Game, Failure> {
    let bad = || {
        Failure::new(Code::BadValue, "komi takes a number of discs in halves, such as 4 or -3.5")
            .with_text(record::clip(value))
    };
    let doubled = value.trim().parse::<f64>().map_err(|_| bad())? * 2.0;
    if !doubled.is_finite() || doubled.fract() != 0.0 || doubled.abs() > 2.0 * 256.0 {
        return Err(bad());
    }
    record::with_komi(game, HalfText(doubled as i32)).map_err(|error| error.failure())
}
