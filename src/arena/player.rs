//! One engine as the referee sees it: games are put before it, moves are asked of it, and whatever
//! a stranger's program may do instead becomes a [`Fault`].
//!
//! Knows the client's side of the dialects, processes and the rules' words. Must not judge: whether
//! a move is legal, or an answer came in time, is the referee's to say.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outflank_protocol::client::{
    ChoiceText, ChosenText, Client, ClockLeft, Garble, Heard, Limit, Limits, Next, Order, RulesText,
    Situation, Unsayable,
};
use outflank_protocol::client_by_name;
use outflank_protocol::fault::clip;
use outflank_protocol::words::{HalfDiscs as HalfText, MoveText, PlaceText};

use super::process::{Line, Process, Said, StartError};
use super::traffic::Traffic;
use crate::record::{self, act_text, board_text, side_text, variant_text};
use crate::rules::{Game, Move, Place, Scoring, Stuck};

/// How long an engine may take to leave when it is asked to.
const GRACE: Duration = Duration::from_secs(1);

/// How an engine is started and spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// What it is called in logs and results.
    pub name: String,
    /// Program and arguments, split as a shell splits words; no shell sees them.
    pub command: String,
    /// A row of [`outflank_protocol::CLIENTS`].
    pub dialect: String,
    /// Working directory; ours when `None`.
    pub directory: Option<PathBuf>,
    /// Options set once, in this order, before the first game.
    pub options: Vec<(String, String)>,
}

/// One engine as the referee sees it.
///
/// After [`Fault::Crash`] only [`Player::quit`] is of use. After any other fault a new game may be
/// begun: answers that are still owed to what was given up are recognised and passed over.
pub trait Player: Send {
    /// A new game: the variant, its start position and everything in the log of `game`.
    ///
    /// # Errors
    /// Any [`Fault`]; [`Fault::Unsayable`] where the dialect has no words for the game.
    fn begin(&mut self, game: &Game) -> Result<(), Fault>;

    /// An item, disc or pass, that now stands in the log of `game` and was not chosen by this
    /// player through [`Player::choose`].
    ///
    /// # Errors
    /// Any [`Fault`].
    fn follow(&mut self, game: &Game, played: Move) -> Result<(), Fault>;

    /// What has to be said before a move is asked for, such as the clocks. No clock runs meanwhile.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn prepare(&mut self, game: &Game, budget: &Budget) -> Result<(), Fault>;

    /// Asks for the move of the side to move of `game`, behind [`Player::prepare`] with the same
    /// budget; waits at most `budget.cutoff` for it. The answer is the engine's text made into words
    /// and not checked against the rules.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn choose(&mut self, game: &Game, budget: &Budget) -> Result<Thought, Fault>;

    /// The player's last chosen move was accepted and stands in the log of `game`.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn accepted(&mut self, game: &Game, played: Move) -> Result<(), Fault>;

    /// The end of the game. Then [`Player::begin`] may come again.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn finish(&mut self, game: &Game) -> Result<(), Fault>;

    /// Whether the engine can be told this limit.
    fn heeds(&self, limit: Limit) -> bool;

    /// What ends the engine from elsewhere.
    fn leash(&self) -> Leash;

    /// Ends the engine: asks it to leave, waits shortly, and ends its whole process group.
    fn quit(self: Box<Self>);
}

/// Kills an engine, from any thread and at any time, as often as one likes. What waits for the
/// engine then gets [`Fault::Crash`].
#[derive(Clone)]
pub struct Leash(Arc<dyn Fn() + Send + Sync>);

impl Leash {
    /// A leash that does this when it is cut.
    pub fn new(cut: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(cut))
    }

    /// Ends the engine at once.
    pub fn cut(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Leash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Leash")
    }
}

/// What a move may use. Everything that is given is told to the engine, where its dialect has
/// words for it; what it cannot be told is left out, see [`Player::heeds`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The clocks of both sides.
    pub clock: Option<Clocks>,
    /// Time for this move in milliseconds.
    pub movetime_ms: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The longest wait for the answer.
    pub cutoff: Duration,
}

