//! The search seen through the engine: exact values against published and
//! computed truths and against plain minimax, and what every run promises.

use std::collections::HashMap;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use outflank::engine::analysis::{Effort, Moment};
use outflank::engine::background::{Background, Finding, Job};
use outflank::engine::native::NativeEngine;
use outflank::engine::scripted::ScriptedEngine;
use outflank::engine::{
    Bound, Choice, ClockLimits, Engine, Found, Goal, Line, SearchRequest, StopFlag, Window,
};
use outflank::kernel::Tier;
use outflank::rules::{
    HalfDiscs, Holes, PassCost, Place, Rules, Scoring, Setup, Side, SplitMix64, Square, SquareSet,
    Start, State, Stuck, Symmetry, Variant, VariantSpec, by_name, score, winner,
};

const SOLVE: Goal = Goal::Solve { wld: false, all_moves: false, optimal_moves: false };
const SOLVE_ALL: Goal = Goal::Solve { wld: false, all_moves: true, optimal_moves: false };

fn run(engine: &mut NativeEngine, request: &SearchRequest) -> Found {
    let found = engine.run(request, &StopFlag::new(), &mut |_| {});
    assert!(!found.failed, "the search broke");
    found
}

fn solve(engine: &mut NativeEngine, state: &State, rules: &Rules, goal: Goal) -> Found {
    let mut request = SearchRequest::new(state.clone(), *rules);
    request.goal = goal;
    let found = run(engine, &request);
    assert!(found.exact && !found.stopped);
    found
}

fn discs(line: &Line) -> i32 {
    assert!(line.value.exact);
    assert_eq!(line.value.centidiscs % 100, 0);
    line.value.centidiscs / 100
}

fn square(name: &str) -> Square {
    let column = name.as_bytes()[0].to_ascii_lowercase() - b'a';
    let row: u8 = name[1..].parse().expect("a row");
    Square::new(column, row - 1).expect("a square")
}

fn squares(names: &[&str]) -> SquareSet {
    names.iter().map(|name| square(name)).collect()
}

fn apply(state: &mut State, rules: &Rules, choice: Choice) {
    match choice {
        Choice::Play(square) => assert!(state.play(rules, None, square).is_ok(), "legal move"),
        Choice::Pass => assert!(state.pass(rules, None).is_ok(), "forced pass"),
    }
}

/// The result of a finished game for `side`, in discs.
fn result(state: &State, rules: &Rules, side: Side) -> i32 {
    let difference = score(&state.board, rules.scoring).difference().0;
    assert_eq!(difference % 2, 0);
    let black = difference / 2 * if rules.anti { -1 } else { 1 };
    if side == Side::Black { black } else { -black }
}

/// The expected course is legal, ends the game and is worth what it says.
fn check_course(state: &State, rules: &Rules, line: &Line) {
    let mut end = state.clone();
    for &choice in &line.pv {
        apply(&mut end, rules, choice);
    }
    assert!(end.is_over(rules), "the course goes to the end");
    if line.wld {
        let winner = winner(&end.board, rules);
        let expected = match line.value.centidiscs {
            0 => None,
            1.. => Some(state.side),
            _ => Some(state.side.other()),
        };
        assert_eq!(winner, expected);
    } else {
        assert_eq!(result(&end, rules, state.side), discs(line));
    }
}

/// The value for the mover by looking at everything.
fn minimax(state: &State, rules: &Rules) -> i32 {
    if state.is_over(rules) {
        return result(state, rules, state.side);
    }
    let legal = state.legal(rules);
    let choices = legal.iter().map(Choice::Play);
    let pass = legal.is_empty().then_some(Choice::Pass);
    choices
        .chain(pass)
        .map(|choice| {
            let mut next = state.clone();
            apply(&mut next, rules, choice);
            -minimax(&next, rules)
        })
        .max()
        .expect("somebody can move")
}

/// Random legal play until at most this many empties are left; nothing if the
/// game ends before.
fn random_state(variant: &Variant, n_empties: u32, random: &mut SplitMix64) -> Option<State> {
    let rules = variant.rules();
    let mut state = variant.start_state();
    while state.in_opening() || state.board.empties() > n_empties {
        if state.is_over(rules) {
            return None;
        }
        let legal = state.legal(rules);
        let drawn = random.below(u64::from(legal.len())) as usize;
        let choice = legal.iter().nth(drawn).map_or(Choice::Pass, Choice::Play);
        apply(&mut state, rules, choice);
    }
    (!state.is_over(rules)).then_some(state)
}

