//! `outflank train`: makes samples, fits weights to them, checks the weights.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, Subcommand, ValueHint};
use indicatif::{ProgressBar, ProgressStyle};

use super::args::{Cpu, selectivity, whole};
use super::output::Output;
use super::{Outcome, require_cpu};
use crate::engine::{Evaluation, native};
use crate::eval::patterns::Folding;
use crate::eval::weights::{N_PHASES, Objective};
use crate::rules::Position;
use crate::train::ask::{Asker, Effort, Games};
use crate::train::check::{self, Checked};
use crate::train::doubts::{self, Doubts, Measured};
use crate::train::fit::{self, ByDiscs, Choosing, Example, Fitted, Settings};
use crate::train::games::{Endgames, Selfplay};
use crate::train::leaves::Leaves;
use crate::train::model::Model;
use crate::train::net::{self, Net, Seen};
use crate::train::produce::produce;
use crate::train::relabel::Relabel;
use crate::train::samples::{self, ANTI, BY_HAND, Recipe, Sample, Writer};
use crate::train::wthor::{self, Game, THEORETICAL, Taking};

/// `train`
#[derive(Debug, Args)]
#[command(after_help = "\
Files of samples are appended to: a run that was ended, by Ctrl-C or by force, goes on where it was
when the same command is given again. scripts/train.sh has the whole recipe.

Examples:
  outflank train wthor -o wthor.samples WTH_*.wtb
  outflank train endgames -o endgames.samples --games 100000
  outflank train selfplay -o selfplay.samples --games 50000 --depth 6
  outflank train leaves -o leaves.samples --games 400000 selfplay.samples
  outflank train fit -o weights.bin --model weights.model *.samples
  outflank train net -o weights.bin --model weights.model --net weights.net *.samples")]
pub struct TrainArgs {
    #[command(subcommand)]
    command: TrainCommand,
}

#[derive(Debug, Subcommand)]
enum TrainCommand {
    /// Positions of WTHOR games
    Wthor(WthorArgs),
    /// Solved endgames
    Endgames(EndgamesArgs),
    /// Positions of games of the engine against itself
    Selfplay(SelfplayArgs),
    /// Positions a few plies off the games of other samples, as the leaves of searches are
    Leaves(LeavesArgs),
    /// Search the positions of other samples
    Relabel(RelabelArgs),
    /// Fit weights to samples
    Fit(FitArgs),
    /// Train the net on top of fitted weights
    Net(NetArgs),
    /// Measure weights on samples that were held out, and the engine's integers against the model
    Check(CheckArgs),
    /// Measure how far off shallow searches are, and fit the numbers of search/probcut.rs
    Probcut(ProbcutArgs),
}

/// What all commands that make samples share.
#[derive(Debug, Args)]
struct MakeArgs {
    /// File of samples to begin or to go on with
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// Threads, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 256))]
    threads: u32,
    /// Processor tier of the inner loops; one that this processor lacks is refused
    #[arg(long, value_enum, value_name = "TIER", default_value_t = Cpu::Auto)]
    cpu: Cpu,
}

/// What games of the engine share.
#[derive(Debug, Args)]
struct GamesArgs {
    /// Games the file shall have
    #[arg(long, value_name = "N", value_parser = whole(1, u32::MAX))]
    games: u32,
    /// Where the random numbers begin
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Games that the fewest discs win
    #[arg(long)]
    anti: bool,
    /// Value positions by terms made by hand, for the first samples of all
    #[arg(long)]
    by_hand: bool,
    /// What all commands that make samples share.
    #[command(flatten)]
    make: MakeArgs,
}

