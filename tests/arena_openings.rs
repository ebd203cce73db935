//! Opening files of other programs, and `outflank openings` as scripts see it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use outflank::arena::openings::{Opening, read_file};
use outflank::rules::{VariantSpec, by_name};
use serde_json::Value;

use crate::support::scratch::Scratch;
use crate::support::shelf;

fn othello() -> VariantSpec {
    by_name("othello").unwrap()
}

/// The openings of a file of the shelf, if it is here.
fn shelved(file: &str, plies: Option<usize>) -> Option<Vec<Opening>> {
    Some(read_file(&shelf::find(file)?, &othello(), plies).unwrap())
}

#[test]
fn the_xot_lists_are_read_whole() {
    for (file, n_openings) in [("data/xot/xot-small.txt", 3623), ("data/xot/xot-large.txt", 10784)] {
        let Some(openings) = shelved(file, None) else { return };
        assert_eq!(openings.len(), n_openings);
        assert!(openings.iter().all(|opening| opening.game.len() == 8 && opening.name.len() == 16));
    }
}

#[test]
fn the_named_openings_of_zebra_keep_their_names() {
    let Some(openings) = shelved("data/misc/zebra-openings.txt", None) else { return };
    assert_eq!(openings.len(), 76);
    assert_eq!(openings[0].name, "Diagonal Opening");
    assert!(openings.iter().any(|opening| opening.name == "Cow Bat / Bat / Cambridge"));
}

#[test]
fn games_are_openings_of_as_many_plies_as_are_asked_for() {
    let Some(openings) = shelved("data/ggf/ntest-TestGames.ggf", Some(10)) else { return };
    assert_eq!(openings.len(), 12);
    assert!(openings.iter().all(|opening| opening.game.len() == 10));
    let path = shelf::find("data/ggf/ntest-TestGames.ggf").unwrap();
    let whole = read_file(&path, &othello(), None).unwrap_err().to_string();
    assert!(
        whole.contains("ntest-TestGames.ggf, line 1 ") && whole.contains("the game is over"),
        "{whole}"
    );
}

#[test]
fn positions_of_a_problem_set_are_openings() {
    let Some(openings) = shelved("data/obf/small-35.txt", None) else { return };
    assert_eq!(openings.len(), 30);
    assert!(openings.iter().all(|opening| opening.game.is_empty()));
}

#[test]
fn a_file_that_is_missing_or_no_text_is_told_by_name() {
    let missing = read_file(&PathBuf::from("no-such-book.txt"), &othello(), None).unwrap_err();
    assert!(missing.to_string().starts_with("no-such-book.txt: "), "{missing}");
    let scratch = Scratch::new();
    let path = scratch.write("bytes.txt", b"f5d6\nf5\xffd6\n");
    let bytes = read_file(Path::new(&path), &othello(), None).unwrap_err().to_string();
    assert!(bytes.ends_with("bytes.txt, line 2: not UTF-8 text"), "{bytes}");
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.arg("openings").args(arguments).env_remove("RUST_LOG");
    command.output().unwrap()
}

/// Runs, demands the exit code, and returns what was written to both streams.
fn lines(arguments: &[&str], code: i32) -> (Vec<String>, String) {
    let output = run(arguments);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{told}");
    let lines = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    (lines, told)
}

const QUICK: [&str; 6] = ["--count", "6", "--depth", "3", "--seed", "3"];

#[test]
fn openings_repeat_with_their_seed_and_are_read_by_the_reader_of_files() {
    let (first, told) = lines(&QUICK, 0);
    assert_eq!(first.len(), 6);
    assert!(first.iter().all(|line| line.len() == 16), "{first:?}");
    assert!(told.contains("6 openings of 8 plies within 2 discs"), "{told}");
    assert_eq!(lines(&QUICK, 0).0, first);

    let scratch = Scratch::new();
    let path = scratch.path("book.txt");
    let (nothing, _) = lines(&[&QUICK[..], &["-o", &path]].concat(), 0);
    assert!(nothing.is_empty());
    let names: Vec<String> = read_file(Path::new(&path), &othello(), None)
        .unwrap()
        .into_iter()
        .map(|opening| opening.name)
        .collect();
    assert_eq!(names, first);

    let (records, _) = lines(&[&QUICK[..], &["--json"]].concat(), 0);
    let path = scratch.write("book.jsonl", records.join("\n"));
    assert_eq!(read_file(Path::new(&path), &othello(), None).unwrap().len(), 6);
    for (record, moves) in records.iter().zip(&first) {
        let record: Value = serde_json::from_str(record).unwrap();
        assert_eq!(record["moves"], moves.as_str());
        assert_eq!(record["depth"], 3);
        assert!(record["score"].as_f64().unwrap().abs() <= 2.0, "{record}");
        assert!(record["position"].as_str().unwrap().ends_with(record["side"].as_str().unwrap()));
    }
}

/// After two moves there are three positions, all symmetries taken together.
#[test]
fn fewer_than_asked_for_are_said_to_be_all() {
    let (found, told) = lines(&["--plies", "2", "--margin", "64", "--depth", "1"], 0);
    assert_eq!(found.len(), 3);
    assert!(
        told.contains("3 openings of 2 plies") && told.contains("there are no more, and 100"),
        "{told}"
    );
    let (none, told) = lines(&["--variant", "4x4", "--plies", "40", "--depth", "1"], 1);
    assert!(none.is_empty() && told.contains("0 openings of 40 plies"), "{told}");
}

#[test]
fn an_opening_without_a_move_is_a_position() {
    let (found, _) = lines(&["--plies", "0", "--margin", "64", "--depth", "1"], 0);
    assert_eq!(found, ["8/8/8/3ox3/3xo3/8/8/8,x"]);
}

#[test]
fn wrong_usage_names_what_is_wrong() {
    for (arguments, named) in [
        (vec!["--margin", "-1"], "--margin"),
        (vec!["--margin", "nan"], "0 to 256"),
        (vec!["--plies", "61"], "0 to 60"),
        (vec!["--count", "0"], "1 to 1000000"),
        (vec!["--variant", "nonsense"], "nonsense"),
        (vec!["--variant", "7x7"], "7x7"),
    ] {
        let (found, told) = lines(&arguments, 2);
        assert!(found.is_empty() && told.contains(named), "{arguments:?}: {told}");
    }
    let (_, told) = lines(&["-o", "no/such/folder/book.txt"], 1);
    assert!(told.contains("no/such/folder/book.txt"), "{told}");
}
