//! What can be written on the command line: names, ranges and help, and nothing of what they do.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use outflank_protocol::format::{self, FormatRow};

use crate::arena::balanced;
use crate::arena::clock::Time;
use crate::arena::sprt::SprtBounds;
use crate::kernel::Tier;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "outflank",
    version,
    about = "Othello and Reversi engine for every variant",
    long_about = "Othello and Reversi engine for every variant.\n\n\
        Without a subcommand it speaks a protocol on standard input and output; which one is \
        found from the first line it reads.",
    after_help = TOP_EXAMPLES,
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    /// What to do; the protocol loop when absent.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the protocol loop.
    #[command(flatten)]
    pub play: PlayArgs,
}

const TOP_EXAMPLES: &str = "\
Examples:
  outflank                          wait for a protocol on standard input
  outflank --protocol gtp --level 8
  printf 'rp 1\\nnew othello\\ngo depth=8\\n' | outflank
  outflank perft 8
  outflank solve --json positions.obf
  outflank help solve

Exit codes: 0 all good, 1 some input failed (the rest was done), 2 wrong usage,
3 internal fault, 130 interrupted.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Count the nodes of the game tree
    Perft(PerftArgs),
    /// List the legal moves of positions, with what they turn
    Moves(MovesArgs),
    /// Solve positions exactly
    Solve(SolveArgs),
    /// Evaluate positions by a search of a given effort
    Eval(EvalArgs),
    /// Look at games ply by ply: values, best moves, errors, turning points
    Analyze(AnalyzeArgs),
    /// Draw a position or the end of a game for people
    Show(ShowArgs),
    /// Convert games and positions between formats
    Convert(ConvertArgs),
    /// Drop games and positions that were there before, turned or mirrored ones too
    Dedup(DedupArgs),
    /// Count games and positions: results, lengths, passes, first moves
    Stats(StatsArgs),
    /// Search a fixed set of positions and print the signature of the node counts
    Bench(BenchArgs),
    /// Let engines play each other
    Match(Box<MatchArgs>),
    /// Take an engine through a protocol, step by step
    Conform(ConformArgs),
    /// List the variants
    Variants(VariantsArgs),
    /// Find balanced openings by the engine's own search
    Openings(OpeningsArgs),
    /// Answer lines as a script says: a counterpart for tests, see `cli/mock.rs`
    #[command(hide = true)]
    Mock(MockArgs),
    /// Make training data and fit the weights of the evaluation
    #[cfg(feature = "train")]
    Train(super::train::TrainArgs),
}

/// `outflank mock`
#[derive(Debug, Args)]
pub struct MockArgs {
    /// The script
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub script: PathBuf,
}

/// Options of the protocol loop.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// Speak this protocol instead of finding it from the first line
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Options of the engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Threads a search may use, 1 to 256 [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub threads: Option<u32>,
    /// Strength, 0 to 60; under a clock the level and the clock both bind
    #[arg(long, value_name = "N", value_parser = whole(0, 60))]
    pub level: Option<u32>,
    /// Play from a script instead of searching: a counterpart for tests, see `engine/scripted.rs`
    #[arg(long = "engine", value_name = "scripted:FILE", hide = true)]
    pub script: Option<String>,
    /// Write the log to this file instead of standard error
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, global = true)]
    pub log: Option<PathBuf>,
}

/// Options of the engine that every searching command takes.
#[derive(Clone, Debug, Default, Args)]
pub struct EngineArgs {
    /// Size of the transposition table in MiB, 1 to 65536 [default: 64]
    #[arg(long, value_name = "MIB", value_parser = whole(1, 65536))]
    pub hash: Option<u32>,
    /// Processor tier of the inner loops; one that this processor lacks is refused
    #[arg(long, value_enum, value_name = "TIER", default_value_t = Cpu::Auto)]
    pub cpu: Cpu,
    /// Evaluation weights: a file that `scripts/train.sh` has made, or `none` for the hand-made
    /// evaluation [default: those of this build]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<String>,
    /// Set an option of the engine by its name; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = name_and_value, help = set_help())]
    pub set: Vec<(String, String)>,
}

/// `--cpu`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Cpu {
    /// The fastest tier that this processor has
    #[default]
    Auto,
    /// Plain code that runs everywhere
    Portable,
    /// x86-64 with AVX2 and BMI2
    Avx2,
    /// x86-64 with AVX-512 F, VL and CD
    Avx512,
}

