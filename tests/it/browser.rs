//! The pages in a browser, as their readers use them.

mod driver;
mod replays;
mod screenshots;
mod sharing;

use crate::app::{TestApp, WITH_REFEREE, connected, folder, ok, run, until, verb};
use driver::{Browser, ENTER, TAB};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

const AUDIT: &str = include_str!("browser/audit.js");
/// Runs axe-core, which every page has from [`axe`].
const AXE: &str = include_str!("browser/axe.js");

/// A match of each game and a tournament of two rounds.
fn filled() -> TempDir {
    let folder = folder();
    let store = folder.path().join("drover.db");
    let store = store.to_str().unwrap();
    let played: [(&str, &[&str], &[&str]); 5] = [
        ("koehandel", &["builtin:guide", "builtin:face"], &[]),
        ("smartdog", &["builtin:random", "builtin:shipped"], &[]),
        (
            "planowanie",
            &["builtin:greedy", "builtin:random"],
            &["deals=3 1 1 0 1 1"],
        ),
        (
            "lighthouses",
            &["builtin:drifter", "builtin:nearest"],
            &["rounds=20"],
        ),
        ("planetwars", &["builtin:idle", "builtin:bully"], &[]),
    ];
    for (game, seats, options) in played {
        let mut arguments = vec![
            "play",
            game,
            "--games",
            "1",
            "--no-rotate",
            "--store",
            store,
        ];
        arguments.extend(seats.iter().flat_map(|seat| ["--seat", seat]));
        arguments.extend(options.iter().flat_map(|option| ["--option", option]));
        ok(run(&arguments));
    }
    let file = folder.path().join("cup.toml");
    std::fs::write(&file, CUP).unwrap();
    ok(run(&[
        "tournament",
        "run",
        file.to_str().unwrap(),
        "--store",
        store,
    ]));
    folder
}

const CUP: &str = r#"
name = "Cup & <b>saucer</b>"
games = ["planowanie"]
seed = 1
[schedule]
format = "round-robin"
laps = 2
[game.planowanie]
options = { deals = "3 1 1 0 1 1" }
[[entrant]]
name = "Ann"
player = "builtin:greedy"
[[entrant]]
name = "Bob"
player = "builtin:random"
[[entrant]]
name = "Cid"
player = "builtin:rules"
"#;

/// A daemon over such a database, with a referee and what has just been learnt by one of its matches.
fn app(folder: &Path) -> TestApp {
    let app = TestApp::with(folder, &[WITH_REFEREE]);
    play(&app);
    app.get_until("/api/v1/opponents", |answer| !answer.items().is_empty());
    app.ended_matches("koehandel", 2);
    app
}

/// A match of the daemon's own bots, without anybody to think.
fn play(app: &TestApp) {
    let bot = |name: &str| format!("http://{}/koehandel/{name}", app.callbacks);
    let query = format!("/?connect&url1={}&url2={}", bot("guide"), bot("face"));
    connected(app.referee.unwrap(), &query);
}

