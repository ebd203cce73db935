//! Lines that other programs really wrote are understood.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;

use outflank_protocol::message::Request;
use outflank_protocol::position::read_item;
use outflank_protocol::{DIALECTS, by_name, detect};

fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn check(file: &str, dialect: &str) {
    let lines = lines(file);
    assert!(lines.len() > 5, "{file}");
    assert_eq!(detect(&lines[0]).unwrap().name(), dialect, "{file}");
    let mut dialect = by_name(dialect).unwrap();
    for line in lines {
        let request = dialect.read(&line).request;
        assert!(
            !matches!(request, Request::Unreadable(_) | Request::Nothing),
            "{file}: {line}: {request:?}"
        );
    }
}

#[test]
fn lines_of_the_nboard_gui_are_understood() {
    check("nboard-gui.txt", "nboard");
}

#[test]
fn lines_of_quarry_are_understood() {
    check("gtp-quarry.txt", "gtp");
}

#[test]
fn lines_of_twogtp_are_understood() {
    check("gtp-gogui-twogtp.txt", "gtp");
}

#[test]
fn lines_of_those_who_use_fairy_stockfish_are_understood() {
    check("uci-web-server.txt", "uci");
}

#[test]
fn lines_of_xboard_are_understood() {
    check("xboard.txt", "xboard");
}

#[test]
fn lines_of_a_console_are_understood() {
    check("edax-console.txt", "edax");
}

#[test]
fn lines_of_cassio_are_understood() {
    check("cassio.txt", "cassio");
}

#[test]
fn lines_of_our_own_description_are_understood() {
    check("native.txt", "native");
}

#[test]
fn positions_and_games_are_understood() {
    for line in lines("positions.txt") {
        assert!(read_item(&line).is_ok(), "{line}: {:?}", read_item(&line));
    }
}

#[test]
fn every_dialect_has_its_description() {
    for row in DIALECTS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec").join(format!("{}.md", row.name));
        assert!(path.is_file(), "{} is missing", path.display());
    }
}
