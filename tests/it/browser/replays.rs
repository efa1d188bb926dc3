//! The replay of every game, looked at as its readers do: by pointer, by keys, by links.

use super::driver::{Browser, END, HOME, LEFT, RIGHT, SPACE};
use super::filled;
use crate::app::TestApp;

/// What an expression on the player's line of words gives.
fn step(browser: &Browser) -> (usize, usize) {
    let words = browser.text("document.querySelector('.replay-where').textContent");
    let mut numbers = words.split(|letter: char| !letter.is_ascii_digit());
    let mut number = || numbers.find_map(|word| word.parse().ok()).unwrap();
    (number(), number())
}

/// Waits until this step is shown.
fn shows(browser: &Browser, step: usize) {
    browser.until(&format!(
        "document.querySelector('.replay-where')?.textContent.startsWith('Step {step} of ')"
    ));
}

/// Waits until all steps have come, and the picture of the one that is shown.
fn whole(browser: &Browser) {
    browser.until("document.querySelector('#replay').dataset.whole === 'true' && document.querySelector('#replay svg').getAttribute('aria-busy') === 'false'");
}

#[test]
fn every_replay_is_scrubbed_stepped_played_and_linked_to() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = filled();
    let app = TestApp::start(folder.path());
    browser.look(1280, "light");
    for kit in games::ALL {
        let path = format!("/api/v1/matches?limit=1&game={}", kit.card().name);
        let id = app.items(&path)[0]["id"].as_str().unwrap().to_owned();
        let page = format!("{}/matches/{id}", app.url());
        browser.open(&page);
        shows(&browser, 1);
        whole(&browser);
        let picture = "document.querySelector('#replay svg g:last-of-type').innerHTML";
        let first = browser.text(picture);
        assert!(
            first.contains("class=\"s-"),
            "{}: {first:.300}",
            kit.card().name
        );

        browser.run("const scrub = document.querySelector('#replay input'); scrub.value = Math.floor(scrub.max / 2); scrub.dispatchEvent(new Event('input', {bubbles: true})); return 0");
        whole(&browser);
        let (middle, count) = step(&browser);
        assert!(
            middle > 1 && count > 4,
            "{}: {middle} of {count}",
            kit.card().name
        );
        assert_ne!(browser.text(picture), first, "{}", kit.card().name);
        let turn = browser.text("document.querySelector('#replay a').search");

        browser.run("document.activeElement.blur(); document.body.focus()");
        for (key, shown) in [
            (END, count),
            (LEFT, count - 1),
            (HOME, 1),
            (RIGHT, 2),
            (LEFT, 1),
            (LEFT, 1),
        ] {
            browser.press(key);
            shows(&browser, shown);
        }
        let button = "document.querySelector('[aria-label=\"Play or pause\"]').textContent";
        browser.press(SPACE);
        assert_eq!(browser.text(button), "Pause");
        shows(&browser, 2);
        browser.press(SPACE);
        assert_eq!(browser.text(button), "Play");

        // A link to a turn shows its first step; a fact leads to where it was sent.
        browser.open(&format!("{page}{turn}"));
        browser.until(&format!(
            "document.querySelector('#replay a')?.search === '{turn}' && /^Step/.test(document.querySelector('.replay-where').textContent)"
        ));
        browser.run("window.kept = true");
        let last = "[...document.querySelectorAll('#fact-rows [data-entry]')].at(-1)";
        if browser.text(&format!("{last} !== undefined")) == "true" {
            browser.run(&format!("{last}.click()"));
            let kind = browser.text(&format!("{last}.dataset.kind.replaceAll('_', ' ')"));
            browser.until(&format!(
                "[...document.querySelectorAll('#replay li')].some((fact) => fact.textContent.startsWith('{kind}'))"
            ));
            assert_eq!(browser.text("window.kept"), "true");
        }
    }
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
}

#[test]
fn a_reader_learns_in_four_clicks_why_a_bot_lost_to_another() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = filled();
    let app = TestApp::start(folder.path());
    browser.look(1280, "light");
    browser.open(&app.url());
    let heading = "document.querySelector('h1').textContent";
    browser.click("nav a[href='/bots']");
    browser.until(&format!("{heading} === 'Bots'"));
    browser.click("a[href='/bots/lighthouses/drifter']");
    browser.until(&format!("{heading} === 'drifter'"));
    browser.click("a[aria-label='1 lost against nearest']");
    browser.until(&format!("{heading} === 'drifter against nearest'"));
    browser.click("table a[href^='/matches/']");
    browser.until(&format!("{heading} === 'Match of lighthouses'"));
    let verdict = browser.text("document.querySelector('.lead').textContent");
    assert!(
        verdict.contains("nearest") && verdict.contains("won"),
        "{verdict}"
    );
    // And further to a decision, with what was compared.
    browser.click("a[href*='/seats/0/explain']");
    browser.until(&format!("{heading} === 'What seat 0 decided'"));
    browser.click("tbody a[aria-label^='Why']");
    browser.until(&format!("{heading} === 'Why drifter decided so'"));
    browser.click("a[rel=next]");
    browser.until("document.querySelector('a[rel=prev]')");
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
}