fn variant(spec: VariantSpec) -> Variant {
    Variant::new(spec).expect("a valid variant")
}

fn sized(columns: u8, rows: u8) -> VariantSpec {
    VariantSpec::sized(columns, rows)
}

fn with_holes(names: &[&str]) -> VariantSpec {
    VariantSpec { holes: Holes::Squares(squares(names)), ..sized(4, 4) }
}

/// Variants of many kinds, by name.
fn many_variants() -> Vec<(&'static str, Variant)> {
    let othello = by_name("othello").expect("othello");
    let drawn = |count, seed| Holes::Drawn { count, seed };
    let anti = Rules { anti: true, ..Rules::default() };
    let in_discs = Rules { scoring: Scoring::Discs, ..Rules::default() };
    let both = Rules { anti: true, ..in_discs };
    let mut specs = vec![
        ("othello", othello),
        ("othello discs", VariantSpec { rules: in_discs, ..othello }),
        ("anti", VariantSpec { rules: anti, ..othello }),
        ("anti discs", VariantSpec { rules: both, ..othello }),
        ("holes", VariantSpec { holes: drawn(4, 7), ..othello }),
        ("reversi", by_name("reversi").expect("reversi")),
        ("octagon", by_name("oct").expect("oct")),
        ("annex", by_name("annex").expect("annex")),
        ("6x6", sized(6, 6)),
        ("4x4", sized(4, 4)),
        ("6x4", sized(6, 4)),
        ("4x16", sized(4, 16)),
        ("12x12", sized(12, 12)),
        ("10x10 anti", VariantSpec { rules: anti, ..sized(10, 10) }),
        ("holed 6x6 anti", VariantSpec { rules: anti, holes: drawn(2, 1), ..sized(6, 6) }),
        ("holed 6x6 discs", VariantSpec { rules: in_discs, holes: drawn(3, 5), ..sized(6, 6) }),
    ];
    specs.push(("cut 3", VariantSpec { cut: 3, ..othello }));
    specs.into_iter().map(|(name, spec)| (name, variant(spec))).collect()
}

#[test]
fn exact_values_equal_plain_minimax_on_every_kind_of_board() {
    let mut engine = NativeEngine::new(1);
    for (name, variant) in many_variants() {
        let mut random = SplitMix64::new(1);
        let mut done = 0;
        for attempt in 0..600 {
            let n_empties = 1 + attempt % 7;
            let Some(state) = random_state(&variant, n_empties, &mut random) else {
                continue;
            };
            let found = solve(&mut engine, &state, variant.rules(), SOLVE);
            let expected = minimax(&state, variant.rules());
            assert_eq!(discs(&found.lines[0]), expected, "{name}: {state:?}");
            check_course(&state, variant.rules(), &found.lines[0]);
            done += 1;
            if done == 40 {
                break;
            }
        }
        assert!(done >= 5, "{name}: only {done} positions");
    }
}

#[test]
fn a_window_is_answered_with_the_value_within_it_and_a_true_bound_outside() {
    let mut random = SplitMix64::new(23);
    let mut engine = NativeEngine::new(1);
    let mut bounds = 0;
    for (name, variant) in many_variants() {
        let rules = variant.rules();
        let Some(state) = random_state(&variant, 7, &mut random) else { continue };
        let value = minimax(&state, rules);
        let windows = [
            (-1, 1),
            (value - 1, value),
            (value, value + 1),
            (value - 1, value + 1),
            (value + 5, value + 9),
        ];
        for (alpha, beta) in windows {
            let mut request = SearchRequest::new(state.clone(), *rules);
            request.goal = Goal::Values;
            request.limits.depth = Some(u32::MAX);
            request.window = Some(Window { alpha: 100 * alpha, beta: 100 * beta });
            let found = run(&mut engine, &request);
            let (told, what) = (found.lines[0].value, format!("{name} {alpha} {value} {beta}"));
            assert!(told.exact, "{what}: {told:?}");
            match told.bound {
                Bound::Value => assert_eq!(told.centidiscs, 100 * value, "{what}"),
                Bound::Lower => assert!((100 * beta..=100 * value).contains(&told.centidiscs), "{what}"),
                Bound::Upper => {
                    assert!((100 * value..=100 * alpha).contains(&told.centidiscs), "{what}")
                }
            }
            bounds += u32::from(told.bound != Bound::Value);
        }
    }
    assert!(bounds > 10, "{bounds} bounds were enough");
}

