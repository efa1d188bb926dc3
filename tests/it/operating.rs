//! What an operator sees and may do: logs, figures, early signals, broken pipes, foreign folders.

use crate::app::{
    TestApp, WITH_REFEREE, after, connected, drover, folder, free_address, request, serve, set,
    text, try_request, until, verified, wait,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};
use rustix::fs::{Mode, OFlags};
use sqlx::{Connection as _, SqliteConnection};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Begins a session of its own.
fn begin(app: &TestApp, market: u32) {
    let path = format!("/koehandel/filler?market={market}&id=1&type=begin");
    assert_eq!(app.call(&path).status, 200);
}

#[test]
fn a_log_that_nobody_takes_costs_its_lines_alone() {
    let broken = "mkfifo \"$LOG\" && exec 3<>\"$LOG\" 2>\"$LOG\" 3<&-";
    for script in ["exec 2>/dev/full", broken] {
        let folder = folder();
        let mut command = after(&serve(folder.path()), script);
        command.env("LOG", folder.path().join("log"));
        let app = TestApp::spawn(command, folder.path());
        (1..=3).for_each(|market| begin(&app, market));
        app.stop();
        assert!(verified(&folder.path().join("drover.db")).contains("3 matches"));
    }
    // Nor is a failure another one because nobody receives it.
    let mut command = drover();
    command.args(["--config", "/no/such/file", "serve"]);
    let ended = after(&command, "exec 2>/dev/full").status().unwrap();
    assert_eq!(ended.code(), Some(2));
}

#[test]
fn a_log_that_is_stuck_costs_its_lines_alone() {
    let folder = folder();
    let path = folder.path().join("log");
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    // A pipe that is full, and whose reader does not read.
    let open = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut pipe = File::from(rustix::fs::open(&path, open, Mode::empty()).unwrap());
    for part in [4096, 1] {
        while pipe.write(&vec![b'x'; part]).is_ok() {}
    }
    let mut command = serve(folder.path());
    command.env("LOG", &path);
    let app = TestApp::spawn(after(&command, "exec 2>\"$LOG\""), folder.path());
    (1..=3).for_each(|market| begin(&app, market));
    assert_eq!(app.get("/healthz").status, 200);
    let figures = app.get("/metrics").body;
    assert!(
        figures.contains("\ndrover_log_lines_dropped_total "),
        "{figures}"
    );
    app.stop();
    verified(&folder.path().join("drover.db"));
}

#[test]
fn the_last_lines_are_written_before_the_end() {
    let folder = folder();
    TestApp::start(folder.path()).stop();
    let files = std::fs::read_dir(folder.path()).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    let is_log = |path: &PathBuf| path.to_string_lossy().contains("/log-");
    let log = std::fs::read_to_string(paths.find(is_log).unwrap()).unwrap();
    assert!(log.trim_end().ends_with("stopped"), "{log}");
}

#[test]
fn it_goes_on_if_nobody_reads_where_it_listens() {
    let folder = folder();
    let api = free_address();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = drover();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]);
    command
        .arg(folder.path())
        .args(["--api-listen", &api.to_string()]);
    let mut child = command
        .stdout(writer)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended");
        try_request(api, "GET", "/readyz", &[], "").is_ok_and(|answer| answer.status == 200)
    });
    assert!(terminated(child));
}

/// Sends SIGTERM; whether it ends well.
fn terminated(child: Child) -> bool {
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    wait(child).success()
}

