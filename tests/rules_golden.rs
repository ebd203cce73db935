//! The rules against games, scores and leaf counts of an independent program, and against an
//! obvious model. What the repository holds is always checked; the whole collection where the
//! reference shelf is at hand; every leaf count with `OUTFLANK_FULL=1`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::model::{At, Cell, Model};
use crate::support::shelf;
use outflank::rules::{
    Bits, Board, EndReason, Forfeit, Game, Geometry, HalfDiscs, PassCost, Rules, Setup, Side,
    SplitMix64, Square, SquareSet, Start, State, U256, Variant, VariantSpec, count, flips, mobility,
    perft, score, winner,
};
use serde_json::Value;

/// Leaves of one table entry that an ordinary run counts.
const LEAVES: u64 = 3_000_000;

fn own_copy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden")
}

/// The folders to check: the repository's, and the shelf's if it is there.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![own_copy()];
    folders.extend(shelf::find("golden"));
    folders
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The files with games and their legal moves.
fn game_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.retain(|file| fs::read_to_string(file).unwrap().contains("\"legal\""));
    files.sort();
    files
}

fn square(name: &str) -> Square {
    let column = name.as_bytes()[0] - b'a';
    let row: u8 = name[1..].parse().unwrap();
    Square::new(column, row - 1).unwrap()
}

