//! What a confined program may reach: files by Landlock rules, a scratch folder of its own, no network.

use super::start::{ProgramSpec, find};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The newest interface of Landlock whose rules are asked for; an older kernel keeps those that it knows.
const INTERFACE: ABI = ABI::V6;
/// Where a confined program may write, as far as it has a mount namespace of its own.
pub(super) const SCRATCH: &str = "/dev/shm";
/// What every confined program may read and run: the system's programs and libraries, and nothing in /etc that
/// is somebody's secret.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/dev/random",
    "/dev/urandom",
];
/// The beginnings of names in /etc that interpreters read.
const OF_INTERPRETERS: &[&str] = &["java", "python", "node", "lua", "perl", "ruby"];
/// What it may also write.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// What a program may reach beside the system's own files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Files and folders that it may read and run.
    pub read: Vec<PathBuf>,
    /// Files that it must not even reach: sockets, to which no rule of Landlock applies.
    pub hidden: Vec<PathBuf>,
    /// The size of its scratch folder in MiB.
    pub scratch_mib: u32,
}

impl Confinement {
    /// The confinement of this program, whose own files are in `folder`: it may read these, what its program is
    /// installed in, and `more`.
    #[must_use]
    pub fn of(program: &ProgramSpec, folder: &Path, more: &[PathBuf]) -> Self {
        let mut read = vec![folder.to_owned()];
        read.extend_from_slice(more);
        if let Ok(found) = find(program) {
            let real = fs::canonicalize(&found).unwrap_or_else(|_| found.clone());
            read.extend([found, real].iter().filter_map(|path| installed(path)));
        }
        Self {
            read,
            hidden: Vec::new(),
            scratch_mib: SCRATCH_MIB,
        }
    }
}

/// The usual size of a scratch folder.
const SCRATCH_MIB: u32 = 64;

/// The folder in which a program is installed, with its libraries.
fn installed(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let holds_programs = |name: &OsStr| name == "bin" || name == "shims";
    let up = folder.file_name().filter(|name| holds_programs(name));
    let whole = up.and(folder.parent()).filter(|whole| {
        // The home of a person is not that of an interpreter.
        let home = std::env::var_os("HOME").is_some_and(|home| Path::new(&home) == *whole);
        whole.parent().is_some() && !home && !whole.ends_with(".local")
    });
    Some(whole.unwrap_or(folder).to_owned())
}

/// What of the rules holds from now on for this process and all that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Restricted {
    pub(super) files: bool,
    pub(super) network: bool,
}

/// Restricts this process, as far as the kernel can.
pub(super) fn restrict(confinement: &Confinement, scratch: bool) -> Restricted {
    // The kernel's version decides which rules it knows, so each kind is asked for by itself.
    let files = files(confinement, scratch).is_ok_and(|status| holds(&status));
    let network = network().is_ok_and(|status| holds(&status));
    Restricted { files, network }
}

fn holds(status: &RestrictionStatus) -> bool {
    status.ruleset != RulesetStatus::NotEnforced
}

fn files(confinement: &Confinement, scratch: bool) -> Result<RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(INTERFACE);
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let etc = fs::read_dir("/etc").into_iter().flatten().flatten();
    let of_interpreter = |name: &str| OF_INTERPRETERS.iter().any(|known| name.starts_with(known));
    let etc = etc.filter(|entry| of_interpreter(&entry.file_name().to_string_lossy()));
    let etc: Vec<PathBuf> = etc.map(|entry| entry.path()).collect();
    let scratch = scratch.then_some(SCRATCH);
    Ruleset::default()
        .handle_access(AccessFs::from_all(INTERFACE))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(etc, read))?
        .add_rules(path_beneath_rules(&confinement.read, read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(scratch, AccessFs::from_all(INTERFACE)))?
        .restrict_self()
}

fn network() -> Result<RestrictionStatus, RulesetError> {
    Ruleset::default()
        .handle_access(AccessNet::from_all(INTERFACE))?
        .scope(Scope::from_all(INTERFACE))?
        .create()?
        .restrict_self()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_read_with_its_libraries() {
        for (program, expected) in [
            ("/opt/pypy/bin/pypy", "/opt/pypy"),
            ("/home/ann/.pyenv/shims/python3", "/home/ann/.pyenv"),
            ("/home/ann/.local/bin/tool", "/home/ann/.local/bin"),
            ("/srv/bots/mine/run", "/srv/bots/mine"),
            ("/bin/sh", "/bin"),
        ] {
            let found = installed(Path::new(program));
            assert_eq!(found.as_deref(), Some(Path::new(expected)), "{program}");
        }
    }
}
