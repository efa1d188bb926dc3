//! The configuration: its file, its layers, and what it says of mistakes.

use crate::app::folder;
use drover::config::{
    Config, ConfigError, Durability, Environment, Loaded, keys, load, show, template,
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

/// What holds over the defaults with this file.
fn alone(file: &Path) -> Result<Loaded, ConfigError> {
    load(Some(file), &Vec::new(), &Vec::new())
}

/// Reads a file with this text; where it lies is forgotten.
fn read(text: &str) -> Result<Loaded, ConfigError> {
    let folder = folder();
    let path = file(folder.path(), text);
    let mut loaded = alone(&path)?;
    assert_eq!(loaded.config.file.take(), Some(path));
    Ok(loaded)
}

fn file(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("drover.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// A case a line, FILE => MISTAKE: what is said of a file with this text, a bar for each new line and without its
/// folder's name, contains this.
fn refused(cases: &str) {
    let folder = folder();
    for case in cases.trim().lines() {
        let (text, expected) = case.trim().split_once(" => ").expect(case);
        let text = text.replace(" | ", "\n");
        let error = alone(&file(folder.path(), &text)).expect_err(case);
        let message = error.to_string();
        let message = message.replace(&format!("{}/", folder.path().display()), "");
        assert!(message.contains(expected), "{message}\nis not\n{expected}");
        assert!(!message.contains("s3cret"), "{message}");
    }
}

#[test]
fn the_shipped_file_is_the_defaults() {
    assert_eq!(
        SHIPPED,
        template(),
        "make it again: drover config init > config/drover.toml"
    );
    // What serde says is no word of what a key takes.
    assert!(!SHIPPED.contains("invalid type"));
    assert_eq!(read(SHIPPED).unwrap().config, Config::default());
    let stated = |line: String| SHIPPED.lines().any(|shipped| shipped == line);
    for key in keys() {
        let (_, name) = key.path.rsplit_once('.').unwrap();
        assert!(
            match &key.default {
                Some(default) => stated(format!("{name} = {default}")),
                // Set and empty, it would be refused.
                None => stated(format!("# {name} = \"\"")),
            },
            "{}",
            key.path
        );
    }
}

#[test]
fn what_else_goes_by_a_default_has_the_same() {
    let Config {
        callbacks, shim, ..
    } = Config::default();
    assert_eq!(callbacks.margin_ms, games::answer::MARGIN);
    assert_eq!(shim.socket, Some(drover::link::relay::SOCKET.into()));
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
    assert_eq!(callbacks.margin_ms.as_millis(), 100);
    assert_eq!(callbacks.idle_limit_s.as_secs(), 6);
    assert_eq!(callbacks.sessions_max, 9);
    assert_eq!(callbacks.hibernate_after_s.as_secs(), 60);
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
    refused(
        r#"
        [callbacks] |  | listen = "127.0.0.1:1" | lisen = "127.0.0.1:1" => drover.toml, line 4: there is no key `callbacks.lisen`; did you mean `callbacks.listen`?
        [stor] | path = "x" => drover.toml, line 1: there is no key `stor`; did you mean `store.url`?
        [store] | durabilty = "power" => drover.toml, line 2: there is no key `store.durabilty`; did you mean `store.durability`?
        zzz = 1 => drover.toml, line 1: there is no key `zzz`; `drover config init` writes a file with every key
        [[hub]] | game = "smartdog" | adress = "h:1" => drover.toml, line 3: there is no key `hub.adress`; did you mean `hub.address`?
        file = "x" => drover.toml, line 1: there is no key `file`
        "#,
    );
    let error = with(&[("API__TOKN", "x")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment variable DROVER__API__TOKN: there is no key `DROVER__API__TOKN`; did you mean `DROVER__API__TOKEN`?"
    );
}

#[test]
fn wrong_values_say_what_is_allowed() {
    refused(
        r#"
        [callbacks] | margin_ms = 5000 => drover.toml, line 2: `callbacks.margin_ms` is 5000, but must be a whole number of milliseconds from 0 to 4000
        [callbacks] | margin_ms = "500" => is "500", but must be a whole number
        [callbacks] | margin_ms = -1 => is -1, but must be
        [callbacks] | margin_ms = 99999999999999999999 => but must be a whole number
        [callbacks] | listen = "8080" => must be an address such as "127.0.0.1:8080"
        [callbacks] | trusted_proxies = ["10.0.0.0/33"] => IP addresses and networks
        [api] | trusted_proxies = ["proxy.example"] => IP addresses and networks
        [api] | hosts = ["drover:8081"] => names without ports
        [referee.koehandel] | allow = ["private"] => networks and the word public
        [store] | durability = "fast" => must be one of "power", "process"
        [store] | durability_koehandel = "fast" => must be one of "", "power", "process"
        [thinking] | budget_ms_smartdog = 0 => `thinking.budget_ms_smartdog` is 0, but must be a whole number of milliseconds from 1 to 60000
        [thinking] | models = "yes" => must be true or false
        [log] | level = "" => must be error, warn, info
        callbacks = 3 => but must be a section, written [callbacks]
        hub = 3 => a list of sections, each written [[hub]]
        [callbacks => drover.toml, line 1, column 11: this is not TOML
        [api] | listen = "127.0.0.1:8080" | [callbacks] | listen = "127.0.0.1:8080" => give each its own port
        [api] | token = "" => line 2: `api.token` is empty, but must be a token; leave
        [api] | pass_key = "s3cret" => is ***, but must be at least 32 bytes
        [referee.koehandel] | name = "127.0.0.1" => `referee.koehandel.name` is "127.0.0.1", but must be 1 to 64 letters, digits, dots, dashes and underscores, and must not look like an IP address
        "#,
    );
    for (name, value, expected) in [
        (
            "THINKING__THREADS",
            "many",
            "`thinking.threads` is \"many\"",
        ),
        ("API__TOKEN", "  ", "`api.token` is empty"),
        ("API__HOSTS", "[1]", "`api.hosts` is"),
    ] {
        let error = with(&[(name, value)]).unwrap_err().to_string();
        let expected = format!("DROVER__{name}: {expected}");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn an_open_api_needs_a_token() {
    for open in ["0.0.0.0:8081", "[::]:8081", "192.0.2.1:1"] {
        let error = with(&[("API__LISTEN", open)]).unwrap_err();
        assert!(matches!(error, ConfigError::OpenApi { .. }), "{error}");
        with(&[("API__LISTEN", open), ("API__TOKEN", "open sesame")]).unwrap();
        with(&[("API__LISTEN", open), ("API__FIRST_TOKEN_FILE", "made")]).unwrap();
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
    assert_eq!(loaded.config.api.token(), Some("open sesame"));
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
    assert_eq!(later.unwrap().config.api.token(), Some("later"));

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
fn the_shims_socket_is_next_to_the_database() {
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
    let hubs = read("[[hub]]\naddress = \"h:3002\"\n").unwrap().config.hub;
    let [hub] = hubs.as_slice() else {
        panic!("{hubs:?}");
    };
    let words = [&*hub.game, &*hub.hub, &*hub.name, &*hub.bot];
    assert_eq!(words, ["smartdog", "default", "drover", "champion"]);
    assert_eq!(hub.seats, 1);
    refused(
        r#"
        [[hub]] | hub = "duet" => `hub.address` is missing
        [[hub]] | address = "h" => must be HOST:PORT
        [[hub]] | address = "h:0" => must be HOST:PORT
        [[hub]] | address = "h:1" | bot = "rex" => smartdog has no bot "rex"; there are: stand,
        [[hub]] | address = "h:1" | game = "koehandel" => played on hubs; there are: smartdog
        [[hub]] | address = "h:1" | name = "two words" => must be one word
        [[hub]] | address = "h:1" | seats = 0 => 1 to 64
        "#,
    );
    let smartdog = "[referee.smartdog]\nhubs = [\"final:2\"]\n[referee.smartdog.options]\n";
    let text = format!("{smartdog}turnsLimit = 9\n");
    let options = read(&text).unwrap().config.referee.smartdog;
    assert_eq!(options.hubs, ["final:2"]);
    assert_eq!(options.options, json!({"turnsLimit": 9}));
    let moon = "line 4: `referee.smartdog.options.map` is \"moon\", but must be one that the game takes: smartdog options: there is no map \"moon\"";
    refused(&format!("{smartdog}map = \"moon\" => {moon}").replace('\n', " | "));
    let loaded = with(&[("REFEREE__SMARTDOG__OPTIONS__TURNSLIMIT", "7")]).unwrap();
    assert_eq!(loaded.config.referee.smartdog.options["turnsLimit"], 7);
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
    let [cup, both] = loaded.config.callbacks.referee.as_slice() else {
        panic!("{:?}", loaded.config.callbacks.referee);
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
    refused(
        r#"
        [[callbacks.referee]] | secret = "abc" => `callbacks.referee.name` is missing
        [[callbacks.referee]] | name = "a" => anybody could use this name; set `addresses`
        [[callbacks.referee]] | name = "a b" | addresses = ["10.0.0.1"] => letters, digits, dots
        [[callbacks.referee]] | name = "10.0.0.1" | addresses = ["10.0.0.1"] => must not look like an IP address
        [[callbacks.referee]] | name = "127.1" | addresses = ["10.0.0.1"] => must not look like an IP address
        [[callbacks.referee]] | name = "::1" | addresses = ["10.0.0.1"] => letters, digits, dots
        [[callbacks.referee]] | name = "local" | addresses = ["10.0.0.1"] => Drover's own
        [[callbacks.referee]] | name = "drover" | addresses = ["10.0.0.1"] => `referee.koehandel.name`
        [[callbacks.referee]] | name = "a" | secret = "s3cret/x" => secret` is ***, but must be 1 to 128 letters
        [[callbacks.referee]] | name = "a" | secret = 5 => `callbacks.referee.secret` is ***, but must be
        [[callbacks.referee]] | name = "a" | secret = "s3cret" | secret_file = "x" => both `callbacks.referee.secret` and `callbacks.referee.secret_file` are set
        [[callbacks.referee]] | name = "a" | secret_file = "/nowhere" => the file /nowhere that
        [[callbacks.referee]] | name = "a" | addresses = ["10.0.0.1/99"] => IP addresses and networks
        [[callbacks.referee]] | name = "a" | adresses = [] => did you mean `callbacks.referee.addresses`
        "#,
    );
    let twice = section("name = \"a\"\naddresses = [\"10.0.0.1\"]").repeat(2);
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
    for bad in [
        "/",
        "///",
        " ",
        "/ /",
        "s3cret s3cret",
        "s3cret?x",
        "s3cr\u{e9}t",
    ] {
        let error = path(bad).unwrap_err().to_string();
        let expected = "but must be a word that cannot be guessed";
        assert!(
            error.contains(expected) && !error.contains("s3c"),
            "{error}"
        );
    }
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
    for (name, value, allowed) in [
        ("TRADE_PAYMENT", "barter", "winner or exchange"),
        ("BLUFFER_REBIDS", "no", "must be true or false"),
        ("FAILURES_MAX", "ten", "must be a whole number"),
        ("FIRST_SEAT", "9", "seats are 0 to 3"),
    ] {
        let error = options(name, value).unwrap_err().to_string();
        let origin = format!("DROVER__REFEREE__KOEHANDEL__OPTIONS__{name}: `referee.koehandel.");
        assert!(
            error.contains(&origin) && error.contains(allowed),
            "{error}"
        );
    }
    let first = options("FIRST_SEAT", "2").unwrap();
    assert_eq!(first, json!({ "first_seat": 2 }));
}

#[test]
fn every_mistake_is_reported_in_one_run() {
    let folder = folder();
    let text = "[callbacks]\nmargin_ms = -1\nlisen = \"x\"\ndefault_bot = \"champignon\"\n\
        [log]\nlevel = \"inof\"\n[[hub]]\nbot = \"rex\"\nadress = \"h:1\"\n[stor]\npath = \"x\"\n\
        [referee.smartdog.options]\nmap = \"moon\"\n[[callbacks.referee]]\nname = \"cup\"\nsecret = 5\n";
    let path = file(folder.path(), text);
    let set = [("API__LISTEN", "nowhere"), ("THINKING__THREADS", "many")];
    let flags = vec![("--listen", "callbacks.listen", "0.0.0.0".to_owned())];
    let refusal = load(Some(&path), &variables(&set), &flags)
        .unwrap_err()
        .to_string();
    let mistakes: Vec<&str> = refusal.lines().skip(1).collect();
    let expected = [
        "line 2: `callbacks.margin_ms` is -1",
        "line 3: there is no key `callbacks.lisen`; did you mean `callbacks.listen`?",
        "line 4: `callbacks.default_bot`: koehandel has no bot \"champignon\"; there are: filler,",
        "line 6: `log.level` is \"inof\", but must be error, warn, info",
        "line 7: [[hub]] number 1: `hub.bot`: smartdog has no bot \"rex\"; there are: stand,",
        "line 9: there is no key `hub.adress`; did you mean `hub.address`?",
        "line 10: there is no key `stor`; did you mean `store.url`?",
        "line 13: `referee.smartdog.options.map` is \"moon\"",
        "line 16: `callbacks.referee.secret` is ***",
        "DROVER__API__LISTEN: `api.listen` is \"nowhere\"",
        "DROVER__THINKING__THREADS: `thinking.threads` is \"many\"",
        "flag --listen: `callbacks.listen` is \"0.0.0.0\"",
    ];
    for expected in expected {
        let found = mistakes.iter().filter(|line| line.contains(expected));
        assert_eq!(found.count(), 1, "{expected} in\n{refusal}");
    }
    assert_eq!(mistakes.len(), expected.len(), "and no other:\n{refusal}");
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