#[derive(Debug, Args)]
struct WthorArgs {
    /// WTHOR files; their games are numbered in this order
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Positions are solved from so many empties down, 4 to 20
    #[arg(long, value_name = "EMPTIES", default_value_t = 13, value_parser = whole(4, 20))]
    exact_from: u32,
    /// Positions with fewer empties are left out, 1 to 20
    #[arg(long, value_name = "EMPTIES", default_value_t = 6, value_parser = whole(1, 20))]
    fewest_empties: u32,
    /// Instead of making samples, solve so many of the positions with 24 empties and say how many
    /// of the file's values are right
    #[arg(long, value_name = "N", value_parser = whole(1, 100_000))]
    check: Option<u32>,
    /// What all commands that make samples share.
    #[command(flatten)]
    make: MakeArgs,
}

#[derive(Debug, Args)]
struct EndgamesArgs {
    /// The first solved position of a game has at least so many empties, 5 to 24
    #[arg(long, value_name = "EMPTIES", default_value_t = 8, value_parser = whole(5, 24))]
    from_least: u32,
    /// The first solved position of a game has at most so many empties, 5 to 24
    #[arg(long, value_name = "EMPTIES", default_value_t = 15, value_parser = whole(5, 24))]
    from_most: u32,
    /// Positions with fewer empties are left out, 1 to 24
    #[arg(long, value_name = "EMPTIES", default_value_t = 6, value_parser = whole(1, 24))]
    fewest_empties: u32,
    /// Plies that moves on the way look ahead, 1 to 12
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole(1, 12))]
    depth: u32,
    /// What games of the engine share.
    #[command(flatten)]
    games: GamesArgs,
}

#[derive(Debug, Args)]
struct SelfplayArgs {
    /// At least so many random plies begin a game, 0 to 55
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = whole(0, 55))]
    random_least: u32,
    /// At most so many random plies begin a game, 0 to 55
    #[arg(long, value_name = "PLIES", default_value_t = 45, value_parser = whole(0, 55))]
    random_most: u32,
    /// Plies that a move looks ahead, 1 to 20
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole(1, 20))]
    depth: u32,
    /// Best play from so many empties on, 4 to 24
    #[arg(long, value_name = "EMPTIES", default_value_t = 14, value_parser = whole(4, 24))]
    exact_from: u32,
    /// Positions with fewer empties are left out, 1 to 24
    #[arg(long, value_name = "EMPTIES", default_value_t = 6, value_parser = whole(1, 24))]
    fewest_empties: u32,
    /// What games of the engine share.
    #[command(flatten)]
    games: GamesArgs,
}

#[derive(Debug, Args)]
struct LeavesArgs {
    /// Finished files of samples whose games are left
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Positions with at least so many empties, 1 to 55
    #[arg(long, value_name = "EMPTIES", default_value_t = 4, value_parser = whole(1, 55))]
    least_empties: u32,
    /// Positions with at most so many empties, 1 to 55
    #[arg(long, value_name = "EMPTIES", default_value_t = 44, value_parser = whole(1, 55))]
    most_empties: u32,
    /// Positions are solved from so many empties down, 1 to 24
    #[arg(long, value_name = "EMPTIES", default_value_t = 12, value_parser = whole(1, 24))]
    exact_from: u32,
    /// Above, so many plies are looked ahead, 1 to 20
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole(1, 20))]
    depth: u32,
    /// ... with this selectivity in percent: 73, 87, 95, 98, 99 or 100
    #[arg(long, value_name = "PERCENT", default_value_t = 73, value_parser = selectivity)]
    selectivity: u32,
    /// What games of the engine share.
    #[command(flatten)]
    games: GamesArgs,
}

#[derive(Debug, Args)]
struct RelabelArgs {
    /// Finished files of samples whose positions are taken, each once
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Positions with at least so many empties, 1 to 60
    #[arg(long, value_name = "EMPTIES", default_value_t = 25, value_parser = whole(1, 60))]
    least_empties: u32,
    /// Positions with at most so many empties, 1 to 60
    #[arg(long, value_name = "EMPTIES", default_value_t = 60, value_parser = whole(1, 60))]
    most_empties: u32,
    /// Plies looked ahead, 1 to 20
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole(1, 20))]
    depth: u32,
    /// What all commands that make samples share.
    #[command(flatten)]
    make: MakeArgs,
}

