//! What is shipped around the executable: units, container, their settings.

use crate::app::{TestApp, drover, folder, ok, request, run, run_with, text};
use std::path::Path;

const DOCKERFILE: &str = include_str!("../../Dockerfile");
const COMPOSE: &str = include_str!("../../deploy/compose.yaml");
const STATEFUL: &str = include_str!("../../deploy/kubernetes/single/statefulset.yaml");
const SERVICE: &str = include_str!("../../deploy/drover.service");
const SHIMS: &str = include_str!("../../deploy/shims.conf");
const PACKAGE: &str = include_str!("../../deploy/debian/package.conf");
const BOTS: &str = include_str!("../../deploy/bots.conf");
const DOCKERFILE_BOTS: &str = include_str!("../../deploy/Dockerfile.bots");

/// Every `DROVER__KEY` with the value that follows it, wherever a file sets it.
fn settings(file: &str) -> Vec<(String, String)> {
    let set = |line: &str| -> Vec<(String, String)> {
        let line = line.split('#').next().unwrap_or_default();
        let at = line.match_indices("DROVER__").map(|(at, _)| at);
        let pair = |at: usize| {
            let rest = &line[at..];
            let end = rest.find(|letter: char| !(letter.is_ascii_uppercase() || letter == '_'))?;
            let value = rest[end..].trim_start_matches(['=', ':', ' ']);
            let value = value.split_whitespace().next()?.trim_matches('"');
            Some((rest[..end].to_owned(), value.to_owned()))
        };
        at.filter_map(pair).collect()
    };
    // A manifest of Kubernetes has the value on the next line.
    let file = file.replace("\n              value: ", ": ");
    file.lines().flat_map(set).collect()
}

fn here(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn every_setting_that_is_shipped_exists() {
    let folder = folder();
    let token = folder.path().join("token");
    std::fs::write(&token, "open sesame").unwrap();
    for (name, file) in [
        ("Dockerfile", DOCKERFILE),
        ("compose", COMPOSE),
        ("stateful", STATEFUL),
        ("service", SERVICE),
        ("shims", SHIMS),
        ("bots", BOTS),
        ("Dockerfile.bots", DOCKERFILE_BOTS),
    ] {
        let settings = settings(file);
        assert!(!settings.is_empty(), "{name} sets nothing");
        let mut command = drover();
        command.args(["config", "check"]);
        for (key, value) in &settings {
            let value = if key.ends_with("_FILE") {
                token.to_str().unwrap()
            } else {
                value
            };
            command.env(key, value);
        }
        ok(command.output().unwrap());
    }
}

#[test]
fn the_secret_path_can_be_switched_on_where_it_is_deployed() {
    let folder = folder();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "c2VjcmV0-_x\n").unwrap();
    let key = "DROVER__CALLBACKS__SECRET_PATH_FILE";
    for file in [COMPOSE, SERVICE] {
        assert!(file.contains(key), "{file}");
    }
    assert!(here(".dockerignore").contains("deploy/secret_path"));
    let shown = ok(run_with(key, &secret, &["config", "show"]));
    assert!(shown.contains("secret_path = \"***\""), "{shown}");
}

#[test]
fn the_container_is_started_as_its_file_says() {
    let folder = folder();
    let line = |start: &str| {
        let found = DOCKERFILE
            .lines()
            .find_map(|line| line.split_once(start).map(|(_, rest)| rest.trim()));
        found.unwrap_or_else(|| panic!("no {start}"))
    };
    let words = |json: &str| serde_json::from_str::<Vec<String>>(json).expect("the exec form");
    assert_eq!(words(line("ENTRYPOINT")), ["/drover"]);
    assert_eq!(
        words(
            DOCKERFILE
                .lines()
                .last()
                .unwrap()
                .strip_prefix("CMD ")
                .unwrap()
        ),
        ["serve"]
    );
    assert_eq!(words(line("--retries=3 CMD")), ["/drover", "health"]);
    let user = line("USER ");
    assert!(
        user.split(':').all(|id| id.parse::<u32>().unwrap() > 0),
        "not root: {user}"
    );
    assert_eq!(line("VOLUME "), "/data");

    let mut command = drover();
    command.args(["serve", "--demo"]);
    command.env("DROVER__DRAIN__LIMIT_S", "1");
    for (key, value) in settings(DOCKERFILE) {
        let moved = value
            .replace("/data", folder.path().to_str().unwrap())
            .replace(":8080", ":0")
            .replace(":8081", ":0");
        command.env(key, moved);
    }
    let app = TestApp::spawn(command, folder.path());
    assert!(folder.path().join("drover.db").is_file());
    assert!(folder.path().join("api_token").is_file());
    assert_eq!(app.get("/api/v1/bots").status, 401);
    // The demo's referee is reached from outside, as REST is.
    let referee = app.referee.unwrap();
    assert!(referee.ip().is_unspecified(), "{referee}");
    assert_eq!(request(referee, "GET", "/", &[], "").status, 200);
    let mut health = drover();
    health.env("DROVER__API__LISTEN", app.api.to_string());
    health.env(
        "DROVER__API__FIRST_TOKEN_FILE",
        folder.path().join("api_token"),
    );
    ok(health.arg("health").output().unwrap());
    app.stop();
}

