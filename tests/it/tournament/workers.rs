//! Matches on many workers: the results are those of one process, whichever of them ends.

use super::earned::{FIRST_ACT, added, cup};
use super::{CUP, files_of, tournament};
use crate::app::{block_on, drover, folder, ok, refused, until};
use crate::bots::is_there;
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The matches and the rounds of a run of this file without workers.
fn alone(file: &str) -> (String, String) {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    ok(tournament(folder.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    files_of(folder.path())
}

/// Runs the file with workers, killed ever later and resumed.
fn run_with_kills(folder: &Path) -> u32 {
    let mut kills = 0;
    loop {
        let list = tournament(folder, "list", &[]).output().unwrap();
        let verb = match list.stdout.iter().filter(|byte| **byte == b'\n').count() > 1 {
            true => "resume",
            false => "run",
        };
        let mut run = tournament(folder, verb, &["cup.toml", "--workers"]);
        let mut run = run
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(300 + 200 * u64::from(kills)) {
            if let Some(status) = run.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return kills;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        kills += 1;
        assert!(kills < 60, "it never comes to its end");
        run.kill().unwrap();
        run.wait().unwrap();
    }
}

/// Runs a file with a worker, whole and killed again and again: both give the results of a run without workers.
fn is_played_alike(file: &str) {
    let expected = alone(file);
    let (whole, broken) = (folder(), folder());
    for folder in [&whole, &broken] {
        fs::write(folder.path().join("cup.toml"), file).unwrap();
    }
    let said = tournament(whole.path(), "run", &["cup.toml", "--workers"]).output();
    let said = ok(said.unwrap());
    assert!(said.contains("over: all rounds are played"), "{said}");
    assert_eq!(files_of(whole.path()), expected);
    run_with_kills(broken.path());
    assert_eq!(files_of(broken.path()), expected);
    // What one begins the other goes on with.
    for folder in [&whole, &broken] {
        let database = folder.path().join("tournament.db");
        assert!(crate::app::verified(&database).contains("in order"));
    }
}

#[test]
fn a_worker_in_the_process_of_a_run_plays_what_the_run_would_have_played() {
    is_played_alike(CUP);
}

#[test]
fn what_workers_cannot_play_is_refused_before_anything_is_stored() {
    let folder = folder();
    let program = "run = [\"cat\"]\nenv = { KEY = \"1\" }";
    let file = CUP.replacen("player = \"builtin:rules\"", program, 1);
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let said = tournament(folder.path(), "run", &["cup.toml", "--workers"]).output();
    let said = refused(said.unwrap(), 2);
    assert!(said.contains("env is kept from workers"), "{said}");
    assert!(!folder.path().join("tournament.db").exists());
    let said = refused(drover().arg("worker").output().unwrap(), 2);
    assert!(said.contains("is a file, which one process has"), "{said}");
}

/// A new database of the server.
fn database(name: &str) -> String {
    let server = std::env::var("DROVER_TEST_SERVER").expect("DROVER_TEST_SERVER");
    execute(
        &format!("{server}/postgres"),
        format!("CREATE DATABASE {name}"),
    );
    format!("{server}/{name}")
}

fn execute(database: &str, statement: String) {
    block_on(async {
        let mut connection = PgConnection::connect(database).await.unwrap();
        let made = sqlx::raw_sql(AssertSqlSafe(statement));
        made.execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    });
}

fn worker(database: &str) -> Command {
    let mut command = drover();
    command.args(["worker", "--store", database, "--concurrency", "2"]);
    command
}

/// A process that is killed at the end.
pub(super) struct Running(pub(super) Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(silent.spawn().unwrap())
    }

    fn worker(database: &str) -> Self {
        Self::start(&mut worker(database))
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.0.id() as i32), signal).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The matches of a database's newest tournament, a line each.
fn lines_in(folder: &Path, database: &str) -> Vec<String> {
    let lines = ["--output", "lines", "--store", database];
    let lines = tournament(folder, "export", &lines).output().unwrap();
    let lines = String::from_utf8(lines.stdout).unwrap();
    lines.lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
fn workers_of_a_server_that_are_killed_stopped_and_drained_play_what_one_process_plays() {
    let file = CUP.replace("rounds = 8", "rounds = 40");
    let (expected, _) = alone(&file);
    let (folder, database) = (folder(), database("workers"));
    fs::write(folder.path().join("cup.toml"), &file).unwrap();
    let run = |verb| {
        let more = ["cup.toml", "--workers", "--store", &database];
        tournament(folder.path(), verb, &more)
    };
    let played = |more: usize| {
        let enough = lines_in(folder.path(), &database).len() + more;
        until(|| lines_in(folder.path(), &database).len() >= enough);
    };
    let organiser = Running::start(&mut run("run"));
    let (killed, paused, drained) = (
        Running::worker(&database),
        Running::worker(&database),
        Running::worker(&database),
    );
    played(10);
    drop(killed);
    // So long that its claims lapse, and it goes on as if nothing had happened.
    paused.signal(Signal::SIGSTOP);
    drained.signal(Signal::SIGTERM);
    drop(organiser);
    let mut drained = drained;
    until(|| drained.0.try_wait().unwrap().is_some());
    assert!(drained.0.wait().unwrap().success());
    let other = Running::worker(&database);
    let resumed = std::thread::scope(|scope| {
        let resumed = scope.spawn(|| run("resume").output().unwrap());
        std::thread::sleep(Duration::from_secs(12));
        paused.signal(Signal::SIGCONT);
        resumed.join().unwrap()
    });
    let said = ok(resumed);
    assert!(said.contains("over: all rounds are played"), "{said}");
    drop(other);
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(lines_in(folder.path(), &database), expected);
    let mut verify = drover();
    verify.env("DROVER__STORE__URL", &database);
    let said = ok(verify.args(["db", "verify"]).output().unwrap());
    assert!(said.contains("in order"), "{said}");
}

/// Whether a bot was fetched into this folder, to the end.
fn has_fetched(folder: &Path) -> bool {
    let fetched = fs::read_dir(folder.join("data/bots/.carried"));
    let mut fetched = fetched.into_iter().flatten().flatten();
    fetched.any(|one| one.path().join(".whole").exists())
}

/// What its build has written into a file of the bot that was fetched into this folder.
fn built(folder: &Path, name: &str) -> String {
    let fetched = fs::read_dir(folder.join("data/bots/.carried")).unwrap();
    let fetched = fetched.map(|entry| entry.unwrap().path());
    let fetched: Vec<_> = fetched.collect();
    let [one] = &*fetched else {
        panic!("{fetched:?}")
    };
    fs::read_to_string(one.join("mine/1").join(name)).unwrap()
}

#[test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
fn workers_of_a_server_fetch_users_bots_and_build_them_in_a_sandbox() {
    if !is_there("python3") {
        return;
    }
    let (own, database) = (folder(), database("carried"));
    let secret = own.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let build = format!(
        "cat {} > leaked; env > variables; cat /proc/sys/kernel/random/uuid > made; touch ../../../left; true",
        secret.display()
    );
    let build = format!("build = [\"sh\", \"-c\", {build:?}]\n");
    added(own.path(), "mine", ("", FIRST_ACT), &build);
    let bots = [
        "bot:mine",
        "builtin:guide",
        "builtin:face",
        "builtin:random",
    ];
    let entrants: Vec<_> = ["A", "B", "C", "D"].into_iter().zip(bots).collect();
    cup(own.path(), 3, &entrants);
    let file = own.path().join("cup.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("seed = 1099511627777\n{text}")).unwrap();
    ok(tournament(own.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    let (expected, _) = files_of(own.path());
    let expected: Vec<&str> = expected.lines().collect();
    // What the organiser has built is for all machines like that; without it, one of them builds it for the others.
    let own_build = own.path().join("data/bots/mine/1");
    let (mut made, mut killed) = (Vec::new(), None);
    for number in 0..2 {
        let workers = [killed.take().unwrap_or_else(folder), folder()];
        let running = workers.each_ref().map(|folder| {
            let mut worker = worker(&database);
            Running::start(
                worker
                    .current_dir(folder.path())
                    .env("DROVER__API__TOKEN", "x".repeat(32)),
            )
        });
        let run = ["cup.toml", "--again", "--workers", "--store", &database];
        let said = ok(tournament(own.path(), "run", &run).output().unwrap());
        assert!(said.contains("over: all rounds are played"), "{said}");
        assert_eq!(lines_in(own.path(), &database), expected);
        drop(running);
        let fetched: Vec<_> = workers
            .iter()
            .filter(|folder| has_fetched(folder.path()))
            .collect();
        assert!(!fetched.is_empty());
        made.push(
            fetched
                .iter()
                .map(|folder| built(folder.path(), "made"))
                .collect::<Vec<_>>(),
        );
        assert!(
            made[number].iter().all(|one| *one == made[number][0]),
            "{made:?}"
        );
        let is_own = number == 0;
        assert_eq!(built(fetched[0].path(), "leaked") == "secret", is_own);
        assert!(!built(fetched[0].path(), "variables").contains("DROVER__API__TOKEN"));
        let left = fetched[0].path().join("data/bots/.carried");
        assert!(!left.join("left").exists() && !left.parent().unwrap().join("left").exists());
        // What lies there now is in no archive.
        let shared = "DELETE FROM archives WHERE platform <> ''";
        execute(&database, shared.to_owned());
        let _ = mkfifo(&own_build.join("pipe"), Mode::S_IRWXU);
        // One that is killed before it has shared its build does not play with it later.
        let is_cut = |folder: &tempfile::TempDir| {
            let all = fs::read_dir(folder.path().join("data/bots/.carried"));
            let mut all = all.into_iter().flatten().flatten();
            all.any(|one| fs::remove_file(one.path().join(".whole")).is_ok())
        };
        killed = workers.into_iter().find(is_cut);
        assert!(killed.is_some());
    }
    assert_ne!(made[0][0], made[1][0]);
    let own_build = fs::read_to_string(own_build.join("made")).unwrap();
    assert_eq!(made[0][0], own_build);
}

/// What takes long and is not part of every gate.
mod long {
    use super::super::LEARNERS;
    use super::is_played_alike;

    #[test]
    #[ignore = "takes long: ./test.sh --long"]
    fn a_worker_teaches_bots_that_learn_what_the_run_would_have_taught_them() {
        is_played_alike(LEARNERS);
    }
}