fn side(letter: &str) -> Side {
    match letter {
        "X" => Side::Black,
        "O" => Side::White,
        other => panic!("{other}"),
    }
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

/// The start of an entry, its cells in the field `cells` and the mover in the field `mover`.
fn setup(entry: &Value, cells: &str, mover: &str) -> Setup {
    let (columns, rows) = (number(&entry["cols"]) as u8, number(&entry["rows"]) as u8);
    let mut setup = Setup {
        columns,
        rows,
        holes: SquareSet::EMPTY,
        black: SquareSet::EMPTY,
        white: SquareSet::EMPTY,
        side: Some(side(entry[mover].as_str().unwrap())),
        placements: 0,
        hand: None,
        komi: None,
    };
    for (index, cell) in entry[cells].as_str().unwrap().chars().enumerate() {
        let square = square_at((index % usize::from(columns), index / usize::from(columns)));
        match cell {
            'X' => setup.black.insert(square),
            'O' => setup.white.insert(square),
            '#' => setup.holes.insert(square),
            '-' => {}
            other => panic!("{other}"),
        }
    }
    let listed: SquareSet =
        entry["holes"].as_array().unwrap().iter().map(|hole| square(hole.as_str().unwrap())).collect();
    assert_eq!(setup.holes, listed);
    setup
}

fn variant(entry: &Value, setup: &Setup) -> Variant {
    let mut spec = VariantSpec::sized(setup.columns, setup.rows);
    spec.rules.anti = entry["anti"].as_bool().unwrap();
    if entry["opening"] == "free" {
        spec.start = Start::Free;
    }
    Variant::with_position(spec, setup).unwrap()
}

fn start_of(entry: &Value) -> (Variant, Setup) {
    let mut setup = setup(entry, "start", "first");
    if entry["opening"] == "free" {
        setup.placements = 4;
    }
    (variant(entry, &setup), setup)
}

fn cells(board: &Board) -> String {
    let geometry = board.geometry();
    let squares = Square::all().filter(|&square| geometry.contains(square));
    let cell = |square| match board.disc(square) {
        Some(Side::Black) => 'X',
        Some(Side::White) => 'O',
        None if geometry.is_playable(square) => '-',
        None => '#',
    };
    squares.map(cell).collect()
}

fn half_discs(value: &Value) -> HalfDiscs {
    HalfDiscs((value.as_f64().unwrap() * 2.0) as i32)
}

fn winner_of(entry: &Value) -> Option<Side> {
    match entry["winner"].as_str().unwrap() {
        "black" => Some(Side::Black),
        "white" => Some(Side::White),
        _ => None,
    }
}

/// Count, score and winner of a final board.
fn check_score(entry: &Value, board: &Board, rules: &Rules, what: &str) {
    assert_eq!(cells(board), entry["final"].as_str().unwrap(), "{what}");
    let discs = count(board);
    assert_eq!(discs.black, number(&entry["count"]["black"]), "{what}");
    assert_eq!(discs.white, number(&entry["count"]["white"]), "{what}");
    assert_eq!(board.empties(), number(&entry["count"]["empty"]), "{what}");
    let official = score(board, rules.scoring);
    assert_eq!(official.black, half_discs(&entry["score"]["black"]), "{what}");
    assert_eq!(official.white, half_discs(&entry["score"]["white"]), "{what}");
    assert_eq!(winner(board, rules), winner_of(entry), "{what}");
}

/// Replays one game, asking for everything the entry tells.
fn check_game(entry: &Value) {
    let what = format!("{} #{}", entry["variant"], entry["index"]);
    let (variant, setup) = start_of(entry);
    let mut game = Game::from_setup(&variant, &setup).unwrap();
    let legal = entry["legal"].as_array();
    let moves = entry["moves"].as_array().unwrap();
    let mut passes = 0;
    for (index, text) in moves.iter().enumerate() {
        assert!(!game.is_over(), "{what} is over before move {index}");
        if let Some(legal) = legal {
            let expected: Vec<&str> =
                legal[index].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            let found = game.legal().to_string();
            assert_eq!(found, expected.join(","), "{what} move {index}");
        }
        if text == "pass" {
            assert!(game.pass_if_forced().is_some(), "{what} move {index}");
            passes += 1;
        } else {
            assert_eq!(game.state().must_pass(game.rules()), None, "{what} move {index}");
            let side = game.state().side;
            let square = square(text.as_str().unwrap());
            let placing = game.state().in_opening();
            let made = game.play(Some(side), square).unwrap();
            assert_eq!(made.flips.is_empty(), placing, "{what} move {index}");
        }
    }
    assert_eq!(passes, number(&entry["passes"]), "{what}");
    assert_eq!(game.state().side, side(entry["to_move_at_end"].as_str().unwrap()), "{what}");
    check_score(entry, &game.state().board, game.rules(), &what);
    let ending = game.ending(Forfeit::None).unwrap();
    assert_eq!(ending.winner, winner_of(entry), "{what}");
    assert_eq!(ending.reason == EndReason::Tie, ending.winner.is_none(), "{what}");
    assert_eq!(ending.margin.unwrap().0, half_discs(&entry["score"]["result"]).0.abs(), "{what}");
    check_undo(game, &what);
}

/// All the way back and forth again.
fn check_undo(mut game: Game, what: &str) {
    let (start, end, len) = (game.start().clone(), game.state().clone(), game.len());
    while game.undo_move().is_ok() {}
    assert_eq!(game.state(), &start, "{what}");
    while game.redo().is_ok() {}
    assert_eq!((game.state(), game.len()), (&end, len), "{what}");
}

#[test]
fn all_37_set_ups_have_the_recorded_legal_moves_passes_and_scores() {
    for folder in folders() {
        let files = game_files(&folder);
        assert_eq!(files.len(), 37, "{}", folder.display());
        for file in files {
            for entry in lines(&file) {
                check_game(&entry);
            }
        }
    }
}

#[test]
fn games_with_rare_endings_end_as_recorded() {
    for folder in folders() {
        for entry in lines(&folder.join("special.jsonl")) {
            check_game(&entry);
        }
    }
}

#[test]
fn finished_boards_have_the_recorded_scores() {
    for folder in folders() {
        for (index, entry) in lines(&folder.join("score-cases.jsonl")).iter().enumerate() {
            let setup = setup(entry, "final", "to_move_at_end");
            let variant = variant(entry, &setup);
            let state = State::from_setup(&variant, &setup).unwrap();
            assert!(state.is_over(variant.rules()), "case {index}");
            check_score(entry, &state.board, variant.rules(), &format!("case {index}"));
        }
    }
}

/// Every depth of a table up to so many leaves.
fn check_perft(entry: &Value, most: u64) {
    let (variant, setup) = start_of(entry);
    let state = State::from_setup(&variant, &setup).unwrap();
    for (table, cost) in [("pass_is_ply", PassCost::Ply), ("pass_is_free", PassCost::Free)] {
        for row in entry[table].as_array().unwrap() {
            let leaves = row[1].as_u64().unwrap() + row[2].as_u64().unwrap();
            if leaves > most {
                continue;
            }
            let depth = number(&row[0]);
            let counted = perft(&state, variant.rules(), depth, cost, &|| false);
            assert_eq!(counted, Some(leaves), "{} {table} {depth}", entry["variant"]);
        }
    }
}

#[test]
fn leaf_counts_are_the_recorded_ones_with_both_ways_to_count_a_pass() {
    let most = if std::env::var_os("OUTFLANK_FULL").is_some() { u64::MAX } else { LEAVES };
    for folder in folders() {
        let read = |name| {
            serde_json::from_str::<Value>(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
        };
        for entry in read("perft.json").as_object().unwrap().values() {
            check_perft(entry, most);
        }
        for entry in read("perft-random-setups.json").as_array().unwrap() {
            check_perft(entry, most);
        }
    }
}

/// A random board with holes, and discs as thick as the dice say.
fn random_model(random: &mut SplitMix64) -> Model {
    let mut side = || 4 + random.below(13) as usize;
    let (columns, rows) = (side(), side());
    let (holes, empties) = (random.below(25), random.below(80));
    let mut cell = || match random.below(100) {
        n if n < holes => Cell::Hole,
        n if n < holes + empties => Cell::Empty,
        n if n % 2 == 0 => Cell::Black,
        _ => Cell::White,
    };
    Model { cells: (0..rows).map(|_| (0..columns).map(|_| cell()).collect()).collect() }
}

fn square_at((column, row): At) -> Square {
    Square::new(column as u8, row as u8).unwrap()
}

fn squares_with(model: &Model, wanted: Cell) -> SquareSet {
    let is_wanted = |&(column, row): &At| model.cells[row][column] == wanted;
    model.squares().into_iter().filter(is_wanted).map(square_at).collect()
}

fn as_set(squares: Vec<At>) -> SquareSet {
    squares.into_iter().map(square_at).collect()
}

/// Mobility and flips in one width, if the board fits it.
fn check_width<B: Bits>(model: &Model, what: &str) -> bool {
    if model.columns() > B::COLUMNS as usize || model.rows() > B::ROWS as usize {
        return false;
    }
    let [black, white, empty] =
        [Cell::Black, Cell::White, Cell::Empty].map(|cell| B::from_set(squares_with(model, cell)));
    let playable = black | white | empty;
    for (side, own, other) in [(Cell::Black, black, white), (Cell::White, white, black)] {
        assert_eq!(
            mobility(own, other, playable).to_set(),
            as_set(model.moves(side)),
            "{what} {model:?}"
        );
        for index in empty.iter() {
            let square = B::square_of(index);
            let at = (usize::from(square.column()), usize::from(square.row()));
            assert_eq!(
                flips(own, other, index).to_set(),
                as_set(model.flips(side, at)),
                "{what} {square} {model:?}"
            );
        }
    }
    true
}

#[test]
fn mobility_and_flips_of_every_width_agree_with_the_model() {
    let mut random = SplitMix64::new(20_260_731);
    let mut checked = [0; 3];
    for n in 0..3000 {
        let model = random_model(&mut random);
        let what = format!("board {n}");
        checked[0] += usize::from(check_width::<u64>(&model, &what));
        checked[1] += usize::from(check_width::<u128>(&model, &what));
        checked[2] += usize::from(check_width::<U256>(&model, &what));
        check_board(&model, &what);
    }
    assert!(checked.iter().all(|&boards| boards > 300), "{checked:?}");
}

/// The same through [`Board`], which chooses its width, and a move made in it.
fn check_board(model: &Model, what: &str) {
    let holes = squares_with(model, Cell::Hole);
    let geometry = Geometry::new(model.columns() as u8, model.rows() as u8, holes).unwrap();
    let board = Board::with_discs(
        geometry.into(),
        squares_with(model, Cell::Black),
        squares_with(model, Cell::White),
    );
    for (side, own) in [(Side::Black, Cell::Black), (Side::White, Cell::White)] {
        let moves = model.moves(own);
        assert_eq!(board.mobility(side), as_set(moves.clone()), "{what}");
        assert_eq!(board.has_move(side), !moves.is_empty(), "{what}");
        for at in model.squares() {
            let expected = as_set(model.flips(own, at));
            assert_eq!(board.flips(side, square_at(at)), expected, "{what}");
        }
        if let Some(&at) = moves.first() {
            let (mut played, mut model_played) = (board.clone(), model.clone());
            assert_eq!(played.play(side, square_at(at)), as_set(model.flips(own, at)), "{what}");
            model_played.play(own, at);
            assert_eq!(played.black(), squares_with(&model_played, Cell::Black), "{what}");
            assert_eq!(played.white(), squares_with(&model_played, Cell::White), "{what}");
            assert_eq!(played.empties(), squares_with(&model_played, Cell::Empty).len(), "{what}");
        }
    }
}