impl Cpu {
    /// The tier that is asked for, if one is.
    #[must_use]
    pub fn tier(self) -> Option<Tier> {
        match self {
            Cpu::Auto => None,
            Cpu::Portable => Some(Tier::Portable),
            Cpu::Avx2 => Some(Tier::Avx2),
            Cpu::Avx512 => Some(Tier::Avx512),
        }
    }
}

/// Reads a whole number within a range.
pub(super) fn whole(
    min: u32,
    max: u32,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(format!("a whole number from {min} to {max}")),
    }
}

fn node_count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(nodes) if nodes > 0 => Ok(nodes),
        _ => Err(format!("a whole number from 1 to {}", u64::MAX)),
    }
}

fn set_help() -> String {
    format!(
        "Set an option of the engine; may be repeated. There are {}. Their values are told by `echo \
         options | outflank --protocol native`",
        super::play::option_names()
    )
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("an option is set by NAME=VALUE, as in `seed=7`".to_owned()),
    }
}

/// `--variant`
#[derive(Clone, Debug, Args)]
pub struct VariantArg {
    /// Rules, and the board that bare move lists start from
    #[arg(long, value_name = "VARIANT", default_value = "othello")]
    pub variant: String,
}

impl Default for VariantArg {
    fn default() -> VariantArg {
        VariantArg { variant: "othello".to_owned() }
    }
}

/// `perft`
#[derive(Debug, Args)]
#[command(after_help = "\
Prints one line: depth, nodes, seconds, nodes per second. A game that ended earlier counts once.
With --divide a line `MOVE NODES` for each first move comes before it.

Examples:
  outflank perft 9
  outflank perft --pass free 9
  outflank perft --variant 6x6 --divide 6
  outflank perft 6 -- '--OOO----X-O------XX-------XX------XX-------X------------------- X'")]
pub struct PerftArgs {
    /// Plies
    #[arg(value_name = "DEPTH", value_parser = whole(0, 60))]
    pub depth: u32,
    /// A position or game, a file of them, or `-`; the start of the variant when absent
    #[arg(value_name = "POSITION")]
    pub position: Option<String>,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// Whether a forced pass costs a ply
    #[arg(long, value_enum, value_name = "COST", default_value_t = PassArg::Ply)]
    pub pass: PassArg,
    /// Count for each first move as well
    #[arg(long)]
    pub divide: bool,
    /// Processor tier of the inner loops; one that this processor lacks is refused
    #[arg(long, value_enum, value_name = "TIER", default_value_t = Cpu::Auto)]
    pub cpu: Cpu,
}

/// `--pass`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PassArg {
    /// A forced pass costs one ply
    Ply,
    /// A forced pass costs nothing: depth counts discs
    Free,
}

/// `moves`
#[derive(Debug, Args)]
#[command(after_help = "\
One line a position: its id, the side to move, the phase, and each move with what it turns.

Examples:
  outflank moves f5d6c3
  outflank moves --json '8/8/8/3ox3/3xo3/8/8/8,x'
  outflank moves --variant reversi d5
  outflank moves < positions.txt")]
pub struct MovesArgs {
    /// Positions, games, or files of them; standard input when absent or `-`
    #[arg(value_name = "POSITION|FILE")]
    pub inputs: Vec<String>,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// JSON lines
    #[arg(long)]
    pub json: bool,
}

/// What `solve` and `eval` share.
#[derive(Clone, Debug, Args)]
pub struct BatchArgs {
    /// Positions, games, or files of them; standard input when absent or `-`
    #[arg(value_name = "POSITION|FILE")]
    pub inputs: Vec<String>,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// Establish only who wins
    #[arg(long)]
    pub wld: bool,
    /// How empty squares at the end are scored [default: as the variant has it]
    #[arg(long, value_enum, value_name = "RULE")]
    pub rule: Option<RuleArg>,
    /// Give the value of every move, not only of the best
    #[arg(long)]
    pub all_moves: bool,
    /// Threads for one position, 1 to 256 [default: as many as there are processors; with several
    /// jobs 1]
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub threads: Option<u32>,
    /// Positions searched at the same time, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 256))]
    pub jobs: u32,
    /// Seconds for one position, after which the best answer so far is given
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_per_position: Option<f64>,
    /// Append the records to this file as JSON lines, and skip the ids already in it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub resume: Option<PathBuf>,
    /// JSON lines
    #[arg(long)]
    pub json: bool,
    /// Options of the engine.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// `--rule`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleArg {
    /// Empty squares go to the winner, a tie is half each
    Wof,
    /// Only the discs on the board count
    Discs,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("a number of seconds above 0, up to 1000000000".to_owned()),
    }
}