#[test]
fn every_page_can_be_read_by_everybody_in_every_dress() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = filled();
    let app = app(folder.path());
    let (axe, mut wrong, mut named) = (axe(), Vec::new(), 0);
    if let Some(axe) = &axe {
        browser.load_first(axe);
    }
    for page in &pages(&app) {
        for width in [1280, 360] {
            browser.look(width, "light");
            browser.open(&format!("{}{page}", app.url()));
            browser.until("!document.querySelector('#replay') || /^Step/.test(document.querySelector('.replay-where')?.textContent)");
            // What changes with the scheme is colours alone.
            for scheme in ["light", "dark"] {
                browser.look(width, scheme);
                let mut note = |by: &str, found: Value| {
                    let found = found.as_array().unwrap().iter();
                    wrong
                        .extend(found.map(|what| format!("{by}: {page} {width} {scheme}: {what}")));
                };
                note("audit", browser.run(AUDIT));
                let twice = [(1280, "light"), (360, "dark")].contains(&(width, scheme));
                if axe.is_some() && twice {
                    note("axe", browser.promised(AXE));
                }
            }
            if page.starts_with("/matches/") || (page == "/bots" && width < 400) {
                let most = if width < 400 { 6_000 } else { 3_000 };
                let height = browser.text("document.documentElement.scrollHeight");
                if height.parse::<u32>().unwrap() > most {
                    wrong.push(format!("{page} {width}: {height} px high"));
                }
            }
            let id = page.strip_prefix("/matches/");
            if width == 1280 && id.is_some_and(|id| !id.contains(['?', '/'])) {
                named += answers_of_others(&browser, &app, page);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_ne!(named, 0, "no answer led to a sentence about another player");
    let complaints = browser.complaints(&app.url());
    assert!(complaints.is_empty(), "{complaints:#?}");
    // One that is not there is answered so, which a browser's console counts as an error.
    browser.open(&format!("{}/matches/NONE", app.url()));
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        "There is no such thing"
    );
}

/// How many of the answer times in a replay's list stand next to a sentence about another player: exactly those say whose
/// answer it was.
fn answers_of_others(browser: &Browser, app: &TestApp, page: &str) -> usize {
    let last = browser.text("document.querySelector('#replay input').max");
    let from = last.parse::<usize>().unwrap().saturating_sub(249);
    let path = format!("/api/v1{page}/replay?from={from}&limit=250&states=false");
    let steps = app.items(&path);
    browser.run("const scrub = document.querySelector('#replay input'); scrub.value = scrub.max; scrub.dispatchEvent(new Event('input'))");
    let names = browser.run("return [...document.querySelectorAll('.names [data-seat]')].sort((one, other) => one.dataset.seat - other.dataset.seat).map((one) => one.querySelector('strong').textContent)");
    let rows = browser.run("return [...document.querySelectorAll('.replay-list [data-step]:not([aria-current])')].map((row) => [Number(row.dataset.step), row.querySelector('.replay-took')?.textContent])");
    let begins = |text: &str, name: &Value| {
        let rest = text.strip_prefix(name.as_str().unwrap());
        rest.is_some_and(|rest| rest.starts_with([' ', '\'']))
    };
    let mut named = 0;
    for row in rows.as_array().unwrap() {
        let step = row[0]
            .as_u64()
            .and_then(|at| (at as usize).checked_sub(from));
        let step = step.and_then(|at| steps.get(at)).unwrap_or(&Value::Null);
        let (Some(seat), Some(took)) = (step["seat"].as_u64(), row[1].as_str()) else {
            continue;
        };
        let (own, title) = (&names[seat as usize], step["title"].as_str().unwrap());
        let mut others = names.as_array().unwrap().iter().filter(|name| *name != own);
        let of_other = others.any(|name| begins(title, name));
        assert_eq!(begins(took, own), of_other, "{title}: {took}");
        named += usize::from(of_other);
    }
    named
}

/// axe-core; `None` where it could not be fetched (`.ci/fetched axe`).
fn axe() -> Option<String> {
    let Some(path) = std::env::var_os("DROVER_AXE") else {
        println!("*** NOT TESTED: axe-core: DROVER_AXE is not set ***");
        return None;
    };
    Some(std::fs::read_to_string(path).unwrap())
}

/// Every page, with something on it.
fn pages(app: &TestApp) -> Vec<String> {
    let mut pages: Vec<String> = [
        "",
        "dashboard",
        "matches",
        "bots",
        "opponents",
        "tournaments",
        "hubs",
        "login",
        "docs",
        "docs/readme",
        "docs/rest",
    ]
    .map(|page| format!("/{page}"))
    .into();
    let id = |path: &str| app.items(path)[0]["id"].to_string().replace('"', "");
    for kit in games::ALL {
        let path = format!("/api/v1/matches?limit=1&game={}", kit.card().name);
        let page = format!("/matches/{}", id(&path));
        let tabs = ["facts", "decisions", "transcript", "about"];
        pages.extend(tabs.map(|tab| format!("{page}?tab={tab}")));
        pages.push(page);
    }
    let path = "/api/v1/matches?limit=1&game=koehandel&bot=guide&side=player";
    let explain = format!("/matches/{}/seats/0/explain", id(path));
    let decisions = app.items(&format!("/api/v1{explain}"));
    let entry = &decisions[decisions.len() / 2]["entry"];
    pages.push(format!("{explain}?entry={entry}"));
    pages.push(explain);
    pages.push("/bots/koehandel/guide/versus?rival=face".to_owned());
    pages.push("/bots/koehandel/guide".to_owned());
    pages.push("/matches?game=planetwars&bot=prospector&outcome=tied".to_owned());
    pages.push(format!("/opponents/{}", id("/api/v1/opponents")));
    pages.push(format!("/tournaments/{}", id("/api/v1/tournaments")));
    pages
}

#[test]
fn a_reader_finds_their_way_by_links_filters_and_keys() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = filled();
    let app = app(folder.path());
    browser.look(1280, "light");
    browser.open(&app.url());
    // The first stop of the keyboard leads past the navigation.
    browser.press(TAB);
    browser.until("document.activeElement.className === 'skip'");
    for (path, heading) in [
        ("/dashboard", "Dashboard"),
        ("/matches", "Matches"),
        ("/bots", "Bots"),
        ("/opponents", "Opponents"),
        ("/tournaments", "Tournaments"),
        ("/hubs", "Hubs"),
        ("/docs", "Guides"),
        ("/", "Drover"),
    ] {
        browser.click(&format!("nav a[href='{path}']"));
        browser.until(&format!(
            "location.pathname === '{path}' && document.querySelector('h1')"
        ));
        assert_eq!(
            browser.text("document.querySelector('h1').textContent"),
            heading
        );
        assert_eq!(
            browser.text("document.querySelector('nav [aria-current=page]').pathname"),
            path
        );
    }

    // From the filters to a match, and there to what was said.
    browser.open(&format!("{}/matches", app.url()));
    browser.press("/");
    assert_eq!(browser.text("document.activeElement.name"), "game");
    browser.run("document.querySelector('[name=game]').value = 'planetwars'");
    browser.click(".filters button");
    browser.until("location.search");
    assert_eq!(browser.text("location.search"), "?game=planetwars");
    assert_eq!(
        browser.text("document.querySelector('[name=game]').value"),
        "planetwars"
    );
    assert_eq!(
        browser.text("document.querySelectorAll('tbody tr').length"),
        "1"
    );
    browser.click("tbody a");
    browser.until("location.pathname.startsWith('/matches/')");
    assert!(
        browser
            .text("document.querySelector('h1').textContent")
            .contains("bully")
    );
    browser.click("a[href='?tab=transcript']");
    browser.until("document.querySelector('[data-search]')");
    browser.press("/");
    browser.press("y 2");
    browser.press(ENTER);
    browser.until("location.search.includes('q=')");
    let lines = "[...document.querySelectorAll('#lines .wire')]";
    assert_ne!(browser.text(&format!("{lines}.length")), "0");
    browser.until(&format!(
        "{lines}.every((line) => line.textContent.includes('Y 2'))"
    ));

    // From a tournament to an entrant's lost match.
    browser.open(&format!("{}/tournaments", app.url()));
    browser.until("document.querySelector('#rows').textContent.includes('Cid')");
    browser.click("tbody a");
    browser.until("document.querySelector('#standings')");
    assert_eq!(
        browser.text("document.querySelector('h1').firstChild.textContent.trim()"),
        "Cup & <b>saucer</b>"
    );
    assert_eq!(
        browser.text("document.querySelectorAll('svg.chart.wide .bar').length"),
        "3"
    );
    let text = browser.text("document.querySelector('#all').textContent");
    assert!(text.contains("round-robin, 2 laps"), "{text}");
    browser.click("#all tbody th a");
    browser.until("location.search.includes('entrant=')");
    assert_ne!(
        browser.text("document.querySelectorAll('tbody tr').length"),
        "0"
    );
    // An entrant has one colour, whatever seat it sits on. The whole row leads to the match.
    let alike = |places: &str| {
        let colours = "{ Ann: 's-p0', Bob: 's-p1', Cid: 's-p2' }";
        let name = "Object.keys(colours).find((name) => one.textContent.includes(name))";
        let class = "one.querySelector('circle').getAttribute('class')";
        let alike = format!(
            "((all) => all.length > 0 && all.every((one) => {class} === colours[{name}]))(
                [...document.querySelectorAll('{places}')])"
        );
        browser.until(&format!("((colours) => {alike})({colours})"));
    };
    browser.click("tbody td:last-child");
    browser.until("location.pathname.startsWith('/matches/') && document.querySelector('.names')");
    alike(".names li");
    browser.open(&format!("{}/tournaments", app.url()));
    browser.click("tbody a");
    browser.until("document.querySelector('#standings')");
    alike("#all tbody th");
    alike(".played .one");

    // What was chosen holds on every page.
    let dress = "document.documentElement.dataset.theme";
    let colour = "getComputedStyle(document.body).backgroundColor";
    let light = browser.text(colour);
    while browser.text(dress) != "dark" {
        browser.click("#theme");
    }
    browser.click(".mark");
    browser.until("location.pathname === '/'");
    assert_eq!(browser.text(dress), "dark");
    assert_ne!(browser.text(colour), light);
    let copied = "document.querySelector('#said').textContent";
    browser.click("#koehandel summary");
    browser.click("#koehandel .copy");
    browser.until(&format!("{copied}.startsWith('Copied')"));
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
}

