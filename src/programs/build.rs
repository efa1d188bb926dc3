//! Building a bot.

use super::copy::is_too_large;
use crate::link::program::{
    Confinement, Guard, Held, Job, ProgramLimits, ProgramSpec, no_isolation, protections,
};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

/// How long a build may take.
pub const BUILD_WITHIN: Duration = Duration::from_secs(600);
/// What each process of a confined build may take of memory, in bytes; how many there may be; the size of its scratch folder
/// in MiB; and how much lower than ours its priority is.
const MEMORY: u64 = 4 << 30;
const PROCESSES: u32 = 512;
const SCRATCH_MIB: u32 = 1 << 10;
const NICE: u8 = 10;
/// Without these protections nothing is built that others have added.
const NEEDED: &[&str] = &[
    "isolation",
    "processes",
    "proc",
    "files",
    "network",
    "rights",
    "sockets",
    "calls",
];
/// How much of the end of a build's output is reported, in bytes.
const OUTPUT_KEPT: usize = 4_096;
/// Bytes of output at most.
const OUTPUT_MAX: u64 = 64 << 20;
/// How long its output may stay open once it has ended.
const REST_WITHIN: Duration = Duration::from_secs(1);
/// How often to look whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// After how many looks its folder is measured.
const MEASURE_EVERY: u32 = 50;

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
    /// It takes too much memory, or its folder becomes too large.
    #[error("the build takes too much {what}\n{said}")]
    TooMuch {
        /// Memory or room on the disk.
        what: &'static str,
        /// The end of its output.
        said: String,
    },
    /// It was stopped.
    #[error("the build was stopped")]
    Stopped,
    /// It has failed.
    #[error("the build has failed ({how})\n{said}")]
    Failed {
        /// How it ended.
        how: String,
        /// The end of its output.
        said: String,
    },
}

/// How a build is run.
pub(super) struct Building<'a> {
    /// How long it may take.
    pub(super) within: Duration,
    /// As in [`Job::start`].
    pub(super) guard: Option<Guard>,
    /// What it may use, where it has a guard.
    pub(super) limits: ProgramLimits,
    /// Whether it is to end at once.
    pub(super) stops: &'a dyn Fn() -> bool,
    /// The folder that may not become larger than a bot may be.
    pub(super) room: Option<&'a Path>,
}

/// The protection that is missing here to build and to run what others have written. To find that out a few processes are
/// started, once.
#[must_use]
pub fn missing_protection() -> Option<&'static str> {
    static MISSING: LazyLock<Option<&str>> = LazyLock::new(|| {
        let held = Held::from_protections(&protections(no_isolation()));
        NEEDED.iter().find(|needed| !held.has(needed)).copied()
    });
    *MISSING
}

/// The guard and the limits of a build that others have written: it reaches what a program would, and may change this
/// folder. Without protection it is not run: the error is what is missing.
pub(super) fn confined(
    mut confinement: Confinement,
    folder: &Path,
) -> Result<(Guard, ProgramLimits), &'static str> {
    if let Some(missing) = missing_protection() {
        return Err(missing);
    }
    let protections = protections(no_isolation());
    confinement.write.push(folder.to_owned());
    confinement.scratch_mib = SCRATCH_MIB;
    let limits = ProgramLimits {
        memory: Some(MEMORY),
        cpu_seconds: Some(BUILD_WITHIN.as_secs()),
        processes: Some(PROCESSES),
        confinement: Some(confinement),
        together: true,
        nice: NICE,
        ..ProgramLimits::default()
    };
    Ok((Guard::from_protections(&protections), limits))
}

