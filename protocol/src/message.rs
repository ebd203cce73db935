//! The narrow waist: what any dialect can ask, and what any dialect can be told.
//!
//! A dialect maps a line to one [`Request`] and an [`Event`] back to lines. Requests never
//! fail to be read: what cannot be understood becomes [`Request::Unreadable`] and is answered
//! in its turn, with its own tag.

use crate::words::{
    BoardText, ClockText, GameText, HalfDiscs, MoveText, MoveWord, Point, Side, VariantText,
};

/// What a reply must carry back: the client's own id, and which command it answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// The id the client wrote before the command, where it wrote one.
    pub id: Option<String>,
    /// A number private to the dialect: which form of reply this command wants.
    pub form: u16,
}

/// A request with the tag its reply carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Tagged {
    /// Carried back by every event that answers the request.
    pub tag: Tag,
    /// What is asked.
    pub request: Request,
}

/// When a line is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// In its turn, after the commands before it.
    Queued,
    /// At once, even while a search runs (the native `ping`).
    Now,
    /// At once while a search runs and no earlier command waits for its end; in its turn otherwise,
    /// after what the earlier commands do (UCI's `isready`, which tells a client that the options it
    /// has set hold).
    BesideSearch,
    /// A running search is told to stop when the line is read (unless another search waits
    /// before the line: then that one is meant); the line itself is served in its turn.
    StopsSearch,
    /// The same, and nobody wants to hear what that search has found: it chooses no move and its
    /// reply never comes.
    DropsSearch,
    /// What waits is dropped and never answered, the running search is told to stop, and the line
    /// itself is served at once.
    DropsQueue,
}

/// How the clients of a dialect treat passes and searches; the session follows it without
/// knowing the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Forced passes are made at once and announced (subject to the option `autopass`).
    /// Otherwise they are expected to be written, and are inserted where a client leaves them
    /// out.
    pub announces_passes: bool,
    /// `undo` takes back a move together with the passes it led to; otherwise one written item.
    pub undo_whole_moves: bool,
    /// Searches whose reply comes when they are done tell [`Event::Info`] while they run.
    pub follows_searches: bool,
    /// The move of an infinite search is told when it is stopped, and never before.
    pub holds_infinite: bool,
    /// A background search that ends by itself is ended early by a stop alone: what would change
    /// the game or search anew waits for it. A stop ends it even where another search waits.
    pub finishes_searches: bool,
    /// The rows of the options are told before the answer to [`Request::Hello`].
    pub greets_with_options: bool,
}

impl Habits {
    /// Passes are written by the clients, and every item is one step.
    pub const PLAIN: Habits = Habits {
        announces_passes: false,
        undo_whole_moves: false,
        follows_searches: false,
        holds_infinite: false,
        finishes_searches: false,
        greets_with_options: false,
    };
}

/// The sides that the engine plays by itself: whenever one of them is to move, it chooses a move
/// and plays it, which is told as by [`Purpose::Generate`] under the tag of the request that led
/// there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatsText {
    /// None: every move is asked for or told.
    None,
    /// Both.
    Both,
    /// This one.
    Side(Side),
    /// The side that is to move when the request is served.
    Mover,
    /// The other side.
    Other,
}

/// Whose clock is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of this side.
    Side(Side),
    /// That of the side the engine plays; of the side to move where it plays none or both.
    Engine,
    /// That of the other side.
    Opponent,
}

