//! Where the links of a match's page lead.

use crate::app::{TestApp, folder, play, report};
use std::collections::BTreeSet;

/// The addresses that a page leads to on this host, without fragments.
fn links(page: &str, at: &str) -> BTreeSet<String> {
    let hrefs = page.split("href=\"").skip(1);
    let hrefs = hrefs.filter_map(|rest| rest.split('"').next());
    let leads = |href: &str| match href.split('#').next()?.replace("&#38;", "&") {
        path if path.starts_with('/') => Some(path),
        query if query.starts_with('?') => Some(format!("{at}{query}")),
        _ => None,
    };
    hrefs.filter_map(leads).collect()
}

#[test]
fn every_link_of_a_match_page_leads_somewhere() {
    let folder = folder();
    for (game, seats, option) in [
        ("koehandel", ["guide", "face"], ""),
        ("planowanie", ["greedy", "rules"], "deals=3 1"),
        ("lighthouses", ["drifter", "nearest"], "rounds=5"),
        ("smartdog", ["random", "shipped"], "turnsLimit=20"),
        ("planetwars", ["idle", "bully"], "rounds=20"),
    ] {
        let seats = seats.map(|bot| format!("builtin:{bot}"));
        let options: Vec<&str> = [option].into_iter().filter(|it| !it.is_empty()).collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        let mut line = play(game, &seats, &options);
        line.arg("--store").arg(folder.path().join("drover.db"));
        report(line.output().unwrap());
    }
    let app = TestApp::start(folder.path());
    for kit in games::ALL {
        let path = format!("/api/v1/matches?limit=1&game={}", kit.card().name);
        let at = format!("/matches/{}", app.items(&path)[0]["id"].as_str().unwrap());
        let tabs = [
            "",
            "?tab=facts",
            "?tab=decisions",
            "?tab=transcript",
            "?tab=about",
        ];
        let pages = tabs.map(|tab| links(&app.get(&format!("{at}{tab}")).body, &at));
        let links: BTreeSet<String> = pages.into_iter().flatten().collect();
        let why = links.iter().filter(|link| link.contains("explain?entry="));
        assert!(why.count() > 2, "{}: {links:?}", kit.card().name);
        for link in links {
            let answer = app.get(&link);
            assert_eq!(answer.status, 200, "{link}: {}", answer.body);
        }
    }
}