/// What decides which examples there are.
#[derive(Debug, Args)]
struct ChoosingArgs {
    /// Files of samples
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Of 1000 games, so many are held out
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(0, 999))]
    held_out: u32,
    /// Decides which games are held out
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How much the outcome of a game counts against the value of a search, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 70, value_parser = whole(0, 100))]
    outcome_share: u32,
}

#[derive(Debug, Args)]
struct FitArgs {
    /// Which examples there are.
    #[command(flatten)]
    choosing: ChoosingArgs,
    /// File of weights to write, as the engine reads them
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// File of the model, before rounding; written after each phase
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    model: PathBuf,
    /// Go on with the model file: fit this phase and all earlier ones, 0 to 29
    #[arg(long, value_name = "PHASE", value_parser = whole(0, 29))]
    from_phase: Option<u32>,
    /// Passes over the examples of a phase, at most
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1, 10_000))]
    passes: u32,
    /// So many examples weigh as much as what the following phase says of a weight
    #[arg(long, value_name = "X", default_value_t = 20.0, value_parser = within(0.001, 1e6))]
    ridge: f32,
    /// Trust in an example one ply outside of a phase; two plies outside it is squared, and so on
    #[arg(long, value_name = "X", default_value_t = 0.6, value_parser = within(0.0, 1.0))]
    near: f32,
    /// Expected discs to one side at which an example is trusted half as much as an even one
    #[arg(long, value_name = "DISCS", default_value_t = 20.0, value_parser = within(1.0, 1e6))]
    even: f32,
    /// Units of a disc that weights are rounded to: a power of two, up to 128
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = whole(1, 128))]
    units: u32,
    /// Threads, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 256))]
    threads: u32,
}

#[derive(Debug, Args)]
struct NetArgs {
    /// Which examples there are: those that the weights were fitted to.
    #[command(flatten)]
    choosing: ChoosingArgs,
    /// File of weights to write, net and all, as the engine reads them
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// File of the model of the weights that the net corrects
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    model: PathBuf,
    /// File of the net before rounding, written after each epoch; training goes on from it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    net: PathBuf,
    /// Times that all examples are gone through, 2 to 100; in the last one rows are held
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = whole(2, 100))]
    epochs: u32,
    /// Rate of what rows stand for, in the first epoch
    #[arg(long, value_name = "X", default_value_t = 0.007, value_parser = within(1e-6, 1.0))]
    rate: f32,
    /// Rate of what units are worth, in the first epoch
    #[arg(long, value_name = "X", default_value_t = 0.5, value_parser = within(1e-6, 10.0))]
    worth_rate: f32,
    /// Expected discs to one side at which an example is trusted half as much as an even one
    #[arg(long, value_name = "DISCS", default_value_t = 20.0, value_parser = within(1.0, 1e6))]
    even: f32,
    /// Units of a disc that weights are rounded to: a power of two, up to 128
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = whole(1, 128))]
    units: u32,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// Which examples there are.
    #[command(flatten)]
    choosing: ChoosingArgs,
    /// File of weights to measure
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    weights: PathBuf,
    /// File of the model that they were rounded from
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    model: Option<PathBuf>,
    /// File of the net that they were rounded from
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "model")]
    net: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ProbcutArgs {
    /// Files of samples whose positions are searched
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// About so many positions, evenly from 16 to 52 empties
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = whole(1, 1_000_000))]
    positions: u32,
    /// Decides which
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// File of weights to search with, in place of those of the program
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    weights: Option<PathBuf>,
    /// Threads, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 256))]
    threads: u32,
}

/// Reads a number within bounds.
fn within(min: f32, max: f32) -> impl Fn(&str) -> Result<f32, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(format!("a number from {min} to {max}")),
    }
}

