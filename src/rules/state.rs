//! One moment of a game: what may be done, and doing it.
//!
//! Knows placements, moves, passes, their refusals and the end. Must not know
//! what came before (see [`super::game`]), nor which variant is played: it asks
//! the [`Rules`].

use std::fmt;

use super::board::Board;
use super::square::{BySide, Side, Square, SquareSet};
use super::variant::{Place, Rules, Stuck};

/// A board, who is to move and what else decides how the game goes on.
///
/// ```
/// use outflank::rules::{Refusal, Square, Variant, by_name};
/// let variant = Variant::new(by_name("reversi").unwrap()).unwrap();
/// let rules = variant.rules();
/// let mut state = variant.start_state();
/// assert!(state.in_opening());
/// assert_eq!(state.placements_left(), 4);
/// assert_eq!(state.legal(rules).to_string(), "d4,e4,d5,e5");
///
/// let refused = state.check(rules, None, Square::new(0, 0).unwrap()).unwrap();
/// assert_eq!(refused.refusal, Refusal::NotCentre);
///
/// state.play(rules, None, Square::new(3, 3).unwrap()).unwrap();
/// assert_eq!(state.placements_left(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The discs.
    pub board: Board,
    /// Who is to move; kept even when the game is over.
    pub side: Side,
    /// Discs of a free opening that are still to be placed.
    pub placements: u8,
    /// Discs left in hand, where the variant limits them.
    pub hand: Option<BySide<u16>>,
}

/// What the mover has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Put a disc on the centre.
    Place,
    /// Play a move, or pass.
    Play,
    /// Nothing: the game is over.
    Over,
}

/// Why a side has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassReason {
    /// Nothing can be turned anywhere.
    NoMove,
    /// No disc is left in hand.
    NoDiscs,
}

/// What a side did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Put a disc down and turned nothing.
    Place(Square),
    /// Put a disc down and turned others.
    Play(Square),
    /// Had to pass.
    Pass(PassReason),
}

impl Act {
    /// Where a disc was put, if one was.
    pub fn square(self) -> Option<Square> {
        match self {
            Self::Place(square) | Self::Play(square) => Some(square),
            Self::Pass(_) => None,
        }
    }

    /// Whether it was a pass.
    pub fn is_pass(self) -> bool {
        matches!(self, Self::Pass(_))
    }
}

/// What was done, by whom, and what it turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Who did it.
    pub side: Side,
    /// What.
    pub act: Act,
    /// The discs that were turned.
    pub flips: SquareSet,
}

/// Why a placement, a move or a pass is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The square is outside the board.
    OffBoard,
    /// The game is over.
    GameOver,
    /// The other side is to move.
    NotYourTurn,
    /// The square is a hole.
    Hole,
    /// The mover has no disc left and must pass.
    NoDiscs,
    /// The mover cannot turn anything and must pass.
    NoMove,
    /// The first discs go on the centre squares.
    NotCentre,
    /// There is a disc on the square.
    SquareTaken,
    /// The last disc of this opening has to turn something.
    MustFlip,
    /// Nothing would be turned.
    NoFlip,
    /// A pass is not allowed while there is a move.
    HasMove,
}

/// A refusal with what would have been allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub refusal: Refusal,
    /// The square asked for; `None` for a pass.
    pub square: Option<Square>,
    /// What the mover may do instead.
    pub legal: SquareSet,
}

impl State {
    /// Whether discs are still being placed. A free centre square alone does
    /// not tell: some variants may leave one for good.
    pub fn in_opening(&self) -> bool {
        self.placements > 0
    }

    /// How many discs of the opening are still to be placed.
    pub fn placements_left(&self) -> u8 {
        self.placements
    }

    /// What the mover has to do.
    pub fn phase(&self, rules: &Rules) -> Phase {
        if self.in_opening() {
            Phase::Place
        } else if self.is_over(rules) {
            Phase::Over
        } else {
            Phase::Play
        }
    }

