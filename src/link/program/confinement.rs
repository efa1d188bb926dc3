//! What a confined program may reach: files by Landlock rules, a scratch folder of its own, no network.

use super::paths;
use super::spec::{ProgramSpec, find};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use serde::{Deserialize, Serialize};
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
/// What it may also write. No terminal is among them: it is the operator's. Nor is `/dev/zero`: memory mapped from there
/// is shared without a file.
const DEVICES: &[&str] = &["/dev/null", "/dev/full"];

/// What a program may reach besides the system's own files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Files and folders that it may read and run.
    #[serde(with = "paths")]
    pub read: Vec<PathBuf>,
    /// Folders that are empty for it but for what it may read: no rule of Landlock applies to the sockets there.
    #[serde(with = "paths")]
    pub hidden: Vec<PathBuf>,
    /// Folders among those that it may read whose files it may change.
    #[serde(with = "paths")]
    pub write: Vec<PathBuf>,
    /// The size of its scratch folder in MiB.
    pub scratch_mib: u32,
}

impl Confinement {
    /// The confinement of this program, whose own files are in `folder`: it may read these, its program (with what
    /// that is installed in, if it is named without a path and nobody else's files are there), and `more`; of `kept`, which are others' files and
    /// folders, nothing outside `folder`.
    #[must_use]
    pub fn new(program: &ProgramSpec, folder: &Path, more: &[PathBuf], kept: &[PathBuf]) -> Self {
        let own = real(folder);
        let kept: Vec<PathBuf> = kept.iter().map(|path| real(path)).collect();
        let is_open = |path: &Path| is_open(&real(path), &own, &kept);
        let mut read = vec![folder.to_owned()];
        read.extend_from_slice(more);
        if let Ok(found) = find(program) {
            // A path is the owner's word alone: it may name any folder of this machine.
            let is_path = program.words.iter().take(1).any(|name| name.contains('/'));
            let is_path = is_path || program.variable("PATH").is_some();
            let found = [real(&found), found];
            read.extend(found.map(|path| {
                let whole = installed(&path).filter(|whole| !is_path && is_open(whole));
                whole.unwrap_or(path)
            }));
        }
        read.retain(|path| is_open(path));
        Self {
            read,
            hidden: std::env::var_os("XDG_RUNTIME_DIR")
                .map(PathBuf::from)
                .into_iter()
                .collect(),
            write: Vec::new(),
            scratch_mib: SCRATCH_MIB,
        }
    }
}

/// The usual size of a scratch folder.
const SCRATCH_MIB: u32 = 64;

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    fs::canonicalize(&path).unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => path,
    })
}

/// Whether a program may read everything beneath this path: nothing of `kept` is there but its own folder's.
fn is_open(path: &Path, own: &Path, kept: &[PathBuf]) -> bool {
    let holds = kept.iter().any(|kept| kept.starts_with(path));
    let is_within = kept.iter().any(|kept| path.starts_with(kept));
    path.parent().is_some() && !holds && (path.starts_with(own) || !is_within)
}

/// Whether the system's own files are beneath this folder.
pub(super) fn is_of_system(folder: &Path) -> bool {
    SYSTEM
        .iter()
        .any(|path| Path::new(path).starts_with(folder))
}

/// The folder in which a program is installed, with its libraries.
fn installed(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let holds_programs = |name: &OsStr| name == "bin" || name == "shims";
    let up = folder.file_name().filter(|name| holds_programs(name));
    let whole = up.and(folder.parent()).filter(|whole| {
        // The home of a person is not that of an interpreter.
        let own = std::env::var_os("HOME").is_some_and(|home| Path::new(&home) == *whole);
        let home =
            own || [Some(Path::new("/")), Some(Path::new("/home"))].contains(&whole.parent());
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
    let scratch = scratch.then_some(Path::new(SCRATCH));
    let write = confinement.write.iter().map(PathBuf::as_path);
    let write = write.chain(scratch);
    Ruleset::default()
        .handle_access(AccessFs::from_all(INTERFACE))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(etc, read))?
        .add_rules(path_beneath_rules(&confinement.read, read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(write, AccessFs::from_all(INTERFACE)))?
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
            ("/home/bob/bin/tool", "/home/bob/bin"),
            ("/ann/bin/tool", "/ann/bin"),
        ] {
            let found = installed(Path::new(program));
            assert_eq!(found.as_deref(), Some(Path::new(expected)), "{program}");
        }
    }

    fn read(run: &str, own: &Path, kept: &[PathBuf]) -> Vec<PathBuf> {
        let program = ProgramSpec {
            words: vec![run.to_owned()],
            folder: Some(own.to_owned()),
            ..ProgramSpec::default()
        };
        let read = Confinement::new(&program, own, &[], kept).read;
        read.iter().map(|path| real(path)).collect()
    }

    #[test]
    fn a_program_opens_neither_the_disk_nor_what_others_keep() {
        let machine = tempfile::tempdir().unwrap();
        let root = real(machine.path());
        let own = root.join("data/bots/mine/1");
        let other = root.join("data/bots/other/1");
        for (folder, script) in [(&own, "run"), (&other, "run"), (&root.join("bin"), "tool")] {
            use std::os::unix::fs::PermissionsExt as _;
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(script), "#!/bin/sh\n").unwrap();
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(folder.join(script), mode).unwrap();
        }
        let kept = [root.join("data/drover.db"), root.join("data/bots")];
        let sh = real(Path::new("/bin/sh"));
        let tool = root.join("bin/tool");
        for (run, more) in [
            ("/usr/bin/../../bin/sh", vec![sh.clone(), sh.clone()]),
            (tool.to_str().unwrap(), vec![tool.clone(), tool.clone()]),
            ("../../other/1/run", vec![]),
            (other.join("run").to_str().unwrap(), vec![]),
            ("./run", vec![own.join("run"), own.join("run")]),
        ] {
            let expected: Vec<PathBuf> = std::iter::once(own.clone()).chain(more).collect();
            assert_eq!(read(run, &own, &kept), expected, "{run}");
        }
        // Nor does a PATH of its owner's open the folders that it names.
        let by_path = ProgramSpec {
            words: vec!["tool".to_owned()],
            folder: Some(root.clone()),
            environment: vec![("PATH".to_owned(), "bin".to_owned())],
            ..ProgramSpec::default()
        };
        let by_path = Confinement::new(&by_path, &own, &[], &kept).read;
        let by_path: Vec<PathBuf> = by_path.iter().map(|path| real(path)).collect();
        assert_eq!(by_path, [own.clone(), tool.clone(), tool.clone()]);
        // Of a folder with programs that holds such things, only the program is opened.
        let database = [sh.parent().unwrap().join("drover.db")];
        assert_eq!(read("sh", &own, &database), [own.clone(), sh.clone(), sh]);
        // Nor is a folder opened that holds such things, regardless of who names it.
        let shared = Confinement::new(
            &ProgramSpec::default(),
            &own,
            &[
                "/".into(),
                root.join("data"),
                root.join("bin"),
                root.join("bin/../data"),
            ],
            &kept,
        );
        assert_eq!(shared.read, [own, root.join("bin")]);
        let all = Confinement::new(&ProgramSpec::default(), Path::new("/"), &[], &[]);
        assert_eq!(all.read, Vec::<PathBuf>::new());
    }
}
