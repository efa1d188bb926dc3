//! Folders of this machine that a program does not see: an empty one in the place of each, and back in it what the
//! program needs of the old one.

use super::confinement::is_of_system;
use super::orders::Execution;
use super::protection::Unprotected;
use nix::mount::{MsFlags, mount};
use rustix::fs::{Mode, OFlags, StatVfs, StatVfsMountFlags, open, statvfs};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

/// Where programs name files after their process, or put them for all processes of their user: a number that is a
/// process's own in its namespace is another's in the next one.
const SHARED: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];
/// What a program has in the place of each of these. It is there while the program runs.
const OWN: &str = "size=1g,mode=1777";
/// The folders of `/tmp` in which the JVM names files after its process.
const OF_JVM: &str = "hsperfdata_";
/// Files and folders there that are put back at most.
const BACK_MAX: usize = 256;

fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Puts an empty folder, a tmpfs with these options, over each of these that is there, and what is in `back` of it back
/// into it.
pub(super) fn cover<'a>(
    hidden: impl Iterator<Item = &'a Path>,
    back: &[PathBuf],
    options: &str,
) -> Result<(), Unprotected> {
    let hidden: BTreeSet<PathBuf> = hidden
        .filter_map(real)
        .filter(|path| path.is_dir())
        .collect();
    if let Some(path) = hidden.iter().find(|path| is_of_system(path)) {
        let why = "the system's programs are there, so that it cannot be hidden";
        return Err(Unprotected::at(path, why));
    }
    let back: BTreeSet<PathBuf> = back.iter().filter_map(|path| real(path)).collect();
    let within = |path: &PathBuf| hidden.iter().any(|folder| path.starts_with(folder));
    let mut opened = Vec::new();
    for path in back.into_iter().filter(within) {
        let open = open(&path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let open = open.map_err(|why| Unprotected::at(&path, why))?;
        opened.push((path.is_dir(), path, open));
    }
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    // A folder comes before those within it, which are no longer there then.
    for folder in hidden.iter().filter(|folder| folder.is_dir()) {
        mount(Some("tmpfs"), folder, Some("tmpfs"), flags, Some(options))
            .map_err(|why| Unprotected::at(folder, why))?;
    }
    for (is_folder, path, open) in opened {
        // What is in a folder has come back with it.
        if path.exists() && !hidden.contains(&path) {
            continue;
        }
        let made = match (is_folder, path.parent()) {
            (false, Some(folder)) => {
                fs::create_dir_all(folder).and_then(|()| File::create_new(&path).map(drop))
            }
            _ => fs::create_dir_all(&path),
        };
        made.map_err(|why| Unprotected::at(&path, why))?;
        let source = format!("/proc/self/fd/{}", open.as_raw_fd());
        let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
        mount(Some(&*source), &path, None::<&str>, flags, None::<&str>)
            .map_err(|why| Unprotected::at(&path, why))?;
    }
    Ok(())
}

/// Has nothing of what is mounted be written to from here on: no rule of Landlock keeps a program from changing the modes,
/// the times and the attributes of its user's files, by which another one could read what it says.
pub(super) fn read_only() -> Result<(), Unprotected> {
    let table = fs::read("/proc/self/mountinfo").map_err(Unprotected::new)?;
    let lines = table.split(|byte| *byte == b'\n');
    for (path, set) in lines.filter_map(mounted) {
        // The system shows the program's processes there.
        if path.starts_with("/proc") {
            continue;
        }
        let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | set;
        let made = mount(None::<&str>, &path, None::<&str>, flags, None::<&str>);
        // What another mount lies over is not reached, and needs nothing.
        let writable = |at: StatVfs| !at.f_flag.contains(StatVfsMountFlags::RDONLY);
        if let Err(why) = made
            && statvfs(&path).is_ok_and(writable)
        {
            return Err(Unprotected::at(&path, why));
        }
    }
    Ok(())
}

/// Has these folders be written to again.
pub(super) fn writable(folders: &[PathBuf]) -> Result<(), Unprotected> {
    for folder in folders {
        let refused = |why| Unprotected::at(folder, why);
        let folder = fs::canonicalize(folder).map_err(Unprotected::new)?;
        let bind = MsFlags::MS_BIND;
        mount(Some(&folder), &folder, None::<&str>, bind, None::<&str>).map_err(refused)?;
        let table = fs::read("/proc/self/mountinfo").map_err(Unprotected::new)?;
        let mut mounts = table.split(|byte| *byte == b'\n').filter_map(mounted);
        let set = mounts.rfind(|(path, _)| *path == folder);
        let set = set.map_or(MsFlags::empty(), |(_, set)| set);
        let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | set;
        mount(None::<&str>, &folder, None::<&str>, flags, None::<&str>).map_err(refused)?;
    }
    Ok(())
}

/// Where a line of `mountinfo` says that something is mounted, and with what flags.
fn mounted(line: &[u8]) -> Option<(PathBuf, MsFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let (path, options) = (fields.next()?, fields.next()?);
    let flag = |option: &[u8]| match option {
        b"nosuid" => MsFlags::MS_NOSUID,
        b"nodev" => MsFlags::MS_NODEV,
        b"noexec" => MsFlags::MS_NOEXEC,
        b"nosymfollow" => MsFlags::from_bits_retain(256),
        b"noatime" => MsFlags::MS_NOATIME,
        b"nodiratime" => MsFlags::MS_NODIRATIME,
        b"relatime" => MsFlags::MS_RELATIME,
        _ => MsFlags::empty(),
    };
    let flags = options.split(|byte| *byte == b',').map(flag);
    let path = OsStr::from_bytes(&unescaped(path)).into();
    Some((path, flags.fold(MsFlags::empty(), MsFlags::union)))
}

/// A path in which blanks are three digits after a backslash.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut parts = text.split(|byte| *byte == b'\\');
    let mut whole = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        let code = part
            .get(..3)
            .and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 8).ok());
        whole.extend(byte);
        whole.extend(part.get(3..).unwrap_or_default());
    }
    whole
}