/// `solve`
#[derive(Debug, Args)]
#[command(after_help = "\
One line a position, in the order of the input. An input that cannot be read gives an error line
in its place, the rest goes on, and the exit code is 1.
Input: position tokens, 64 characters and the side, OBF, move lists, and files of every format that
`outflank help convert` lists; a game stands for the position at its end. Lines that begin with % or #
are comments. Progress is told on standard error every five seconds.

Examples:
  outflank solve positions.obf
  outflank solve --json --all-moves --variant 4x4 '4/1ox1/1xo1/4,x'
  outflank solve --rule discs --variant 4x4 '4/1ox1/1xo1/4,x'
  outflank solve --jobs 4 --resume done.jsonl < positions.txt")]
pub struct SolveArgs {
    /// What `solve` and `eval` share.
    #[command(flatten)]
    pub batch: BatchArgs,
}

/// `eval`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  outflank eval --depth 10 f5d6c3
  outflank eval --level 12 --multipv 3 --json < games.txt
  outflank eval --nodes 100000 --variant oct '__6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__6__,x'")]
pub struct EvalArgs {
    /// What `solve` and `eval` share.
    #[command(flatten)]
    pub batch: BatchArgs,
    /// Greatest depth in plies, 1 to 256
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub depth: Option<u32>,
    /// Confidence of forward pruning: 73, 87, 95, 98, 99 or 100 per cent, which prunes nothing; games
    /// without trained weights are never pruned
    #[arg(long, value_name = "P", value_parser = selectivity)]
    pub selectivity: Option<u32>,
    /// Greatest number of nodes
    #[arg(long, value_name = "N", value_parser = node_count)]
    pub nodes: Option<u64>,
    /// Strength level, 0 to 60; 10 when nothing limits the search
    #[arg(long, value_name = "N", value_parser = whole(0, 60))]
    pub level: Option<u32>,
    /// Number of best moves to give values of, 1 to 256
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub multipv: Option<u32>,
}

/// Legal values of `--selectivity`.
const SELECTIVITIES: [u32; 6] = [73, 87, 95, 98, 99, 100];

pub(super) fn selectivity(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(percent) if SELECTIVITIES.contains(&percent) => Ok(percent),
        _ => Err("one of 73, 87, 95, 98, 99, 100".to_owned()),
    }
}

/// `analyze`
#[derive(Debug, Args)]
#[command(after_help = "\
Every ply of a game gets the value of its position with best play, the value after what was played,
the best moves and the loss. Values are discs from the view of the side to move, without komi. `=` is
proved, `~` is the estimate of a search. A position is solved when at most --exact-from squares are
empty; positions before that are searched at --level by one thread. So a game has the same numbers
whatever the number of threads, and however its board is turned or mirrored.

A loss from 1 disc on is an inaccuracy, from 3 on a mistake, from 8 on a blunder. Passes and only moves
lose nothing and are not judged. Turning points are the plies that gave a result away (where it is not
proved: by a mistake at least), and the three largest blunders besides.