impl Building<'_> {
    /// Runs a build in this folder, with its output kept for the report if it fails. It has the rights of the caller, as
    /// far as its limits confine it no further, and of their environment what programs need, with `HOME`, where compilers
    /// keep their caches. Nothing that it has started goes on after it.
    pub(super) fn run(
        &self,
        words: &[String],
        environment: &BTreeMap<String, String>,
        folder: &Path,
    ) -> Result<(), BuildError> {
        let start = |why| BuildError::Start {
            program: words.first().cloned().unwrap_or_default(),
            why,
        };
        let home = std::env::var("HOME").map(|home| ("HOME".to_owned(), home));
        let set = environment.clone().into_iter();
        let program = ProgramSpec {
            words: words.to_vec(),
            folder: Some(folder.to_owned()),
            environment: home.into_iter().chain(set).collect(),
            ..ProgramSpec::default()
        };
        let (output, input) = std::io::pipe().map_err(start)?;
        let job = Job::start(&program, self.guard, &self.limits, input).map_err(start)?;
        let (sender, drained) = mpsc::channel();
        let drain = std::thread::Builder::new().name("build".to_owned());
        drain
            .spawn(move || sender.send(end_of(output)))
            .map_err(start)?;
        let until = Instant::now() + self.within;
        let (mut said, mut looks) = (None, 0);
        let mut too_large = false;
        // Its output may be over before itself.
        let goes_on = |said: &Option<(String, bool)>| said.as_ref().is_none_or(|(_, all)| *all);
        while !job.has_ended() && Instant::now() < until && goes_on(&said) && !(self.stops)() {
            match &said {
                None => said = drained.recv_timeout(LOOK_EVERY).ok(),
                Some(_) => std::thread::park_timeout(LOOK_EVERY),
            }
            looks += 1;
            too_large = looks % MEASURE_EVERY == 0 && self.room.is_some_and(is_too_large);
            if too_large {
                break;
            }
        }
        let (by_itself, over_memory) = (job.has_ended(), job.is_over_memory());
        let status = job.end().filter(|_| by_itself && !over_memory);
        let said = said.or_else(|| drained.recv_timeout(REST_WITHIN).ok());
        let (said, all) = said.unwrap_or_else(|| (String::new(), true));
        match status {
            _ if !all => Err(BuildError::Talkative { said }),
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                let how = status.to_string();
                Err(BuildError::Failed { how, said })
            }
            None if (self.stops)() => Err(BuildError::Stopped),
            None => Err(self.cut_off(over_memory, too_large, said)),
        }
    }

    /// Why it was ended.
    fn cut_off(&self, over_memory: bool, too_large: bool, said: String) -> BuildError {
        let within = self.within;
        match (over_memory, too_large) {
            (true, _) => BuildError::TooMuch {
                what: "memory",
                said,
            },
            (_, true) => BuildError::TooMuch {
                what: "room on the disk",
                said,
            },
            _ => BuildError::Late { within, said },
        }
    }
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

    fn building(within: Duration, stops: &dyn Fn() -> bool) -> Building<'_> {
        Building {
            within,
            guard: None,
            limits: ProgramLimits::default(),
            stops,
            room: None,
        }
    }

    fn built(script: &str, within: Duration) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let words = ["sh", "-c", script].map(str::to_owned);
        let set = BTreeMap::from([("SET".to_owned(), "on".to_owned())]);
        let built = building(within, &|| false).run(&words, &set, folder.path());
        built.map_err(|why| why.to_string())
    }

    #[test]
    fn a_build_ends_well_or_is_reported() {
        let long = Duration::from_secs(60);
        assert_eq!(built("echo done > made; echo made", long), Ok(()));
        assert_eq!(built("exec >&- 2>&-; sleep 0.2", long), Ok(()));
        let message = built("echo no such word; exit 3", long).unwrap_err();
        assert!(
            message.contains("(exit status: 3)\nno such word"),
            "{message}"
        );
        let message = built("echo begun; sleep 987", Duration::from_millis(300)).unwrap_err();
        assert!(message.contains("not done after 0 s\nbegun"), "{message}");
        let message = built("sleep 986 & yes", long).unwrap_err();
        assert!(
            message.contains("more than 67108864 bytes\ny\ny"),
            "{message}"
        );
        let none = ["/no/such".to_owned()];
        let none = building(long, &|| false).run(&none, &BTreeMap::new(), Path::new("/"));
        let message = none.unwrap_err().to_string();
        assert!(
            message.contains("\"/no/such\" cannot be started"),
            "{message}"
        );
    }

    #[test]
    fn a_build_that_is_stopped_ends_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let process = folder.path().join("process");
        let script = "sleep 985 & echo $! >made && mv made process; wait";
        let words = ["sh", "-c", script].map(str::to_owned);
        let is_there = || process.exists();
        let building = building(Duration::from_secs(60), &is_there);
        let message = building.run(&words, &BTreeMap::new(), folder.path());
        assert!(matches!(message, Err(BuildError::Stopped)), "{message:?}");
        let process = std::fs::read_to_string(process).unwrap();
        let since = Instant::now();
        // Its adoptive parent reaps it.
        while goes_on(process.trim()) {
            assert!(since.elapsed() < Duration::from_secs(10), "{process}");
            std::thread::park_timeout(LOOK_EVERY);
        }
    }

    fn goes_on(process: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
        stat.is_ok_and(|stat| !stat.contains(" Z "))
    }

    #[test]
    fn a_build_does_not_inherit_our_variables() {
        // Cargo sets this for tests.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let script = "test -n \"$PATH\" && test \"$SET\" = on && test -z \"$CARGO_MANIFEST_DIR\"";
        assert_eq!(built(script, Duration::from_secs(60)), Ok(()));
    }
}
