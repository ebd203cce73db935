//! All integration tests in one binary: it is linked once.

mod support;

#[cfg(unix)]
mod arena;
mod arena_openings;
mod arena_player;
mod captures;
mod cases;
mod cassio;
mod cli;
mod conform;
mod files;
mod regressions;
mod report;
mod rules_golden;
mod rules_wthor;
mod search_engine;
mod session_properties;
mod sessions;
mod tidy;
