//! Reading positions in unit tests, where a drawing says more than a list of
//! squares. Nothing outside tests may read text here.

use super::board::Board;
use super::game::Game;
use super::setup::Setup;
use super::square::{BySide, Side, Square, SquareSet};
use super::state::State;
use super::variant::{Start, Variant, VariantSpec, by_name};

/// `f5`.
pub fn sq(name: &str) -> Square {
    let column = name.as_bytes()[0] - b'a';
    let row: u8 = name[1..].parse().unwrap();
    Square::new(column, row - 1).unwrap()
}

/// `d3 c4`.
pub fn set(names: &str) -> SquareSet {
    names.split_whitespace().map(sq).collect()
}

/// A position token: rows with slashes between, side, placements, hand.
pub fn setup(token: &str) -> Setup {
    let mut fields = token.split(',');
    let mut discs = BySide::from_fn(|_| SquareSet::EMPTY);
    let mut holes = SquareSet::EMPTY;
    let (mut columns, mut rows) = (0, 0);
    for row in fields.next().unwrap().split('/') {
        let mut column = 0;
        let mut run = 0;
        for letter in row.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = run * 10 + digit as u8;
                continue;
            }
            column += std::mem::take(&mut run);
            let square = Square::new(column, rows).unwrap();
            match letter {
                'x' => discs.black.insert(square),
                'o' => discs.white.insert(square),
                '_' => holes.insert(square),
                _ => panic!("{letter}"),
            }
            column += 1;
        }
        columns = column + run;
        rows += 1;
    }
    let side = match fields.next().unwrap() {
        "x" => Some(Side::Black),
        "o" => Some(Side::White),
        _ => None,
    };
    let mut setup = Setup {
        columns,
        rows,
        holes,
        black: discs.black,
        white: discs.white,
        side,
        placements: 0,
        hand: None,
        komi: None,
    };
    for field in fields {
        let (kind, rest) = field.split_at(1);
        match kind {
            "p" => setup.placements = rest.parse().unwrap(),
            _ => {
                let (black, white) = rest.split_once('.').unwrap();
                setup.hand =
                    Some(BySide { black: black.parse().unwrap(), white: white.parse().unwrap() });
            }
        }
    }
    setup
}

pub fn spec(name: &str) -> VariantSpec {
    by_name(name).unwrap()
}

pub fn variant_of(spec: VariantSpec) -> Variant {
    Variant::new(spec).unwrap()
}

/// A game from a position, with a free opening where placements are left.
pub fn game(token: &str) -> Game {
    let setup = setup(token);
    let mut spec = spec("othello");
    if setup.placements > 0 {
        spec.start = Start::Free;
    }
    Game::from_setup(&variant_of(spec), &setup).unwrap_or_else(|error| panic!("{token}: {error}"))
}

pub fn state(token: &str) -> State {
    game(token).state().clone()
}

pub fn board(token: &str) -> Board {
    state(token).board
}
