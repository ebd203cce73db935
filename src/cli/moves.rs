//! `outflank moves`: the legal moves with what they turn.

use serde::Serialize;

use super::Outcome;
use super::args::MovesArgs;
use super::output::Output;
use super::subject::{Room, Subject, Subjects};
use super::values::{ErrorRecord, Id, Number, Pair};
use crate::record;
use crate::rules::{Game, Phase, SquareSet, count, score};

/// Lists the moves of every input.
///
/// # Errors
/// Wrong usage, and output that cannot be written.
pub fn run(args: &MovesArgs) -> anyhow::Result<Outcome> {
    let room = Room::of(&args.variant)?;
    let mut out = Output::new();
    let mut outcome = Outcome::Good;
    for Subject { id, game, .. } in Subjects::of(&args.inputs, room) {
        let line = match game {
            Ok(game) => {
                let moves = MovesRecord::of(id, &game);
                if args.json { serde_json::to_string(&moves)? } else { moves.row() }
            }
            Err(error) => {
                outcome = Outcome::SomeFailed;
                let error = ErrorRecord { id, error };
                if args.json { serde_json::to_string(&error)? } else { error.row() }
            }
        };
        out.line(&line)?;
    }
    Ok(outcome)
}

/// The record of one position.
#[derive(Debug, Serialize)]
struct MovesRecord {
    id: Id,
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<String>,
    moves: Vec<LegalMove>,
    phase: &'static str,
    count: Pair<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    official: Option<Pair<Number>>,
}

/// A legal move or placement.
#[derive(Debug, Serialize)]
struct LegalMove {
    #[serde(rename = "move")]
    at: String,
    flips: Vec<String>,
}

impl MovesRecord {
    fn of(id: Id, game: &Game) -> MovesRecord {
        let (state, rules) = (game.state(), game.rules());
        let phase = state.phase(rules);
        let discs = count(&state.board);
        MovesRecord {
            id,
            position: record::board_text(game.variant(), state).to_string(),
            side: (phase != Phase::Over).then(|| state.side.to_string()),
            moves: legal_moves(game),
            phase: match phase {
                Phase::Place => "place",
                Phase::Play => "play",
                Phase::Over => "over",
            },
            count: Pair { x: discs.black, o: discs.white },
            official: (phase == Phase::Over).then(|| official(game)),
        }
    }

    /// `ID SIDE PHASE MOVE:FLIPS...`, and of a finished game `ID - over OFFICIAL:OFFICIAL`.
    fn row(&self) -> String {
        let mut words = vec![
            self.id.to_string(),
            self.side.clone().unwrap_or_else(|| "-".to_owned()),
            self.phase.to_owned(),
        ];
        if self.moves.is_empty() && self.side.is_some() {
            words.push("pass".to_owned());
        }
        words.extend(
            self.official.map(|official| format!("{}:{}", official.x.plain(), official.o.plain())),
        );
        words.extend(self.moves.iter().map(|legal| match legal.flips.as_slice() {
            [] => legal.at.clone(),
            flips => format!("{}:{}", legal.at, flips.join(",")),
        }));
        words.join(" ")
    }
}

fn legal_moves(game: &Game) -> Vec<LegalMove> {
    let words = |set: SquareSet| set.iter().map(|square| square.to_string()).collect();
    game.legal()
        .iter()
        .map(|square| LegalMove { at: square.to_string(), flips: words(game.flips(square)) })
        .collect()
}

fn official(game: &Game) -> Pair<Number> {
    let score = score(&game.state().board, game.rules().scoring);
    Pair { x: Number::of_half_discs(score.black), o: Number::of_half_discs(score.white) }
}