#[test]
fn the_image_for_bots_is_the_image_with_python() {
    let lines = |file: &'static str, start: &'static str| -> Vec<&str> {
        let found = file
            .lines()
            .filter(move |line| line.trim().starts_with(start));
        found.collect()
    };
    for start in [
        "USER ",
        "VOLUME ",
        "WORKDIR ",
        "EXPOSE ",
        "STOPSIGNAL ",
        "HEALTHCHECK ",
        "ENTRYPOINT ",
        "CMD ",
    ] {
        let (own, theirs) = (lines(DOCKERFILE_BOTS, start), lines(DOCKERFILE, start));
        // The image's own last stage counts.
        let last = theirs.last();
        assert!(
            !own.is_empty() && own.last() == last,
            "{start}: {own:?} {theirs:?}"
        );
    }
    // What is copied is there.
    assert!(DOCKERFILE.contains("/out/image/drover") && DOCKERFILE.contains("/out/image/licenses"));
    // The guide has it for those who have the image alone.
    let whole = &DOCKERFILE_BOTS[DOCKERFILE_BOTS.find("ARG DROVER").unwrap()..];
    assert!(here("docs/koehandel-container.md").contains(whole));
    let own = settings(DOCKERFILE_BOTS);
    for setting in settings(DOCKERFILE) {
        assert!(own.contains(&setting), "{setting:?}");
    }
}

/// The unit forbids what protects from users' programs; the drop-in allows it again.
#[test]
fn the_drop_in_for_bots_allows_what_the_unit_forbids() {
    for (key, forbidden, allowed) in [
        ("MemoryDenyWriteExecute=", "yes", "no"),
        ("RestrictNamespaces=", "yes", "user pid mnt net ipc"),
        ("ProtectHome=", "yes", "read-only"),
        ("ProcSubset=", "pid", "all"),
    ] {
        let value = |file: &'static str| file.lines().find_map(|line| line.strip_prefix(key));
        assert_eq!(value(SERVICE), Some(forbidden), "{key}");
        assert_eq!(value(BOTS), Some(allowed), "{key}");
    }
    let calls: Vec<&str> = BOTS
        .lines()
        .filter_map(|line| line.strip_prefix("SystemCallFilter="))
        .flat_map(str::split_whitespace)
        .collect();
    for call in [
        "@mount",
        "capset",
        "landlock_create_ruleset",
        "landlock_add_rule",
        "landlock_restrict_self",
        "seccomp",
    ] {
        assert!(calls.contains(&call), "{call} in {calls:?}");
    }
}

#[test]
fn the_stop_limits_fit() {
    let limit: u64 = here("config/drover.toml")
        .lines()
        .find_map(|line| line.strip_prefix("limit_s = "))
        .and_then(|value| value.parse().ok())
        .unwrap();
    let stop = |file: &str, key: &str| -> u64 {
        let found = file.lines().find_map(|line| line.trim().strip_prefix(key));
        found.unwrap().trim_matches([' ', 's']).parse().unwrap()
    };
    assert!(stop(SERVICE, "TimeoutStopSec=") > limit);
    assert!(stop(COMPOSE, "stop_grace_period:") > limit);
    assert!(stop(STATEFUL, "terminationGracePeriodSeconds:") > limit);
    let replicas = here("deploy/replicas.yaml");
    assert!(stop(&replicas, "stop_grace_period:") > limit);
    let replicas = here("deploy/kubernetes/replicas/replicas.yaml");
    let before = stop(&replicas, "seconds:");
    assert!(stop(&replicas, "terminationGracePeriodSeconds:") > before + limit);
}