/// The common request. Squares may still be off the board, moves illegal, values out of range.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A blank line or a comment: no reply at all.
    Nothing,
    /// The dialect answers by itself, in the command's turn: the text of the reply.
    Known(String),
    /// One line that asks for several things. They are served one after the other as if each had
    /// come on a line of its own, and answered under the same tag; none of them is a series.
    Series(Vec<Request>),
    /// Not understood; the failure is the reply.
    Unreadable(Failure),
    /// Start of the conversation; the version asked for.
    Hello {
        /// Protocol version the client named.
        version: u32,
    },
    /// The program's name.
    Name,
    /// The program's version.
    Version,
    /// Proof of life.
    Ping(String),
    /// `set NAME=VALUE ...`
    Set(Vec<(String, String)>),
    /// `get NAME ...`; all options when empty.
    Get(Vec<String>),
    /// The table of options.
    Options,
    /// Forget what earlier searches learned.
    Clear,
    /// Take in what the client knows of a position.
    Teach(Box<LessonText>),
    /// End of the conversation.
    Quit,

    /// A new game of a variant (the present one when `None`), from a position when given.
    New {
        /// Variant token.
        variant: Option<VariantText>,
        /// Start position.
        position: Option<BoardText>,
    },
    /// A new game on a board of this size; the other rules stay.
    Resize {
        /// Columns.
        columns: u32,
        /// Rows.
        rows: u32,
    },
    /// A new game from a position; the rules stay.
    SetUp {
        /// The position.
        board: BoardText,
        /// Where the text left a choice: how it was read.
        reading: Option<Reading>,
    },
    /// The position as a client holds it that does not turn discs. Where the squares that are
    /// taken are those of the game (before the first move: the discs), it is the game's own
    /// position, after a pass when the other side is to move; otherwise it is a new one.
    Resync {
        /// The position.
        board: BoardText,
    },
    /// A game as a client tells it anew before each search: from the start of the variant or from
    /// a position, with what was played since; all or nothing. How many placements a free opening
    /// has left follows from the discs that lie, and discs in hand count only where the variant
    /// limits them.
    Arrange {
        /// Variant token; the present variant when `None`.
        variant: Option<VariantText>,
        /// Where it starts; the start of the variant when `None`.
        start: Option<BoardText>,
        /// What was played since.
        moves: Vec<MoveWord>,
    },
    /// Which sides the engine plays by itself from now on.
    Take(SeatsText),
    /// From now on the engine analyses whatever position stands, as [`Purpose::HintInBackground`]
    /// does and under the tag of this request, each time anew; or it does so no longer.
    Watch(bool),
    /// A whole game record replaces the present game.
    Load(Box<GameText>),
    /// The present position.
    Position,
    /// The table of variants.
    Variants,
    /// The present variant.
    Variant,
    /// A drawn board.
    Show(ShowStyle),
    /// The legal moves with their flips.
    Moves,
    /// Why a square cannot be played, or what it would turn.
    Why(Word<Point>),
    /// Discs on the board.
    Count,
    /// The official score.
    Score,
    /// The whole state.
    Status,
    /// What happened so far.
    Log,
    /// The game as one line.
    Record,

    /// Moves in order, stopping at the first refusal.
    Play {
        /// The side the client named.
        side: Option<Side>,
        /// The moves.
        moves: Vec<MoveWord>,
        /// The time the mover used, as the client tells it; from 0 to 1e9.
        seconds: Option<f64>,
    },
    /// A pass of the side to move, or of the side named.
    Pass {
        /// The side the client named.
        side: Option<Side>,
    },
    /// The line of moves from the start position that the engine plays without thinking, as long
    /// as the game goes along it; none when empty.
    Force(Vec<MoveWord>),
    /// Take back.
    Undo(u32),
    /// Play again what was taken back.
    Redo(u32),
    /// This side gives up.
    Resign(Side),
    /// This side's time is used up.
    Timeout {
        /// The side whose flag fell.
        side: Side,
        /// True: the game ends at once.
        hard: bool,
    },
    /// The game is broken off.
    Abandon,
    /// The players agree on a result.
    Agree {
        /// The winner, or nobody.
        winner: Option<Side>,
        /// Margin in discs, winner's view.
        margin: HalfDiscs,
    },
    /// A list of moves from the start position, or a whole record: all or nothing.
    Replay {
        /// Variant and start of a record.
        head: Option<Box<(VariantText, BoardText)>>,
        /// The moves.
        moves: Vec<MoveWord>,
        /// The result a record claims, checked where it is a final score.
        result: Option<String>,
    },

    /// The game clock of one side or both.
    Clock {
        /// One side, or both when `None`.
        side: Option<Side>,
        /// What is set; `None` only asks.
        clock: Option<ClockText>,
    },
    /// This side used so many seconds for its last move.
    Elapsed {
        /// The side.
        side: Side,
        /// Seconds used.
        seconds: f64,
    },
    /// A side has so many seconds left.
    Left {
        /// The side.
        whose: Whose,
        /// Seconds left.
        seconds: f64,
        /// Moves to be made in that time; 0 for the rest of the game. Without a word about them
        /// they are counted on.
        moves: Option<u32>,
    },
    /// GTP's time settings.
    TimeSettings {
        /// Main time in seconds.
        main: f64,
        /// Overtime or increment in seconds.
        overtime: f64,
        /// Moves per overtime period.
        moves: u32,
    },

    /// Anything that searches.
    Search(SearchText),
    /// The move the engine ponders on was played.
    PonderHit,
    /// How far the running search is.
    Progress,
    /// End the running search.
    Stop,
    /// Reply when the running search has ended.
    Wait,
    /// Count the nodes of the game tree.
    Perft {
        /// Plies.
        depth: u32,
        /// True: a pass costs no ply.
        pass_free: bool,
    },
    /// Add the present game to the book.
    Learn,
}

