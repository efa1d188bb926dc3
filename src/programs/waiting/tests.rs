//! Processes that are started ahead or kept, with shell scripts.

use super::*;
use crate::programs::conduct::Conduct;
use crate::programs::instance::{Opening, Reply};
use crate::programs::patience::{PATIENCE, until};
use crate::programs::runner::Runner;
use games::Cause;
use games::neutral::{End, Line};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Answers each decision with its process's number, and does this at the end.
const SCRIPT: &str = r#"echo $$ >>started; while read -r line; do case "$line" in
    *'"type":"hello"'*) echo '{"type":"ready","protocol":1}'; AFTER;;
    *'"past":false'*) number=${line#*number\":}; ANSWER
        echo "{\"type\":\"act\",\"number\":${number%%,*},\"act\":$$}";;
    *'"type":"end"'*) echo '{"type":"note","note":"well"}'; echo "ended" >&2;; esac; done"#;

struct World {
    folder: TempDir,
    launch: Launch,
    bots: Bots,
}

impl World {
    fn new(instances: Instances, answer: &str, after: &str) -> Self {
        Self::timed(instances, (answer, after), Waiting::default())
    }

    fn timed(instances: Instances, (answer, after): (&str, &str), waiting: Waiting) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = SCRIPT.replace("ANSWER", answer).replace("AFTER", after);
        let launch = Launch {
            name: "mine".to_owned(),
            version: "1".to_owned(),
            instances,
            argv: ["sh", "-c", &script].map(str::to_owned).to_vec(),
            directory: folder.path().to_owned(),
            stderr_kept: 4_096,
            ..Launch::default()
        };
        let (found, own) = (launch.clone(), folder.path().to_owned());
        // The shelf: without a file there is version 1 alone.
        let find = move |name: &str, version: Option<&str>| {
            let has = |file: &str| own.join(file).exists();
            let last = if has("newer") { "2" } else { "1" };
            let version = version.unwrap_or(last).to_owned();
            let digest = if has("other") { "other" } else { "" }.to_owned();
            (name == "mine" && !has("removed")).then(|| Launch {
                version,
                digest,
                ..found.clone()
            })
        };
        Self {
            folder,
            launch,
            bots: Bots::new(Arc::new(find), None).with(waiting),
        }
    }

    fn begin(&self, game: &'static str) -> Runner {
        let opening = Opening {
            game,
            ..Opening::default()
        };
        Runner::new(&self.bots, Arc::new(self.launch.clone()), opening, || ())
    }

    /// Plays a match of two decisions: the process that did, and how it behaved.
    fn play(&self) -> (u64, Conduct) {
        let mut runner = self.begin("fake");
        let first = decide(&mut runner, 1);
        let second = decide(&mut runner, 2);
        assert_eq!(first, second);
        (first.unwrap(), ended(runner))
    }

    fn waiting(&self) -> usize {
        self.bots.waiting().len()
    }

    fn started(&self) -> BTreeSet<u64> {
        let all = fs::read_to_string(self.folder.path().join("started")).unwrap_or_default();
        all.lines().map(|line| line.parse().unwrap()).collect()
    }

    fn makes(&self, file: &str) {
        fs::write(self.folder.path().join(file), "").unwrap();
    }
}

fn decide(runner: &mut Runner, number: u64) -> Option<u64> {
    let rest = "\"ask\":1}".to_owned();
    runner.tell(vec![Line::Ask { number, rest }]);
    let reply = runner.ask(number, Instant::now() + PATIENCE);
    let act = "1".to_owned();
    runner.tell(vec![Line::Played { number, act }]);
    match reply {
        Reply::Act(act) => act.as_u64(),
        Reply::Late | Reply::Gone => None,
    }
}

fn ended(mut runner: Runner) -> Conduct {
    runner.end(Some(End {
        cause: Cause::Normal,
        detail: String::new(),
        scores: Vec::new(),
        wins: Vec::new(),
    }))
}

/// Whether a process is there, and not only waits to be reaped.
fn runs(pid: u64) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn without_being_told_each_match_has_its_own_process() {
    let world = World::new(Instances::Match, "", "");
    let (first, report) = world.play();
    assert_eq!(report.note, Some(Value::from("well")));
    assert_ne!(first, world.play().0);
    assert_eq!((world.waiting(), runs(first)), (0, false));
}

#[test]
fn what_is_started_ahead_plays_and_is_replaced() {
    let world = World::new(Instances::Pool, "", "");
    let (first, _) = world.play();
    until(|| world.waiting() == POOL);
    let ahead = world.started();
    assert_eq!(ahead.len(), POOL + 1);
    let (second, report) = world.play();
    assert!(
        ahead.contains(&second) && second != first,
        "{second} {ahead:?}"
    );
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
    assert_eq!(report.note, Some(Value::from("well")));
    assert!(!runs(second));
    until(|| world.waiting() == POOL);
    assert_eq!(world.started().len(), POOL + 2);
    world.bots.close();
    assert!(world.started().into_iter().all(|pid| !runs(pid)));
    // Nothing is started ahead any more.
    world.play();
    assert_eq!((world.waiting(), world.started().len()), (0, POOL + 3));
}

#[test]
fn what_is_started_ahead_waits_for_its_turn() {
    let world = World::new(Instances::Pool, "", "");
    let starts = world.bots.starts();
    let now = Instant::now;
    let mut turns = Vec::new();
    let last = loop {
        let in_line = starts.line_up(|| ());
        match in_line.come(now()) {
            Some(turn) => turns.push(turn),
            None => break in_line,
        }
    };
    drop(last);
    let launch = Arc::new(world.launch.clone());
    world.bots.waiting().fill(&world.bots, &launch, "fake");
    until(|| starts.waiting() == POOL);
    assert_eq!((world.waiting(), world.started().len()), (0, 0));
    // One turn is enough for both, one after the other.
    turns.pop();
    until(|| world.waiting() == POOL);
    assert_eq!(world.started().len(), POOL);
}