#[test]
fn deeper_solves_equal_minimax_over_solved_children() {
    // One ply of minimax above the search at a depth where it uses its table,
    // its bounds of stable discs and its look ahead.
    let mut engine = NativeEngine::new(1);
    for (name, variant) in many_variants() {
        if variant.geometry().squares() > 64 {
            continue;
        }
        let rules = variant.rules();
        let mut random = SplitMix64::new(2);
        for _ in 0..6 {
            let Some(state) = random_state(&variant, 12, &mut random) else {
                continue;
            };
            let whole = discs(&solve(&mut engine, &state, rules, SOLVE).lines[0]);
            engine.clear();
            let legal = state.legal(rules);
            let choices = legal.iter().map(Choice::Play);
            let pass = legal.is_empty().then_some(Choice::Pass);
            let best = choices.chain(pass).map(|choice| {
                let mut next = state.clone();
                apply(&mut next, rules, choice);
                if next.is_over(rules) {
                    result(&next, rules, state.side)
                } else {
                    -discs(&solve(&mut engine, &next, rules, SOLVE).lines[0])
                }
            });
            assert_eq!(best.max(), Some(whole), "{name}: {state:?}");
        }
    }
}

#[test]
fn every_move_gets_its_own_exact_value() {
    let mut engine = NativeEngine::new(1);
    for (name, variant) in many_variants() {
        let rules = variant.rules();
        let mut random = SplitMix64::new(3);
        for _ in 0..4 {
            let Some(state) = random_state(&variant, 6, &mut random) else {
                continue;
            };
            if state.legal(rules).is_empty() {
                continue;
            }
            let found = solve(&mut engine, &state, rules, SOLVE_ALL);
            assert_eq!(found.lines.len() as u32, state.legal(rules).len());
            for (line, rank) in found.lines.iter().zip(1..) {
                assert_eq!(line.rank, rank);
                let mut next = state.clone();
                apply(&mut next, rules, line.choice());
                assert_eq!(discs(line), -minimax(&next, rules), "{name}: {state:?}");
                check_course(&state, rules, line);
            }
            assert!(found.lines.is_sorted_by_key(|line| -line.value.centidiscs));
            let mut request = SearchRequest::new(state.clone(), *rules);
            request.goal = Goal::Values;
            request.multi_pv = 2;
            request.limits.depth = Some(60);
            let best = run(&mut engine, &request);
            let expected: Vec<i32> = found.lines.iter().take(2).map(discs).collect();
            assert_eq!(best.lines.iter().map(discs).collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn winning_is_decided_around_komi_and_the_worth_of_a_draw() {
    let mut engine = NativeEngine::new(1);
    for (name, variant) in many_variants() {
        let mut random = SplitMix64::new(4);
        for attempt in 0..12 {
            let Some(state) = random_state(&variant, 5, &mut random) else {
                continue;
            };
            let exact = minimax(&state, variant.rules());
            let for_black = if state.side == Side::Black { exact } else { -exact };
            for komi in [2 * for_black - 1, 2 * for_black, 2 * for_black + 1, attempt - 6] {
                let rules = Rules { komi: HalfDiscs(komi), ..*variant.rules() };
                for contempt in [-1, 0, 1] {
                    let black = match (2 * for_black - komi).signum() {
                        0 => contempt,
                        sign => sign,
                    };
                    let expected = if state.side == Side::Black { black } else { -black };
                    let mut request = SearchRequest::new(state.clone(), rules);
                    request.contempt = HalfDiscs(contempt);
                    request.goal = Goal::Solve { wld: true, all_moves: false, optimal_moves: false };
                    let found = run(&mut engine, &request);
                    assert!(found.exact && found.lines[0].wld);
                    let value = found.lines[0].value.centidiscs;
                    assert_eq!(value, 100 * expected, "{name} komi {komi}: {state:?}");
                    if contempt == 0 {
                        check_course(&state, &rules, &found.lines[0]);
                    }
                }
            }
        }
    }
}

fn value_of(spec: VariantSpec, scoring: Scoring, anti: bool) -> i32 {
    let rules = Rules { scoring, anti, ..spec.rules };
    let variant = variant(VariantSpec { rules, ..spec });
    let state = variant.start_state();
    let found = solve(&mut NativeEngine::new(16), &state, &rules, SOLVE);
    check_course(&state, &rules, &found.lines[0]);
    discs(&found.lines[0])
}

#[test]
fn solved_games_on_four_by_four_have_their_known_values() {
    let parallel = || VariantSpec { start: Start::Parallel(0), ..sized(4, 4) };
    let historic = || VariantSpec { start: Start::Free, ..sized(4, 4) };
    let check = |spec: &dyn Fn() -> VariantSpec, anti, official, discs| {
        assert_eq!(value_of(spec(), Scoring::Official, anti), official);
        assert_eq!(value_of(spec(), Scoring::Discs, anti), discs);
    };
    check(&|| sized(4, 4), false, -10, -8);
    check(&parallel, false, -4, -3);
    check(&historic, false, -4, -3);
    check(&|| sized(4, 4), true, 4, 3);
    check(&parallel, true, 0, 0);
    check(&historic, true, 0, 0);
    check(&|| with_holes(&["a1"]), false, 15, 13);
    check(&|| with_holes(&["a1", "d4"]), false, 14, 13);
    check(&|| with_holes(&["b1"]), false, -11, -9);
    check(&|| with_holes(&["a1", "d1", "a4", "d4"]), false, 6, 6);
}

#[test]
fn a_game_that_ends_when_stuck_has_its_known_values() {
    let rules = Rules { stuck: Stuck::End, ..Rules::default() };
    let cross = VariantSpec { rules, ..sized(4, 4) };
    let parallel = VariantSpec { start: Start::Parallel(0), ..cross };
    assert_eq!(value_of(cross, Scoring::Discs, false), -6);
    assert_eq!(value_of(parallel, Scoring::Discs, false), -2);
}

#[test]
fn special_rules_equal_plain_minimax() {
    let mut engine = NativeEngine::new(4);
    let free = |place, hand, stuck| VariantSpec {
        start: Start::Free,
        rules: Rules { place, hand, stuck, ..Rules::default() },
        ..sized(4, 4)
    };
    let specs = [
        free(Place::Plain, Some(7), Stuck::Pass),
        free(Place::May, None, Stuck::Pass),
        free(Place::Must, None, Stuck::End),
        free(Place::Plain, Some(8), Stuck::End),
    ];
    for spec in specs {
        let variant = variant(spec);
        let mut random = SplitMix64::new(5);
        for attempt in 0..40 {
            let Some(state) = random_state(&variant, 2 + attempt % 6, &mut random) else {
                continue;
            };
            let found = solve(&mut engine, &state, variant.rules(), SOLVE);
            let expected = minimax(&state, variant.rules());
            assert_eq!(discs(&found.lines[0]), expected, "{state:?}");
            check_course(&state, variant.rules(), &found.lines[0]);
        }
    }
}

#[test]
fn an_opening_with_captures_or_few_discs_is_solved_from_the_empty_board() {
    for place in [Place::May, Place::Must] {
        let spec = VariantSpec {
            start: Start::Free,
            rules: Rules { place, ..Rules::default() },
            ..sized(4, 4)
        };
        value_of(spec, Scoring::Official, false);
    }
    // With discs enough for the whole board the limit changes nothing.
    let spec = VariantSpec { rules: Rules { hand: Some(16), ..Rules::default() }, ..sized(4, 4) };
    assert_eq!(value_of(spec, Scoring::Official, false), -10);
}

struct Exact {
    name: String,
    state: State,
    rules: Rules,
    value: i32,
    moves: HashMap<Square, i32>,
}

fn read_exact(text: &str) -> Vec<Exact> {
    text.lines().map(read_exact_line).collect()
}

fn read_exact_line(line: &str) -> Exact {
    let json: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
    let number = |key: &str| json[key].as_u64().expect("a number") as u8;
    let text = |key: &str| json[key].as_str().expect("a text");
    let holes = json["holes"].as_array().expect("holes");
    let holes = holes.iter().map(|hole| square(hole.as_str().expect("a square")));
    let (columns, rows) = (number("cols"), number("rows"));
    let side = if text("side") == "X" { Side::Black } else { Side::White };
    let anti = json["anti"].as_bool().expect("a truth value");
    let setup = setup(columns, rows, holes.collect(), text("board"), side);
    let spec = VariantSpec { rules: Rules { anti, ..Rules::default() }, ..sized(columns, rows) };
    let variant = Variant::with_position(spec, &setup).expect("a valid variant");
    let moves = json["moves"].as_object().expect("moves");
    Exact {
        name: format!("{} {}", text("variant"), text("from")),
        state: State::from_setup(&variant, &setup).expect("a valid position"),
        rules: *variant.rules(),
        value: json["value"].as_i64().expect("a value") as i32,
        moves: moves
            .iter()
            .map(|(name, value)| (square(name), value.as_i64().expect("a value") as i32))
            .collect(),
    }
}

fn setup(columns: u8, rows: u8, holes: SquareSet, cells: &str, side: Side) -> Setup {
    assert_eq!(cells.len(), usize::from(columns) * usize::from(rows));
    let of = |letter: char| {
        let places = cells.chars().enumerate().filter(|&(_, cell)| cell == letter);
        places
            .map(|(place, _)| {
                let (column, row) = (place % usize::from(columns), place / usize::from(columns));
                Square::new(column as u8, row as u8).expect("a square")
            })
            .collect()
    };
    Setup {
        columns,
        rows,
        holes,
        black: of('X'),
        white: of('O'),
        side: Some(side),
        placements: 0,
        hand: None,
        komi: None,
    }
}

fn check_exact(positions: &[Exact]) {
    let mut engine = NativeEngine::new(4);
    for position in positions {
        let Exact { name, state, rules, value, moves } = position;
        if state.is_over(rules) {
            assert_eq!(result(state, rules, state.side), *value, "{name}");
            continue;
        }
        let found = solve(&mut engine, state, rules, SOLVE_ALL);
        assert_eq!(discs(&found.lines[0]), *value, "{name}");
        for line in &found.lines {
            check_course(state, rules, line);
            match line.choice() {
                Choice::Pass => assert!(moves.is_empty(), "{name}"),
                Choice::Play(square) => {
                    assert_eq!(Some(&discs(line)), moves.get(&square), "{name} {square}");
                }
            }
        }
        assert_eq!(found.lines.len(), moves.len().max(1), "{name}");
        engine.clear();
        let alone = solve(&mut engine, state, rules, SOLVE);
        assert_eq!(discs(&alone.lines[0]), *value, "{name}");
    }
}

#[test]
fn a_sample_of_endgames_of_all_variants_is_solved_right() {
    let positions = read_exact(include_str!("data/endgames-exact.jsonl"));
    assert!(positions.len() > 300);
    check_exact(&positions);
}

fn shelf(path: &str) -> Option<String> {
    std::fs::read_to_string(crate::support::shelf::find(path)?).ok()
}

#[test]
fn all_endgames_of_the_shelf_are_solved_right() {
    if let Some(text) = shelf("golden/endgames-exact.jsonl") {
        check_exact(&read_exact(&text));
    }
}

#[test]
fn published_positions_of_up_to_twenty_empties_are_solved_right() {
    let Some(text) = shelf("solved/quick-shared.obf") else {
        return;
    };
    let mut engine = NativeEngine::new(64);
    let lines = text.lines().filter(|line| !line.starts_with('%') && !line.trim().is_empty());
    for line in lines {
        let mut parts = line.split(';').map(str::trim);
        let (cells, side) =
            parts.next().and_then(|board| board.split_once(' ')).expect("a board and a side");
        let side = if side.trim() == "X" { Side::Black } else { Side::White };
        let scores = parts.filter_map(|part| {
            let (name, score) = part.split_once(':')?;
            Some((square(name.trim()), score.trim().parse::<i32>().ok()?))
        });
        let scores: HashMap<Square, i32> = scores.collect();
        let best = *scores.values().max().expect("a score");
        let setup = setup(8, 8, SquareSet::EMPTY, cells, side);
        let variant = Variant::with_position(sized(8, 8), &setup).expect("a variant");
        let state = State::from_setup(&variant, &setup).expect("a position");
        let found = solve(&mut engine, &state, variant.rules(), SOLVE);
        assert_eq!(discs(&found.lines[0]), best, "{line}");
        let Choice::Play(square) = found.lines[0].choice() else {
            panic!("a move: {line}");
        };
        assert_eq!(scores.get(&square), Some(&best), "{line}");
    }
}

#[test]
fn images_of_a_position_have_the_same_exact_score() {
    let mut engine = NativeEngine::new(1);
    for (name, variant) in many_variants() {
        let mut random = SplitMix64::new(6);
        for _ in 0..3 {
            let Some(state) = random_state(&variant, 9, &mut random) else {
                continue;
            };
            let value = discs(&solve(&mut engine, &state, variant.rules(), SOLVE).lines[0]);
            for symmetry in Symmetry::ALL {
                let image = symmetry.state(&state);
                let found = solve(&mut engine, &image, variant.rules(), SOLVE);
                assert_eq!(discs(&found.lines[0]), value, "{name}: {state:?}");
            }
        }
    }
}

#[test]
fn a_tiny_table_full_of_other_positions_changes_no_score() {
    let variant = variant(by_name("othello").expect("othello"));
    let mut random = SplitMix64::new(7);
    let states: Vec<State> = std::iter::from_fn(|| Some(random_state(&variant, 13, &mut random)))
        .flatten()
        .take(12)
        .collect();
    let values = |engine: &mut NativeEngine| -> Vec<i32> {
        let solved = states.iter().map(|state| solve(engine, state, variant.rules(), SOLVE));
        solved.map(|found| discs(&found.lines[0])).collect()
    };
    let mut tiny = NativeEngine::new(1);
    let first = values(&mut tiny);
    assert_eq!(values(&mut tiny), first);
    assert_eq!(values(&mut NativeEngine::new(64)), first);
}

#[test]
fn every_tier_takes_the_same_way_and_threads_come_to_the_same_score() {
    for (name, variant) in many_variants() {
        let n_empties = variant.start_state().board.empties().min(16);
        let mut random = SplitMix64::new(16);
        for _ in 0..2 {
            let Some(state) = random_state(&variant, n_empties, &mut random) else {
                continue;
            };
            let mut engine = NativeEngine::on_tier(4, Tier::Portable).expect("portable code");
            let portable = solve(&mut engine, &state, variant.rules(), SOLVE);
            for tier in Tier::all_here() {
                let mut engine = NativeEngine::on_tier(4, tier).expect("a tier that is here");
                let found = solve(&mut engine, &state, variant.rules(), SOLVE);
                assert_eq!(found.nodes, portable.nodes, "{name} on {tier}: {state:?}");
                assert_eq!(found.lines, portable.lines, "{name} on {tier}: {state:?}");
                for threads in [2, 5] {
                    let mut engine = NativeEngine::on_tier(4, tier).expect("a tier that is here");
                    engine.set_threads(threads).expect("a few threads");
                    let found = solve(&mut engine, &state, variant.rules(), SOLVE);
                    let (line, other) = (&found.lines[0], &portable.lines[0]);
                    assert_eq!(line.value, other.value, "{name}, {threads} threads: {state:?}");
                    check_course(&state, variant.rules(), line);
                }
            }
        }
    }
}

#[test]
fn several_threads_end_when_the_flag_is_raised() {
    let variant = variant(by_name("othello").expect("othello"));
    let mut random = SplitMix64::new(30);
    for wait in [0, 1, 5, 20, 60] {
        let state = random_state(&variant, 30, &mut random).expect("a position");
        let mut request = SearchRequest::new(state.clone(), *variant.rules());
        request.goal = SOLVE;
        let mut engine = NativeEngine::new(16);
        engine.set_threads(5).expect("five threads");
        let stop = StopFlag::new();
        let raising = stop.clone();
        let raiser = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(wait));
            raising.raise();
        });
        let found = engine.run(&request, &stop, &mut |_| {});
        raiser.join().expect("the raiser");
        assert!(found.stopped && !found.exact && !found.failed);
        let Some(Choice::Play(square)) = found.choice() else {
            panic!("no move: {state:?}");
        };
        assert!(state.legal(variant.rules()).contains(square));
    }
}

#[test]
fn a_change_of_rules_forgets_what_no_longer_holds() {
    let mut engine = NativeEngine::new(4);
    let state = variant(sized(4, 4)).start_state();
    let official = Rules::default();
    let in_discs = Rules { scoring: Scoring::Discs, ..official };
    let anti = Rules { anti: true, ..official };
    for (rules, value) in [(official, -10), (in_discs, -8), (anti, 4), (official, -10)] {
        let found = solve(&mut engine, &state, &rules, SOLVE);
        assert_eq!(discs(&found.lines[0]), value);
    }
}

#[test]
fn a_raised_flag_is_answered_at_once_with_a_legal_choice() {
    let mut specs = vec![sized(16, 16), sized(10, 10), sized(8, 8)];
    for (place, hand, stuck) in [
        (Place::Must, None, Stuck::Pass),
        (Place::Plain, Some(32), Stuck::Pass),
        (Place::Plain, None, Stuck::End),
        (Place::Plain, None, Stuck::Pass),
    ] {
        specs.push(VariantSpec {
            start: Start::Free,
            rules: Rules { place, hand, stuck, ..Rules::default() },
            ..sized(8, 8)
        });
    }
    for spec in specs {
        let variant = variant(spec);
        let state = variant.start_state();
        for goal in [Goal::BestMove, Goal::Values, SOLVE, SOLVE_ALL] {
            let mut request = SearchRequest::new(state.clone(), *variant.rules());
            request.goal = goal;
            request.limits.infinite = true;
            let stop = StopFlag::new();
            stop.raise();
            let mut engine = NativeEngine::new(1);
            let found = engine.run(&request, &stop, &mut |_| {});
            assert!(found.nodes < 1_000 && found.stopped && !found.exact);
            apply(&mut state.clone(), variant.rules(), found.choice().expect("a choice"));

            // Raised while it thinks: few nodes more.
            let stop = StopFlag::new();
            let mut nodes = 0;
            request.goal = Goal::BestMove;
            let found = engine.run(&request, &stop, &mut |report| {
                nodes = report.nodes;
                if report.lines[0].depth >= 3 {
                    stop.raise();
                }
            });
            assert!(found.stopped && found.nodes - nodes < 100_000);
            apply(&mut state.clone(), variant.rules(), found.choice().expect("a choice"));
        }
    }
}

#[test]
fn node_limits_and_depths_bind_and_answers_repeat() {
    for (name, variant) in many_variants() {
        let mut random = SplitMix64::new(8);
        let n_empties = variant.geometry().squares() * 2 / 3;
        let Some(state) = random_state(&variant, n_empties, &mut random) else {
            continue;
        };
        let mut request = SearchRequest::new(state, *variant.rules());
        request.deterministic = true;
        request.limits.nodes = Some(20_000);
        let mut engine = NativeEngine::new(2);
        let mut first = run(&mut engine, &request);
        assert!(first.nodes < 21_000, "{name} took {}", first.nodes);
        engine.clear();
        let mut second = run(&mut engine, &request);
        first.time = Duration::ZERO;
        second.time = Duration::ZERO;
        assert_eq!(first, second, "{name}");
        request.limits.nodes = None;
        request.limits.depth = Some(4);
        let found = run(&mut engine, &request);
        assert!(found.lines[0].depth <= 4.max(n_empties));
    }
}

#[test]
fn the_last_report_is_of_the_move_that_is_chosen() {
    let mut n_cut_short = 0;
    for (name, variant) in many_variants() {
        let mut random = SplitMix64::new(21);
        let n_empties = variant.geometry().squares() * 2 / 3;
        let Some(state) = random_state(&variant, n_empties, &mut random) else {
            continue;
        };
        let mut request = SearchRequest::new(state, *variant.rules());
        request.deterministic = true;
        for n in 4..24 {
            request.limits.nodes = Some(100 * n);
            let (mut told, mut depths) = (None, Vec::new());
            let mut engine = NativeEngine::new(1);
            let found = engine.run(&request, &StopFlag::new(), &mut |report| {
                told = report.lines.first().map(|line| (line.choice(), line.value));
                depths.extend(report.lines.first().map(|line| line.depth));
            });
            let best = &found.lines[0];
            assert_eq!(told.map(|(choice, _)| choice), found.choice(), "{name}, {n}00 nodes");
            n_cut_short += u32::from(told == Some((best.choice(), best.value)) && found.stopped);
            assert!(depths.is_sorted(), "{name}, {n}00 nodes: {depths:?}");
        }
    }
    assert!(n_cut_short > 20, "{n_cut_short}");
}

#[test]
fn a_forced_pass_is_a_line_and_a_finished_game_has_none() {
    // White cannot move, Black can.
    let cells = format!("{}OX{}", "-".repeat(6), "-".repeat(56));
    let position = setup(8, 8, SquareSet::EMPTY, &cells, Side::White);
    let variant = Variant::with_position(sized(8, 8), &position).expect("a variant");
    let state = State::from_setup(&variant, &position).expect("a position");
    let mut engine = NativeEngine::new(1);
    for goal in [Goal::BestMove, SOLVE, SOLVE_ALL] {
        let mut request = SearchRequest::new(state.clone(), *variant.rules());
        request.goal = goal;
        let found = run(&mut engine, &request);
        assert_eq!(found.choice(), Some(Choice::Pass));
        assert_eq!(found.lines[0].pv, [Choice::Pass, Choice::Play(square("f1"))]);
    }
    let mut over = state;
    apply(&mut over, variant.rules(), Choice::Pass);
    apply(&mut over, variant.rules(), Choice::Play(square("f1")));
    let found = run(&mut engine, &SearchRequest::new(over, *variant.rules()));
    assert!(found.lines.is_empty() && found.exact);
}

#[test]
fn only_the_moves_asked_for_are_considered() {
    let variant = variant(by_name("othello").expect("othello"));
    let mut request = SearchRequest::new(variant.start_state(), *variant.rules());
    request.limits.depth = Some(5);
    request.goal = Goal::Values;
    request.multi_pv = 9;
    request.only = Some(squares(&["f5", "c4", "a1"]));
    let found = run(&mut NativeEngine::new(1), &request);
    let mut chosen: Vec<Choice> = found.lines.iter().map(Line::choice).collect();
    chosen.sort_by_key(|choice| format!("{choice:?}"));
    assert_eq!(chosen.len(), 2);
    assert!(chosen.contains(&Choice::Play(square("f5"))));
    request.only = Some(squares(&["a1"]));
    assert_eq!(run(&mut NativeEngine::new(1), &request).lines.len(), 4);
}

#[test]
fn a_clock_is_kept() {
    let variant = variant(by_name("othello").expect("othello"));
    let mut request = SearchRequest::new(variant.start_state(), *variant.rules());
    request.limits.clock = Some(ClockLimits {
        left: Duration::from_millis(4_000),
        increment: Duration::ZERO,
        moves_to_go: 0,
    });
    let started = Instant::now();
    let found = run(&mut NativeEngine::new(8), &request);
    assert!(started.elapsed() < Duration::from_secs(4));
    assert!(found.choice().is_some());
}

/// Does a job and returns what it found.
fn perform(background: &mut Background, job: Job) -> Vec<Finding> {
    let (sender, findings) = mpsc::channel();
    let tell = Box::new(move |id, finding| {
        assert_eq!(id, 7);
        // Findings after the last one would be lost here and found missing.
        let _ = sender.send(finding);
    });
    background.start(7, job, StopFlag::new(), tell);
    findings.iter().collect()
}

#[test]
fn jobs_are_done_on_a_thread_of_their_own() {
    let variant = variant(sized(4, 4));
    let (state, rules) = (variant.start_state(), *variant.rules());
    let mut background = Background::spawn(Box::new(NativeEngine::new(1))).expect("a thread");
    let mut request = SearchRequest::new(state.clone(), rules);
    request.goal = SOLVE;
    let findings = perform(&mut background, Job::Search(Box::new(request)));
    assert!(matches!(findings.last(), Some(Finding::Done(found)) if found.exact));
    let perft = Job::Perft { state: Box::new(state.clone()), rules, depth: 5, cost: PassCost::Ply };
    assert!(matches!(perform(&mut background, perft)[..], [Finding::Perft(Some(424))]));
    assert!(matches!(perform(&mut background, Job::SetHash(0))[..], [Finding::HashSet(Err(_))]));
    for (n, taken) in [(0, false), (1, true), (256, true), (257, false)] {
        let set = perform(&mut background, Job::SetThreads(n));
        assert!(matches!(&set[..], [Finding::ThreadsSet(result)] if result.is_ok() == taken), "{n}");
    }
    assert!(matches!(perform(&mut background, Job::Clear)[..], [Finding::Cleared]));

    let mut next = state.clone();
    apply(&mut next, &rules, Choice::Play(square("b1")));
    let moments = vec![
        Moment { state, played: Some(Choice::Play(square("b1"))) },
        Moment { state: next, played: None },
    ];
    let job = Job::Analyze { moments, rules, effort: Effort::default() };
    let findings = perform(&mut background, job);
    let indexes: Vec<usize> = findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::Ply { index, .. } => Some(*index),
            _ => None,
        })
        .collect();
    assert_eq!(indexes, [1, 0]);
    let Finding::Ply { judgement, .. } = &findings[1] else {
        panic!("the first position was played from");
    };
    assert_eq!(judgement.after, Some(judgement.value));
    assert!(matches!(findings[2], Finding::Analyzed { stopped: false }));
}

