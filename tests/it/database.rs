//! Databases that are large, damaged or on a read-only medium.

use crate::app::{TestApp, block_on, drover, folder, ok, text};
use crate::explain::kept;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MIB: u64 = 1 << 20;

/// Runs statements on a database that no daemon holds; the first column of the last one's first row.
fn alter(store: &Path, statements: &[String]) -> i64 {
    block_on(async {
        let url = format!("sqlite://{}", store.display());
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        let mut found = None;
        for statement in statements {
            let query = sqlx::query_scalar(AssertSqlSafe(statement.clone()));
            found = query.fetch_optional(&mut connection).await.unwrap();
        }
        connection.close().await.unwrap();
        found.unwrap_or_default()
    })
}

/// A database with one short match.
fn made(folder: &Path) -> PathBuf {
    kept("planowanie", &["builtin:random"; 2], &["deals=1 0"], folder).0
}

/// Rows of this many MiB in all, which nobody reads.
fn filled(mib: u64) -> String {
    format!(
        "WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < {mib})
         INSERT INTO dictionaries (game, content) SELECT 'none', zeroblob({MIB}) FROM rows"
    )
}

/// The memory that a process has besides its files and its executable, in bytes, while it can be read.
fn own_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().unwrap() * 1024)
}

#[test]
fn a_large_file_is_shrunk_in_little_memory() {
    let folder = folder();
    let path = made(folder.path());
    let freed = "DELETE FROM dictionaries WHERE id > 96".to_owned();
    alter(&path, &[filled(144), freed]);
    let mut child = drover()
        .args(["db", "migrate"])
        .env("DROVER__STORE__PATH", &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(own_memory(child.id()).unwrap_or_default());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = ok(child.wait_with_output().unwrap());
    assert!(output.contains("bytes given back"), "{output}");
    let size = std::fs::metadata(&path).unwrap().len();
    assert!((96 * MIB..100 * MIB).contains(&size), "{size}");
    assert!(most > MIB && most < 80 * MIB, "{most} bytes of memory");
    let left = std::fs::read_dir(folder.path()).unwrap();
    let mut left = left.map(|file| text(file.unwrap().file_name().as_encoded_bytes()));
    assert!(left.all(|name| name.starts_with("planowanie.db")));
}

#[test]
fn damage_found_after_the_start_is_reported_by_readiness_and_metrics() {
    let folder = folder();
    TestApp::start(folder.path()).stop();
    let path = folder.path().join("drover.db");
    // Too large to be checked before the start.
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'bluffs'".to_owned();
    let page = alter(&path, &[filled(72), root]) as u64;
    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0xA5; 4096], (page - 1) * 4096).unwrap();
    let app = TestApp::start(folder.path());
    let refused = app.get_until("/readyz", |answer| answer.status == 503);
    assert!(refused.body.contains("is damaged"), "{refused:?}");
    assert!(refused.body.contains("db salvage"), "{refused:?}");
    let figures = app.get("/metrics").body;
    assert!(figures.contains("\ndrover_store_damaged 1\n"), "{figures}");
    assert_eq!(app.get("/healthz").status, 200);
    app.stop();
}

#[test]
fn a_database_on_a_read_only_medium_is_salvaged() {
    let (folder, out) = (crate::app::folder(), folder());
    let path = made(folder.path());
    alter(&path, &[filled(1)]);
    let read_only = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"";
    let inside = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c"]);
        command.arg(format!("{read_only} && {then}"));
        command.arg(folder.path()).env("DROVER__STORE__PATH", &path);
        command
    };
    if !inside("true").status().is_ok_and(|status| status.success()) {
        eprintln!("*** NOT TESTED: no file system can be mounted here ***");
        return;
    }
    let mut salvage = inside("exec \"$@\"");
    salvage.arg(drover().get_program()).args(["db", "salvage"]);
    let printed = salvage.arg(out.path().join("out.db")).output().unwrap();
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let printed = text(&printed.stdout);
    assert!(printed.contains("dictionaries: 1 row saved"), "{printed}");
}