--json prints a line a ply:
  {\"game\":..,\"item\":N,\"side\":\"x|o\",\"played\":..,\"value\":..,\"after\":..,\"best\":[..],\"loss\":..,
  \"exact\":true|false,\"empties\":N}
and one line a game behind them: {\"game\":..,\"summary\":{\"record\":..,\"x\":{..},\"o\":{..},
\"turning_points\":[..],..}}. --from reads such a file back, and searches nothing.
--csv prints the fields of the plies with a header; what is best has blanks between.

After Ctrl-C the plies that are done, which are the last ones of the game, are given, and the exit code
is 130.

Examples:
  outflank analyze f5d6c3d3c4f4c5b3c2e3
  outflank analyze games.ggf --level 16 --exact-from 24 --json > games.jsonl
  outflank analyze --from games.jsonl --html games.html
  outflank analyze --csv --jobs 2 < transcripts.txt
  outflank analyze --variant 6x6 d2c2 --html game.html")]
pub struct AnalyzeArgs {
    /// Games, or files of them; standard input when absent or `-`
    #[arg(value_name = "GAME|FILE")]
    pub inputs: Vec<String>,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// Strength of the estimates, 0 to 60 [default: 10, on larger boards less]
    #[arg(long, value_name = "N", value_parser = whole(0, 60))]
    pub level: Option<u32>,
    /// Solve positions with at most so many empty squares, 0 to 60, and those that the level sees the
    /// end of exactly [default: only those]
    #[arg(long, value_name = "EMPTIES", value_parser = whole(0, 60))]
    pub exact_from: Option<u32>,
    /// Read analyses that --json has written instead of making them; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
        conflicts_with_all = ["inputs", "level", "exact_from", "jobs", "threads"])]
    pub from: Option<String>,
    /// JSON lines
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// CSV with a header
    #[arg(long)]
    pub csv: bool,
    /// Write a report of all games for people as well
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// Threads that solve one position, 1 to 256 [default: as many as there are processors; with
    /// several jobs 1]
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub threads: Option<u32>,
    /// Games analysed at the same time, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 256))]
    pub jobs: u32,
    /// Options of the engine.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// `show`
#[derive(Debug, Args)]
#[command(after_help = "\
A game is shown as it ends, with its last move marked: in brackets as text, by a dot in SVG. Squares
that do not exist are blank, # in ASCII. Colours are used on a terminal, unless the environment has
NO_COLOR or TERM=dumb.

Examples:
  outflank show f5d6c3
  outflank show --ascii --moves --variant oct
  outflank show --moves --svg board.svg f5d6c3
  outflank show --svg - --variant reversi d4 > board.svg
  outflank show -- '---------------------------OX------XO--------------------------- X'")]
pub struct ShowArgs {
    /// A position or game, a file of them, or `-`; the start of the variant when absent
    #[arg(value_name = "POSITION|GAME")]
    pub position: Option<String>,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// Draw with x, o, - and # instead of round discs
    #[arg(long)]
    pub ascii: bool,
    /// Mark the legal moves or placements; as text also list what they turn
    #[arg(long)]
    pub moves: bool,
    /// Draw into this file as SVG instead; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub svg: Option<PathBuf>,
    /// Whether the drawn board is coloured
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorArg::Auto)]
    pub color: ColorArg,
}

/// `--color`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal, unless the environment has NO_COLOR or TERM=dumb
    Auto,
    /// Wherever it is written to
    Always,
    /// Nowhere
    Never,
}

/// A format that is read, by its name.
fn format_name(text: &str) -> Result<&'static FormatRow, String> {
    format::by_name(text).ok_or_else(|| {
        let names: Vec<&str> = format::FORMATS.iter().map(|row| row.name).collect();
        format!("one of {}", names.join(", "))
    })
}

/// `--from`
#[derive(Clone, Copy, Debug, Args)]
pub struct FromArg {
    /// Take everything for this format [default: told by the content of each entry]
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    pub from: Option<&'static FormatRow>,
}

/// `convert`
#[derive(Debug, Args)]
#[command(after_help = CONVERT_HELP)]
pub struct ConvertArgs {
    /// Games, positions, or files of them; standard input when absent or `-`
    #[arg(value_name = "FILE")]
    pub inputs: Vec<String>,
    /// What they are.
    #[command(flatten)]
    pub from: FromArg,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ToArg,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
}

const CONVERT_HELP: &str = "\
One entry in, one entry out, in the order of the input. An entry that cannot be read, or that the
format cannot hold (holes in OBF, other boards than 8x8 in WTHOR, rules in SGF, another start in a
transcript), is named on standard error and left out; the others are written, and the exit code is 1.
Evaluations, times and remarks are dropped where the format has no place for them.

Formats to read (--from): wthor ggf sgf pgn record quest cassio ios egaroucid gpdb fen fen-edax
fen-fairy fen-top token obf board zebra transcript. Without --from the content of each entry decides,
not the name of the file.

