//! The file of `--resume`: the records that are there already, and those that are appended.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Context;

/// A record that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// It is an error.
    pub is_error: bool,
    /// The position it is about, where it says so.
    pub position: Option<String>,
}

/// The file of an earlier run, open for appending.
#[derive(Debug)]
pub struct Resume {
    file: File,
    done: HashMap<String, Done>,
}

impl Resume {
    /// Opens or creates the file. A last line that was cut short by a kill is taken away.
    ///
    /// # Errors
    /// A file that cannot be read or written, or that holds something else than records.
    pub fn open(path: &Path) -> anyhow::Result<Resume> {
        let open = || -> anyhow::Result<Resume> {
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            let done = ids(text.get(..whole).unwrap_or_default())?;
            file.set_len(u64::try_from(whole)?)?;
            file.seek(SeekFrom::End(0))?;
            Ok(Resume { file, done })
        };
        open().with_context(|| format!("--resume {}", path.display()))
    }

    /// The records that are in the file, by their ids.
    pub fn take_done(&mut self) -> HashMap<String, Done> {
        std::mem::take(&mut self.done)
    }

    /// Appends a record.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn append(&mut self, json: &str) -> anyhow::Result<()> {
        self.file.write_all(format!("{json}\n").as_bytes()).context("appending to the --resume file")
    }
}

fn ids(text: &str) -> anyhow::Result<HashMap<String, Done>> {
    let mut ids = HashMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let not_ours = || format!("line {} is not a record of ours", index + 1);
        let record: serde_json::Value = serde_json::from_str(line).with_context(not_ours)?;
        let id = match record.get("id") {
            Some(serde_json::Value::String(id)) => id.clone(),
            Some(serde_json::Value::Number(id)) => id.to_string(),
            _ => anyhow::bail!("{}", not_ours()),
        };
        let position = record.get("position").and_then(|position| position.as_str());
        let position = position.map(str::to_owned);
        ids.insert(id, Done { is_error: record.get("error").is_some(), position });
    }
    Ok(ids)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_with_their_kind() {
        let text = "{\"id\":1,\"position\":\"4/4/4/4,x\"}\n\n{\"id\":\"ffo-01\",\"error\":\"x\"}\n";
        let found = ids(text).unwrap();
        let done = |is_error, position: Option<&str>| {
            Some(Done { is_error, position: position.map(str::to_owned) })
        };
        assert_eq!(found.get("1").cloned(), done(false, Some("4/4/4/4,x")));
        assert_eq!(found.get("ffo-01").cloned(), done(true, None));
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        assert!(ids("f5d6\n").unwrap_err().to_string().contains("line 1"));
        assert!(ids("{\"no\":1}\n").is_err());
    }
}