#[test]
fn the_manual_has_a_page_for_each_verb_that_help_shows() {
    let folder = folder();
    let path = folder.path().join("man");
    ok(run(&["manual", path.to_str().unwrap()]));
    let page = |name: &str| std::fs::read_to_string(path.join(name)).unwrap_or_default();
    assert!(
        page("drover.1").contains(".TH drover"),
        "{}",
        page("drover.1")
    );
    let help = ok(run(&["help"]));
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs = verbs.take_while(|line| !line.is_empty());
    // Long meanings go on in further lines.
    let verbs = verbs.filter_map(|line| line.strip_prefix("  "));
    let verbs = verbs.filter_map(|line| line.split(' ').next());
    let verbs: Vec<&str> = verbs.filter(|verb| !verb.is_empty()).collect();
    assert!(
        verbs.contains(&"serve") && !verbs.contains(&"manual"),
        "{verbs:?}"
    );
    for verb in verbs.iter().filter(|verb| **verb != "help") {
        let name = format!("drover-{verb}.1");
        assert!(page(&name).contains("\n.SH SYNOPSIS"), "{name}");
    }
}

/// What the Debian package takes from the source is there, and its file of settings holds.
#[test]
fn the_debian_package_has_its_parts() {
    let manifest: toml::Table = here("Cargo.toml").parse().unwrap();
    let package = &manifest["package"]["metadata"]["deb"];
    let assets = package["assets"].as_array().unwrap();
    let sources = assets.iter().map(|asset| asset[0].as_str().unwrap());
    let own: Vec<&str> = sources
        .filter(|path| !path.starts_with("target/"))
        .collect();
    assert!(own.contains(&"deploy/debian/drover.toml"), "{own:?}");
    let exists = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path.trim_end_matches("*.toml"));
        path.exists()
    };
    assert!(own.iter().all(|path| exists(path)), "{own:?}");
    // Who has installed it has no such folder.
    for file in [SERVICE, SHIMS, BOTS, PACKAGE] {
        assert!(!file.contains("deploy/"), "{file}");
    }
    let conf_files = package["conf-files"].as_array().unwrap();
    let named = |line: &&str| line.contains(conf_files[0].as_str().unwrap());
    assert_eq!(
        here("deploy/debian/package.conf")
            .lines()
            .filter(named)
            .count(),
        1
    );
    let file = here("deploy/debian/drover.toml");
    for text in [
        file.clone(),
        file.replace("# [", "[")
            .replace("# first_token", "first_token")
            .replace("# listen", "listen"),
    ] {
        let folder = folder();
        let path = folder.path().join("drover.toml");
        std::fs::write(&path, text).unwrap();
        ok(run(&["config", "check", path.to_str().unwrap()]));
    }
}

#[test]
fn the_units_pass_systemds_own_check() {
    let there = std::process::Command::new("systemd-analyze")
        .arg("--version")
        .output();
    if !there.is_ok_and(|output| output.status.success()) {
        return;
    }
    let folder = folder();
    let own = env!("CARGO_BIN_EXE_drover");
    let service = folder.path().join("drover.service");
    std::fs::write(&service, SERVICE.replace("/usr/bin/drover", own)).unwrap();
    std::fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/drover.socket"),
        folder.path().join("drover.socket"),
    )
    .unwrap();
    let drop_in = folder.path().join("drover.service.d");
    std::fs::create_dir(&drop_in).unwrap();
    std::fs::write(drop_in.join("shims.conf"), SHIMS).unwrap();
    std::fs::write(drop_in.join("bots.conf"), BOTS).unwrap();
    std::fs::write(drop_in.join("package.conf"), PACKAGE).unwrap();
    let output = std::process::Command::new("systemd-analyze")
        .arg("verify")
        .arg(&service)
        .output()
        .unwrap();
    let message = text(&output.stderr);
    let ours: Vec<&str> = message
        .lines()
        .filter(|line| line.contains("drover"))
        .collect();
    assert_eq!(ours, Vec::<&str>::new());
}
