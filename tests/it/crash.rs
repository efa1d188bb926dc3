//! Nothing that was acknowledged is lost, however often the daemon is killed.

use std::process::Command;

#[test]
fn matches_survive_kill_9_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Command::new(env!("CARGO_BIN_EXE_drover"))
        .args([
            "bench",
            "crash",
            "--kills",
            "10",
            "--matches",
            "6",
            "--life-ms-max",
            "800",
        ])
        .args(["--bots", "tuned,face,guide,evolved", "--folder"])
        .arg(folder.path())
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&bench.stdout),
        String::from_utf8_lossy(&bench.stderr),
    );
    assert!(bench.status.success(), "{out}\n{err}");
    let figure = |name: &str| -> u64 {
        let line = out.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().parse().unwrap()
    };
    assert_eq!(figure("kills"), 10);
    assert!(figure("matches finished") >= 6, "{out}");
    assert!(figure("callbacks acknowledged") > 1_000, "{out}");
    for none in [
        "matches not finished",
        "callbacks unanswered",
        "acknowledged but missing",
        "differences in db verify",
    ] {
        assert_eq!(figure(none), 0, "{out}");
    }
    let left: Vec<_> = folder.path().read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
