//! What a guard is to do. It gets that in a file in memory, which it opens by name: nothing that the owner of a program
//! says stands on a command line, in the environment or in the working folder of one of our processes.

use super::becoming::Becoming;
use super::spec::ProgramSpec;
use rustix::fs::{MemfdFlags, memfd_create};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

/// The verb of this executable that is the guard.
pub const VERB: &str = "program-guard";

/// This executable, even if its file has been replaced.
pub(super) const OURSELVES: &str = "/proc/self/exe";

/// What a guard is to do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Orders {
    /// Whether the program gets namespaces of its own.
    pub isolates: bool,
    /// The process that the guard watches for.
    pub parent: Option<i32>,
    /// How much lower than the usual priority the guard's and the program's is, up to 19.
    pub nice: u8,
    /// Where the guard reports the program's process, or why it does not start.
    pub report: Option<OsString>,
    /// What the program's process does before it becomes the program.
    pub becoming: Becoming,
    /// Whether to print what does not hold of that, without a program.
    pub probes: bool,
    /// The program; without one the guard only tries whether it can isolate.
    pub execution: Option<Execution>,
}

impl Orders {
    /// Reads the orders in this file.
    ///
    /// # Errors
    /// It cannot be read, or holds none.
    pub fn read(path: &Path) -> io::Result<(Self, File)> {
        let file = File::open(path)?;
        let orders = serde_json::from_reader(BufReader::new(&file))?;
        Ok((orders, file))
    }

    /// A file in memory that holds them and that no program inherits.
    pub(super) fn written(&self) -> io::Result<File> {
        let flags = MemfdFlags::CLOEXEC;
        // Some systems give none without the seal, older ones know none.
        let file = memfd_create("orders", flags | MemfdFlags::NOEXEC_SEAL);
        let mut file = File::from(file.or_else(|_| memfd_create("orders", flags))?);
        file.write_all(&serde_json::to_vec(self)?)?;
        Ok(file)
    }
}

/// One of our processes that stands next to a program or becomes it: it begins with nothing but what its orders say.
pub(super) fn ourselves() -> Command {
    let mut command = Command::new(OURSELVES);
    command.arg0("drover").arg(VERB);
    command.env_clear().current_dir("/");
    command
}

/// Which of our variables a program gets besides its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inherits {
    /// All but those about ourselves. These may hold secrets, such as the API's token: programs are strangers.
    Most,
    /// Those that hold no secret and that a stranger's program needs: where programs are, the language and the time
    /// zone.
    Common,
}

impl Inherits {
    fn has(self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        match self {
            Self::Most => !name.starts_with(b"DROVER"),
            Self::Common => {
                [&b"PATH"[..], b"LANG", b"LANGUAGE", b"TZ"].contains(&name)
                    || name.starts_with(b"LC_")
            }
        }
    }
}

/// A program as it is executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// It and its arguments.
    pub words: Vec<OsString>,
    /// Where it runs.
    pub folder: OsString,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Execution {
    /// This program with what it `inherits`, and with this variable.
    pub(super) fn for_program(
        program: &ProgramSpec,
        inherits: Inherits,
        name: OsString,
        value: OsString,
    ) -> io::Result<Self> {
        let inherited = std::env::vars_os().filter(|(name, _)| inherits.has(name));
        let own = program.environment.iter();
        let own = own.map(|(name, value)| (name.into(), value.into()));
        let folder = program.folder.as_deref().unwrap_or(Path::new("."));
        // The last one of a name counts.
        let environment: BTreeMap<OsString, OsString> =
            inherited.chain(own).chain([(name, value)]).collect();
        let whole = program.words.iter();
        let values = program.environment.iter().map(|(_, value)| value);
        if whole.chain(values).any(|text| text.contains('\0')) {
            let why = "a word or a variable of it has a NUL";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(Self {
            words: program.words.iter().map(OsString::from).collect(),
            // Who starts it is elsewhere.
            folder: std::path::absolute(folder)?.into(),
            environment: environment.into_iter().collect(),
        })
    }

    /// It as a command, wherever this process is.
    pub(super) fn command(&self) -> Command {
        let (name, arguments) = match self.words.split_first() {
            Some((name, arguments)) => (name.as_os_str(), arguments),
            None => (OsStr::new(""), &[][..]),
        };
        let mut command = Command::new(name);
        let environment = self.environment.iter();
        let environment = environment.map(|(name, value)| (name, value));
        command.args(arguments).env_clear().envs(environment);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::ffi::OsStringExt as _;

    #[test]
    fn a_guard_reads_what_was_ordered() {
        let odd = OsString::from_vec(b"--become=\xff\n".to_vec());
        let orders = Orders {
            isolates: true,
            parent: Some(7),
            nice: 19,
            execution: Some(Execution {
                words: vec![odd.clone()],
                folder: "/x".into(),
                environment: vec![("LD_PRELOAD".into(), odd.clone())],
            }),
            ..Orders::default()
        };
        let file = orders.written().unwrap();
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let (read, _) = Orders::read(Path::new(&path)).unwrap();
        assert_eq!(read.execution, orders.execution);
        assert_eq!((read.isolates, read.parent, read.nice), (true, Some(7), 19));
        assert!(Orders::read(Path::new("/dev/null")).is_err());
    }

    #[test]
    fn a_program_gets_its_own_variables_last_but_ours() {
        let program = ProgramSpec {
            environment: vec![
                ("PATH".to_owned(), "/own".to_owned()),
                ("MARK".to_owned(), "its".to_owned()),
            ],
            ..ProgramSpec::default()
        };
        let most =
            Execution::for_program(&program, Inherits::Most, "MARK".into(), "ours".into()).unwrap();
        let common =
            Execution::for_program(&program, Inherits::Common, "MARK".into(), "ours".into())
                .unwrap();
        let value = |execution: &Execution, name: &str| {
            let mut environment = execution.environment.iter();
            let found = environment.find(|(known, _)| known == name);
            found.map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        for execution in [&most, &common] {
            assert_eq!(value(execution, "PATH").as_deref(), Some("/own"));
            assert_eq!(value(execution, "MARK").as_deref(), Some("ours"));
        }
        // Cargo sets this for tests.
        assert!(value(&most, "CARGO_MANIFEST_DIR").is_some());
        assert!(value(&common, "CARGO_MANIFEST_DIR").is_none());
    }
}