/// Gives a program that is not confined shared folders of its own. Of what is in those of this machine, it keeps what
/// its words, its folder and its variables name, each whole: who gives it a path there means it.
pub(super) fn own_shared(execution: &Execution) -> Result<(), Unprotected> {
    let folder = Path::new(&execution.folder);
    // Who runs in such a folder itself shares it.
    let is_own = |shared: &&Path| real(shared).is_some_and(|shared| Some(shared) != real(folder));
    let shared = SHARED.iter().map(Path::new).filter(is_own);
    let shared: Vec<&Path> = shared.collect();
    let named = named(execution, &shared);
    let links = named.iter().filter_map(|path| {
        let leads_to = fs::read_link(path).ok()?;
        Some((leads_to, path))
    });
    let links: Vec<_> = links.collect();
    let named: Vec<PathBuf> = named.iter().cloned().collect();
    cover(shared.into_iter(), &named, OWN)?;
    for (leads_to, path) in links {
        symlink(leads_to, path).map_err(|why| Unprotected::at(path, why))?;
    }
    Ok(())
}

/// What a program names that is in these folders: what of them is on the way there.
fn named(execution: &Execution, shared: &[&Path]) -> BTreeSet<PathBuf> {
    let mut named = BTreeSet::new();
    let folder = Path::new(&execution.folder);
    let words = execution.words.iter().map(|word| folder.join(word));
    let paths = words.chain([folder.to_owned()]);
    // What a path is, and what it leads to.
    for path in paths.flat_map(|path| [real(&path), Some(straight(&path))]) {
        named.extend(path.and_then(|path| on_the_way(&path, shared)));
    }
    let values = execution.environment.iter().map(|(_, value)| value);
    for text in execution.words.iter().chain(values) {
        for folder in shared {
            let found = paths_in(text, folder);
            named.extend(found.filter_map(|path| on_the_way(&path, shared)));
        }
    }
    named.into_iter().take(BACK_MAX).collect()
}

/// A path without `..`, as it is written.
fn straight(path: &Path) -> PathBuf {
    path.components()
        .fold(PathBuf::new(), |mut straight, part| {
            match part {
                Component::ParentDir => drop(straight.pop()),
                part => straight.push(part),
            }
            straight
        })
}

