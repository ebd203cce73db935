//! What sees to it that no engine outlives us, however we end.
//!
//! An engine is in a process group of its own, so that Ctrl-C on our terminal does not reach it;
//! and when this process is killed, nothing of its own code runs any more. One small shell waits
//! at a pipe whose other end only we hold. It is told which groups there are, and when the pipe is
//! closed, as it is however we end, it kills those that are left.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Each line is a sign and the number of a group. The signals of a terminal are not for the
/// keeper: it has to outlive us.
const SCRIPT: &str = r#"
trap '' INT TERM HUP QUIT
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -9 -"$group"; done
"#;

static KEEPER: LazyLock<Mutex<Option<ChildStdin>>> = LazyLock::new(|| {
    let keeper = start().inspect_err(|error| {
        log::warn!("engines may go on running if this process is killed: sh cannot be started: {error}");
    });
    Mutex::new(keeper.ok())
});

fn start() -> io::Result<ChildStdin> {
    let mut keeper = Command::new("/bin/sh")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    keeper.stdin.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

/// Sees to it that the keeper is there, so that nothing lies between the start of an engine and
/// [`keep`] but these two calls.
pub fn wake() {
    LazyLock::force(&KEEPER);
}

/// From now on this group is killed when we end.
pub fn keep(group: u32) {
    tell('+', group);
}

/// This group is gone.
pub fn forget(group: u32) {
    tell('-', group);
}

fn tell(sign: char, group: u32) {
    let mut keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    // One write, so that it arrives whole.
    let line = format!("{sign} {group}\n");
    if let Some(pipe) = keeper.as_mut()
        && pipe.write_all(line.as_bytes()).is_err()
    {
        log::warn!("engines may go on running if this process is killed: what would end them is gone");
        *keeper = None;
    }
}