#[test]
fn a_panic_is_answered_with_a_legal_choice_and_the_thread_lives_on() {
    let variant = variant(sized(4, 4));
    let engine = ScriptedEngine::from_script("panic last a1").expect("a script");
    let mut background = Background::spawn(Box::new(engine)).expect("a thread");
    let request = SearchRequest::new(variant.start_state(), *variant.rules());
    let job = Job::Search(Box::new(request));
    for (name, failed) in [("b1", true), ("c4", false), ("a1", false)] {
        let findings = perform(&mut background, job.clone());
        let Some(Finding::Done(found)) = findings.last() else {
            panic!("every search answers");
        };
        assert_eq!(found.failed, failed);
        assert_eq!(found.choice(), Some(Choice::Play(square(name))));
    }
    assert!(ScriptedEngine::from_script("dance").is_err());
}

#[test]
fn every_selectivity_that_can_be_asked_for_is_searched_with() {
    let start = variant(sized(8, 8));
    for percent in outflank_protocol::options::SELECTIVITIES {
        let mut request = SearchRequest::new(start.start_state(), *start.rules());
        request.limits.depth = Some(4);
        request.limits.selectivity = Some(percent);
        let found = run(&mut NativeEngine::new(1), &request);
        assert_eq!(found.lines[0].selectivity, percent);
    }
}