#[test]
fn a_page_that_is_open_shows_what_happens() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let app = TestApp::new(&[WITH_REFEREE]);
    for path in ["/matches", "/dashboard"] {
        let rows = "document.querySelectorAll('#rows tbody tr, #board tbody time').length";
        browser.open(&format!("{}{path}", app.url()));
        browser.run("window.kept = true");
        let before: usize = browser.text(rows).parse().unwrap();
        play(&app);
        browser.until(&format!("{rows} > {before}"));
        // It grew without being loaded again.
        assert_eq!(browser.text("window.kept"), "true");
        // A match that runs has more times on the dashboard than one that is over.
        until(|| app.items("/api/v1/matches?outcome=live").is_empty());
    }
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
}

#[test]
fn a_match_that_is_open_goes_on_and_keeps_what_its_reader_does() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let app = TestApp::new(&[]);
    let send = |what: &str| app.call(&format!("/koehandel/setbuilder?market=1&id=2&type={what}"));
    send("information&message=begin");
    let id = app.items("/api/v1/matches")[0]["id"].clone();
    let page = format!("{}/matches/{}", app.url(), id.as_str().unwrap());
    browser.look(1280, "light");
    browser.open(&format!("{page}?tab=transcript"));
    let lines = "document.querySelectorAll('#lines tbody tr').length";
    browser.until(&format!("{lines} === 1"));
    browser.run("window.kept = true; document.querySelector('[data-search]').focus()");
    browser.press("E");
    send("auction&goods=C&opponent=E&auctioneer=E");
    browser.until(&format!("{lines} === 3"));
    send("auction&goods=C&opponent=W&money=tt&auctioneer=E&message=W20N0");
    browser.until(&format!("{lines} === 4"));
    let columns = "document.querySelector('#lines thead').textContent";
    assert_eq!(browser.text(columns), "EntryDealTimePlayerText");
    browser.until("document.querySelector('#lines .pager').textContent === '1–4 of 4'");
    assert_eq!(
        browser.text("document.querySelector('[name=turn]').value"),
        ""
    );
    // An answer leads to its reasons.
    let why = "document.querySelector('#lines tbody tr:nth-child(3) .why')?.pathname";
    assert!(browser.text(why).ends_with("/seats/0/explain"));
    browser.press("D");
    let typed = "document.querySelector('[data-search]').value";
    assert_eq!(browser.text(typed), "ED");
    assert_eq!(browser.text("window.kept"), "true");
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
    assert_eq!(
        browser.text("document.querySelector('#live').textContent"),
        ""
    );
    // The replay follows to its newest step.
    browser.open(&page);
    let steps = "document.querySelector('.replay-where').textContent";
    browser.until(&format!("/Step ([3-9]) of \\1, .*running/.test({steps})"));
    let before = browser.text(steps);
    send("auction&goods=C&opponent=N&money=ttt&auctioneer=E&message=W20N30");
    browser.until(&format!(
        "{steps} !== {before:?} && /Step ([3-9]) of \\1, .*running/.test({steps})"
    ));
    // In another site's frame it does so by itself.
    browser.open(&page.replace("/matches/", "/embed/matches/"));
    browser.until(&format!("/running/.test({steps})"));
    let before = browser.text(steps);
    send("auction&goods=C&opponent=W&money=tttt&auctioneer=E&message=W40N30");
    browser.until(&format!(
        "{steps} !== {before:?} && /running/.test({steps})"
    ));
    // And on the start page.
    browser.open(&app.url());
    browser.until(&format!("/running/.test({steps})"));
    let before = browser.text(steps);
    send("auction&goods=C&opponent=N&money=f&auctioneer=E&message=W40N50");
    browser.until(&format!(
        "{steps} !== {before:?} && /running/.test({steps})"
    ));
    browser.open(&format!("{page}?tab=transcript"));
    browser.run("document.querySelector('[data-search]').focus()");
    browser.press("ED");
    app.kill();
    browser.until("document.querySelector('#live').textContent.includes('Reload')");
    assert_eq!(browser.text(typed), "ED");
}

#[test]
fn a_browser_gets_in_by_a_token_and_out_again() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let app = TestApp::new(&[]);
    let added = ok(verb(
        &app.url(),
        None,
        &["token", "add", "root", "--scope", "admin"],
    ));
    let mut words = added.split_whitespace();
    let token = words.find(|word| word.starts_with("drover_")).unwrap();
    browser.open(&format!("{}/matches?game=smartdog", app.url()));
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        "Sign in"
    );
    assert_eq!(browser.text("document.activeElement.name"), "token");
    browser.press("drover_wrong");
    browser.press(ENTER);
    browser.until("document.querySelector('[role=alert]')");
    browser.press(token);
    browser.press(ENTER);
    browser.until("location.pathname === '/matches'");
    assert_eq!(browser.text("location.search"), "?game=smartdog");
    assert_eq!(browser.text("document.cookie"), "");
    browser.click("form[action='/logout'] button");
    browser.until("location.pathname === '/login'");
    browser.open(&app.url());
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        "Sign in"
    );
}