    /// Whether nobody can go on under these rules.
    pub fn is_over(&self, rules: &Rules) -> bool {
        if self.in_opening() || self.can_move(self.side) {
            return false;
        }
        match rules.stuck {
            Stuck::Pass => !self.can_move(self.side.other()),
            Stuck::End => true,
        }
    }

    /// The placements or moves of the mover; empty when he must pass or the
    /// game is over.
    pub fn legal(&self, rules: &Rules) -> SquareSet {
        if !self.has_disc(self.side) {
            return SquareSet::EMPTY;
        }
        if !self.in_opening() {
            return self.board.mobility(self.side);
        }
        let centre = self.board.empty_squares() & self.board.geometry().centre_set();
        if self.placements > 1 {
            return centre;
        }
        match rules.place {
            Place::Plain => centre,
            Place::May => centre | self.board.mobility(self.side),
            Place::Must => {
                let captures = self.board.mobility(self.side);
                if captures.is_empty() { centre } else { captures }
            }
        }
    }

    /// Why the mover has to pass; `None` if he need not or the game is over.
    pub fn must_pass(&self, rules: &Rules) -> Option<PassReason> {
        if self.in_opening() || self.can_move(self.side) || self.is_over(rules) {
            None
        } else if self.has_disc(self.side) {
            Some(PassReason::NoMove)
        } else {
            Some(PassReason::NoDiscs)
        }
    }

    /// Why a disc on this square would be refused; `None` if it would not.
    /// With `side`, it is also refused when the other side is to move.
    pub fn check(&self, rules: &Rules, side: Option<Side>, square: Square) -> Option<Refused> {
        self.refusal(rules, side, square).map(|refusal| Refused {
            refusal,
            square: Some(square),
            legal: self.legal(rules),
        })
    }

    /// Why a pass would be refused; `None` if it is due.
    pub fn check_pass(&self, rules: &Rules, side: Option<Side>) -> Option<Refused> {
        let refusal = if self.is_over(rules) {
            Refusal::GameOver
        } else if side.is_some_and(|side| side != self.side) {
            Refusal::NotYourTurn
        } else if self.must_pass(rules).is_none() {
            Refusal::HasMove
        } else {
            return None;
        };
        Some(Refused { refusal, square: None, legal: self.legal(rules) })
    }

    /// Puts a disc of the mover on a square: a placement or a move.
    ///
    /// # Errors
    /// As [`State::check`] says; the state is then unchanged.
    pub fn play(&mut self, rules: &Rules, side: Option<Side>, square: Square) -> Result<Move, Refused> {
        if self.in_opening() {
            if let Some(refused) = self.check(rules, side, square) {
                return Err(refused);
            }
            return Ok(self.place(rules, square));
        }
        // The common case asks the board once: what turns something is legal.
        let mover = self.side;
        let its_turn = side.is_none_or(|side| side == mover);
        let flips = if its_turn && self.has_disc(mover) {
            self.board.play(mover, square)
        } else {
            SquareSet::EMPTY
        };
        if flips.is_empty() {
            return Err(self.check(rules, side, square).expect("what turns nothing is refused"));
        }
        self.finish_turn(true);
        Ok(Move { side: mover, act: Act::Play(square), flips })
    }

    /// Passes, and says why it had to be.
    ///
    /// # Errors
    /// As [`State::check_pass`] says; the state is then unchanged.
    pub fn pass(&mut self, rules: &Rules, side: Option<Side>) -> Result<PassReason, Refused> {
        if let Some(refused) = self.check_pass(rules, side) {
            return Err(refused);
        }
        let reason = if self.has_disc(self.side) { PassReason::NoMove } else { PassReason::NoDiscs };
        self.finish_turn(false);
        Ok(reason)
    }

    /// The same moment with another side to move.
    #[must_use]
    pub fn with_side(&self, side: Side) -> Self {
        Self { side, ..self.clone() }
    }

