//! Building a bot.

use crate::link::program::common_variables;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How much of the end of a build's output is told, in bytes.
const OUTPUT_KEPT: usize = 4_096;
/// Bytes of output at most.
const OUTPUT_MAX: u64 = 64 << 20;
/// How long its output may stay open once it has ended.
const REST_WITHIN: Duration = Duration::from_secs(1);
/// How often to look whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Why a bot cannot be built, with the end of what its build said.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The program cannot be started.
    #[error("the build {program:?} cannot be started: {why}")]
    Start {
        /// The program.
        program: String,
        /// The system's reason.
        why: std::io::Error,
    },
    /// It takes too long.
    #[error("the build is not done after {} s\n{said}", within.as_secs())]
    Late {
        /// How long it may take.
        within: Duration,
        /// The end of its output.
        said: String,
    },
    /// It writes too much.
    #[error("the build has written more than {OUTPUT_MAX} bytes\n{said}")]
    Talkative {
        /// The end of its output.
        said: String,
    },
    /// It has failed.
    #[error("the build has failed ({how})\n{said}")]
    Failed {
        /// How it ended.
        how: String,
        /// The end of its output.
        said: String,
    },
}

/// Runs a build in this folder, with its output kept to be told if it fails. It has the rights of whoever calls
/// this, and of their environment what programs need, with `HOME`, where compilers keep their caches.
pub(super) fn build(
    words: &[String],
    environment: &BTreeMap<String, String>,
    folder: &Path,
    within: Duration,
) -> Result<(), BuildError> {
    let (name, arguments) = words
        .split_first()
        .map_or(("", words), |(name, rest)| (name, rest));
    let start = |why| BuildError::Start {
        program: name.to_owned(),
        why,
    };
    let (output, input) = std::io::pipe().map_err(start)?;
    let mut command = Command::new(name);
    command
        .args(arguments)
        .env_clear()
        .envs(common_variables())
        .envs(std::env::var_os("HOME").map(|home| ("HOME", home)))
        .envs(environment)
        .current_dir(folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(input.try_clone().map_err(start)?)
        .stderr(input);
    let mut child = command.spawn().map_err(start)?;
    // It holds our end of the pipe open.
    drop(command);
    let (telling, told) = mpsc::channel();
    let drain = std::thread::Builder::new().name("build".to_owned());
    if let Err(why) = drain.spawn(move || telling.send(end_of(output))) {
        end(&mut child);
        return Err(start(why));
    }
    let until = Instant::now() + within;
    let mut said = None;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < until && said.is_none() => {
                said = told.recv_timeout(LOOK_EVERY).ok();
            }
            // Its output may be over before itself.
            Ok(None) if Instant::now() < until && said.as_ref().is_some_and(|(_, all)| *all) => {
                std::thread::park_timeout(LOOK_EVERY);
            }
            _ => break None,
        }
    };
    end(&mut child);
    let said = said.or_else(|| told.recv_timeout(REST_WITHIN).ok());
    let (said, all) = said.unwrap_or_else(|| (String::new(), true));
    match status {
        _ if !all => Err(BuildError::Talkative { said }),
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(BuildError::Failed {
            how: status.to_string(),
            said,
        }),
        None => Err(BuildError::Late { within, said }),
    }
}

/// Ends a build with everything in its group.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // Nothing may be left of it.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// The end of an output, and whether it was read to its own end.
fn end_of(mut output: impl Read) -> (String, bool) {
    let mut kept = Vec::new();
    let mut chunk = [0; 4_096];
    let mut total = 0;
    while let Ok(count @ 1..) = output.read(&mut chunk) {
        total += count as u64;
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let more = kept.len().saturating_sub(OUTPUT_KEPT);
        kept.drain(..more);
        if total > OUTPUT_MAX {
            break;
        }
    }
    let said = String::from_utf8_lossy(&kept).trim_end().to_owned();
    (said, total <= OUTPUT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(script: &str, within: Duration) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let words = ["sh", "-c", script].map(str::to_owned);
        let set = BTreeMap::from([("SET".to_owned(), "on".to_owned())]);
        build(&words, &set, folder.path(), within).map_err(|why| why.to_string())
    }

    #[test]
    fn a_build_ends_well_or_is_told() {
        let long = Duration::from_secs(60);
        assert_eq!(built("echo done > made; echo made", long), Ok(()));
        assert_eq!(built("exec >&- 2>&-; sleep 0.2", long), Ok(()));
        let told = built("echo no such word; exit 3", long).unwrap_err();
        assert!(told.contains("(exit status: 3)\nno such word"), "{told}");
        let told = built("echo begun; sleep 987", Duration::from_millis(300)).unwrap_err();
        assert!(told.contains("not done after 0 s\nbegun"), "{told}");
        let told = built("sleep 986 & yes", long).unwrap_err();
        assert!(told.contains("more than 67108864 bytes\ny\ny"), "{told}");
        let none = ["/no/such".to_owned()];
        let none = build(&none, &BTreeMap::new(), Path::new("/"), long);
        let told = none.unwrap_err().to_string();
        assert!(told.contains("\"/no/such\" cannot be started"), "{told}");
    }

    #[test]
    fn a_build_is_not_told_what_we_are_told() {
        // Cargo sets this for tests.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let script = "test -n \"$PATH\" && test \"$SET\" = on && test -z \"$CARGO_MANIFEST_DIR\"";
        assert_eq!(built(script, Duration::from_secs(60)), Ok(()));
    }
}