/// The clocks of both sides, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The mover's.
    pub own_ms: u64,
    /// The other side's.
    pub other_ms: u64,
    /// Added after each move.
    pub increment_ms: u64,
}

/// What an engine does at its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A disc or a pass, legal or not.
    Move(MoveText),
    /// It gives up.
    Resign,
}

/// An answer, with what the engine said about it. Values are the mover's view.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// What it does.
    pub choice: Chosen,
    /// From the moment the request was written out to the arrival of the line that answers it.
    pub taken: Duration,
    /// Value in hundredths of a disc.
    pub score_centidiscs: Option<i32>,
    /// The value is proved.
    pub exact: bool,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The expected course, beginning with the move itself.
    pub pv: Vec<MoveText>,
}

/// What went wrong with an engine. `Display` is one line.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// It could not be started.
    Start(StartError),
    /// The process ended, or closed its output.
    Crash {
        /// Its exit code, where it left by itself.
        exit_code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The last lines it wrote to standard error.
        stderr: Vec<String>,
    },
    /// It did not answer in the time it had.
    NoAnswer {
        /// How long it was waited for.
        waited: Duration,
        /// The last line that it wrote meanwhile and that means nothing in its dialect.
        stray: Option<String>,
    },
    /// It answered, and the answer cannot be understood.
    Protocol {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        why: Garble,
    },
    /// It refused what it was told or asked.
    Refused {
        /// The line it refused.
        asked: String,
        /// What it said.
        answer: String,
    },
    /// Its dialect has no words for a variant, a position or an option.
    Unsayable(Unsayable),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Crash { exit_code, signal, stderr } => {
                match (exit_code, signal) {
                    (Some(code), _) => write!(f, "ended with exit code {code}")?,
                    (None, Some(signal)) => write!(f, "ended by signal {signal}")?,
                    (None, None) => f.write_str("closed its output")?,
                }
                if !stderr.is_empty() {
                    write!(f, ": {}", stderr.join(" | "))?;
                }
                Ok(())
            }
            Self::NoAnswer { waited, stray } => {
                write!(f, "no answer within {:.1} s", waited.as_secs_f64())?;
                stray.as_ref().map_or(Ok(()), |line| write!(f, ", but '{line}'"))
            }
            Self::Protocol { line, why } => write!(f, "'{line}': {why}"),
            Self::Refused { asked, answer } => write!(f, "refused '{asked}': {answer}"),
            Self::Unsayable(unsayable) => unsayable.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

/// Starts an engine, greets it and sets its options.
///
/// `patience` is the longest wait for any answer but that to [`Player::choose`].
///
/// # Errors
/// [`Fault::Start`], [`Fault::Unsayable`] for an option the dialect or the engine has no words
/// for, and whatever the engine does.
pub fn start(
    spec: &EngineSpec,
    patience: Duration,
    traffic: Option<Traffic>,
) -> Result<Box<dyn Player>, Fault> {
    start_held(spec, patience, traffic, |_| {})
}

/// The same; `hold` gets the leash of the process before a word is spoken to it, so that an engine
/// that does not get ready can be ended meanwhile.
///
/// # Errors
/// As [`start`].
pub fn start_held(
    spec: &EngineSpec,
    patience: Duration,
    traffic: Option<Traffic>,
    hold: impl FnOnce(Leash),
) -> Result<Box<dyn Player>, Fault> {
    let client = client_by_name(&spec.dialect)
        .ok_or_else(|| Fault::Start(StartError::Dialect { name: spec.dialect.clone() }))?;
    let process =
        Process::start(&spec.command, spec.directory.as_deref(), traffic).map_err(Fault::Start)?;
    let mut engine = Stranger { name: spec.name.clone(), client, process, patience };
    hold(engine.leash());
    engine.obey(&Order::Hello)?;
    for (name, value) in &spec.options {
        engine.obey(&Order::Set { name, value })?;
    }
    Ok(Box::new(engine))
}