/// Does what is asked.
///
/// # Errors
/// Wrong usage, files that cannot be read or written.
pub fn run(args: &TrainArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        TrainCommand::Wthor(args) => wthor(args),
        TrainCommand::Endgames(args) => endgames(args),
        TrainCommand::Selfplay(args) => selfplay(args),
        TrainCommand::Leaves(args) => leaves(args),
        TrainCommand::Relabel(args) => relabel(args),
        TrainCommand::Fit(args) => fit(args),
        TrainCommand::Net(args) => net(args),
        TrainCommand::Check(args) => check(args),
        TrainCommand::Probcut(args) => probcut(args),
    }
}

impl GamesArgs {
    /// What is added to the options of a recipe.
    fn mark(&self) -> String {
        let marks = [(self.anti, ANTI), (self.by_hand, BY_HAND)];
        marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| format!(" {mark}")).collect()
    }
}

fn wthor(args: &WthorArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.make.cpu)?;
    let mut games = Vec::new();
    let mut names = Vec::new();
    for path in &args.files {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        games.extend(wthor::games(&bytes).with_context(|| path.display().to_string())?);
        names.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
    if let Some(n) = args.check {
        return check_theoretical(&games, n as usize);
    }
    let taking = Taking { exact_from: args.exact_from, fewest_empties: args.fewest_empties };
    let options = format!(
        "--exact-from {} --fewest-empties {} {}",
        args.exact_from,
        args.fewest_empties,
        names.join(" ")
    );
    let recipe = Recipe { kind: "wthor".into(), options, seed: 0, commit: commit() };
    let make = |number: u32, asker: &mut Asker| {
        games
            .get(number as usize)
            .map_or_else(Vec::new, |game| wthor::samples(game, number, taking, asker))
    };
    make_games(&args.make, &recipe, games.len() as u32, &make)
}

/// Solves positions with 24 empties of games evenly spread over the files.
fn check_theoretical(games: &[Game], n: usize) -> anyhow::Result<Outcome> {
    let mut asker = Asker::new(Effort::LARGE, Games::OTHELLO);
    let (mut n_checked, mut n_right) = (0, 0);
    let bar = bar(n as u64);
    for game in games.iter().step_by((games.len() / n).max(1)) {
        let moments = wthor::moments(game);
        let moment = moments
            .iter()
            .find(|moment| (moment.position.own | moment.position.other).count_zeros() == THEORETICAL);
        let Some(moment) = moment else { continue };
        let Some(margin) = asker.solve(&moment.position) else { continue };
        let for_black = if moment.is_black { margin } else { -margin };
        let theoretical = 2 * i32::from(game.theoretical) - 64;
        n_checked += 1;
        if for_black == theoretical {
            n_right += 1;
        } else {
            let Position { own, other } = moment.position;
            bar.suspend(|| {
                eprintln!("train: {own:016x} {other:016x}: {for_black} and not {theoretical}");
            });
        }
        bar.inc(1);
        if n_checked == n {
            break;
        }
    }
    bar.finish_and_clear();
    eprintln!("train: {n_right} of {n_checked} theoretical scores are right");
    Ok(if n_right == n_checked { Outcome::Good } else { Outcome::SomeFailed })
}

fn endgames(args: &EndgamesArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.games.make.cpu)?;
    let (least, most) = (args.from_least, args.from_most);
    if least > most || args.fewest_empties > least {
        let fewest = args.fewest_empties;
        return Err(super::Usage(format!(
            "--fewest-empties {fewest}, --from-least {least} and --from-most {most} have to rise"
        ))
        .into());
    }
    let endgames = Endgames { from: least..=most, to: args.fewest_empties, depth: args.depth };
    let options = format!(
        "--from-least {least} --from-most {most} --fewest-empties {} --depth {}{}",
        args.fewest_empties,
        args.depth,
        args.games.mark()
    );
    let seed = args.games.seed;
    let recipe = Recipe { kind: "endgames".into(), options, seed, commit: commit() };
    let make = |game: u32, asker: &mut Asker| endgames.samples(seed, game, asker);
    make_games(&args.games.make, &recipe, args.games.games, &make)
}

