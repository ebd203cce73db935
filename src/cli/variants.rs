//! `outflank variants`: the table of variants.

use serde::Serialize;

use super::Outcome;
use super::args::VariantsArgs;
use super::output::Output;
use crate::record;
use crate::rules::{VARIANTS, Variant, VariantRow};

/// Lists the table.
///
/// # Errors
/// Output that cannot be written.
pub fn run(args: &VariantsArgs) -> anyhow::Result<Outcome> {
    let mut out = Output::new();
    for row in VARIANTS {
        let row = Row::of(row)?;
        let line = if args.json {
            serde_json::to_string(&row)?
        } else {
            format!("{:<10} {}", row.name, row.about)
        };
        out.line(&line)?;
    }
    Ok(Outcome::Good)
}

/// A row of the table as it is written.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    columns: u8,
    rows: u8,
    squares: u32,
    position: String,
}

impl Row {
    fn of(row: &VariantRow) -> anyhow::Result<Row> {
        let variant = Variant::new(row.spec())?;
        let geometry = variant.geometry();
        Ok(Row {
            name: row.name,
            about: row.about,
            columns: geometry.columns(),
            rows: geometry.rows(),
            squares: geometry.squares(),
            position: record::board_text(&variant, &variant.start_state()).to_string(),
        })
    }
}
