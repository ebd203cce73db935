//! A child process that is spoken to in lines.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why an engine could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The command has no program in it.
    NoProgram,
    /// A quotation mark or a backslash at its end is left open.
    OpenQuote {
        /// The command.
        command: String,
    },
    /// There is no such dialect.
    Dialect {
        /// The name asked for.
        name: String,
    },
    /// The directory is none.
    Directory {
        /// The directory.
        directory: PathBuf,
    },
    /// The system refused.
    System {
        /// The program.
        program: String,
        /// What kind of refusal.
        kind: io::ErrorKind,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => f.write_str("the command is empty"),
            Self::OpenQuote { command } => write!(f, "'{command}': a quotation mark is left open"),
            Self::Dialect { name } => {
                let known: Vec<&str> = outflank_protocol::CLIENTS.iter().map(|row| row.name).collect();
                write!(f, "'{name}' is no protocol; known are {}", known.join(", "))
            }
            Self::Directory { directory } => write!(f, "'{}' is no directory", directory.display()),
            Self::System { program, kind } => write!(f, "'{program}' cannot be started: {kind}"),
        }
    }
}

impl std::error::Error for StartError {}