/// A word that was read, or the text that could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word<T> {
    /// What was read.
    Read(T),
    /// The text as written.
    Unreadable(String),
}

/// How an ambiguous position text was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// True: the first row written is the highest rank.
    pub chess: bool,
    /// True: no side was written and Black is assumed.
    pub side_assumed: bool,
}

/// How `show` draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowStyle {
    /// One character a square.
    #[default]
    Ascii,
    /// A blank between squares and letters around.
    Wide,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Choose a move; answered by [`Event::Best`]. Runs in the background: the reply comes at
    /// once.
    Go,
    /// Choose a move; the reply comes with it. `play`: and play it on the board.
    Generate {
        /// Whether the move is also played.
        play: bool,
    },
    /// The best moves with their values; the reply comes when done.
    Hint,
    /// The best moves with their values, told as [`Event::Info`] in the background.
    HintInBackground,
    /// The value of the position; the reply comes when done.
    Eval,
    /// Exact values; the reply comes when done.
    Solve,
    /// The whole game, ply by ply; the reply comes when done.
    Analyze,
    /// The whole game, ply by ply, in the background.
    AnalyzeInBackground,
}

/// A search as a client asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchText {
    /// What it is for.
    pub purpose: Purpose,
    /// The side the client named (GTP's colour).
    pub side: Option<Side>,
    /// Greatest depth in plies.
    pub depth: Option<u32>,
    /// Greatest number of nodes.
    pub nodes: Option<u64>,
    /// Time for this move in milliseconds.
    pub movetime_ms: Option<u64>,
    /// Strength level.
    pub level: Option<u32>,
    /// Selectivity in per cent, 100 for none.
    pub selectivity: Option<u32>,
    /// The game clock binds.
    pub clock: bool,
    /// Until stopped.
    pub infinite: bool,
    /// Clocks that come with the search and hold for it alone.
    pub clocks: Option<ClocksText>,
    /// The position to search, in place of the game's.
    pub board: Option<BoardText>,
    /// Only these moves.
    pub moves: Vec<MoveWord>,
    /// Number of best moves wanted; that of the option `multipv` when `None`.
    pub multipv: Option<u32>,
    /// Think in the opponent's time.
    pub ponder: Option<PonderText>,
    /// Solve for win, draw or loss only.
    pub wld: bool,
    /// Solve under this scoring rule: `Some(true)` for discs on the board only.
    pub rule_discs: Option<bool>,
    /// Solve every move, not only the best.
    pub all: bool,
    /// Between these, in hundredths of a disc from the mover's view, the value itself is wanted; of
    /// a value that is at most the first or at least the second, it is enough to know that.
    pub window: Option<(i32, i32)>,
}

impl SearchText {
    /// A search for this purpose without any limit.
    #[must_use]
    pub fn new(purpose: Purpose) -> SearchText {
        SearchText {
            purpose,
            side: None,
            depth: None,
            nodes: None,
            movetime_ms: None,
            level: None,
            selectivity: None,
            clock: false,
            infinite: false,
            clocks: None,
            board: None,
            moves: Vec::new(),
            multipv: None,
            ponder: None,
            wld: false,
            rule_discs: None,
            all: false,
            window: None,
        }
    }
}

/// What a client knows of a position. Values are hundredths of a disc, mover's view.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonText {
    /// The position.
    pub board: BoardText,
    /// The value is at least this; the least result there is says nothing.
    pub lower: i32,
    /// The value is at most this; the greatest result there is says nothing.
    pub upper: i32,
    /// Plies that were searched; the empties or more for a search to the end.
    pub depth: u32,
    /// Selectivity in per cent, 100 for none.
    pub selectivity: u32,
    /// Best play of both sides from there.
    pub line: Vec<MoveWord>,
}

/// What a search in the opponent's time is about. It goes on until [`Request::PonderHit`] makes
/// an ordinary search of it, or until it is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PonderText {
    /// The opponent is to move, and is expected to play this.
    Predicted(MoveWord),
    /// The expected move stands on the board already.
    Played,
}

/// Both clocks, as they come with a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClocksText {
    /// Black's.
    pub black: SideClockText,
    /// White's.
    pub white: SideClockText,
    /// Moves until more time is given; 0 for the rest of the game.
    pub moves_to_go: u32,
}