fn selfplay(args: &SelfplayArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.games.make.cpu)?;
    let (least, most) = (args.random_least, args.random_most);
    if least > most {
        return Err(
            super::Usage(format!("--random-least {least} is more than --random-most {most}")).into()
        );
    }
    let selfplay = Selfplay {
        random: least..=most,
        depth: args.depth,
        exact_from: args.exact_from,
        fewest_empties: args.fewest_empties,
    };
    let options = format!(
        "--random-least {least} --random-most {most} --depth {} --exact-from {} --fewest-empties {}{}",
        args.depth,
        args.exact_from,
        args.fewest_empties,
        args.games.mark()
    );
    let seed = args.games.seed;
    let recipe = Recipe { kind: "selfplay".into(), options, seed, commit: commit() };
    let make = |game: u32, asker: &mut Asker| selfplay.samples(seed, game, asker);
    make_games(&args.games.make, &recipe, args.games.games, &make)
}

fn leaves(args: &LeavesArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.games.make.cpu)?;
    let (least, most) = (args.least_empties, args.most_empties);
    if least > most {
        return Err(
            super::Usage(format!("--least-empties {least} is more than --most-empties {most}")).into()
        );
    }
    let (files, recipes, objective) = read_sources(&args.files)?;
    if (objective == Objective::Fewest) != args.games.anti {
        let why = "the files of samples and --anti have to be of the same games";
        return Err(super::Usage(why.into()).into());
    }
    let empties = least..=most;
    let leaves = Leaves {
        sources: Leaves::sources(&files, &empties),
        empties,
        exact_from: args.exact_from,
        depth: args.depth,
        selectivity: args.selectivity,
    };
    drop(files);
    anyhow::ensure!(!leaves.sources.is_empty(), "no position with enough empties in the files");
    let options = format!(
        "--least-empties {least} --most-empties {most} --exact-from {} --depth {} --selectivity {}{} \
         of: {recipes}",
        args.exact_from,
        args.depth,
        args.selectivity,
        args.games.mark()
    );
    let seed = args.games.seed;
    let recipe = Recipe { kind: "leaves".into(), options, seed, commit: commit() };
    let make = |game: u32, asker: &mut Asker| leaves.samples(seed, game, asker);
    make_games(&args.games.make, &recipe, args.games.games, &make)
}

/// The samples of files that others are made from, what made them, and what they were made for.
fn read_sources(paths: &[PathBuf]) -> anyhow::Result<(Vec<Vec<Sample>>, String, Objective)> {
    let mut files = Vec::new();
    let mut recipes = Vec::new();
    let mut objectives = Vec::new();
    for path in paths {
        let (recipe, samples) = samples::read(path)?;
        recipes.push(recipe.to_string());
        objectives.push(recipe.objective());
        files.push(samples);
    }
    Ok((files, recipes.join("; "), common(&objectives)?))
}

fn relabel(args: &RelabelArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.make.cpu)?;
    let (files, recipes, _) = read_sources(&args.files)?;
    let empties = args.least_empties..=args.most_empties;
    let relabel = Relabel::new(&files, &empties, args.depth);
    // Their recipes say what they were made for, and so does this one, which holds them.
    let options = format!(
        "--least-empties {} --most-empties {} --depth {} of: {recipes}",
        args.least_empties, args.most_empties, args.depth
    );
    let recipe = Recipe { kind: "relabel".into(), options, seed: 0, commit: commit() };
    let make = |game: u32, asker: &mut Asker| relabel.samples(game, asker);
    make_games(&args.make, &recipe, relabel.n_games(), &make)
}