#[test]
fn a_signal_before_the_start_has_ended_is_obeyed() {
    let folder = folder();
    // A secret that does not come: the configuration is never read to its end.
    let fifo = folder.path().join("token");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let mut command = serve(folder.path());
    command.env("DROVER__API__TOKEN_FILE", &fifo);
    let child = command.stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    until(|| {
        let status = std::fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        caught & (1 << (Signal::SIGTERM as u32 - 1)) != 0
    });
    assert!(terminated(child), "while the configuration is read");

    // A database that somebody else works on: it waits for it.
    let folder = crate::app::folder();
    TestApp::start(folder.path()).stop();
    let path = folder.path().join("drover.db");
    std::fs::write(path.with_extension("db.lock"), "").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = format!("sqlite://{}", path.display());
    let mut other = runtime.block_on(SqliteConnection::connect(&url)).unwrap();
    let held = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    runtime
        .block_on(sqlx::raw_sql(held).execute(&mut other))
        .unwrap();
    let child = serve(folder.path()).stderr(Stdio::null()).spawn().unwrap();
    let lock = path.with_extension("db.lock");
    until(|| std::fs::metadata(&lock).unwrap().len() > 0);
    assert!(terminated(child), "while the database is opened");
    runtime.block_on(other.close()).unwrap();
}

#[test]
fn what_belongs_to_somebody_else_is_refused_with_a_hint() {
    const USER: u32 = 10_001;
    let root = Uid::effective().is_root();
    let user = if root {
        USER
    } else {
        Uid::effective().as_raw()
    };
    let try_in = |folder: &Path| {
        let mut command = serve(folder);
        if root {
            command.uid(USER).gid(USER);
        }
        match command.output() {
            Ok(output) if output.status.code() == Some(1) => Some(text(&output.stderr)),
            Ok(output) => panic!("{output:?}"),
            Err(why) => {
                eprintln!("*** NOT TESTED: another user cannot start the executable: {why} ***");
                None
            }
        }
    };
    let hinted = |message: &str, expected: &str| {
        assert!(message.contains(expected), "{message}");
        assert!(
            !message.contains("chown") && !message.contains("-R"),
            "{message}"
        );
    };
    let foreign = |path: &Path| {
        let path = path.display();
        format!(
            "cannot use {path}: it belongs to user 0, and drover runs as user {user}: run drover as user 0, or name \
             a database in a folder of user {user}"
        )
    };
    let Some(message) = try_in(Path::new("/")) else {
        return;
    };
    hinted(&message, &foreign(Path::new("/")));
    for missing in ["/none/such", "/var/lib/none", "/none"] {
        let message = try_in(Path::new(missing)).unwrap();
        let create = format!("create it as root (install -d -m 700 -o {user} {missing})");
        hinted(
            &message,
            &format!("the folder {missing} of the database is missing"),
        );
        hinted(&message, &create);
    }
    if root {
        // A folder that everybody may write, with a database that they may not.
        let folder = folder();
        TestApp::start(folder.path()).stop();
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder.path(), everybody).unwrap();
        std::fs::remove_file(folder.path().join("drover.db.lock")).unwrap();
        let message = try_in(folder.path()).unwrap();
        hinted(&message, &foreign(&folder.path().join("drover.db")));
        // One in which nothing may be looked for.
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(folder.path(), closed).unwrap();
        let message = try_in(&folder.path().join("inner")).unwrap();
        hinted(&message, &foreign(folder.path()));
    }
}