Formats to write (--to):
  ggf         one line a game, passes written
  sgf         one line a game, GM[2], squares as two letters (Quarry), passes left out
  pgn         tags, a blank line, numbered moves, a blank line
  transcript  one line a game, f5d6c3, passes left out; a result that does not follow from the moves
              stands behind them as a comment: % x40:24
  record      one line a game, rp1 VARIANT START MOVES RESULT px=.. po=..
  wthor       a binary file of games
  obf, token  one line a position: where the game stands at its end

WTHOR: players and tournaments are numbers. Games from WTHOR files keep theirs, so that the files of
names they came with go on being right. As soon as another game has names, all names are numbered
anew and written beside -o FILE.wtb as FILE.jou and FILE.trn, in capitals beside FILE.WTB; files of
names among the inputs are kept and added to. A game from another format has its own score as the best score.

Examples:
  outflank convert games.ggf --to sgf -o games.sgf
  outflank convert WTH_2001.wtb --to ggf > games.ggf
  outflank convert WTH.JOU WTH.TRN games.ggf --to wthor -o mine.wtb
  outflank convert --to token f5d6c3
  outflank convert --from fen-edax --to obf < positions.fen";

/// `--to`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToArg {
    /// Games of GGS and NBoard
    Ggf,
    /// Games of Quarry
    Sgf,
    /// Positions with scores of moves
    Obf,
    /// Tags and numbered moves
    Pgn,
    /// The binary database of the French federation
    Wthor,
    /// Moves run together
    Transcript,
    /// Our position token
    Token,
    /// Our one-line record
    Record,
}

/// `dedup`
#[derive(Debug, Args)]
#[command(after_help = "\
Prints every entry that was not there before, in the order and the form it came in; one from a binary
file as its transcript. Two positions are the same when one of the eight ways to turn or mirror the
board makes them equal, side to move and rules included; two games, when it makes start and moves
equal, whether passes are written or not. Standard error says how many were dropped.

With --json a line is {\"id\":..,\"canonical\":..} with \"position\" or \"moves\": `canonical` is the
same for all that are the same.

Examples:
  outflank dedup positions.obf > once.obf
  outflank dedup --positions xot.txt
  outflank dedup --json games.ggf")]
pub struct DedupArgs {
    /// Games, positions, or files of them; standard input when absent or `-`
    #[arg(value_name = "FILE")]
    pub inputs: Vec<String>,
    /// What they are.
    #[command(flatten)]
    pub from: FromArg,
    /// Compare games by the position they lead to
    #[arg(long)]
    pub positions: bool,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// JSON lines
    #[arg(long)]
    pub json: bool,
}

/// `stats`
#[derive(Debug, Args)]
#[command(after_help = "\
Counts what all inputs hold together. A position counts as one; a game counts as its start and the
position behind each move. Results are those the moves lead to, or else those that are stated.

With --json one line: games, boards (single positions), positions, moves, finished, black, white,
draws, unknown (results), discs (Black's and White's on average), margin (Black less White on
average), plies {min,mean,max}, passes, games_with_passes, empties (squares left at the end, on
average), first_moves {square: games}, years {year: games}, failed.

Examples:
  outflank stats WTH_*.wtb
  outflank stats --json < games.ggf")]
pub struct StatsArgs {
    /// Games, positions, or files of them; standard input when absent or `-`
    #[arg(value_name = "FILE")]
    pub inputs: Vec<String>,
    /// What they are.
    #[command(flatten)]
    pub from: FromArg,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// One line of JSON
    #[arg(long)]
    pub json: bool,
}

/// `bench`
#[derive(Debug, Args)]
#[command(after_help = "\
The last line is `signature VALUE`: the number of nodes that fixed searches visit. It changes only
when the search or the evaluation changes. With several threads it is `nodes VALUE` instead, which
differs from run to run.

--perft prints a line a count: name, depth, nodes, seconds, nodes per second. A count that is not
the known one is an internal fault (exit code 3).

--ffo prints a line a position and a total:
  ffo N empties E score S nodes K seconds T rate R
  ffo total positions P right R nodes K seconds T rate R
Each is solved with an empty table. A wrong score or best move is told on standard error, and the
exit code is 1.

Examples:
  outflank bench
  outflank bench --threads 2
  outflank bench --perft
  outflank bench --ffo
  outflank bench --ffo 1-19 --threads 4 --hash 256
  outflank bench --kernels          kernel, tier, operations, seconds, ns per operation")]
pub struct BenchArgs {
    /// Time node counts of the game tree instead of searches
    #[arg(long, conflicts_with_all = ["ffo", "threads"])]
    pub perft: bool,
    /// Time the inner loops on every processor tier, or on that of --cpu
    #[arg(long, conflicts_with = "perft")]
    pub kernels: bool,
    /// Solve end games of the FFO suite (1 to 59) instead [default range: 40-49]
    #[arg(long, value_name = "FROM-TO", num_args = 0..=1, default_missing_value = "40-49",
        value_parser = ffo_range)]
    pub ffo: Option<FfoRange>,
    /// Threads of one search, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 256))]
    pub threads: u32,
    /// Size of the transposition table of --ffo in MiB, 1 to 65536 [default: 64]
    #[arg(long, value_name = "MIB", value_parser = whole(1, 65536), requires = "ffo")]
    pub hash: Option<u32>,
    /// Processor tier of the inner loops; one that this processor lacks is refused
    #[arg(long, value_enum, value_name = "TIER", default_value_t = Cpu::Auto)]
    pub cpu: Cpu,
}