fn make_games(
    args: &MakeArgs,
    recipe: &Recipe,
    n_games: u32,
    make: &(impl Fn(u32, &mut Asker) -> Vec<Sample> + Sync),
) -> anyhow::Result<Outcome> {
    let mut writer = Writer::open(&args.output, recipe)?;
    if writer.next_game() > 0 {
        eprintln!("train: going on with game {} of {}", writer.next_game(), args.output.display());
    }
    let bar = bar(u64::from(n_games));
    bar.set_position(u64::from(writer.next_game()));
    bar.reset_eta();
    let mut last_line = Instant::now();
    let mut told = |games: u32, samples: u64| {
        bar.set_position(u64::from(games));
        bar.set_message(format!("{samples} samples"));
        // Nobody sees a bar in a log.
        if bar.is_hidden() && last_line.elapsed() >= LINE_EVERY {
            eprintln!("train: {games} of {n_games} games, {samples} samples");
            last_line = Instant::now();
        }
    };
    produce(&mut writer, n_games, args.threads as usize, recipe.games(), make, &mut told)?;
    bar.abandon();
    eprintln!("train: {} samples of {n_games} games in {}", writer.n_samples(), args.output.display());
    Ok(Outcome::Good)
}

/// What all files were made for.
fn common(objectives: &[Objective]) -> anyhow::Result<Objective> {
    let first = objectives.first().copied().unwrap_or(Objective::Most);
    if objectives.iter().any(|&other| other != first) {
        let why = "games that most discs win and games that the fewest win have nothing in common";
        return Err(super::Usage(format!("the files of samples: {why}")).into());
    }
    Ok(first)
}

fn read_examples(args: &ChoosingArgs) -> anyhow::Result<(Objective, Vec<Example>)> {
    let mut files = Vec::new();
    for path in &args.files {
        let (recipe, samples) = samples::read(path)?;
        eprintln!("train: {} samples in {} ({recipe})", samples.len(), path.display());
        files.push((recipe, samples));
    }
    let choosing = Choosing {
        held_out: args.held_out,
        seed: args.seed,
        outcome_share: args.outcome_share as f32 / 100.0,
    };
    let examples = fit::examples(&files, &choosing);
    let n_held_out = examples.iter().filter(|example| example.is_held_out).count();
    eprintln!("train: {} different positions, {n_held_out} of them held out", examples.len());
    let objectives: Vec<Objective> = files.iter().map(|(recipe, _)| recipe.objective()).collect();
    Ok((common(&objectives)?, examples))
}

/// Refuses units that weights cannot be rounded to.
fn require_units(units: u32) -> anyhow::Result<()> {
    anyhow::ensure!(
        units.is_power_of_two(),
        super::Usage(format!("--units {units}: a power of two up to 128"))
    );
    Ok(())
}

/// Writes weights as the engine reads them, rounded, with the bytes of a net or with none.
fn write_weights(
    path: &Path,
    model: &Model,
    (objective, units): (Objective, u32),
    (folding, examples): (&Folding, &[Example]),
    net: Vec<u8>,
) -> anyhow::Result<()> {
    let known = examples.iter().filter(|example| !example.is_held_out && example.n_discs() < 64);
    let positions = known.map(|example| &example.position);
    let bytes = model.rounded(objective, units as u8, folding, positions, net);
    fs::write(path, &bytes).with_context(|| path.display().to_string())?;
    eprintln!("train: {} bytes of weights in {}", bytes.len(), path.display());
    Ok(())
}