/// One clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClockText {
    /// Milliseconds left; `None` for a side that has no clock.
    pub left_ms: Option<u64>,
    /// Milliseconds added after each move.
    pub increment_ms: u64,
}

/// Why something was refused, in one word of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Placements go on the centre squares.
    NotCentre,
    /// A disc lies there.
    SquareTaken,
    /// The other side is to move.
    NotYourTurn,
    /// Nothing would be turned.
    NoFlip,
    /// A pass although there is a move.
    HasMove,
    /// The game is over.
    GameOver,
    /// No square at all.
    Hole,
    /// A square, but not of this board.
    OffBoard,
    /// No disc left in hand.
    NoDiscs,
    /// This placement must turn something.
    MustFlip,
    /// The side to move has no move and has to pass.
    NoMove,
    /// Not the name of a square.
    BadSquare,
    /// Not a variant.
    BadVariant,
    /// Not a size that is supported.
    BadSize,
    /// Holes that cannot be.
    BadHoles,
    /// Not a position.
    BadPosition,
    /// Not a FEN string.
    BadFen,
    /// A value out of range.
    BadValue,
    /// No such command.
    UnknownCommand,
    /// An argument that the command does not take.
    BadArgument,
    /// Understood, but not to be had.
    Unsupported,
    /// Not while something else runs.
    Busy,
    /// Nothing to take back.
    NothingToUndo,
    /// Nothing to play again.
    NothingToRedo,
    /// A record that contradicts itself.
    LogMismatch,
    /// A fault of ours.
    Internal,
}

impl Code {
    /// The word, such as `not_centre`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Code::NotCentre => "not_centre",
            Code::SquareTaken => "square_taken",
            Code::NotYourTurn => "not_your_turn",
            Code::NoFlip => "no_flip",
            Code::HasMove => "has_move",
            Code::GameOver => "game_over",
            Code::Hole => "hole",
            Code::OffBoard => "off_board",
            Code::NoDiscs => "no_discs",
            Code::MustFlip => "must_flip",
            Code::NoMove => "no_move",
            Code::BadSquare => "bad_square",
            Code::BadVariant => "bad_variant",
            Code::BadSize => "bad_size",
            Code::BadHoles => "bad_holes",
            Code::BadPosition => "bad_position",
            Code::BadFen => "bad_fen",
            Code::BadValue => "bad_value",
            Code::UnknownCommand => "unknown_command",
            Code::BadArgument => "bad_argument",
            Code::Unsupported => "unsupported",
            Code::Busy => "busy",
            Code::NothingToUndo => "nothing_to_undo",
            Code::NothingToRedo => "nothing_to_redo",
            Code::LogMismatch => "log_mismatch",
            Code::Internal => "internal",
        }
    }
}

/// A refusal with all it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The reason.
    pub code: Code,
    /// The offending text, square or word.
    pub text: Option<String>,
    /// The square asked for, in the words of the reply.
    pub square: Option<String>,
    /// The legal squares, for refusals of a move.
    pub legal: Option<Vec<Point>>,
    /// How many moves were made before the refusal.
    pub done: Option<u32>,
    /// Which item of a list was refused, counted from 1.
    pub item: Option<u32>,
    /// The protocol version that was asked for and is not spoken.
    pub version: Option<u32>,
    /// Prose for people, without line breaks.
    pub prose: String,
}

impl Failure {
    /// A failure with a reason and a sentence.
    #[must_use]
    pub fn new(code: Code, prose: impl Into<String>) -> Failure {
        Failure {
            code,
            text: None,
            square: None,
            legal: None,
            done: None,
            item: None,
            version: None,
            prose: prose.into(),
        }
    }

    /// The same with the offending text.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Failure {
        self.text = Some(text.into());
        self
    }
}

/// A value in a report, always from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueText {
    /// Hundredths of a disc.
    pub centidiscs: i32,
    /// Value, or only a bound of it.
    pub bound: BoundText,
    /// Proved, without selectivity.
    pub exact: bool,
}

/// What a value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundText {
    /// The value itself.
    Value,
    /// At least this.
    Lower,
    /// At most this.
    Upper,
}

/// Why a side passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassReason {
    /// No legal move.
    NoMove,
    /// No disc left.
    NoDiscs,
}