/// What is directly in one of these folders on the way to this path, if it is there.
fn on_the_way(path: &Path, shared: &[&Path]) -> Option<PathBuf> {
    let mut within = shared
        .iter()
        .filter_map(|folder| Some((folder, path.strip_prefix(folder).ok()?)));
    let (folder, rest) = within.next()?;
    let first = rest.components().next()?;
    let is_of_jvm = first.as_os_str().as_bytes().starts_with(OF_JVM.as_bytes());
    let path = folder.join(first);
    (!is_of_jvm && fs::symlink_metadata(&path).is_ok()).then_some(path)
}

/// The paths in this folder that stand anywhere in a text, such as a shell's command, an option or a list.
fn paths_in(text: &OsStr, folder: &Path) -> impl Iterator<Item = PathBuf> {
    const ENDS: &[u8] = b" \t\r\n'\"`$;:,=|&<>(){}[]*?!#\\";
    let begin = [folder.as_os_str().as_bytes(), b"/"].concat();
    let text = text.as_bytes();
    let places = (0..text.len()).filter(move |at| {
        let rest = text.get(*at..).unwrap_or_default();
        rest.starts_with(&begin)
    });
    places.map(move |at| {
        let rest = text.get(at..).unwrap_or_default();
        let mut parts = rest.split(|byte| ENDS.contains(byte));
        PathBuf::from(OsStr::from_bytes(parts.next().unwrap_or_default()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_found_with_their_flags() {
        let line = b"36 35 98:0 /mnt1 /mnt/a\\040b rw,nosuid,noatime master:1 - ext3 /dev/root rw,errors=x";
        let expected = MsFlags::MS_NOSUID | MsFlags::MS_NOATIME;
        assert_eq!(mounted(line), Some(("/mnt/a b".into(), expected)));
        assert_eq!(mounted(b""), None);
    }

    #[test]
    fn what_a_program_is_given_stays_where_it_is() {
        let machine = tempfile::tempdir().unwrap();
        let root = machine.path().canonicalize().unwrap();
        let shared = root.join("tmp");
        for folder in [
            "own/src",
            "lib",
            "data",
            "venv/bin",
            "none",
            "hsperfdata_ann",
        ] {
            fs::create_dir_all(shared.join(folder)).unwrap();
        }
        fs::write(shared.join("bot.py"), "").unwrap();
        symlink(shared.join("lib"), shared.join("link")).unwrap();
        symlink(shared.join("lib"), root.join("outside")).unwrap();
        let path = |name: &str| shared.join(name).to_str().unwrap().to_owned();
        let keeps = |folder: &str, words: &[&str], value: &str| {
            let execution = Execution {
                words: words.iter().map(Into::into).collect(),
                folder: root.join(folder).into(),
                environment: vec![("X".into(), value.into())],
            };
            let named = named(&execution, &[&shared]);
            let names = named.iter().map(|path| path.strip_prefix(&shared).unwrap());
            let names: Vec<&str> = names.map(|name| name.to_str().unwrap()).collect();
            names.join(" ")
        };
        assert_eq!(keeps("", &["sh", "-c", "true"], ""), "");
        assert_eq!(keeps("tmp/own/src", &["./bot"], ""), "own");
        assert_eq!(keeps("", &["python3", &path("bot.py")], ""), "bot.py");
        assert_eq!(keeps("tmp/own", &["java", "../lib/x.jar"], ""), "lib own");
        assert_eq!(
            keeps("", &[&format!("-cp={}:x", path("lib/x.jar"))], ""),
            "lib"
        );
        let script = format!("cd '{}'; exec x >{}", path("lib"), path("data/log"));
        assert_eq!(keeps("", &["sh", "-c", &script], ""), "data lib");
        let list = format!("/bin:{}", path("venv/bin"));
        assert_eq!(keeps("", &["bot"], &list), "venv");
        assert_eq!(keeps("", &[&path("link/x")], ""), "link");
        assert_eq!(keeps("", &[&path("link")], ""), "lib link");
        assert_eq!(keeps("outside", &["./bot"], ""), "lib");
        // What is not there comes into its own folder, and what the JVM keeps is nobody's.
        let written = format!("{} {}", path("new.log"), path("hsperfdata_ann/7"));
        assert_eq!(keeps("", &["bot", &written], &path("new.log")), "");
    }
}
