//! The memory of all of a program's processes together, where no cgroup counts it: a thread looks at all of them every
//! now and then, and ends a program whose processes have taken too much.

use super::held::{held, sum_of};
use super::limits::step_behind;
use parking_lot::Mutex;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io};

/// How often the programs are looked at.
const EVERY: Duration = Duration::from_secs(1);
/// How much lower than the usual priority of the thread that looks is.
const NICE: u8 = 1;
/// Processes of a program that are counted.
const FAMILY_MAX: usize = 65_536;
/// The field of a process's `stat` after its name that is its parent.
const PARENT: usize = 1;

/// The programs that are looked at; whether somebody does.
static WATCHED: Mutex<(Vec<Arc<Watched>>, bool)> = Mutex::new((Vec::new(), false));

#[derive(Debug)]
struct Watched {
    /// What was started: the program or its guard, to which comes what the program leaves behind.
    root: i32,
    program: OwnedFd,
    number: i32,
    /// Bytes.
    most: u64,
    over: AtomicBool,
}

/// Processes and their parents.
pub(super) type Processes = HashMap<i32, i32>;

/// A program whose processes are looked at until this is dropped.
#[derive(Debug)]
pub(super) struct Together(Arc<Watched>);

impl Together {
    /// Has this program's processes looked at: all that descend from `root`, which is the program or its guard and was
    /// started by this process. `most`: what they may take, in bytes.
    ///
    /// # Errors
    /// The program has ended, or the system refuses a thread.
    pub(super) fn watch(root: Pid, program: Pid, most: u64) -> io::Result<Self> {
        let watched = Arc::new(Watched {
            root: root.as_raw_nonzero().get(),
            program: pidfd_open(program, PidfdFlags::empty())?,
            number: program.as_raw_nonzero().get(),
            most,
            over: AtomicBool::new(false),
        });
        let mut all = WATCHED.lock();
        if !all.1 {
            let thread = std::thread::Builder::new().name("memory".to_owned());
            thread.spawn(look_on)?;
            all.1 = true;
        }
        all.0.push(Arc::clone(&watched));
        Ok(Self(watched))
    }

    /// Whether it was ended because they took too much.
    pub(super) fn is_over(&self) -> bool {
        self.0.over.load(Ordering::Relaxed)
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        let mut all = WATCHED.lock();
        all.0.retain(|watched| !Arc::ptr_eq(watched, &self.0));
    }
}

/// Looks at all programs, until there are none.
fn look_on() {
    step_behind(None, NICE);
    loop {
        let watched = {
            let mut all = WATCHED.lock();
            if all.0.is_empty() {
                all.1 = false;
                return;
            }
            all.0.clone()
        };
        look(&watched);
        drop(watched);
        std::thread::park_timeout(EVERY);
    }
}

fn look(watched: &[Arc<Watched>]) {
    let processes = processes();
    let children = children(&processes);
    for one in watched {
        let family = family(one.root, &children);
        let left = one.most.saturating_sub(held(&family, one.number));
        // Pages that several of them share count once, which takes longer to find out.
        if resident(&family) > left && proportional(&family) > left {
            one.over.store(true, Ordering::Relaxed);
            // It may have ended already.
            let _ = pidfd_send_signal(&one.program, Signal::KILL);
        }
    }
}

fn processes() -> Processes {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|process| Some((process, parent(process)?)))
        .collect()
}

/// By process, those that it started or adopted.
pub(super) fn children(processes: &Processes) -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (process, parent) in processes {
        children.entry(*parent).or_default().push(*process);
    }
    children
}

/// A process and all that descend from it.
pub(super) fn family(root: i32, children: &HashMap<i32, Vec<i32>>) -> Vec<i32> {
    let mut family = vec![root];
    let mut at = 0;
    // Nobody is its own ancestor, but these were not read at one moment.
    while let Some(process) = family.get(at).filter(|_| at < FAMILY_MAX) {
        family.extend(children.get(process).into_iter().flatten());
        at += 1;
    }
    family
}

fn parent(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name is in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(PARENT)?.parse().ok()
}

/// What these processes have mapped, in bytes, but for what [`held`] counts.
fn resident(family: &[i32]) -> u64 {
    let of = |process: &i32| sum_of(*process, "status", &["RssAnon:", "RssFile:"]);
    family.iter().filter_map(of).sum()
}

/// What these processes take together of that: each page that several share in equal parts. Of a process that cannot
/// be read so, all its pages.
fn proportional(family: &[i32]) -> u64 {
    let of = |process: &i32| {
        let shares = sum_of(*process, "smaps_rollup", &["Pss_Anon:", "Pss_File:"]);
        shares.unwrap_or_else(|| resident(&[*process]))
    };
    family.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};

    /// Has each of four processes; `touched`: whether each fills 40 MiB of its own, or all share those of one.
    const FOUR: &str = "
import os, sys
share = b'x' * (40 << 20)
for _ in range(3):
    if os.fork() == 0:
        own = b'y' * (40 << 20) if sys.argv[1] == 'own' else None
        os.write(1, b'.')
        while True:
            os.read(0, 1) or os._exit(0)
os.write(1, b'.')
while os.read(0, 1): pass
";
    const MIB: u64 = 1 << 20;

    fn four(which: &str) -> Option<Child> {
        let mut child = Command::new("python3")
            .args(["-c", FOUR, which])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut message = [0; 4];
        child.stdout.as_mut()?.read_exact(&mut message).unwrap();
        Some(child)
    }

    fn pid(child: &Child) -> Pid {
        Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
    }

    #[test]
    fn what_processes_share_counts_once() {
        for (which, from, to) in [("shared", 40, 130), ("own", 160, 300)] {
            let Some(mut child) = four(which) else {
                eprintln!("SKIPPED: there is no python3");
                return;
            };
            let all = processes();
            let family = family(pid(&child).as_raw_nonzero().get(), &children(&all));
            assert_eq!(family.len(), 4);
            let bytes = resident(&family);
            assert!(bytes > 160 * MIB, "{which}: {bytes} resident");
            let taken = proportional(&family) / MIB;
            assert!((from..to).contains(&taken), "{which}: {taken} MiB");
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }

    #[test]
    fn a_program_whose_processes_take_too_much_together_is_ended() {
        let (Some(mut within), Some(mut over)) = (four("shared"), four("own")) else {
            return;
        };
        let watch = |child: &Child| Together::watch(pid(child), pid(child), 150 * MIB).unwrap();
        let (first, second) = (watch(&within), watch(&over));
        // Waiting closes it otherwise, and it would end by itself.
        let held = over.stdin.take();
        over.wait().unwrap();
        assert!(second.is_over());
        drop(held);
        assert!(!first.is_over() && within.try_wait().unwrap().is_none());
        drop(within.stdin.take());
        within.wait().unwrap();
    }
}