/// The whole state of a game, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct StateText {
    /// Canonical variant.
    pub variant: VariantText,
    /// The seed that squares or moves were drawn with.
    pub seed: Option<u64>,
    /// The position.
    pub position: BoardText,
    /// Number of playable squares.
    pub squares: u32,
    /// What comes next.
    pub phase: Phase,
    /// The side to move.
    pub next: Option<Side>,
    /// Discs on the board, Black's and White's.
    pub count: (u32, u32),
    /// Where the side to move can play or place.
    pub legal: Vec<Point>,
    /// What was done last, and by whom.
    pub last: Option<(Side, LogText)>,
    /// Moves, placements and passes so far.
    pub items: u32,
    /// The result once the game is over.
    pub ending: Option<EndingText>,
}

/// What the side to move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Puts down discs of the opening.
    Place,
    /// Plays.
    Play,
    /// Nothing: the game is over.
    Over,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndingText {
    /// `score`, `tie`, `resign`, `timeout`, `abandoned`, `agreed`.
    pub reason: EndReason,
    /// The winner, or nobody.
    pub winner: Option<Side>,
    /// Official score, Black's and White's, where there is one.
    pub official: Option<(HalfDiscs, HalfDiscs)>,
    /// The winner's margin after komi.
    pub margin: Option<HalfDiscs>,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Neither side can move; somebody won.
    Score,
    /// Neither side can move; nobody won.
    Tie,
    /// A side gave up.
    Resign,
    /// A side's time ran out.
    Timeout,
    /// Broken off.
    Abandoned,
    /// The players agreed.
    Agreed,
}

/// Something the session tells. For each request: any number of data events, then exactly one
/// [`Event::Done`] or [`Event::Failed`]; [`Event::Info`], [`Event::Best`] and the plies of a
/// background analysis stand between replies.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A disc was placed in the opening.
    Placed {
        /// Who placed it.
        side: Side,
        /// Where.
        at: Point,
    },
    /// A disc was played.
    Played {
        /// Who played it.
        side: Side,
        /// Where.
        at: Point,
        /// What was turned.
        flips: Vec<Point>,
    },
    /// A side passed.
    Passed {
        /// Who passed.
        side: Side,
        /// Why.
        reason: PassReason,
    },
    /// A legal move (or placement, when nothing is turned).
    Legal {
        /// Where.
        at: Point,
        /// What it turns.
        flips: Vec<Point>,
    },
    /// A row of a drawn board, from the top.
    Row {
        /// Row number from 1; 0 for a line of column letters.
        number: u32,
        /// The drawn cells.
        cells: String,
    },
    /// An entry of the log.
    Logged {
        /// Number from 1.
        number: u32,
        /// Whose entry.
        side: Side,
        /// What was done.
        what: LogText,
    },
    /// One of the best moves.
    Hint {
        /// Rank from 1.
        rank: u32,
        /// The news.
        info: InfoText,
    },
    /// A solved position.
    Solved {
        /// Value for the side to move.
        value: ValueText,
        /// Counting discs on the board only.
        rule_discs: bool,
        /// Win, draw or loss only.
        wld: bool,
        /// The optimal moves that were established.
        moves: Vec<MoveText>,
        /// Principal variation.
        pv: Vec<MoveText>,
        /// Nodes searched.
        nodes: u64,
        /// Milliseconds used.
        time_ms: u64,
    },
    /// The value of one root move.
    MoveValue {
        /// The move.
        at: MoveText,
        /// Its value for the side to move.
        value: ValueText,
    },
    /// A node count.
    Counted {
        /// Plies.
        depth: u32,
        /// Leaves.
        nodes: u64,
        /// True: a pass costs no ply.
        pass_free: bool,
    },
    /// One ply of an analysed game.
    Ply(PlyText),
    /// A clock.
    ClockLeft {
        /// Whose clock.
        side: Side,
        /// Seconds left.
        left: f64,
        /// Where the clock stands.
        state: ClockState,
    },
    /// A row of the option table.
    Option(OptionText),
    /// A row of the table of variants.
    VariantRow {
        /// Name.
        name: String,
        /// Sentence.
        about: String,
    },
    /// The game as it stands: after a move of the engine's own, and for dialects that follow the
    /// game before every reply.
    Stands(Box<StateText>),
    /// There is nothing to search: the game is over, with this result.
    Over(EndingText),
    /// News of a running search.
    Info {
        /// Number of the search.
        search: u32,
        /// The news.
        info: InfoText,
    },
    /// The end of a background search that chose a move.
    Best(BestText),
    /// The end of a background search that did not choose a move.
    Finished {
        /// Nodes searched.
        nodes: u64,
        /// Milliseconds used.
        time_ms: u64,
    },
    /// The request was carried out.
    Done(Done),
    /// The request was refused.
    Failed(Failure),
}