fn net(args: &NetArgs) -> anyhow::Result<Outcome> {
    require_units(args.units)?;
    let (objective, examples) = read_examples(&args.choosing)?;
    let folding = Folding::new();
    let model = Model::read(&args.model)?;
    let seed = args.choosing.seed;
    let NetArgs { epochs, rate, worth_rate, even, .. } = *args;
    let settings = net::Settings { epochs, rate, worth_rate, even, seed };
    let purpose = settings.purpose(&model);
    let mut net = if args.net.exists() { Net::read(&args.net)? } else { Net::new(seed, purpose) };
    anyhow::ensure!(
        net.purpose() == purpose,
        "{}: trained on another model or with other settings; remove it or name another file",
        args.net.display()
    );
    if net.epochs() > 0 {
        eprintln!("train: going on after {} epochs of {}", net.epochs(), args.net.display());
    }
    let seen = Seen::all(&examples, &model, &folding, even);
    while net.epochs() < epochs {
        let learned = net.learn(&seen, &settings);
        net.write(&args.net)?;
        let [without, with] = net.held_out(&seen).by_trust;
        eprintln!(
            "train: epoch {} of {epochs}: learned {learned:.3}, held out {without:.3} -> {with:.3}",
            net.epochs()
        );
    }
    write_weights(&args.output, &model, (objective, args.units), (&folding, &examples), net.rounded())?;
    let mut out = Output::new();
    out.line("| phase | discs | held out | MAE of the weights | with the net | RMSE | with the net |")?;
    out.line("|---|---|---|---|---|---|---|")?;
    for (phase, [without, with]) in net.held_out(&seen).phases.iter().enumerate() {
        out.line(&format!(
            "| {phase} | {}-{} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            4 + 2 * phase,
            5 + 2 * phase,
            with.n(),
            without.mean(),
            with.mean(),
            without.rms(),
            with.rms()
        ))?;
    }
    Ok(Outcome::Good)
}

fn fit(args: &FitArgs) -> anyhow::Result<Outcome> {
    require_units(args.units)?;
    let (objective, examples) = read_examples(&args.choosing)?;
    let by_discs = ByDiscs::new(&examples);
    let folding = Folding::new();
    let settings = Settings {
        passes: args.passes,
        ridge: args.ridge,
        near: args.near,
        even: args.even,
        threads: args.threads as usize,
    };
    let (mut model, last) = match args.from_phase {
        Some(phase) => (Model::read(&args.model)?, phase as usize),
        None => (Model::new(), N_PHASES - 1),
    };
    let mut out = Output::new();
    out.line("| phase | discs | examples | passes | held out | MAE | RMSE | proved | MAE | RMSE |")?;
    out.line("|---|---|---|---|---|---|---|---|---|---|")?;
    for phase in (0..=last).rev() {
        let Fitted { n_examples, passes, held_out, proved } =
            fit::fit_phase(&mut model, phase, &by_discs, &folding, &settings);
        model.write(&args.model)?;
        out.line(&format!(
            "| {phase} | {}-{} | {n_examples} | {passes} | {} | {:.2} | {:.2} | {} | {:.2} | {:.2} |",
            4 + 2 * phase,
            5 + 2 * phase,
            held_out.n(),
            held_out.mean(),
            held_out.rms(),
            proved.n(),
            proved.mean(),
            proved.rms()
        ))?;
    }
    let what = (&folding, &examples[..]);
    write_weights(&args.output, &model, (objective, args.units), what, Vec::new())?;
    Ok(Outcome::Good)
}

/// The engine may differ from the model and the net by what rounding 46 weights and the worths of units
/// can come to, some 0.06 disc (root of the mean square).
const MOST_ROUNDING: f64 = 0.1;
/// ... and in no position by more than this.
const LARGEST_ROUNDING: f32 = 1.0;

