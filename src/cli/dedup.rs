//! `outflank dedup`: what was there before is dropped, turned and mirrored boards too.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use outflank_protocol::format::transcript;
use serde::Serialize;

use super::Outcome;
use super::args::DedupArgs;
use super::input::{Inputs, Manner};
use super::output::Output;
use super::parallel::{self, Halt};
use super::subject::{Room, Subject};
use super::values::{ErrorRecord, Id};
use crate::record;
use crate::rules::{Game, Rules, Square, Symmetry};

/// Prints every input that is new.
///
/// # Errors
/// Wrong usage, and output that cannot be written.
pub fn run(args: &DedupArgs) -> anyhow::Result<Outcome> {
    let room = Arc::new(Room::of(&args.variant)?);
    let inputs = Inputs::of(&args.inputs, Manner { format: args.from.from, patient: true });
    let (by_position, json) = (args.positions, args.json);
    let mut seen = Seen::default();
    let (mut out, mut n_kept, mut n_dropped, mut n_failed) = (Output::new(), 0_u64, 0_u64, 0_u64);
    let key = move |subject: Subject| Kept::of(subject, by_position, json);
    parallel::each(inputs, &room, &Halt::default(), key, |kept| {
        match kept {
            Ok(kept) if seen.insert(&kept.canonical, &kept.rules) => {
                n_kept += 1;
                out.line(&kept.line)?;
            }
            Ok(_) => n_dropped += 1,
            Err(error) => {
                n_failed += 1;
                if json {
                    out.line(&serde_json::to_string(&error)?)?;
                } else {
                    eprintln!("error: {}", error.error);
                }
            }
        }
        Ok(())
    })?;
    let failed = if n_failed > 0 { format!(", {n_failed} failed") } else { String::new() };
    eprintln!("{n_kept} kept, {n_dropped} dropped{failed}");
    Ok(if n_failed > 0 { Outcome::SomeFailed } else { Outcome::Good })
}

/// What has been there, as numbers: two of 64 bits each, so that in a thousand million entries two
/// different ones are taken for the same with a chance of less than one in a million million.
#[derive(Default)]
struct Seen {
    keys: HashSet<(u64, u64)>,
    first: RandomState,
    second: RandomState,
}

impl Seen {
    /// Whether it is new.
    fn insert(&mut self, canonical: &str, rules: &Rules) -> bool {
        let key = (canonical, rules);
        self.keys.insert((hash(&self.first, key), hash(&self.second, key)))
    }
}

fn hash(state: &RandomState, key: impl Hash) -> u64 {
    state.hash_one(key)
}

/// An input with what makes it the same as others.
struct Kept {
    canonical: String,
    rules: Rules,
    line: String,
}

/// The record of an input that is kept.
#[derive(Serialize)]
struct KeptRecord<'a> {
    id: &'a Id,
    canonical: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<String>,
}

impl Kept {
    fn of(subject: Subject, by_position: bool, json: bool) -> Result<Kept, ErrorRecord> {
        let Subject { id, game, head } = subject;
        let fail = |error| ErrorRecord { id: id.clone(), error };
        let game = game.map_err(fail)?;
        let is_position = head.is_position || by_position || game.is_empty();
        let canonical = if is_position { canonical_position(&game) } else { canonical_game(&game) };
        let moves = || transcript::write(&record::game_text(&game, &[])).ok();
        let position = || record::board_text(game.variant(), game.state()).to_string();
        let line = if json {
            let record = KeptRecord {
                id: &id,
                canonical: &canonical,
                position: is_position.then(position),
                moves: if head.is_position { None } else { moves() },
            };
            serde_json::to_string(&record).map_err(|error| fail(error.to_string()))?
        } else if head.text.is_empty() {
            moves().unwrap_or_else(position)
        } else {
            head.text
        };
        Ok(Kept { canonical, rules: *game.rules(), line })
    }
}

/// The token of the one among eight boards that stands for all of them.
fn canonical_position(game: &Game) -> String {
    let (state, _) = Symmetry::canonical(game.state());
    record::board_text(game.variant(), &state).to_string()
}

/// Start and moves of the one among eight games that stands for all of them; passes follow from the
/// rules.
fn canonical_game(game: &Game) -> String {
    let geometry = game.variant().geometry();
    let (columns, rows) = (geometry.columns(), geometry.rows());
    let squares: Vec<Square> = game.log().iter().filter_map(|entry| entry.mv.act.square()).collect();
    let start = &game.start().board;
    let images = Symmetry::of(geometry).map(|symmetry| {
        let set = |set| symmetry.set(columns, rows, set);
        let moves: Vec<Square> =
            squares.iter().map(|square| symmetry.square(columns, rows, *square)).collect();
        (set(start.black()), set(start.white()), moves, symmetry)
    });
    let Some((_, _, moves, symmetry)) = images.min_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)))
    else {
        return String::new();
    };
    let start = record::board_text(game.variant(), &symmetry.state(game.start())).to_string();
    let moves: String = moves.iter().map(ToString::to_string).collect();
    format!("{start} {moves}")
}