/// An engine of which nothing is taken for granted: a process, and the dialect spoken with it.
struct Stranger {
    name: String,
    client: Box<dyn Client>,
    process: Process,
    patience: Duration,
}

/// The end of an order.
struct Reply {
    /// The move, where one was asked for.
    chosen: Option<Box<ChosenText>>,
    /// From the last thing that was sent to the line that ended the order.
    taken: Duration,
}

impl Stranger {
    /// Gives an order and waits until it is carried out.
    fn obey(&mut self, order: &Order) -> Result<(), Fault> {
        self.ask(order, self.patience).map(drop)
    }

    /// Gives an order. Each answer of the engine that it takes is waited for at most so long.
    fn ask(&mut self, order: &Order, wait: Duration) -> Result<Reply, Fault> {
        let mut out = String::new();
        let next = self.client.order(order, &mut out).map_err(Fault::Unsayable)?;
        let mut sent = self.send(&mut out)?;
        if next == Next::Done {
            return Ok(Reply { chosen: None, taken: Duration::ZERO });
        }
        let mut stray = None;
        loop {
            let deadline = sent + wait;
            let line = match self.process.next(deadline) {
                // A flood of lines does not hide that the time is over.
                Said::Line(line) if line.at <= deadline => line,
                Said::Line(late) => {
                    let fault = self.give_up(wait, stray);
                    // It may be owed to what was given up, and must not be missed there.
                    let _ = self.hear(&late, &mut out);
                    return Err(fault);
                }
                Said::Nothing => return Err(self.give_up(wait, stray)),
                Said::Closed => return Err(self.crash()),
            };
            let heard = self.hear(&line, &mut out);
            if !out.is_empty() {
                sent = self.send(&mut out)?;
            }
            let taken = line.at.saturating_duration_since(sent);
            match heard {
                Heard::Nothing => {}
                Heard::Stray => {
                    let text = line.text.unwrap_or_else(|fault| fault.head().to_owned());
                    log::debug!(
                        "{}: '{}' means nothing in {}",
                        self.name,
                        clip(&text),
                        self.client.name()
                    );
                    stray = Some(clip(&text));
                }
                Heard::Done => return Ok(Reply { chosen: None, taken }),
                Heard::Chosen(chosen) => return Ok(Reply { chosen: Some(chosen), taken }),
                Heard::Refused { asked, answer } => return Err(Fault::Refused { asked, answer }),
                Heard::Garbled { line, why } => return Err(Fault::Protocol { line, why }),
            }
        }
    }

    /// What a line means. Of a line that is no text, its beginning is heard, and must not be an
    /// answer.
    fn hear(&mut self, line: &Line, out: &mut String) -> Heard {
        match &line.text {
            Ok(text) => self.client.hear(text, out),
            Err(fault) => match self.client.hear(fault.head(), out) {
                Heard::Chosen(_) => Heard::Garbled { line: clip(fault.head()), why: Garble::NotText },
                heard => heard,
            },
        }
    }

    /// Sends what there is to send.
    fn send(&mut self, out: &mut String) -> Result<Instant, Fault> {
        let lines = std::mem::take(out);
        if lines.is_empty() {
            return Ok(Instant::now());
        }
        self.process.send(&lines).map_err(|_| self.crash())
    }

    fn crash(&mut self) -> Fault {
        let ended = self.process.ended();
        Fault::Crash { exit_code: ended.exit_code, signal: ended.signal, stderr: ended.stderr }
    }

    /// The engine does not answer; what it still says to this does not count.
    fn give_up(&mut self, waited: Duration, stray: Option<String>) -> Fault {
        self.process.note("NO ANSWER");
        let mut out = String::new();
        self.client.give_up(&mut out);
        // An engine that is gone is noticed at the next order.
        let _ = self.send(&mut out);
        Fault::NoAnswer { waited, stray }
    }