fn check(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let (_, examples) = read_examples(&args.choosing)?;
    let held_out: Vec<Example> = examples.into_iter().filter(|example| example.is_held_out).collect();
    let name = || args.weights.display().to_string();
    let weights = fs::read(&args.weights).with_context(name)?;
    let model = args.model.as_deref().map(Model::read).transpose()?;
    let net = args.net.as_deref().map(Net::read).transpose()?;
    let phases = check::check(&weights, (model.as_ref(), net.as_ref()), &held_out).with_context(name)?;
    let mut out = Output::new();
    out.line("| phase | discs | held out | MAE | RMSE | proved | MAE | RMSE | even | MAE | RMSE | by hand: MAE | rounding: RMS | most |")?;
    out.line("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    let mut is_good = true;
    for (phase, checked) in phases.iter().enumerate() {
        let Checked { engine, proved, even, hand, rounding, most_rounding } = checked;
        is_good &= rounding.rms() <= MOST_ROUNDING && *most_rounding <= LARGEST_ROUNDING;
        out.line(&format!(
            "| {phase} | {}-{} | {} | {:.2} | {:.2} | {} | {:.2} | {:.2} | {} | {:.2} | {:.2} | {:.2} | {:.3} | {most_rounding:.2} |",
            4 + 2 * phase,
            5 + 2 * phase,
            engine.n(),
            engine.mean(),
            engine.rms(),
            proved.n(),
            proved.mean(),
            proved.rms(),
            even.n(),
            even.mean(),
            even.rms(),
            hand.mean(),
            rounding.rms()
        ))?;
    }
    Ok(if is_good { Outcome::Good } else { Outcome::SomeFailed })
}

fn probcut(args: &ProbcutArgs) -> anyhow::Result<Outcome> {
    if let Some(path) = &args.weights {
        let name = || path.display().to_string();
        native::use_weights(fs::read(path).with_context(name)?).with_context(name)?;
    }
    let mut files = Vec::new();
    let mut objectives = Vec::new();
    for path in &args.files {
        let (recipe, samples) = samples::read(path)?;
        objectives.push(recipe.objective());
        files.push(samples);
    }
    let objective = common(&objectives)?;
    let positions = doubts::positions(&files, args.positions as usize, args.seed);
    drop(files);
    let next = AtomicUsize::new(0);
    let measured = Mutex::new(Vec::with_capacity(positions.len()));
    let bar = bar(positions.len() as u64);
    thread::scope(|scope| {
        for _ in 0..args.threads {
            scope.spawn(|| {
                let games = Games { objective, evaluation: Evaluation::Trained };
                let mut asker = Asker::new(Effort::SMALL, games);
                while let Some(position) = positions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = doubts::measure(position, &mut asker);
                    measured.lock().unwrap_or_else(PoisonError::into_inner).push(found);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut measured = measured.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Sums do not depend on who was first.
    measured.sort_by(|a, b| {
        let key = |it: &Measured| (it.n_empties, it.by_depth.map(|value| (100.0 * value) as i64));
        key(a).cmp(&key(b))
    });
    print_doubts(&doubts::fit(&measured))
}

fn print_doubts(doubts: &Doubts) -> anyhow::Result<Outcome> {
    let mut out = Output::new();
    out.line("| empties | depth | shallow | differences | mean | spread |")?;
    out.line("|---|---|---|---|---|---|")?;
    for it in &doubts.spreads {
        let depth = it.depth.map_or("end".to_owned(), |depth| depth.to_string());
        out.line(&format!(
            "| {} | {depth} | {} | {} | {:.2} | {:.2} |",
            it.n_empties, it.shallow, it.n, it.mean, it.spread
        ))?;
    }
    for (empties, tempo) in &doubts.tempo {
        out.line(&format!("tempo with {empties} empties: {tempo:.2} discs more than now"))?;
    }
    out.line(&format!("MIDGAME: {:.5?}, off by {:.3}", doubts.midgame, doubts.off[0]))?;
    out.line(&format!("END: {:.4?}, off by {:.3}", doubts.end, doubts.off[1]))?;
    Ok(Outcome::Good)
}

/// Where standard error is no terminal, a line tells this often how far a run is.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// How far a run is, on standard error.
fn bar(len: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg} eta {eta}");
    let bar = ProgressBar::new(len);
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

/// The commit of the tree this runs in, for the record; `unknown` outside of one.
fn commit() -> String {
    let asked = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let text = asked.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let text = text.and_then(|text| String::from_utf8(text).ok());
    text.map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned())
}