    /// Whether a side has both a disc and a move, outside the opening.
    pub(super) fn can_move(&self, side: Side) -> bool {
        self.has_disc(side) && self.board.has_move(side)
    }

    fn has_disc(&self, side: Side) -> bool {
        self.hand.is_none_or(|hand| hand[side] > 0)
    }

    fn refusal(&self, rules: &Rules, side: Option<Side>, square: Square) -> Option<Refusal> {
        let geometry = self.board.geometry();
        if !geometry.contains(square) {
            return Some(Refusal::OffBoard);
        }
        if self.is_over(rules) {
            return Some(Refusal::GameOver);
        }
        if side.is_some_and(|side| side != self.side) {
            return Some(Refusal::NotYourTurn);
        }
        if !geometry.is_playable(square) {
            return Some(Refusal::Hole);
        }
        if !self.has_disc(self.side) {
            return Some(Refusal::NoDiscs);
        }
        let legal = self.legal(rules);
        if legal.contains(square) {
            return None;
        }
        if legal.is_empty() {
            return Some(Refusal::NoMove);
        }
        let taken = self.board.occupied().contains(square);
        let centre = geometry.centre_set();
        Some(if !self.in_opening() {
            if taken { Refusal::SquareTaken } else { Refusal::NoFlip }
        } else if self.must_capture(rules) {
            if taken { Refusal::SquareTaken } else { Refusal::MustFlip }
        } else if centre.contains(square) {
            Refusal::SquareTaken
        } else {
            Refusal::NotCentre
        })
    }

    /// Whether this is the last placement and has to be a capture.
    fn must_capture(&self, rules: &Rules) -> bool {
        self.placements == 1 && rules.place == Place::Must && self.board.has_move(self.side)
    }

    /// A legal disc of the opening.
    fn place(&mut self, rules: &Rules, square: Square) -> Move {
        let mover = self.side;
        let captures = self.must_capture(rules) || !self.board.geometry().centre_set().contains(square);
        let flips = if captures {
            self.board.play(mover, square)
        } else {
            self.board.put(mover, square);
            SquareSet::EMPTY
        };
        self.placements -= 1;
        self.finish_turn(true);
        Move { side: mover, act: if captures { Act::Play(square) } else { Act::Place(square) }, flips }
    }