#[test]
fn the_figures_are_in_order() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    begin(&app, 1);
    let sized = |figures: &str, name, file| {
        let length = std::fs::metadata(folder.path().join(file)).unwrap().len();
        figures.contains(&format!("\ndrover_store_{name}_bytes {length}\n"))
    };
    // The disk is looked at now and then.
    let figures = app.get_until("/metrics", |answer| {
        sized(&answer.body, "database", "drover.db") && sized(&answer.body, "wal", "drover.db-wal")
    });
    let figures = figures.body;
    let value = |name: &str| -> f64 {
        let line = figures.lines().find_map(|line| line.strip_prefix(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{figures}"));
        line.trim().parse().unwrap()
    };
    let megabyte = f64::from(1 << 20);
    for name in [
        "process_resident_memory_bytes ",
        "drover_store_disk_free_bytes ",
    ] {
        assert!(value(name) > megabyte, "{name}");
    }
    assert!(value("process_virtual_memory_bytes ") >= value("process_resident_memory_bytes "));
    assert!(value("process_cpu_seconds_total ") > 0.0);
    assert!(value("process_threads ") > 2.0);
    let (open, most) = (value("process_open_fds "), value("process_max_fds "));
    assert!(open > 5.0 && open < most, "{open} of {most}");
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let age_s = now.as_secs_f64() - value("process_start_time_seconds ");
    assert!((0.0..3600.0).contains(&age_s), "{age_s}");
    assert_eq!(
        value("drover_store_batch_appends_bucket{le=\"+Inf\"} "),
        value("drover_store_batch_appends_count ")
    );
    assert!(value("drover_store_batch_appends_sum ") >= 1.0);
    sound(&figures);
    app.kill();
}

/// Every sample belongs to a family with a type and a help text, and only histograms have buckets.
fn sound(figures: &str) {
    let mut kinds = BTreeMap::new();
    let word = |line: &str| line.split([' ', '{']).next().unwrap().to_owned();
    for line in figures
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
    {
        let (name, kind) = line.split_once(' ').unwrap();
        assert_eq!(
            kinds.insert(name.to_owned(), kind.to_owned()),
            None,
            "{name} twice"
        );
        assert!(
            figures.contains(&format!("# HELP {name} ")),
            "{name} has no help"
        );
    }
    let samples = figures
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for sample in samples {
        let name = word(sample);
        let of_histogram = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .filter(|family| kinds.contains_key(*family));
        let kind = &kinds[of_histogram.unwrap_or(&name)];
        assert_eq!(of_histogram.is_some(), kind == "histogram", "{sample}");
        assert_eq!(
            name.ends_with("_bucket"),
            sample.contains("le=\""),
            "{sample}"
        );
        assert_eq!(name.ends_with("_total"), kind == "counter", "{sample}");
    }
    let promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    // The gate says so where there is none.
    let Ok(mut promtool) = promtool else { return };
    let mut input = promtool.stdin.take().unwrap();
    input.write_all(figures.as_bytes()).unwrap();
    drop(input);
    let output = promtool.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

#[test]
fn the_log_reports_matches_refusals_and_hubs() {
    let folder = folder();
    let (hub, nobody) = (free_address(), free_address());
    let file = folder.path().join("drover.toml");
    let section =
        |address| format!("[[hub]]\naddress = \"{address}\"\nhub = \"solo\"\nbot = \"stand\"\n");
    std::fs::write(&file, section(hub) + &section(nobody)).unwrap();
    let hub = hub.to_string();
    let settings = [
        WITH_REFEREE,
        ("DRAIN__LIMIT_S", "0"),
        ("REFEREE__SMARTDOG__LISTEN", &*hub),
    ];
    let mut command = set(serve(folder.path()), &settings);
    command.arg("--config").arg(&file);
    let app = TestApp::spawn(command, folder.path());
    let url = format!("http://{}/koehandel/random", app.callbacks);
    connected(app.referee.unwrap(), &format!("/?connect&url1={url}"));
    let found = |words: &[&str]| {
        let log = app.log();
        let lines = log
            .lines()
            .filter(|line| words.iter().all(|word| line.contains(word)));
        lines.count()
    };
    for words in [
        &["INFO", "a match begins"][..],
        &["INFO", "a session begins", "koehandel", "random"],
        &["INFO", "a session ended", "cause=\"normal\""],
        &["INFO", "a match ended", "cause=\"normal\""],
        &["INFO", "a hub is up", &hub],
        &["WARN", "a hub is down", &nobody.to_string()],
    ] {
        until(|| found(words) > 0);
    }
    for _ in 0..20 {
        let lost = request(app.callbacks, "GET", "/nogame/nobody?a=1", &[], "");
        assert_eq!(lost.status, 404);
    }
    let refused = ["INFO", "refused", "by=\"callbacks\"", "Not Found"];
    until(|| found(&refused) > 0);
    let refusals = found(&refused);
    assert!(
        (1..=3).contains(&refusals),
        "{refusals} lines of 20 refusals"
    );
    app.stop();
}