#[test]
fn a_blank_line_before_ready_means_nothing() {
    let before = r#"echo $$ >>started; echo; printf ' \r\n';"#;
    let script = SCRIPT.replacen("echo $$ >>started;", before, 1);
    let mut world = World::new(Instances::Pool, "", "");
    world.launch.argv = [
        "sh",
        "-c",
        &script.replace("AFTER", "").replace("ANSWER", ""),
    ]
    .map(str::to_owned)
    .to_vec();
    let launch = Arc::new(world.launch.clone());
    world.bots.waiting().fill(&world.bots, &launch, "fake");
    until(|| world.waiting() == POOL);
}

#[test]
fn a_process_that_ended_a_match_well_plays_the_next() {
    let world = World::new(Instances::Persistent, "", "");
    let (first, report) = world.play();
    assert_eq!(
        (&*report.stderr, report.note),
        ("ended\n", Some(Value::from("well")))
    );
    assert_eq!((world.waiting(), runs(first)), (1, true));
    let (second, report) = world.play();
    assert_eq!(
        (second, &*report.stderr, report.starts),
        (first, "ended\n", 1)
    );
    // Two matches at once have two processes, and another game has its own.
    let mut one = world.begin("fake");
    assert_eq!(decide(&mut one, 1), Some(first));
    let mut two = world.begin("fake");
    let other = decide(&mut two, 1).unwrap();
    assert_ne!(other, first);
    ended(one);
    ended(two);
    let mut third = world.begin("other");
    assert!(![first, other].contains(&decide(&mut third, 1).unwrap()));
    drop(third.end(None));
    drop(third);
    assert_eq!(world.waiting(), 2);
    let started = world.started();
    drop(world);
    until(|| started.iter().all(|pid| !runs(*pid)));
}

#[test]
fn no_more_are_kept_than_may_wait() {
    let world = World::new(Instances::Persistent, "", "");
    let mut playing: Vec<_> = (0..=KEPT_MAX).map(|_| world.begin("fake")).collect();
    let pids: Vec<_> = playing
        .iter_mut()
        .map(|one| decide(one, 1).unwrap())
        .collect();
    for one in playing {
        ended(one);
    }
    assert_eq!(world.waiting(), KEPT_MAX);
    until(|| pids.iter().filter(|pid| runs(**pid)).count() == KEPT_MAX);
}

#[test]
fn after_anything_odd_a_process_does_not_stay() {
    // It fails in the match: its second process ends with it, too.
    let fails = "[ -e failed ] || { echo >failed; exit 3; };";
    let world = World::new(Instances::Persistent, fails, "");
    let (pid, report) = world.play();
    assert_eq!((report.failed, report.starts), (1, 2), "{report:?}");
    assert_eq!((world.waiting(), runs(pid)), (0, false));
    // It says something while it waits, at once or later.
    for after in ["echo '{\"type\":\"note\",\"note\":1}'", "sleep 0.2; echo x"] {
        let world = World::new(Instances::Persistent, "", after);
        let (first, _) = world.play();
        // Its word must be there, or have been seen already, before the next match begins.
        until(|| {
            let mut room = world.bots.waiting().room.lock();
            room.spares.values_mut().flatten().all(|spare| {
                spare.program.read();
                !spare.program.unheard().is_empty()
            })
        });
        let (second, _) = world.play();
        assert_ne!(first, second, "{after}");
        until(|| !runs(first));
    }
    // It does not say that it is done with the match.
    let world = World::new(Instances::Persistent, "", "exec cat >/dev/null");
    let mut runner = world.begin("fake");
    runner.tell(vec![Line::Plain("{}".to_owned())]);
    let report = ended(runner);
    assert_eq!((report.failed, world.waiting()), (0, 0), "{report:?}");
    assert!(world.started().into_iter().all(|pid| !runs(pid)));
}

#[test]
fn what_died_while_it_waited_is_not_given_a_match() {
    let world = World::new(Instances::Persistent, "", "");
    let (first, _) = world.play();
    let pid = rustix::process::Pid::from_raw(i32::try_from(first).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    until(|| !runs(first));
    let (second, report) = world.play();
    assert_ne!(first, second);
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
}

#[test]
fn nothing_waits_for_a_bot_that_is_gone_or_for_ever() {
    let quick = Duration::from_millis(5);
    for what in ["removed", "newer", "other", "idle"] {
        let idle = if what == "idle" { quick } else { PATIENCE };
        let waiting = Waiting::timed(idle, quick);
        let world = World::timed(Instances::Persistent, ("", ""), waiting);
        let (pid, _) = world.play();
        if what != "idle" {
            assert_eq!((world.waiting(), runs(pid)), (1, true), "{what}");
            world.makes(what);
        }
        until(|| world.waiting() == 0 && !runs(pid));
        // Whoever looked after it has gone; another one comes with the next.
        if what == "newer" {
            world.play();
            assert_eq!(world.waiting(), 1);
        }
    }
}

#[test]
fn whoever_waits_gives_its_place_to_whoever_plays() {
    let world = World::new(Instances::Persistent, "", "");
    let bots = world.bots.clone().at_most(1);
    let world = World { bots, ..world };
    let (first, _) = world.play();
    assert_eq!(world.waiting(), 1);
    let mut other = world.begin("other");
    assert!(decide(&mut other, 1).is_some_and(|pid| pid != first));
    until(|| !runs(first));
    ended(other);
}