/// The first and the last position of `--ffo`, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FfoRange {
    /// Number of the first position, from 1.
    pub first: u32,
    /// Number of the last position, up to 59.
    pub last: u32,
}

/// The number of the last position that `--ffo` knows.
const LAST_FFO: u32 = 59;

fn ffo_range(text: &str) -> Result<FfoRange, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last && last <= LAST_FFO => {
            Ok(FfoRange { first, last })
        }
        _ => Err(format!("a range as 40-49, or one number, within 1 to {LAST_FFO}")),
    }
}

/// `match`
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
An engine is described in one argument, KEY=VALUE behind KEY=VALUE with commas between:
  name        what it is called [default: the program of its command]
  cmd         program and arguments; may hold blanks and commas
  proto       its protocol: native, gtp, nboard, uci, xboard, edax, cassio
  dir         the folder it runs in
  tc, movetime, depth, nodes
              limits of its own, in place of the common ones; tc=none: no clock, only --watchdog
  restart     on: it is started anew for every game, so that it has learnt nothing from earlier ones
  option.NAME a setting of the engine, in the manner of its protocol
A value ends where a comma and one of these keys follow.

A limit is told to the engine as its protocol has words for it, and a note says which one cannot be told
to whom. A time that the protocol has no words for (movetime in nboard, any time in cassio) does not hold
for that engine; one that a GTP engine has no command for does. In cassio every search is given its depth: that of the limits, or 12 plies, and a --level in
the engine's command counts for nothing.

--config names a TOML file: the long options without their dashes, and a table [[engine]] with
the keys above for each engine (settings in a table option). The command line wins.

--hash, --cpu, --weights and --set are about our own engine where it decides games
(--adjudicate-exact), not about the engines that play: those have option.NAME.

Standard output has one JSON line a game, then one with the result; all talk is on standard error.
Each opening is played twice, with the colours swapped. Games of a meeting are counted for two
engines that play each other: a round robin of three engines with --games 4 has 12 games.

Strength is in Elo points. In the result `elo` is how far the first engine is above the others it met,
`elo_error` half the width of its 95 % interval (1.96 standard errors), `los` the likelihood that it is
the stronger one. `rating` in the table, and in the result of more than two engines, is how far an
engine is above the mean of all, so that two engines are half of `elo` above and below 0; its error is
of the same kind. Where one side has taken every point no difference is the likeliest: the number is
that of a quarter of a point less, and no error is given (`±?`). The error of discs is one standard
error.

Examples:
  outflank match --engine 'name=A,cmd=outflank --level 4,proto=native' \\
      --engine 'name=B,cmd=gtp-rhino,proto=gtp' --games 10 --watchdog 20
  outflank match --config match.toml --jsonl games.jsonl --resume
  outflank match --config match.toml --tc 60+0.5 --openings openings.txt --order random \\
      --sprt elo0=0,elo1=10,alpha=0.05,beta=0.05 --concurrency 2 --html report.html")]
