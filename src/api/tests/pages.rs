//! Pages: who gets in, by what, and what their headers forbid.

use super::{Answer, App, LOCAL, match_id, new_session, play};
use crate::history;
use crate::link::Caller;
use crate::store::tests::fake::{Pen, received, said};
use crate::store::{NewEntry, Side};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

const HTML: &str = "text/html,application/xhtml+xml;q=0.9";

impl App {
    /// Asks as a browser does.
    async fn browse(&self, method: Method, path: &str, cookie: &str, body: &str) -> Answer {
        let request = Request::builder().method(method).uri(path);
        let request = request
            .header(header::ACCEPT, HTML)
            .header(header::HOST, "bots.example:8081")
            .header(header::COOKIE, cookie);
        self.ask(request.body(Body::from(body.to_owned())).unwrap())
            .await
    }

    pub(super) async fn look(&self, path: &str, cookie: &str) -> Answer {
        self.browse(Method::GET, path, cookie, "").await
    }

    /// Signs in; the cookie's pair.
    async fn sign_in(&self, token: &str) -> String {
        let form = format!("token={token}&next=%2Fmatches%3Fbot%3Dx");
        let entered = self.browse(Method::POST, "/login", "", &form).await;
        assert_eq!(entered.status, StatusCode::SEE_OTHER, "{}", entered.text);
        assert_eq!(entered.headers[header::LOCATION], "/matches?bot=x");
        let cookie = entered.headers[header::SET_COOKIE].to_str().unwrap();
        for rule in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
            assert!(cookie.contains(rule), "{cookie}");
        }
        assert!(!cookie.contains(token), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_pass_reads_as_its_token_would_and_does_nothing_else() {
    let app = App::new().await;
    let admin = app.token("admin").await;
    let shut = app.look("/", "").await;
    assert_eq!(shut.status, StatusCode::UNAUTHORIZED);
    assert!(
        shut.text.contains(r#"name="next" value="/""#),
        "{}",
        shut.text
    );
    assert!(!shut.text.contains("hidden-word"), "{}", shut.text);

    let pass = app.sign_in(&admin).await;
    for path in ["/", "/api/v1/tokens", "/metrics"] {
        assert_eq!(app.look(path, &pass).await.status, StatusCode::OK, "{path}");
    }
    // It changes nothing, and is no token.
    let drain = app.browse(Method::POST, "/api/v1/drain", &pass, "").await;
    assert_eq!(drain.status, StatusCode::UNAUTHORIZED);
    let (_, word) = pass.split_once('=').unwrap();
    let as_token = app.get_by(word, "/api/v1/matches").await;
    assert_eq!(as_token.status, StatusCode::UNAUTHORIZED);
    // It neither lasts longer nor is another's if it is changed.
    let (until, seal) = word.split_once('.').unwrap();
    let later = until.parse::<i64>().unwrap() + 1;
    // Nor can it be made of what the database holds.
    let digest = history::tokens(app.store().reader()).await.unwrap()[0].digest;
    let of_digest = Sha256::new()
        .chain_update(b"a pass until ")
        .chain_update(later.to_be_bytes())
        .chain_update(digest);
    let of_digest: String = of_digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for made_up in [
        format!("{later}.{seal}"),
        format!("{later}.{of_digest}"),
        format!("{until}."),
        "1.0".into(),
    ] {
        let cookie = format!("other=1; drover_pass={made_up}");
        let refused = app.look("/", &cookie).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{made_up}");
    }
    assert!(
        app.state
            .tokens
            .pass(admin.as_bytes(), 1)
            .is_some_and(|old| { app.state.tokens.admit_pass(&old).is_none() })
    );

    // Whatever they are called, they are no admin.
    let reader = app.token("entrant:badminton").await;
    let name = app.state.tokens.list().last().unwrap().name.clone();
    let reading = app.sign_in(&reader).await;
    let start = app.look("/", &reading).await;
    assert!(start.text.contains("SECRET-PATH"), "{}", start.text);
    for not_theirs in ["hidden-word", "drover.sock", "href=\"/metrics\""] {
        assert!(!start.text.contains(not_theirs), "{}", start.text);
    }
    let hubs = app.look("/hubs", &reading).await.text;
    assert!(
        hubs.contains("None of our bots is on a hub.</div>"),
        "{hubs}"
    );
    let tokens = app.look("/api/v1/tokens", &reading).await;
    assert_eq!(tokens.status, StatusCode::FORBIDDEN);
    app.state.tokens.revoke(&name).await.unwrap();
    let revoked = app.look("/", &reading).await;
    assert_eq!(revoked.status, StatusCode::UNAUTHORIZED);

    let left = app.browse(Method::POST, "/logout", &pass, "").await;
    let cookie = left.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(
        cookie.starts_with("drover_pass=;") && cookie.contains("Max-Age=0"),
        "{cookie}"
    );
    let wrong = app
        .browse(Method::POST, "/login", "", "token=drover_x")
        .await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert!(wrong.text.contains("role=\"alert\"") && !wrong.text.contains("drover_x"));
    assert!(!wrong.headers.contains_key(header::SET_COOKIE));
}

#[tokio::test]
async fn what_was_learnt_is_shown_with_its_intervals_and_what_it_counts() {
    let app = App::new().await;
    for number in 1..=2 {
        play(&app, number, true).await;
    }
    let page = app.look("/opponents/1", "").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    for expected in [
        "with 90 % intervals",
        "<th scope=\"col\" class=\"n\">Value</th>",
        "rates from ten cases on; the band is the 90 % interval",
        "How often it is proved.",
        "2 lessons",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    assert!(!page.text.contains("95 %") && !page.text.contains("Not shown."));
    let list = app.look("/opponents", "").await.text;
    assert!(list.contains("<td>bluff rate 0.5 (of 2)</td>"), "{list}");
}

#[tokio::test]
async fn pages_run_nothing_and_load_nothing_from_elsewhere() {
    let app = App::new().await;
    for (path, status) in [
        ("/", 200),
        ("/login", 200),
        ("/docs", 200),
        ("/docs/rest", 200),
        ("/docs/none", 404),
        ("/nowhere", 404),
        ("/?x=1", 400),
    ] {
        let page = app.look(path, "").await;
        assert_eq!(page.status.as_u16(), status, "{path}: {}", page.text);
        assert_eq!(
            page.headers[header::CONTENT_TYPE],
            "text/html; charset=utf-8"
        );
        assert_eq!(page.headers[header::CACHE_CONTROL], "no-store");
        let policy = page.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; "),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        for inline in [
            "style=",
            "<style",
            "onclick",
            "<script>",
            "src=\"http",
            "@import",
        ] {
            assert!(!page.text.contains(inline), "{path}: {inline}");
        }
    }
    let options = app.browse(Method::OPTIONS, "/matches", "", "").await;
    assert_eq!(options.status, StatusCode::NO_CONTENT);
    assert_eq!(options.headers[header::ALLOW], "GET, HEAD, OPTIONS");
    // Programs are still given documents.
    for (path, status) in [
        ("/nowhere", StatusCode::NOT_FOUND),
        ("/?x=1", StatusCode::BAD_REQUEST),
    ] {
        app.problem(path, status).await;
    }
    let document = app.look("/api/v1/nowhere", "").await;
    assert_eq!(
        document.headers[header::CONTENT_TYPE],
        "application/problem+json"
    );
    for name in [
        "app.css",
        "app.js",
        "charts.js",
        "icon.svg",
        "player.js",
        "scene.css",
    ] {
        let file = app.get(&format!("/static/{name}")).await;
        assert_eq!(file.status, StatusCode::OK);
        let tag = file.headers[header::ETAG].to_str().unwrap();
        let again = app
            .get_with(&format!("/static/{name}"), header::IF_NONE_MATCH, tag)
            .await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED);
        let varies = again.headers.get_all(header::VARY).iter();
        assert!(varies.into_iter().any(|by| by == "accept-encoding"));
        assert_eq!(file.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
    app.problem("/static/..%2Fmod.rs", StatusCode::NOT_FOUND)
        .await;
}

#[tokio::test]
async fn the_start_page_says_how_each_game_is_connected_from_where_the_caller_is() {
    let app = App::new().await;
    let start = app.look("/", "").await.text;
    let way_in = "<a class=\"small\" href=\"/login\">Sign in</a>";
    assert!(!start.contains(way_in), "an admin is in already: {start}");
    for command in [
        "http://bots.example:8080/hidden-word/koehandel/champion",
        "curl &#39;http://bots.example:56789/?connect&#38;url1=http://YOUR-HOST:9000/&#38;url2=builtin:champion&#39;",
        "drover referee smartdog --listen 0.0.0.0:3002",
        "drover shim planetwars --bot champion --socket data/drover.sock",
        "http://bots.example:8081/api/v1/matches?limit=3",
    ] {
        assert!(start.contains(command), "{command} is not in {start}");
    }
    let bot = app.look("/bots/koehandel/guide", "").await.text;
    let called = "<code>http://bots.example:8080/hidden-word/koehandel/guide</code>";
    assert!(bot.contains(called), "{bot}");
    let bots = app.look("/bots", "").await.text;
    let folded = bots.matches("<details class=\"narrow\"><summary>How they play<");
    assert_eq!(folded.count(), bots.matches("<h2 id=").count(), "{bots}");
    for kit in games::ALL {
        assert!(
            start.contains(&format!("id=\"{}\"", kit.card().name)),
            "{}",
            kit.card().name
        );
        let card = kit.card();
        let matches = format!("<a href=\"/matches?game={}\">{}</a>", card.name, card.title);
        assert!(start.contains(&matches), "{matches}: {start}");
    }
    assert!(start.contains("<summary>Planet Wars "), "{start}");
    let matches = app.look("/matches", "").await.text;
    let choice = "<option value=\"smartdog\">smart-dog</option>";
    assert!(matches.contains(choice), "{matches}");
    assert!(matches.contains("No match is stored yet."), "{matches}");
    let board = app.look("/dashboard", "").await.text;
    let answers = "<dt>Answers</dt><dd>0 <small>sent to referees since Drover started<";
    let metrics = "<a href=\"/metrics\">Metrics</a>";
    for part in [answers, "<pre>[[hub]]\n", metrics] {
        assert!(board.contains(part), "{part}: {board}");
    }
    app.state.readiness.refuse("an operator asked for it");
    let refusing = app.look("/", "").await.text;
    assert!(refusing.contains("an operator asked for it"), "{refusing}");
    // From elsewhere nobody is let in while there are no tokens.
    let mut request = Request::get("/").header(header::ACCEPT, HTML);
    let caller = Caller {
        address: [192, 0, 2, 7].into(),
        ..LOCAL
    };
    request.extensions_mut().unwrap().insert(caller);
    let shut = app.ask(request.body(Body::empty()).unwrap()).await;
    assert_eq!(shut.status, StatusCode::UNAUTHORIZED);
    for part in ["no token exists yet", way_in] {
        assert!(shut.text.contains(part), "{part}: {}", shut.text);
    }
}

/// Where a filter finds nothing, each that is set can be taken away.
#[tokio::test]
async fn an_empty_list_names_its_filters() {
    let app = App::new().await;
    for (path, part) in [
        (
            "matches?game=smartdog&bot=herder",
            "?bot=herder\">Game: smart-dog</a>",
        ),
        (
            "matches?game=smartdog&bot=herder",
            "?game=smartdog\">Bot: herder</a>.",
        ),
        ("matches?game=smartdog&bot=herder", ">Clear the filters</a>"),
        (
            "matches?game=smartdog",
            "No match fits. Take a filter away: <a",
        ),
        ("tournaments?game=smartdog", "No tournament fits. Take"),
        ("opponents?kind=named", "No opponent fits. Take"),
        ("opponents", "Nothing has been learnt yet"),
    ] {
        let none = app.look(&format!("/{path}"), "").await.text;
        assert!(none.contains(part), "{path}: {part}: {none}");
    }
}

#[tokio::test]
async fn a_match_leads_to_its_decisions_and_their_reasons() {
    let app = App::new().await;
    for number in 1..=2 {
        play(&app, number, true).await;
        let seat = format!("/api/v1/matches/{}/seats/1", match_id(number));
        app.put(&seat, r#"{"name": "ali & ce"}"#).await;
    }
    let page = async |path: &str, parts: &[&str]| {
        let page = app.look(path, "").await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.text);
        for part in parts {
            assert!(page.text.contains(part), "{path}: {part} in {}", page.text);
        }
        for unwanted in ["style=", "ali & ce", "data-follow"] {
            assert!(!page.text.contains(unwanted), "{path}: {unwanted}");
        }
    };
    let id = match_id(2);
    let explain = format!("/matches/{id}/seats/0/explain");
    let parts = [
        "<h1>Seat 1 beat ali &#38; ce, Seat 3 and Seat 4</h1>",
        "<strong>ali &#38; ce</strong>",
        "<svg class=\"board\"",
        &explain,
    ];
    page(&format!("/matches/{id}"), &parts).await;
    let parts = [
        "\">bid 190, by W</a></td>",
        ">Seen by</th>",
        "kind=bluff",
        "href=\"?entry=",
        "href=\"?tab=transcript&#38;session=",
    ];
    page(&format!("/matches/{id}?tab=facts"), &parts).await;
    let parts = ["bluff W 190", "id=\"e", "Seat 1 <time", &explain];
    page(&format!("/matches/{id}?tab=transcript"), &parts).await;
    let decisions = format!("/matches/{id}?tab=decisions");
    page(&decisions, &["aria-current=\"page\">Decisions"]).await;
    let verify = format!("drover match verify {id}");
    let last = ["aria-label=\"Why ", "First page</a>"];
    page(&format!("{explain}?cursor=5000"), &last).await;
    let parts = [
        "<dt>Ended</dt>",
        "Run by",
        "on Drover's machine",
        &verify,
        "match.html",
    ];
    page(&format!("/matches/{id}?tab=about"), &parts).await;
    page(&explain, &["<h1>Why: Seat 1</h1>", "names 7"]).await;
    let decisions = app.json(&format!("/api/v1{explain}")).await;
    let entry = &decisions["items"][0]["entry"];
    let parts = [
        "<h1>Seat 1 names 7</h1>",
        ">Seat 1 – ali &#38; ce – Seat 3 – Seat 4</a>",
        "What it compared <small>its choice first; values: points</small>",
        "<abbr title=\"what the bot expects of this answer: points\">Value</abbr>",
        "class=\"mark-out\"",
        "<details data-reason><summary>The words of the wire</summary>",
        "<dt>Asked</dt><dd><pre class=\"wrapped\">ask</pre></dd>",
        "<dt>Answered</dt><dd><pre class=\"wrapped\">7</pre></dd>",
    ];
    let one = format!("{explain}?entry={entry}");
    page(&one, &parts).await;
    // Its reason, not how it plays in general.
    let known = app.json(&format!("/api/v1{one}")).await;
    let (general, text) = (&known["description"], app.look(&one, "").await.text);
    assert!(text.contains("<p class=\"lead\" data-reason>Of "), "{text}");
    assert!(!text.contains(general.as_str().unwrap()), "{text}");
    // The toy counts no tries.
    assert!(!text.contains(">Tried</abbr>"), "{text}");
    // What a replay shows after it leads there, too.
    let after = entry.as_i64().unwrap() + 1;
    let here = format!("?entry={entry}");
    let parts = ["<h1>Seat 1 names 7</h1>", &here];
    page(&format!("{explain}?entry={after}"), &parts).await;
    app.problem("/bots/toy/champion/versus?rival=x", StatusCode::NOT_FOUND)
        .await;
}

#[tokio::test]
async fn a_page_that_is_refreshed_keeps_its_boards() {
    let app = App::new().await;
    play(&app, 1, true).await;
    let path = format!("/matches/{}", match_id(1));
    let mut request = Request::get(&path).header(header::ACCEPT, HTML);
    request = request.header("x-refresh", "1");
    request.extensions_mut().unwrap().insert(LOCAL);
    let fresh = app.ask(request.body(Body::empty()).unwrap()).await.text;
    let whole = app.look(&path, "").await.text;
    for (page, boards) in [(&whole, true), (&fresh, false)] {
        assert_eq!(page.contains("<svg class=\"board\""), boards, "{page}");
        assert!(page.contains("id=\"replay\""), "{page}");
    }
    // The start page opens it in the middle, but says how it ended.
    let start = app.look("/", "").await.text;
    let won = "<span>Result:</span><ul aria-label=\"Players\"><li data-seat=\"0\">";
    let points = "<strong>Seat 1</strong> 3 points <span class=\"outcome\">";
    for part in [won, points] {
        assert!(start.contains(part), "{part}: {start}");
    }
}

#[tokio::test]
async fn the_start_page_knows_no_match_from_none_that_may_be_shown() {
    let app = App::new().await;
    let reads = app.token("read").await;
    let pass = app.sign_in(&reads).await;
    let first = app.look("/", &pass).await;
    let step = "connect&#38;url1=builtin:champion&#38;url2=builtin:evolved";
    for part in ["No match has been played here yet", step] {
        assert!(first.text.contains(part), "{part}: {}", first.text);
    }
    let _seats = app.two_and_who_looks().await;
    let mut ours = Pen::new(app.store(), None, new_session(1, Side::Player, 0));
    ours.write(app.store(), vec![received("ask"), said("7")])
        .await;
    let hidden = app.look("/", &pass).await;
    assert!(
        hidden.text.contains("No match can be shown at the moment"),
        "{}",
        hidden.text
    );
    // Nor are our own bot's reasons said to be somebody else's.
    let page = format!("/matches/{}", match_id(1));
    let shown = app.look(&page, &pass).await.text;
    assert!(shown.contains(">after the match<"), "{shown}");
    assert!(shown.contains(">not our bot<"), "{shown}");
    // No script would help.
    assert!(shown.contains("some time after the end"), "{shown}");
    assert!(!shown.contains("The replay needs a script"), "{shown}");
    let lines = app
        .look(&format!("{page}?tab=transcript"), &pass)
        .await
        .text;
    assert!(lines.contains("some time after the end"), "{lines}");
    assert!(!lines.contains("api.embargo_s"), "{lines}");
    // Its owner reads what it wrote, though not what the referee wrote of it.
    let pass = app.sign_in(&app.token("bot:champion").await).await;
    let lines = app
        .look(&format!("{page}?tab=transcript"), &pass)
        .await
        .text;
    assert!(lines.contains("<div class=\"wire\">7"), "{lines}");
}

#[tokio::test]
async fn a_match_is_framed_by_the_sites_that_are_named_and_by_no_other() {
    let mut app = App::new().await;
    app.two_and_who_looks().await;
    let id = match_id(1);
    let policy = |answer: &Answer| {
        let policy = &answer.headers[header::CONTENT_SECURITY_POLICY];
        policy.to_str().unwrap().to_owned()
    };
    let frame = format!("/embed/matches/{id}?autoplay=1&loop=1&speed=4&theme=dark&step=2");
    let admin = app.token("admin").await;
    let pass = app.sign_in(&admin).await;
    let shown = app.look(&frame, &pass).await;
    assert!(shown.text.contains(r#"id="replay""#), "{}", shown.text);
    assert!(policy(&shown).ends_with("frame-ancestors 'none'"));
    app.change().framed_by = Arc::new(["https://club.example".to_owned()]);
    let shown = app.look(&frame, &pass).await;
    assert!(policy(&shown).ends_with("frame-ancestors https://club.example"));
    // Other pages have buttons.
    let page = app.look(&format!("/matches/{id}"), &pass).await;
    assert!(policy(&page).ends_with("frame-ancestors 'none'"));
}

#[tokio::test]
async fn a_transcript_is_in_the_order_of_time() {
    let app = App::new().await;
    let (mut pens, _tokens) = app.two_and_who_looks().await;
    // Each session is stored at once, as those of our own referee are; they took turns.
    for (at, pen) in pens.iter_mut().enumerate() {
        let line = |turn: usize| NewEntry {
            at_us: (10 * turn + at) as i64,
            ..said(&format!("word {turn} of {at}"))
        };
        pen.write(app.store(), (10..20).map(line).collect()).await;
        // What does not fit the search is counted.
        let mut pause = said("pause,now");
        pause.at_us = 199;
        pen.write(app.store(), vec![pause; 50]).await;
        pen.write(app.store(), (20..30).map(line).collect()).await;
        // Of eight lines all are shown, of nine six.
        let mut long = said(&format!("for{}", "\n.".repeat(7 + at)));
        long.at_us = 300 + at as i64;
        pen.write(app.store(), vec![long]).await;
    }
    let pass = app.sign_in(&app.token("admin").await).await;
    let mut query = "?tab=transcript".to_owned();
    let mut shown = Vec::new();
    for page in 1..=8 {
        let path = format!("/matches/{}{query}", match_id(1));
        let text = app.look(&path, &pass).await.text;
        let cells = text.split("<div class=\"wire\">").skip(1);
        let cells = cells.filter_map(|cell| cell.split('<').next());
        shown.extend(cells.map(|cell| cell.trim().to_owned()));
        let next = text.split_once("rel=\"next\" href=\"");
        assert_eq!(next.is_some(), page < 8, "{page}: {text}");
        let next = next.and_then(|(_, rest)| rest.split_once('"'));
        let range = format!("{}–{} of 144<", 20 * page - 19, (20 * page).min(144));
        assert!(text.contains(&range), "{range}: {text}");
        assert_eq!(text.contains("rel=\"prev\""), page > 1, "{text}");
        assert_eq!(text.contains(">Last page<"), page < 7, "{text}");
        // A line is broken after a comma, where it must be.
        let broken = text.contains(">pause,<wbr>now<");
        assert_eq!(broken, (2..=7).contains(&page), "{text}");
        query = next.map_or_else(String::new, |(next, _)| next.replace("&#38;", "&"));
    }
    shown.retain(|line| line != "pause,");
    let path = format!("/matches/{}?tab=transcript&q=OR", match_id(1));
    let fits = app.look(&path, &pass).await.text;
    assert!(fits.contains("1–20 of 44<"), "{fits}");
    let first = ["for ann", "for bob"].map(str::to_owned);
    let turns = (10..30).flat_map(|turn| [0, 1].map(|at| format!("word {turn} of {at}")));
    let last = [7, 5].map(|dots| format!("for{}", "\n.".repeat(dots)));
    let all = first.into_iter().chain(turns).chain(last);
    assert_eq!(shown, all.collect::<Vec<_>>());
}