    fn finish_turn(&mut self, used_a_disc: bool) {
        if let Some(hand) = &mut self.hand
            && used_a_disc
        {
            hand[self.side] -= 1;
        }
        self.side = self.side.other();
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OffBoard => "that square is off the board",
            Self::GameOver => "the game is over",
            Self::NotYourTurn => "the other side is to move",
            Self::Hole => "that square is a hole",
            Self::NoDiscs => "no disc is left in hand, so the side must pass",
            Self::NoMove => "nothing can be turned, so the side must pass",
            Self::NotCentre => "the first four discs go on the centre four",
            Self::SquareTaken => "that square already holds a disc",
            Self::MustFlip => "the last disc of the opening must turn at least one",
            Self::NoFlip => "a disc there turns nothing",
            Self::HasMove => "a side that can move may not pass",
        })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.refusal, f)
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::super::testing::{game, set, setup, spec, sq, state, variant_of};
    use super::super::variant::Start;
    use super::*;

    const PLAIN: Rules = Rules {
        anti: false,
        komi: super::super::HalfDiscs::ZERO,
        scoring: super::super::Scoring::Official,
        place: Place::Plain,
        stuck: Stuck::Pass,
        hand: None,
    };

    /// The legal squares of a position, all moves made one after the other.
    fn legal_is(token: &str, squares: &str) {
        assert_eq!(state(token).legal(&PLAIN), set(squares), "{token}");
    }

    fn flips_are(token: &str, square: &str, flips: &str) {
        let made = state(token).play(&PLAIN, None, sq(square)).unwrap();
        assert_eq!(made.flips, set(flips), "{token} {square}");
    }

    fn refusal(token: &str, square: &str) -> Refusal {
        let mut state = state(token);
        let before = state.clone();
        let refused = state.play(&PLAIN, None, sq(square)).unwrap_err();
        assert_eq!(state, before, "a refusal changes nothing");
        assert_eq!(refused.legal, state.legal(&PLAIN));
        refused.refusal
    }

    #[test]
    fn a1_the_start() {
        legal_is("8/8/8/3ox3/3xo3/8/8/8,x", "d3 c4 f5 e6");
        flips_are("8/8/8/3ox3/3xo3/8/8/8,x", "f5", "e5");
    }

    #[test]
    fn a2_five_moves_and_what_they_turn() {
        let mut state = state("8/8/8/3ox3/3xo3/8/8/8,x");
        for (square, flips) in [("f5", "e5"), ("d6", "d5"), ("c3", "d4"), ("d3", "d4"), ("c4", "d4")] {
            assert_eq!(state.play(&PLAIN, None, sq(square)).unwrap().flips, set(flips));
        }
        let expected = super::super::testing::state("8/8/2xo4/2xxx3/3oxx2/3o4/8/8,o");
        assert_eq!(state, expected);
        assert_eq!(state.board.counts(), BySide { black: 6, white: 3 });
    }

    #[test]
    fn a3_a4_a8_are_over_for_both_sides_and_nobody_passes() {
        for token in [
            "xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1oo1/8/8/8,-",
            "xx4oo/8/8/8/8/8/8/8,-",
            "xxxx4/xxxx4/8/8/8/8/8/8,o",
            "8/8/8/8/8/8/8/8,x",
        ] {
            for side in Side::BOTH {
                let state = state(token).with_side(side);
                assert_eq!(state.phase(&PLAIN), Phase::Over, "{token}");
                assert_eq!(state.must_pass(&PLAIN), None);
                assert_eq!(state.check_pass(&PLAIN, None).unwrap().refusal, Refusal::GameOver);
            }
        }
    }

    #[test]
    fn a5_a_stuck_mover_passes() {
        let mut state = state("6ox/8/8/8/8/8/8/8,o");
        assert_eq!(state.must_pass(&PLAIN), Some(PassReason::NoMove));
        let refused = state.play(&PLAIN, None, sq("f1")).unwrap_err();
        assert_eq!((refused.refusal, refused.legal), (Refusal::NoMove, SquareSet::EMPTY));
        assert_eq!(state.pass(&PLAIN, None), Ok(PassReason::NoMove));
        assert_eq!(state.side, Side::Black);
        assert_eq!(state.check_pass(&PLAIN, None).unwrap().refusal, Refusal::HasMove);
        assert_eq!(state.play(&PLAIN, None, sq("f1")).unwrap().flips, set("g1"));
    }

    #[test]
    fn a6_rays_do_not_run_around_the_edge() {
        legal_is("6ox/x7/8/8/8/8/8/8,x", "f1");
        legal_is("8/7o/x7/8/8/8/8/8,x", "");
    }

    #[test]
    fn a7_a_run_ends_at_the_first_own_disc() {
        flips_are("1oxoox2/8/8/8/8/8/8/8,x", "a1", "b1");
    }

    #[test]
    fn b2_b3_during_placement_nothing_is_captured() {
        let two = "8/8/8/8/3xo3/8/8/8,x,p2";
        legal_is(two, "d4 e4");
        assert_eq!(refusal(two, "f5"), Refusal::NotCentre);
        assert_eq!(refusal(two, "d5"), Refusal::SquareTaken);
        assert_eq!(refusal(two, "a1"), Refusal::NotCentre);
        let three = "8/8/8/3x4/3xo3/8/8/8,o,p1";
        legal_is(three, "e4");
        for capture in ["c3", "c5"] {
            assert_eq!(refusal(three, capture), Refusal::NotCentre);
        }
        let state = state(three);
        assert_eq!(state.check_pass(&PLAIN, None).unwrap().refusal, Refusal::HasMove);
    }

    #[test]
    fn b4_the_six_ends_of_a_free_opening() {
        for (black, legal) in [
            ("d4 e5", "e3 f4 c5 d6"),
            ("e4 d5", "d3 c4 f5 e6"),
            ("d4 e4", "c6 d6 e6 f6"),
            ("d5 e5", "c3 d3 e3 f3"),
            ("d4 d5", "f3 f4 f5 f6"),
            ("e4 e5", "c3 c4 c5 c6"),
        ] {
            let mut state = variant_of(spec("reversi")).start_state();
            let white = set("d4 e4 d5 e5").without(set(black));
            let (black, white): (Vec<_>, Vec<_>) = (set(black).iter().collect(), white.iter().collect());
            for square in [black[0], white[0], black[1], white[1]] {
                assert_eq!(state.phase(&PLAIN), Phase::Place);
                let made = state.play(&PLAIN, None, square).unwrap();
                assert_eq!((made.act, made.flips), (Act::Place(square), SquareSet::EMPTY));
            }
            assert_eq!(state.phase(&PLAIN), Phase::Play);
            assert_eq!(state.legal(&PLAIN), set(legal));
        }
    }

    #[test]
    fn b6_the_last_disc_of_an_opening_may_or_must_capture() {
        let three = state("8/8/8/3x4/3xo3/8/8/8,o,p1");
        let may = Rules { place: Place::May, ..PLAIN };
        let must = Rules { place: Place::Must, ..PLAIN };
        assert_eq!(three.legal(&may), set("c3 e4 c5"));
        assert_eq!(three.legal(&must), set("c3 c5"));
        let refusal = |rules, square| three.check(rules, None, sq(square)).unwrap().refusal;
        assert_eq!(refusal(&must, "e4"), Refusal::MustFlip);
        assert_eq!(refusal(&must, "a1"), Refusal::MustFlip);
        assert_eq!(refusal(&must, "d4"), Refusal::SquareTaken);
        assert_eq!(refusal(&may, "a1"), Refusal::NotCentre);
        assert_eq!(refusal(&may, "d4"), Refusal::SquareTaken);

        for rules in [&may, &must] {
            let mut state = three.clone();
            let made = state.play(rules, None, sq("c5")).unwrap();
            assert_eq!((made.act, made.flips), (Act::Play(sq("c5")), set("d5")));
            // The centre square stays free, and the opening is over.
            assert!(!state.in_opening() && state.board.disc(sq("e4")).is_none());
            assert_eq!(state.phase(rules), Phase::Play);
        }
        // Any first three discs leave two captures.
        for rules in [&may, &must] {
            let mut first = variant_of(spec("reversi")).start_state();
            for square in ["d4", "e5", "e4"] {
                first.play(rules, None, sq(square)).unwrap();
            }
            assert_eq!(first.board.mobility(Side::White).len(), 2);
        }
    }

    #[test]
    fn c1_parallel() {
        legal_is("8/8/8/3xx3/3oo3/8/8/8,x", "c6 d6 e6 f6");
    }

    #[test]
    fn d1_to_d4_a_hole_ends_every_ray_through_it() {
        let d1 = "8/8/8/1oo_ox2/8/8/8/8,x";
        legal_is(d1, "");
        legal_is(&d1.replace(",x", ",o"), "g4");
        let d2 = "8/8/8/_oox4/8/8/8/8,x";
        legal_is(d2, "");
        legal_is(&d2.replace(",x", ",o"), "e4");
        assert_eq!(refusal(d2, "a4"), Refusal::Hole);
        let d3 = "8/3x4/3o4/1xo1ox2/3_4/3o4/3x4/8,x";
        flips_are(d3, "d4", "d3 c4 e4");
        assert_eq!(refusal(d3, "d5"), Refusal::Hole);
        legal_is("8/8/2x1x3/1_o1o3/2o_o3/1_o1o3/2x1x3/8,x", "");
    }

    #[test]
    fn e1_to_e3_the_octagon() {
        let e1 = "__6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__6__,x";
        legal_is(e1, "e4 d5 g6 f7");
        let start = state(e1);
        assert_eq!(start.board.geometry().squares(), 88);
        assert_eq!(start.board.geometry().holes().len(), 12);
        assert_eq!(refusal(e1, "b1"), Refusal::Hole);
        assert_eq!(refusal(e1, "k3"), Refusal::OffBoard);
        flips_are("__6__/_o7_/x9/10/4ox4/4xo4/10/10/_8_/__6__,x", "c1", "b2");
        // c1 cannot be turned: every line through it ends beside it.
        let e3 = state("__ox4__/_1xx5_/10/10/4ox4/4xo4/10/10/_8_/__6__,x");
        for side in Side::BOTH {
            for square in e3.board.mobility(side).iter() {
                assert!(!e3.board.flips(side, square).contains(sq("c1")));
            }
        }
    }

    #[test]
    fn g2_a_handicap_corner_anchors_a_run() {
        flips_are("x7/1o6/2o5/3ox3/3xo3/8/8/8,x", "f6", "e5 d4 c3 b2");
        assert_eq!(refusal("8/1o6/2o5/3ox3/3xo3/8/8/8,x", "f6"), Refusal::NoFlip);
    }

    #[test]
    fn refusals_come_in_their_order() {
        let start = state("8/8/8/3ox3/3xo3/8/8/8,x");
        let ask = |state: &State, side, square| {
            let refused = state.check(&PLAIN, Some(side), sq(square));
            refused.map(|refused| refused.refusal)
        };
        assert_eq!(ask(&start, Side::White, "f5"), Some(Refusal::NotYourTurn));
        assert_eq!(ask(&start, Side::White, "i9"), Some(Refusal::OffBoard));
        assert_eq!(ask(&start, Side::Black, "d4"), Some(Refusal::SquareTaken));
        assert_eq!(ask(&start, Side::Black, "a1"), Some(Refusal::NoFlip));
        assert_eq!(ask(&start, Side::Black, "f5"), None);
        let over = state("xx4oo/8/8/8/8/8/8/8,-");
        assert_eq!(ask(&over, Side::White, "a1"), Some(Refusal::GameOver));
        assert_eq!(ask(&over, Side::White, "i1"), Some(Refusal::OffBoard));
        let pass = |side| start.check_pass(&PLAIN, Some(side)).unwrap().refusal;
        assert_eq!(pass(Side::White), Refusal::NotYourTurn);
        assert_eq!(pass(Side::Black), Refusal::HasMove);
    }

    #[test]
    fn a_game_may_end_when_the_mover_is_stuck() {
        let state = state("6ox/8/8/8/8/8/8/8,o");
        let end = Rules { stuck: Stuck::End, ..PLAIN };
        assert_eq!(state.phase(&end), Phase::Over);
        assert_eq!(state.must_pass(&end), None);
        assert_eq!(state.check(&end, None, sq("f1")).unwrap().refusal, Refusal::GameOver);
    }

    #[test]
    fn a_side_without_discs_in_hand_passes() {
        let mut spec = spec("othello");
        spec.rules.hand = Some(32);
        let variant = variant_of(spec);
        let rules = variant.rules();
        let mut state = variant.start_state();
        assert_eq!(state.hand, Some(BySide { black: 30, white: 30 }));
        state.play(rules, None, sq("f5")).unwrap();
        assert_eq!(state.hand, Some(BySide { black: 29, white: 30 }));

        let given = |token| State::from_setup(&variant, &setup(token)).unwrap();
        let mut state = given("8/8/8/3ox3/3xo3/8/8/8,x,h0.5");
        assert_eq!(state.must_pass(rules), Some(PassReason::NoDiscs));
        let refused = state.check(rules, None, sq("f5")).unwrap();
        assert_eq!((refused.refusal, refused.legal), (Refusal::NoDiscs, SquareSet::EMPTY));
        assert_eq!(state.pass(rules, None), Ok(PassReason::NoDiscs));
        assert!(state.legal(rules).len() == 4 && !state.is_over(rules));
        // Over although Black has a move and White has discs.
        assert!(given("6ox/8/8/8/8/8/8/8,o,h0.5").is_over(rules));
        assert!(given("8/8/8/3ox3/3xo3/8/8/8,x,h0.0").is_over(rules));
    }

    #[test]
    fn n5_n6_only_the_counter_tells_an_opening() {
        assert!(state("8/8/8/8/8/8/8/8,x").is_over(&PLAIN));
        let capture = "8/8/8/3x4/2oo4/8/8/8,x";
        assert_eq!(state(capture).phase(&PLAIN), Phase::Play);
    }

    #[test]
    fn setups_that_cannot_be_played_are_refused_with_a_reason() {
        use super::super::setup::SetupError;
        let othello = variant_of(spec("othello"));
        let reversi = variant_of(spec("reversi"));
        let ask = |variant: &super::super::Variant, token: &str| {
            State::from_setup(variant, &setup(token)).unwrap_err()
        };
        assert_eq!(ask(&othello, "6/6/2ox2/2xo2/6/6,x"), SetupError::BadSize { columns: 6, rows: 6 });
        assert_eq!(ask(&othello, "_7/8/8/3ox3/3xo3/8/8/8,x"), SetupError::HolesDiffer(sq("a1")));
        assert_eq!(ask(&othello, "8/8/8/8/8/8/8/8,x,p4"), SetupError::PlacementsWithoutFreeStart);
        assert_eq!(
            ask(&reversi, "8/8/8/8/3xo3/8/8/8,x,p3"),
            SetupError::PlacementsMismatch { placements: 3, free: 2 }
        );
        assert_eq!(ask(&othello, "8/8/8/3ox3/3xo3/8/8/8,x,h3.3"), SetupError::HandWithoutLimit);
        assert_eq!(ask(&othello, "8/8/8/3ox3/3xo3/8/8/8,-"), SetupError::SideMissing);
        assert_eq!(ask(&othello, "6ox/8/8/8/8/8/8/8,-"), SetupError::SideMissing);
        let mut limited = spec("reversi");
        limited.rules.hand = Some(32);
        let limited = variant_of(limited);
        let token = "8/8/8/8/8/8/8/8,x,p4";
        assert_eq!(ask(&limited, &format!("{token},h33.2")), SetupError::HandTooLarge(Side::Black));
        assert_eq!(ask(&limited, &format!("{token},h2.1")), SetupError::HandTooSmall(Side::White));
        let mut overlapping = setup("8/8/8/3ox3/3xo3/8/8/8,x");
        overlapping.white.insert(sq("e4"));
        assert_eq!(State::from_setup(&othello, &overlapping), Err(SetupError::Overlapping(sq("e4"))));
        overlapping.white = set("i1");
        assert_eq!(State::from_setup(&othello, &overlapping), Err(SetupError::DiscOffBoard(sq("i1"))));
    }

    #[test]
    fn setup_of_a_state_gives_the_state_back() {
        use super::super::setup::Setup;
        for token in [
            "8/8/8/3ox3/3xo3/8/8/8,x",
            "8/8/8/8/3xo3/8/8/8,x,p2",
            "__6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__6__,x",
            "xx4oo/8/8/8/8/8/8/8,-",
        ] {
            let game = game(token);
            let setup = Setup::of(game.state(), game.rules());
            assert_eq!(setup, super::super::testing::setup(token));
            assert_eq!(State::from_setup(game.variant(), &setup).as_ref(), Ok(game.state()));
        }
        assert_eq!(game("8/8/8/8/3xo3/8/8/8,x,p2").variant().spec().start, Start::Free);
    }
}