pub struct MatchArgs {
    /// An engine that takes part; see below
    #[arg(long = "engine", value_name = "KEY=VALUE,...")]
    pub engines: Vec<String>,
    /// Read engines and options from a TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Games of each two engines that meet, an even number [default: 2; with --sprt as many as it
    /// takes]
    #[arg(long, value_name = "N", value_parser = whole(1, u32::MAX))]
    pub games: Option<u32>,
    /// Who meets whom [default: versus for two engines, else round-robin]
    #[arg(long, value_enum, value_name = "HOW")]
    pub pairing: Option<PairingArg>,
    /// Openings, one a line or in GGF: move lists, positions, games
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub openings: Option<PathBuf>,
    /// Play only so many moves of each opening, passes counted
    #[arg(long, value_name = "N", value_parser = whole(0, 256))]
    pub opening_plies: Option<u32>,
    /// Begin with the opening of this number; those before it come last
    #[arg(long, value_name = "N", value_parser = whole(1, u32::MAX))]
    pub opening_start: Option<u32>,
    /// Order of the openings [default: sequential]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub order: Option<OrderArg>,
    /// Seed of the random order, and of whatever else is drawn [default: 0]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Rules and board [default: othello]
    #[arg(long, value_name = "VARIANT")]
    pub variant: Option<String>,
    /// Time for the game and increment for each move, in seconds or minutes and seconds: 60+0.5,
    /// 5:00+0
    #[arg(long, value_name = "MAIN+INC", conflicts_with = "movetime")]
    pub tc: Option<Time>,
    /// Time for each move, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub movetime: Option<f64>,
    /// Plies to look ahead, 1 to 256
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub depth: Option<u32>,
    /// Nodes for a move
    #[arg(long, value_name = "N", value_parser = node_count)]
    pub nodes: Option<u64>,
    /// How many seconds too late an answer may come under a clock [default: 0.05]
    #[arg(long, value_name = "S", value_parser = seconds_or_none)]
    pub margin: Option<f64>,
    /// The longest wait for an answer without a clock, in seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub watchdog: Option<f64>,
    /// Games at the same time, 1 to 256 [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(1, 256))]
    pub concurrency: Option<u32>,
    /// Stop when a sequential probability ratio test has an answer: elo0, elo1, alpha and beta
    /// (0.05 unless given), model (logistic or normalized)
    #[arg(long, value_name = "elo0=E,elo1=E,...")]
    pub sprt: Option<SprtBounds>,
    /// Decide games by their exact value at so many empty squares, 1 to 40
    #[arg(long, value_name = "EMPTIES", value_parser = whole(1, 40))]
    pub adjudicate_exact: Option<u32>,
    /// Start an engine that has crashed again; otherwise the first crash ends the run
    #[arg(long)]
    pub recover: bool,
    /// Keep the games as JSON lines in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub jsonl: Option<PathBuf>,
    /// Keep the games in GGF in this file
    #[arg(long, value_name = "FILE.ggf", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,
    /// Go on with the games of the --jsonl file
    #[arg(long)]
    pub resume: bool,
    /// Write a report for people when the run ends
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// Write what engines read and write to files in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub log_dir: Option<PathBuf>,
    /// Games between two lines of progress, where standard error is no terminal [default: 10]
    #[arg(long, value_name = "N", value_parser = whole(1, u32::MAX))]
    pub report_every: Option<u32>,
    /// Options of the engine that decides games under `--adjudicate-exact`.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// `--pairing`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PairingArg {
    /// Two engines
    Versus,
    /// Everybody against everybody
    RoundRobin,
    /// The first engine against each of the others
    Gauntlet,
}

/// `--order`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// As they stand in the file
    Sequential,
    /// Shuffled once, by the seed
    Random,
}

fn seconds_or_none(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds from 0 to 1000000".to_owned()),
    }
}

/// `conform`
#[derive(Debug, Args)]
#[command(after_help = "\
Behind `--` stands the engine's command; without one the walk is taken with this program. What the
engine is asked and what it has to answer is the walk of the protocol (protocol/conform/NAME.txt),
made of steps that each show one thing. The first step is the start, which all others need.

One line a step on standard output: `pass`, `fail` or `skip`, the step, what it shows, and in
brackets the longest of the answers that had to come within a time. `skip` is for what the engine
does not offer, and says how that is known. Below `fail` stand indented what was expected, what was
said, and the last lines of the engine's standard error.