/// What an entry of the log records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogText {
    /// A placement.
    Place(Point),
    /// A move.
    Play(Point),
    /// A pass.
    Pass,
}

/// News of a search: one line of thought.
#[derive(Clone, Debug, PartialEq)]
pub struct InfoText {
    /// Plies searched.
    pub depth: u32,
    /// Selectivity in per cent, 100 for none.
    pub selectivity: u32,
    /// Rank of the line, from 1.
    pub multipv: u32,
    /// Value.
    pub value: ValueText,
    /// True when the value is exact for win, draw or loss only.
    pub wld: bool,
    /// Nodes so far.
    pub nodes: u64,
    /// Milliseconds so far.
    pub time_ms: u64,
    /// The line, beginning with the move itself.
    pub pv: Vec<MoveText>,
}

/// The move a search chose.
#[derive(Clone, Debug, PartialEq)]
pub struct BestText {
    /// Number of the search.
    pub search: u32,
    /// The move; `None` when the game is over.
    pub at: Option<MoveText>,
    /// Its value, where the search reached one.
    pub value: Option<ValueText>,
    /// The expected reply.
    pub ponder: Option<MoveText>,
    /// Nodes searched.
    pub nodes: u64,
    /// Milliseconds used.
    pub time_ms: u64,
    /// The search broke and the move is any legal one.
    pub failed: bool,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressText {
    /// Nodes searched when the search last told of itself.
    pub nodes: u64,
    /// Milliseconds since it began.
    pub time_ms: u64,
}

/// One ply of an analysed game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyText {
    /// Number of the entry, counted from 1, passes counted.
    pub number: u32,
    /// Who moved.
    pub side: Side,
    /// What was played; `None` for the final position.
    pub played: Option<MoveText>,
    /// Value of the best move, mover's view.
    pub value: ValueText,
    /// Value after the move that was played, mover's view.
    pub after: Option<ValueText>,
    /// The best moves.
    pub best: Vec<MoveText>,
    /// Plies searched for the value.
    pub depth: u32,
    /// Selectivity of that search in per cent, 100 for none.
    pub selectivity: u32,
    /// How many legal moves there were.
    pub n_legal: u32,
}

/// Where a clock stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockState {
    /// In the main time.
    Main,
    /// In the extension.
    Extension,
    /// Used up.
    Hard,
}

/// A row of the option table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionText {
    /// Name.
    pub name: String,
    /// `check`, `spin`, `combo` or `string`.
    pub kind: String,
    /// Default value.
    pub default: String,
    /// Least value of a number.
    pub min: Option<i64>,
    /// Greatest value of a number.
    pub max: Option<i64>,
    /// The words that may be chosen from.
    pub choices: Vec<String>,
    /// Present value.
    pub value: String,
}

/// The end of a request that was carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// Nothing to add.
    Plain,
    /// The dialect's own text ([`Request::Known`]).
    Known(String),
    /// Start of the conversation.
    Hello {
        /// Protocol version spoken.
        version: u32,
        /// Program name.
        name: String,
        /// Program version.
        program_version: String,
        /// Whether forced passes are made at once.
        autopass: bool,
    },
    /// Program name.
    Name(String),
    /// Program version.
    Version(String),
    /// The word of a ping.
    Pong(String),
    /// Values of options.
    Values(Vec<(String, String)>),
    /// The state of the game, and how an ambiguous text was read.
    State {
        /// The state.
        state: Box<StateText>,
        /// How a text was read, where there was a choice.
        reading: Option<Reading>,
    },
    /// The end of a list.
    Listed {
        /// How many there were.
        n: u32,
        /// The side to move, for lists of moves.
        side: Option<Side>,
    },
    /// A square that can be played, and what it turns; nothing for a placement.
    Legal {
        /// Where.
        at: Point,
        /// What it turns.
        flips: Vec<Point>,
    },
    /// Discs on the board.
    Count(u32, u32),
    /// The game as one line.
    Record(String),
    /// A background search began.
    Started {
        /// Number of the search.
        search: u32,
    },
    /// A search that replies when done has ended.
    Searched {
        /// It was ended early.
        stopped: bool,
        /// The result is proved.
        exact: bool,
    },
    /// How far the running search is; `None` when none runs.
    Progress(Option<ProgressText>),
    /// The move of [`Purpose::Generate`].
    Generated(BestText),
    /// The book took the game in.
    Learned,
}
