//! The configuration: its file, its layers, and what it says of mistakes.

use crate::app::folder;
use drover::config::{
    ConfigError, Durability, Environment, Loaded, check_file, keys, load, show, template,
};
use serde_json::json;
use std::path::{Path, PathBuf};

const SHIPPED: &str = include_str!("../../config/drover.toml");

/// Variables of the environment, without their common prefix.
fn variables(set: &[(&str, &str)]) -> Environment {
    let named = |(name, value): &(&str, &str)| (format!("DROVER__{name}"), (*value).to_owned());
    set.iter().map(named).collect()
}

/// What holds over the defaults with these variables.
fn with(set: &[(&str, &str)]) -> Result<Loaded, ConfigError> {
    load(None, &variables(set), &Vec::new())
}

/// Reads a file with this text; where it lies is forgotten.
fn read(text: &str) -> Result<Loaded, ConfigError> {
    let folder = folder();
    let path = file(folder.path(), text);
    let mut loaded = check_file(&path)?;
    assert_eq!(loaded.config.file.take(), Some(path));
    Ok(loaded)
}

fn file(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("drover.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// What a file's mistake is told as, without the folder's name.
fn told(text: &str) -> String {
    let folder = folder();
    let error = check_file(&file(folder.path(), text)).expect_err(text);
    error
        .to_string()
        .replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn the_shipped_file_is_the_defaults() {
    assert_eq!(
        SHIPPED,
        template(),
        "make it anew: drover config init > config/drover.toml"
    );
    assert_eq!(read(SHIPPED).unwrap().config, with(&[]).unwrap().config);
    let table: toml::Table = SHIPPED.parse().unwrap();
    for key in keys() {
        let mut at = Some(&toml::Value::Table(table.clone())).cloned();
        if key.path == "api.token" {
            assert!(
                SHIPPED.contains("\n# token = \"\"\n"),
                "set and empty is refused"
            );
            continue;
        }
        for part in key.path.split('.') {
            at = at.and_then(|value| value.get(part).cloned());
        }
        let stated: toml::Table = format!("value = {}", key.default).parse().unwrap();
        assert_eq!(at.as_ref(), stated.get("value"), "{}", key.path);
    }
}

#[test]
fn later_layers_win() {
    let folder = folder();
    let path = file(
        folder.path(),
        "[callbacks]\nmargin_ms = 100\nidle_limit_s = 5\nsessions_max = 7\n",
    );
    let set = [
        ("CALLBACKS__IDLE_LIMIT_S", "6"),
        ("CALLBACKS__SESSIONS_MAX", "8"),
    ];
    let mut environment = variables(&set);
    environment.push(("PATH".into(), "/bin".into()));
    let flags = vec![("--sessions", "callbacks.sessions_max", "9".to_owned())];
    let loaded = load(Some(&path), &environment, &flags).unwrap();
    let callbacks = &loaded.config.callbacks;
    assert_eq!(callbacks.margin.as_millis(), 100);
    assert_eq!(callbacks.idle_limit.as_secs(), 6);
    assert_eq!(callbacks.sessions_max, 9);
    assert_eq!(callbacks.hibernate_after.as_secs(), 60);
    let shown = show(&loaded);
    for line in [
        format!("margin_ms = 100  # {}, line 2", path.display()),
        "idle_limit_s = 6  # environment variable DROVER__CALLBACKS__IDLE_LIMIT_S".to_owned(),
        "sessions_max = 9  # flag --sessions".to_owned(),
        "hibernate_after_s = 60  # default".to_owned(),
    ] {
        assert!(
            shown.lines().any(|shown| shown == line),
            "{line} is not in\n{shown}"
        );
    }
}

#[test]
fn what_is_shown_can_be_read_again() {
    let loaded = with(&[
        ("STORE__DURABILITY", "process"),
        ("CALLBACKS__TRUSTED_PROXIES", "10.0.0.1, ::1"),
        ("REFEREE__KOEHANDEL__ALLOW", "public, 10.0.0.0/8"),
        ("API__HOSTS", "drover"),
    ])
    .unwrap();
    assert_eq!(loaded.config.store.durability, Durability::Process);
    assert_eq!(loaded.config.callbacks.trusted_proxies.len(), 2);
    let allow = &loaded.config.referee.koehandel.allow;
    assert_eq!((allow.public, allow.networks.len()), (true, 1));
    assert_eq!(loaded.config.api.hosts, ["drover"]);
    assert_eq!(read(&show(&loaded)).unwrap().config, loaded.config);
}

#[test]
fn unknown_keys_name_their_neighbour_and_place() {
    let check = |text: &str, expected: &str| assert_eq!(told(text), expected, "{text}");
    check(
        "[callbacks]\n\nlisten = \"127.0.0.1:1\"\nlisen = \"127.0.0.1:1\"\n",
        "drover.toml, line 4: there is no key `callbacks.lisen`; did you mean `callbacks.listen`?",
    );
    check(
        "[stor]\npath = \"x\"\n",
        "drover.toml, line 1: there is no key `stor`; did you mean `store.path`?",
    );
    check(
        "[store]\ndurabilty = \"power\"\n",
        "drover.toml, line 2: there is no key `store.durabilty`; did you mean `store.durability`?",
    );
    check(
        "zzz = 1\n",
        "drover.toml, line 1: there is no key `zzz`; `drover config init` writes a file with every key",
    );
    check(
        "[[hub]]\ngame = \"smartdog\"\nadress = \"h:1\"\n",
        "drover.toml, line 3: there is no key `hub.adress`; did you mean `hub.address`?",
    );
    let error = with(&[("API__TOKN", "x")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment variable DROVER__API__TOKN: there is no key `DROVER__API__TOKN`; did you mean `DROVER__API__TOKEN`?"
    );
}

#[test]
fn wrong_values_say_what_is_allowed() {
    let check = |text: &str, expected: &str| {
        let told = told(text);
        assert!(told.contains(expected), "{told}\nis not\n{expected}");
    };
    check(
        "[callbacks]\nmargin_ms = 5000\n",
        "drover.toml, line 2: `callbacks.margin_ms` is 5000, but must be a whole number of milliseconds from 0 to 4000",
    );
    check(
        "[callbacks]\nmargin_ms = \"500\"\n",
        "is \"500\", but must be a whole number",
    );
    check("[callbacks]\nmargin_ms = -1\n", "is -1, but must be");
    check(
        "[callbacks]\nmargin_ms = 99999999999999999999\n",
        "but must be a whole number",
    );
    check(
        "[callbacks]\nlisten = \"8080\"\n",
        "must be an address such as \"127.0.0.1:8080\"",
    );
    check(
        "[callbacks]\ntrusted_proxies = [\"10.0.0.0/33\"]\n",
        "IP addresses and networks",
    );
    check(
        "[api]\ntrusted_proxies = [\"proxy.example\"]\n",
        "IP addresses and networks",
    );
    check("[api]\nhosts = [\"drover:8081\"]\n", "names without ports");
    check(
        "[referee.koehandel]\nallow = [\"private\"]\n",
        "networks and the word public",
    );
    check(
        "[store]\ndurability = \"fast\"\n",
        "must be one of \"power\", \"process\"",
    );
    check("[thinking]\nmodels = \"yes\"\n", "must be true or false");
    check("[log]\nlevel = \"\"\n", "must be error, warn, info");
    check(
        "callbacks = 3\n",
        "but must be a section, written [callbacks]",
    );
    check("hub = 3\n", "a list of sections, each written [[hub]]");
    check("[[hub]]\ngame = \"smartdog\"\n", "`hub.address` is missing");
    check(
        "[callbacks\n",
        "drover.toml, line 1, column 11: this is not TOML",
    );
    check(
        "[api]\nlisten = \"127.0.0.1:8080\"\n[callbacks]\nlisten = \"127.0.0.1:8080\"\n",
        "give each its own port",
    );
    let error = with(&[("THINKING__THREADS", "many")])
        .unwrap_err()
        .to_string();
    let expected = "DROVER__THINKING__THREADS: `thinking.threads` is \"many\"";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn an_open_api_needs_a_token() {
    for open in ["0.0.0.0:8081", "[::]:8081", "192.0.2.1:1"] {
        let error = with(&[("API__LISTEN", open)]).unwrap_err();
        assert!(matches!(error, ConfigError::OpenApi { .. }), "{error}");
        with(&[("API__LISTEN", open), ("API__TOKEN", "open sesame")]).unwrap();
    }
    for closed in ["127.0.0.1:1", "[::1]:1", "localhost:1"] {
        with(&[("API__LISTEN", closed)]).unwrap();
    }
}

#[test]
fn secrets_come_from_files_and_are_not_shown() {
    let folder = folder();
    let secret = folder.path().join("token");
    std::fs::write(&secret, "open sesame\n").unwrap();
    let by_file = ("API__TOKEN_FILE", secret.to_str().unwrap());
    let loaded = with(&[by_file]).unwrap();
    assert_eq!(loaded.config.api.token.reveal(), Some("open sesame"));
    let shown = show(&loaded);
    assert!(
        shown.contains("token = \"***\"") && !shown.contains("sesame"),
        "{shown}"
    );
    assert!(!format!("{:?}", loaded.config).contains("sesame"));

    let error = with(&[by_file, ("API__TOKEN", "other")]).unwrap_err();
    assert!(matches!(error, ConfigError::SecretTwice { .. }), "{error}");

    let text = format!("[api]\ntoken_file = {:?}\n", secret);
    let path = file(folder.path(), &text);
    let later = load(
        Some(&path),
        &variables(&[("API__TOKEN", "later")]),
        &Vec::new(),
    );
    assert_eq!(later.unwrap().config.api.token.reveal(), Some("later"));

    std::fs::write(&secret, "\n").unwrap();
    let error = with(&[by_file]).unwrap_err().to_string();
    assert!(
        error.contains("it must hold the secret on one line"),
        "{error}"
    );
    std::fs::remove_file(&secret).unwrap();
    let error = with(&[by_file]).unwrap_err();
    assert!(matches!(error, ConfigError::SecretFile { .. }), "{error}");
}

#[test]
fn the_shims_socket_is_beside_the_database() {
    let socket = |text: &str| read(text).unwrap().config.shim.socket;
    assert_eq!(socket(""), Some("data/drover.sock".into()));
    assert_eq!(
        socket("[store]\npath = \"/var/d/x.db\"\n"),
        Some("/var/d/drover.sock".into())
    );
    assert_eq!(
        socket("[shim]\nsocket = \"/run/drover/shim\"\n"),
        Some("/run/drover/shim".into())
    );
    assert_eq!(socket("[shim]\nsocket = \"\"\n"), None);
}

#[test]
fn hubs_have_defaults_and_are_checked() {
    let hubs = read("[[hub]]\naddress = \"h:3002\"\n").unwrap().config.hubs;
    let [hub] = hubs.as_slice() else {
        panic!("{hubs:?}");
    };
    let words = [&*hub.game, &*hub.hub, &*hub.name, &*hub.bot];
    assert_eq!(words, ["smartdog", "default", "drover", "champion"]);
    assert_eq!(hub.seats, 1);
    for (text, what) in [
        ("hub = \"duet\"", "`hub.address` is missing"),
        ("address = \"h\"", "is not HOST:PORT"),
        ("address = \"h:0\"", "is not HOST:PORT"),
        (
            "address = \"h:1\"\nbot = \"rex\"",
            "smartdog has no bot \"rex\"; there are: stand,",
        ),
        (
            "address = \"h:1\"\ngame = \"koehandel\"",
            "played on hubs; there are: smartdog",
        ),
        ("address = \"h:1\"\nname = \"two words\"", "one word each"),
        ("address = \"h:1\"\nseats = 0", "1 to 64"),
        ("adress = \"h:1\"", "did you mean `hub.address`"),
    ] {
        let error = read(&format!("[[hub]]\n{text}\n")).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let smartdog = "[referee.smartdog]\nhubs = [\"final:2\"]\n[referee.smartdog.options]\n";
    let options = read(&format!("{smartdog}turnsLimit = 9\n"))
        .unwrap()
        .config
        .referee;
    assert_eq!(options.smartdog.hubs, ["final:2"]);
    assert_eq!(options.smartdog.options, json!({"turnsLimit": 9}));
    let error = read(&format!("{smartdog}map = \"moon\"\n"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is no map \"moon\""), "{error}");
    let loaded = with(&[("REFEREE__SMARTDOG__OPTIONS__TURNSLIMIT", "7")]).unwrap();
    assert_eq!(loaded.config.referee.smartdog.options["turnsLimit"], 7);
}

#[test]
fn our_referees_name_is_no_address_that_callers_have() {
    let named = |name: &str| read(&format!("[referee.koehandel]\nname = {name:?}\n"));
    assert!(named("cup-1.2").is_ok());
    let refused = named("127.0.0.1").unwrap_err().to_string();
    let told = refused.contains("`referee.koehandel.name`") && refused.contains("an IP address");
    assert!(told, "{refused}");
}

#[test]
fn referees_of_paths_are_checked_and_their_secrets_masked() {
    let folder = folder();
    let section = |text: &str| format!("[[callbacks.referee]]\n{text}\n");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "s3cret-of-both\n").unwrap();
    let both = format!(
        "name = \"both\"\nsecret_file = {:?}\naddresses = [\"10.0.0.0/8\", \"2001:db8::1\"]",
        secret.display()
    );
    let all = section("name = \"cup\"\nsecret = \"s3cret-of-the-cup\"") + &section(&both);
    let loaded = read(&all).unwrap();
    let [cup, both] = loaded.config.callbacks.referees.as_slice() else {
        panic!("{:?}", loaded.config.callbacks.referees);
    };
    assert_eq!((&*cup.name, cup.addresses.len()), ("cup", 0));
    assert_eq!(cup.secret.reveal(), Some("s3cret-of-the-cup"));
    assert_eq!(both.secret.reveal(), Some("s3cret-of-both"));
    assert_eq!(
        both.addresses,
        ["10.0.0.0/8", "2001:db8::1/128"].map(|net| net.parse().unwrap())
    );
    let shown = show(&loaded);
    assert!(
        shown.contains("name = \"cup\"\nsecret = \"***\""),
        "{shown}"
    );
    assert!(!shown.contains("s3cret") && !format!("{loaded:?}").contains("s3cret-of-both"));
    let at = "addresses = [\"10.0.0.1\"]";
    for (text, what) in [
        ("secret = \"abc\"", "`callbacks.referee.name` is missing"),
        (
            "name = \"a\"",
            "anybody could use this name; set `addresses`",
        ),
        ("name = \"a b\"\nAT", "letters, digits, dots"),
        (
            "name = \"10.0.0.1\"\nAT",
            "must not look like an IP address",
        ),
        ("name = \"127.1\"\nAT", "must not look like an IP address"),
        ("name = \"::1\"\nAT", "letters, digits, dots"),
        ("name = \"local\"\nAT", "Drover's own"),
        ("name = \"drover\"\nAT", "`referee.koehandel.name`"),
        (
            "name = \"a\"\nsecret = \"s3cret/x\"",
            "its secret must be 1 to 128 letters",
        ),
        (
            "name = \"a\"\nsecret = 5",
            "`callbacks.referee.secret` is ***, but must be",
        ),
        (
            "name = \"a\"\nsecret = \"s3cret\"\nsecret_file = \"x\"",
            "both `callbacks.referee.secret` and `callbacks.referee.secret_file` are set",
        ),
        (
            "name = \"a\"\nsecret_file = \"/nowhere\"",
            "the file /nowhere that",
        ),
        (
            "name = \"a\"\naddresses = [\"10.0.0.1/99\"]",
            "IP addresses and networks",
        ),
        (
            "name = \"a\"\nadresses = []",
            "did you mean `callbacks.referee.addresses`",
        ),
    ] {
        let error = read(&section(&text.replace("AT", at)))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(what) && error.contains("line "),
            "{error}\nis not\n{what}"
        );
        assert!(!error.contains("s3cret"), "{error}");
    }
    let twice = section(&format!("name = \"a\"\n{at}")).repeat(2);
    let error = read(&twice).unwrap_err().to_string();
    assert!(
        error.contains("line 4") && error.contains("the same name"),
        "{error}"
    );
}

#[test]
fn a_secret_path_that_hides_nothing_is_refused() {
    let path = |value: &str| {
        with(&[("CALLBACKS__SECRET_PATH", value)]).map(|loaded| loaded.config.callbacks.secret_path)
    };
    for (good, is) in [
        ("", None),
        ("h1dden", Some("h1dden")),
        ("/a/b/", Some("a/b")),
    ] {
        assert_eq!(path(good).unwrap().reveal(), is, "{good}");
    }
    for (bad, what) in [
        ("/", "only slashes would leave every bot open to all"),
        ("///", "only slashes would leave every bot open to all"),
        (" ", "a path has no blanks"),
        ("/ /", "a path has no blanks"),
        ("s3cret s3cret", "a path has no blanks"),
        ("s3cret?x", "ASCII without"),
        ("s3cr\u{e9}t", "ASCII without"),
    ] {
        let error = path(bad).unwrap_err().to_string();
        assert!(
            error.contains("`callbacks.secret_path` (environment variable"),
            "{error}"
        );
        assert!(error.contains(what) && !error.contains("s3c"), "{error}");
    }
    let told = told("[callbacks]\nsecret_path = \"/\"\n");
    assert!(
        told.starts_with("`callbacks.secret_path` (drover.toml, line 2): only slashes"),
        "{told}"
    );
}

#[test]
fn referee_options_are_the_games_own() {
    let options = |name: &str, value: &str| {
        let name = format!("REFEREE__KOEHANDEL__OPTIONS__{name}");
        with(&[(&name, value)]).map(|loaded| loaded.config.referee.koehandel.options)
    };
    let none = with(&[]).unwrap().config.referee.koehandel.options;
    assert_eq!(none, json!({}));
    let exchange = options("TRADE_PAYMENT", "exchange").unwrap();
    assert_eq!(exchange, json!({ "trade_payment": "exchange" }));
    let error = options("TRADE_PAYMENT", "barter").unwrap_err().to_string();
    assert!(error.contains("referee.koehandel.options"), "{error}");
    let first = options("FIRST_SEAT", "2").unwrap();
    assert_eq!(first, json!({ "first_seat": 2 }));
}

#[test]
fn every_mistake_is_told_in_one_run() {
    let folder = folder();
    let text = "[callbacks]\nmargin_ms = -1\nlisen = \"x\"\ndefault_bot = \"champignon\"\n\
        [log]\nlevel = \"inof\"\n[[hub]]\nbot = \"rex\"\nadress = \"h:1\"\n[stor]\npath = \"x\"\n\
        [referee.smartdog.options]\nmap = \"moon\"\n[[callbacks.referee]]\nname = \"cup\"\nsecret = 5\n";
    let path = file(folder.path(), text);
    let set = [("API__LISTEN", "nowhere"), ("THINKING__THREADS", "many")];
    let flags = vec![("--listen", "callbacks.listen", "0.0.0.0".to_owned())];
    let told = load(Some(&path), &variables(&set), &flags)
        .unwrap_err()
        .to_string();
    let mistakes: Vec<&str> = told.lines().skip(1).collect();
    let expected = [
        "line 2: `callbacks.margin_ms` is -1",
        "line 3: there is no key `callbacks.lisen`; did you mean `callbacks.listen`?",
        "line 4: `callbacks.default_bot`: koehandel has no bot \"champignon\"; there are: filler,",
        "line 6: `log.level` is \"inof\", but must be error, warn, info",
        "line 7: [[hub]] number 1: `hub.bot`: smartdog has no bot \"rex\"; there are: stand,",
        "line 9: there is no key `hub.adress`; did you mean `hub.address`?",
        "line 10: there is no key `stor`; did you mean `store.path`?",
        "`referee.smartdog.options.map`: ",
        "line 16: `callbacks.referee.secret` is ***",
        "DROVER__API__LISTEN: `api.listen` is \"nowhere\"",
        "DROVER__THINKING__THREADS: `thinking.threads` is \"many\"",
        "flag --listen: `callbacks.listen` is \"0.0.0.0\"",
    ];
    for expected in expected {
        let found = mistakes.iter().filter(|line| line.contains(expected));
        assert_eq!(found.count(), 1, "{expected} in\n{told}");
    }
    assert_eq!(mistakes.len(), expected.len(), "and no other:\n{told}");
}

#[test]
fn what_could_not_be_read_is_not_called_missing() {
    let unread = [
        ("API__LISTEN", "0.0.0.0:1"),
        ("API__TOKEN_FILE", "/nowhere"),
    ];
    let error = with(&unread).unwrap_err();
    assert!(matches!(error, ConfigError::SecretFile { .. }), "{error}");
    let text = "[[callbacks.referee]]\nname = \"cup\"\nsecret_file = \"/nowhere\"\n";
    let error = read(text).unwrap_err();
    assert!(matches!(error, ConfigError::SecretFile { .. }), "{error}");
    // With the default address of the callbacks this would be the same twice.
    let same = [
        ("CALLBACKS__LISTEN", "x"),
        ("API__LISTEN", "0.0.0.0:8080"),
        ("API__TOKEN", "t"),
    ];
    let error = with(&same).unwrap_err();
    assert!(matches!(error, ConfigError::BadValue { .. }), "{error}");
}

#[test]
fn levels_are_those_that_exist() {
    for level in [
        "info",
        "WARN",
        "off",
        "info,drover::session=debug",
        "drover=trace,sqlx::query=off",
        "info,drover::store",
        "warn,[session{id=7}]=debug",
    ] {
        with(&[("LOG__LEVEL", level)]).unwrap();
    }
    for level in ["inof", "info,debg", "info,drover::session=loud", " ", ","] {
        let error = with(&[("LOG__LEVEL", level)]).unwrap_err().to_string();
        assert!(error.contains("`log.level` is"), "{level}: {error}");
    }
}

#[test]
fn a_token_that_is_set_is_not_empty() {
    for token in ["", "  "] {
        let error = with(&[("API__TOKEN", token)]).unwrap_err().to_string();
        assert!(error.contains("`api.token` is empty"), "{error}");
        let error = told(&format!("[api]\ntoken = {token:?}\n"));
        assert!(error.contains("line 2: `api.token` is empty"), "{error}");
    }
    with(&[]).unwrap();
}

#[test]
fn lists_in_the_environment_are_json_or_have_commas() {
    let hosts = |text: &str| with(&[("API__HOSTS", text)]).map(|loaded| loaded.config.api.hosts);
    for text in ["a.b, c", "a.b,c,", "[\"a.b\", \"c\"]", " [\"a.b\",\"c\"] "] {
        assert_eq!(hosts(text).unwrap(), ["a.b", "c"], "{text}");
    }
    for none in ["", "[]"] {
        assert!(hosts(none).unwrap().is_empty());
    }
    for wrong in ["[\"a\"", "[1]", "[\"a b\"]"] {
        let error = hosts(wrong).unwrap_err().to_string();
        assert!(error.contains("`api.hosts` is"), "{error}");
    }
    let networks = ("CALLBACKS__TRUSTED_PROXIES", "[\"10.0.0.0/8\", \"::1\"]");
    assert_eq!(
        with(&[networks])
            .unwrap()
            .config
            .callbacks
            .trusted_proxies
            .len(),
        2
    );
}