    /// The limits the engine can be told.
    fn limits(&self, game: &Game, budget: &Budget) -> Limits {
        let clock = budget.clock.map(|clock| ClockLeft {
            own_ms: clock.own_ms,
            other_ms: clock.other_ms,
            increment_ms: clock.increment_ms,
        });
        Limits {
            side: side_text(game.state().side),
            clock: clock.filter(|_| self.heeds(Limit::Clock)),
            movetime_ms: budget.movetime_ms.filter(|_| self.heeds(Limit::MoveTime)),
            depth: budget.depth.filter(|_| self.heeds(Limit::Depth)),
            nodes: budget.nodes.filter(|_| self.heeds(Limit::Nodes)),
        }
    }
}

impl Player for Stranger {
    fn begin(&mut self, game: &Game) -> Result<(), Fault> {
        self.process.note("GAME");
        self.obey(&Order::NewGame(&situation(game)))
    }

    fn follow(&mut self, _game: &Game, played: Move) -> Result<(), Fault> {
        let (side, at) = (side_text(played.side), act_text(played.act));
        self.obey(&Order::Played { side, at, own: false })
    }

    fn prepare(&mut self, game: &Game, budget: &Budget) -> Result<(), Fault> {
        self.obey(&Order::Board(&board_text(game.variant(), game.state())))?;
        let limits = self.limits(game, budget);
        self.obey(&Order::Prepare(&limits))
    }

    fn choose(&mut self, game: &Game, budget: &Budget) -> Result<Thought, Fault> {
        let limits = self.limits(game, budget);
        let reply = self.ask(&Order::Choose(&limits), budget.cutoff)?;
        match reply.chosen {
            Some(chosen) => Ok(thought(*chosen, reply.taken)),
            None => Err(Fault::Protocol { line: String::new(), why: Garble::Incomplete }),
        }
    }

    fn accepted(&mut self, _game: &Game, played: Move) -> Result<(), Fault> {
        let (side, at) = (side_text(played.side), act_text(played.act));
        self.obey(&Order::Played { side, at, own: true })
    }

    fn finish(&mut self, _game: &Game) -> Result<(), Fault> {
        self.obey(&Order::GameOver)
    }

    fn heeds(&self, limit: Limit) -> bool {
        self.client.heeds(limit)
    }

    fn leash(&self) -> Leash {
        let handle = self.process.handle();
        Leash::new(move || handle.kill())
    }

    fn quit(mut self: Box<Self>) {
        let mut out = String::new();
        // Nothing that an engine does now is of account any more.
        if self.client.order(&Order::Quit, &mut out).is_ok() {
            let _ = self.process.send(&out);
        }
        self.process.close(GRACE);
    }
}

fn thought(chosen: ChosenText, taken: Duration) -> Thought {
    Thought {
        choice: match chosen.choice {
            ChoiceText::Move(at) => Chosen::Move(at),
            ChoiceText::Resign => Chosen::Resign,
        },
        taken,
        score_centidiscs: chosen.centidiscs,
        exact: chosen.exact,
        depth: chosen.depth,
        nodes: chosen.nodes,
        pv: chosen.pv,
    }
}

/// The words for a game as it stands.
fn situation(game: &Game) -> Situation {
    let (variant, rules) = (game.variant(), game.rules());
    let token = variant_text(variant);
    // What a random start has drawn, for one, is not in the token.
    let of_token = record::variant(&token).ok();
    Situation {
        rules: RulesText {
            anti: rules.anti,
            komi: HalfText(rules.komi.0),
            place: match rules.place {
                Place::Plain => PlaceText::Plain,
                Place::May => PlaceText::May,
                Place::Must => PlaceText::Must,
            },
            stuck_ends: rules.stuck == Stuck::End,
            score_discs: rules.scoring == Scoring::Discs,
        },
        start: board_text(variant, game.start()),
        usual_start: of_token.is_some_and(|variant| variant.start_state() == *game.start()),
        variant: token,
        moves: game
            .log()
            .iter()
            .map(|entry| (side_text(entry.mv.side), act_text(entry.mv.act)))
            .collect(),
    }
}
