//! A session in this process, with an engine on its own thread: what a client would see,
//! without pipes.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use outflank::engine::Engine;
use outflank::engine::background::Background;
use outflank::session::{Effect, Input, Options, Session};

/// Longest wait for a finding.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client's view of a session.
pub struct Conversation {
    session: Session,
    engine: Background,
    sender: Sender<Input>,
    inbox: Receiver<Input>,
    /// Everything written so far.
    pub output: String,
    running: usize,
    /// The session said it is over.
    pub left: bool,
}

impl Conversation {
    /// A session that speaks this protocol, or finds it out.
    pub fn new(protocol: Option<&str>, engine: Box<dyn Engine>) -> Conversation {
        let (sender, inbox) = channel();
        Conversation {
            session: Session::new(protocol, Options::default()).expect("the protocol is known"),
            engine: Background::spawn(engine).expect("a thread"),
            sender,
            inbox,
            output: String::new(),
            running: 0,
            left: false,
        }
    }

    /// Hands in a line and returns what was written at once.
    pub fn say(&mut self, line: &str) -> String {
        let before = self.output.len();
        let input = Input::Line { text: Ok(line.to_owned()), at: Instant::now() };
        self.hand_in(input);
        self.output[before..].to_owned()
    }

    /// Waits until no job runs any more.
    pub fn settle(&mut self) {
        while self.running > 0 && !self.left {
            let input = self.inbox.recv_timeout(PATIENCE).expect("every job ends");
            self.hand_in(input);
        }
    }

    /// Ends the input and waits until the session leaves.
    pub fn end(&mut self) {
        self.hand_in(Input::End { at: Instant::now() });
        let deadline = Instant::now() + PATIENCE;
        while !self.left {
            assert!(Instant::now() < deadline, "the session does not leave");
            match self.inbox.recv_timeout(Duration::from_millis(100)) {
                Ok(input) => self.hand_in(input),
                Err(_) => self.hand_in(Input::Wake { at: Instant::now() + PATIENCE }),
            }
        }
    }

    fn hand_in(&mut self, input: Input) {
        use outflank::engine::background::Finding;
        if let Input::Found { finding, .. } = &input
            && !matches!(finding, Finding::Report(_) | Finding::Ply { .. })
        {
            self.running -= 1;
        }
        for effect in self.session.on_input(input) {
            match effect {
                Effect::Write(text) => self.output.push_str(&text),
                Effect::Start { job, work, stop } => {
                    self.running += 1;
                    let sender = self.sender.clone();
                    let tell = Box::new(move |job, finding| {
                        let _ = sender.send(Input::Found { job, finding, at: Instant::now() });
                    });
                    self.engine.start(job, work, stop, tell);
                }
                Effect::LogTo(_) => {}
                Effect::WakeAt(_) => {}
                Effect::Leave => self.left = true,
            }
        }
    }
}