With --json a line is {\"step\":..,\"result\":\"pass|fail|skip\",\"about\":..,\"seconds\":..,
\"latency_ms\":..,\"reason\":..,\"line\":..,\"said\":[..],\"stderr\":[..],\"exit_code\":..}, the last one
{\"summary\":{\"walk\":..,\"command\":[..],\"passed\":..,\"failed\":..,\"skipped\":..,\"seconds\":..}}.

The exit code is 0 when no step failed, else 1. A step that fails ends its engine, and the next one
begins with a new process. An engine that cannot be started is one failure, and nothing more is said.

Examples:
  outflank conform gtp -- gtp-rhino
  outflank conform nboard --only stop --verbose -- ./engine --nboard
  outflank conform native
  outflank conform gtp --list
  outflank conform --walk my-walk.txt -- ./engine")]
pub struct ConformArgs {
    /// The protocol: native, nboard, gtp, uci, edax, xboard, cassio
    #[arg(value_name = "DIALECT", conflicts_with = "walk")]
    pub dialect: Option<String>,
    /// The engine's program and its arguments
    #[arg(value_name = "COMMAND", last = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
    /// Follow the walk in this file instead
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub walk: Option<PathBuf>,
    /// Go only this step, behind the start; may be repeated
    #[arg(long, value_name = "STEP")]
    pub only: Vec<String>,
    /// List the steps of the protocol, or the protocols where none is named
    #[arg(long, conflicts_with_all = ["command", "only", "json"])]
    pub list: bool,
    /// The longest wait for a line, in seconds
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub timeout: f64,
    /// Judge no answer by the time it took; for machines that are busy
    #[arg(long)]
    pub untimed: bool,
    /// Show what is said on standard error, with times
    #[arg(long)]
    pub verbose: bool,
    /// JSON lines
    #[arg(long)]
    pub json: bool,
}

/// `variants`
#[derive(Debug, Args)]
#[command(after_help = "\
A variant is a name or a size COLUMNSxROWS (4 to 16 each), then modifiers behind `+`.

Examples:
  outflank variants
  outflank variants --json
  outflank show --variant 8x8+start=par+hole=3@42
  outflank perft 6 --variant othello+hc=2")]
pub struct VariantsArgs {
    /// JSON lines
    #[arg(long)]
    pub json: bool,
}

/// `openings`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
One line an opening: its moves from the start of the variant, passes left out. Lines are drawn at
random, and kept when a search by one thread finds the position at their end within the margin. No
position comes twice, whatever the order of moves and however the board is turned. Placements of a
free opening are drawn too, come before the plies and are not counted; nor are passes. The same
seed gives the same openings; more of them begin with the same ones.

With --json a line is {\"opening\":N,\"moves\":..,\"position\":..,\"side\":..,\"score\":..,\"exact\":..,
\"depth\":..}: the score is the mover's, in discs, komi taken off.

Where there are fewer than asked for, standard error says how many, and whether it is certain that
there are no more. The exit code is 1 only when there is none at all.

Examples:
  outflank openings --count 50 --seed 7 -o book.txt
  outflank openings --plies 12 --margin 1 --depth 12 --json
  outflank openings --variant 10x10 --plies 6 --count 20")]
pub struct OpeningsArgs {
    /// Moves of an opening, 0 to 60
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole(0, 60))]
    pub plies: u32,
    /// Greatest distance from an even result in discs, 0 to 256
    #[arg(long, value_name = "DISCS", default_value_t = 2.0, value_parser = margin,
        allow_negative_numbers = true)]
    pub margin: f64,
    /// Number of openings, 1 to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1, 1_000_000))]
    pub count: u32,
    /// Decides which openings are found
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Plies that the search looks ahead, 1 to 60
    #[arg(long, value_name = "N", default_value_t = balanced::USUAL_DEPTH, value_parser = whole(1, 60))]
    pub depth: u32,
    /// The variant.
    #[command(flatten)]
    pub variant: VariantArg,
    /// JSON lines
    #[arg(long)]
    pub json: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Size of the transposition table in MiB, 1 to 65536
    #[arg(long, value_name = "MIB", default_value_t = 4, value_parser = whole(1, 65536))]
    pub hash: u32,
    /// Processor tier of the inner loops; one that this processor lacks is refused
    #[arg(long, value_enum, value_name = "TIER", default_value_t = Cpu::Auto)]
    pub cpu: Cpu,
}

fn margin(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(discs) if (0.0..=256.0).contains(&discs) => Ok(discs),
        _ => Err("a number of discs from 0 to 256".to_owned()),
    }
}
