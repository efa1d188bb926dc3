//! The replay of every game, looked at as its readers do: by pointer, by keys, by links.

use super::driver::{Browser, DOWN, END, HOME, LEFT, RIGHT, SPACE};
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
        the_board_is_legible(&browser, &page, kit.card().name);
        browser.open(&page);
        shows(&browser, 1);
        whole(&browser);
        if kit.card().narrow.is_some() {
            the_board_fills_its_place(&browser, kit.card().name);
        }
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
        let link = browser.text("document.querySelector('#replay a').search");
        assert_eq!(link, format!("?step={middle}"));

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

        // A link leads to its step; a fact leads to where it was sent.
        browser.open(&format!("{page}{link}"));
        shows(&browser, middle);
        whole(&browser);
        the_step_has_its_messages(&browser, kit.card().name);
        if kit.card().name == "planetwars" {
            quiet_steps_are_folded(&browser);
        }
        the_list_and_the_charts_lead_there(&browser, kit.card().name);
        // Routine is left out until its kind is chosen, also of what one player saw.
        let dull = "[...document.querySelectorAll('#fact-rows td')].filter((cell) => /(barks|, to land in turn .*|^Nobody bids: .*)$/.test(cell.textContent)).length";
        browser.open(&format!("{page}?tab=facts&by=0"));
        browser.until("document.querySelector('#fact-rows')");
        assert_eq!(browser.text(dull), "0", "{}", kit.card().name);
        // A fact in words leads to its step, too.
        browser.open(&format!("{page}?tab=facts"));
        browser.until("document.querySelector('#fact-rows a[href*=entry]')");
        let fact = "[...document.querySelectorAll('#fact-rows tbody tr')].at(-1).children";
        let sentence = format!("{fact}[1].querySelector('a, span').textContent");
        let sentence = browser.text(&sentence);
        assert!(!sentence.contains('_') && sentence.len() > 10, "{sentence}");
        assert_eq!(browser.text(dull), "0", "{}", kit.card().name);
        if kit.card().name == "planetwars" {
            // The last turn's news is sent to nobody.
            assert!(sentence.ends_with("the game is over"), "{sentence}");
            let row = browser.text(&format!("{fact}[1].textContent"));
            assert!(row.ends_with("nobody was sent it"), "{row}");
        }
        browser.run(&format!("{fact}[0].querySelector('a').click()"));
        whole(&browser);
        browser.until(&format!(
            "[...document.querySelectorAll('#replay .replay-title, #replay [aria-current] + ul li')].some((fact) => fact.textContent === {sentence:?})"
        ));
    }
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
}

/// Every text of the picture is large enough on a phone, and stays on it.
fn the_board_is_legible(browser: &Browser, page: &str, game: &str) {
    browser.look(390, "light");
    browser.open(page);
    whole(browser);
    browser.run("const scrub = document.querySelector('#replay input'); scrub.value = Math.floor(scrub.max * 0.6); scrub.dispatchEvent(new Event('input')); return 0");
    whole(browser);
    let wrong = browser.text("(() => { const board = document.querySelector('#replay .board'); const area = board.getBoundingClientRect(); const scale = board.getScreenCTM().a; return [...board.querySelectorAll('text')].filter((one) => { const box = one.getBoundingClientRect(); return Number(one.getAttribute('font-size')) * scale < 9.5 || box.left < area.left - 1 || box.right > area.right + 1; }).map((one) => `${one.textContent} (${one.getAttribute('font-size')})`).slice(0, 5).join('; '); })()");
    assert_eq!(wrong, "", "{game}");
    // The page brings its first position, and a later one replaces it at once.
    let size = "document.querySelector('#replay .board').getAttribute('viewBox')";
    let brought = browser.promised(&format!("const done = arguments[arguments.length - 1]; fetch(location.href, {{headers: {{Accept: 'text/html'}}}}).then((answer) => answer.text()).then((page) => done(page.includes(`viewBox=\"${{{size}}}\"`)))"));
    assert_eq!(brought, true, "{game}");
    browser.look(1280, "light");
}

/// A board that is laid out for desks takes most of the width there.
fn the_board_fills_its_place(browser: &Browser, game: &str) {
    let share = browser.text("(() => { const board = document.querySelector('#replay .board'); const {width, height} = board.viewBox.baseVal; const area = board.getBoundingClientRect(); return Math.min(area.width / width, area.height / height) * width / area.width; })()");
    let share: f64 = share.parse().unwrap();
    assert!(share > 0.8, "{game}: {share} of its width");
}

/// Next to the board is what was received and answered at the step that is shown, once it is opened; at another step it
/// is folded again.
fn the_step_has_its_messages(browser: &Browser, game: &str) {
    let folded = "document.querySelector('[aria-current] ~ .replay-said')";
    assert_eq!(browser.text(&format!("{folded}.open")), "false", "{game}");
    browser.click(".replay-said summary");
    browser.until(&format!(
        "{folded}.querySelector('pre, .wire')?.textContent.length > 0"
    ));
    let reason = browser.text(&format!("{folded}.querySelector('.lead')?.textContent"));
    let why = browser.text(
        "document.querySelector('#replay .replay-main .replay-row a[href*=explain]')?.hidden",
    );
    assert_eq!(reason != "undefined", why == "false", "{game}: {reason}");
    // A row that is made again, as when a position arrives, leaves the reader where they are.
    browser.run(
        "const text = document.querySelector('.replay-said :is(pre, .wire)'); text.style.height = '8px'; text.scrollTop = 4; document.querySelector('[aria-label=\"Which steps\"]').dispatchEvent(new Event('change'))",
    );
    let scrolled = format!("{folded}.querySelector('pre, .wire').scrollTop");
    assert_eq!(browser.text(&scrolled), "4", "{game}");
    // Here the arrows scroll.
    browser.press(DOWN);
    let scrolls = format!("{folded}?.open && {folded}.querySelector('pre, .wire').tabIndex");
    assert_eq!(browser.text(&scrolls), "0", "{game}");
    browser.press(LEFT);
    browser.until(&format!("{folded}?.open === false"));
    browser.press(RIGHT);
}

/// A click in the list of steps, and one on a chart, each lead to their step.
fn the_list_and_the_charts_lead_there(browser: &Browser, game: &str) {
    whole(browser);
    // From the first turn on no row makes a reader look for its number in those before it.
    let bare = "(() => { const numbers = [...document.querySelectorAll('.replay-list [data-step] .replay-turn')].map((one) => one.textContent); return numbers.slice(numbers.findIndex(Boolean)).filter((one) => !one).length; })()";
    assert_eq!(browser.text(bare), "0", "{game}");
    let listed = browser.text("document.querySelector('.replay-list [data-step]').dataset.step");
    browser.run("document.querySelector('.replay-list [data-step]').click()");
    shows(browser, listed.parse::<usize>().unwrap() + 1);
    let charts = browser.text("document.querySelectorAll('.replay-chart').length");
    let measures = games::find(game)
        .unwrap()
        .card()
        .curves
        .unwrap()
        .names
        .len();
    assert_eq!(charts, measures.to_string(), "{game}");
    browser.run("const chart = document.querySelector('.replay-chart'); const area = chart.getBoundingClientRect(); chart.dispatchEvent(new MouseEvent('click', {clientX: area.right - 12, clientY: area.top + 40, bubbles: true})); return 0");
    let (there, count) = step(browser);
    assert!(
        there + count / 10 + 1 >= count,
        "{game}: {there} of {count}"
    );
    the_charts_name_their_lines(browser, game);
    // Only what is chosen is listed.
    browser.run("const kind = document.querySelector('[aria-label=\"Which steps\"]'); kind.value = kind.options[1]?.value ?? ''; kind.dispatchEvent(new Event('change')); return 0");
    let bare = "[...document.querySelectorAll('.replay-list [data-step]')].filter((one) => !one.nextElementSibling && !one.querySelector('.replay-late')).length";
    let chosen = browser.text("document.querySelector('[aria-label=\"Which steps\"]').value");
    assert!(
        chosen.is_empty() || browser.text(bare) == "0",
        "{game} {chosen}"
    );
}

/// Each line's end has its player's name in its colour, none covers another or leaves the chart, and the turn that is shown
/// is marked among those below.
fn the_charts_name_their_lines(browser: &Browser, game: &str) {
    let names = "[...document.querySelectorAll('.names circle')].map((one) => one.getAttribute('class').match(/s-p(\\d)/)[1]).sort().join()";
    let places = "(chart) => [...chart.querySelectorAll('text.s-bold[class*=s-p]')]";
    let seats = format!(
        "({places})(document.querySelector('.replay-chart')).map((one) => one.getAttribute('class').match(/s-p(\\d)/)[1]).sort().join()"
    );
    assert_eq!(browser.text(&seats), browser.text(names), "{game}");
    let wrong = browser.text(&format!("[...document.querySelectorAll('.replay-chart')].flatMap((chart) => {{ const area = chart.getBoundingClientRect(); const boxes = ({places})(chart).map((one) => one.getBoundingClientRect()).sort((one, other) => one.top - other.top); return boxes.filter((box, at) => box.right > area.right + 1 || at > 0 && box.top + 3 < boxes[at - 1].bottom - 3); }}).length"));
    assert_eq!(wrong, "0", "{game}");
    // A line is where its figures are: none leaves the scale to be seen next to another.
    let outside = browser.text("[...document.querySelectorAll('.replay-chart')].filter((chart) => { const board = chart.querySelector('rect').getBBox(); return [...chart.querySelectorAll('path[class*=s-p]')].some((line) => { const box = line.getBBox(); return box.y < board.y - 0.1 || box.y + box.height > board.y + board.height + 0.1; }); }).length");
    assert_eq!(outside, "0", "{game}");
    let turn = browser.text("document.querySelector('.replay-where').dataset.turn");
    let marked = browser.text("document.querySelector('.replay-now text').textContent");
    assert_eq!(marked, turn, "{game}");
    let below = browser.text("[...document.querySelectorAll('.replay-chart:first-child text[text-anchor=middle].s-muted')].map((one) => one.textContent).join()");
    let turns: Vec<u32> = below.split(',').map(|one| one.parse().unwrap()).collect();
    assert!(turns.is_sorted() && turns.len() > 1, "{game}: {below}");
    if game == "planowanie" {
        // Both begin without points: one line is dashes over the other.
        let dashed = "document.querySelectorAll('.replay-chart path[stroke-dasharray]').length";
        assert_eq!(browser.text(dashed), "1");
        // Tricks are equally wide, however many steps they have.
        let places = browser.text("[...document.querySelectorAll('.replay-chart:first-child text[text-anchor=middle].s-muted')].map((one) => one.getAttribute('x')).join()");
        let places: Vec<f64> = places.split(',').map(|one| one.parse().unwrap()).collect();
        let width = places[1] - places[0];
        let mut widths = places.windows(2).map(|pair| pair[1] - pair[0]);
        assert_eq!(turns, [1, 2, 3, 4, 5]);
        assert!(widths.all(|one| (one - width).abs() < 1.0), "{places:?}");
        // The mark is next to the number of its trick.
        let now = browser.text(
            "document.querySelector('.replay-now').getAttribute('transform').match(/[\\d.]+/)[0]",
        );
        let now: f64 = now.parse().unwrap();
        let numbers = places.iter().zip(&turns);
        let nearest =
            numbers.min_by(|one, other| (one.0 - now).abs().total_cmp(&(other.0 - now).abs()));
        assert_eq!(nearest.unwrap().1.to_string(), turn, "{now} of {places:?}");
    }
}

/// A run of quiet steps is one short row, and parted by the one of them that is shown.
fn quiet_steps_are_folded(browser: &Browser) {
    let folded = "[...document.querySelectorAll('.replay-quiet')].find((one) => one.textContent.includes(' quiet steps'))";
    let step: usize = browser
        .text(&format!("{folded}.dataset.step"))
        .parse()
        .unwrap();
    browser.run(&format!("{folded}.click()"));
    shows(browser, step + 1);
    let current = "document.querySelector('.replay-list [aria-current]').textContent";
    let title = "document.querySelector('.replay-title').textContent";
    let row = browser.text(current);
    assert!(row.contains(&browser.text(title)), "{row}");
    browser.press(RIGHT);
    shows(browser, step + 2);
    let row = browser.text(current);
    assert!(row.contains(&browser.text(title)));
    // Its own number stands there, below what is counted.
    let number = browser.text("document.querySelector('.replay-where').dataset.turn");
    let shown = "document.querySelector('.replay-list [aria-current] .replay-turn').textContent";
    assert_eq!(browser.text(shown), number, "{row}");
    let counted = "document.querySelector('.replay-side > .replay-turn').textContent";
    assert_eq!(browser.text(counted), "turn");
    // Those before and after it are still listed.
    for step in step..step + 3 {
        let rows =
            format!("document.querySelectorAll('.replay-list [data-step=\"{step}\"]').length");
        assert_eq!(browser.text(&rows), "1", "{step}");
    }
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
    browser.until("/^Step/.test(document.querySelector('.replay-where')?.textContent)");
    let (shown, count) = step(&browser);
    assert!(2 * shown > count, "opened at {shown} of {count}");
    let heading = "document.querySelector('h1').textContent";
    browser.click("nav a[href='/bots']");
    browser.until(&format!("{heading} === 'Bots'"));
    browser.click("a[href='/bots/lighthouses/drifter']");
    browser.until(&format!("{heading} === 'drifter'"));
    browser.click("a[aria-label='1 lost against nearest']");
    browser.until(&format!("{heading} === 'drifter against nearest'"));
    browser.click("table a[href^='/matches/']");
    browser.until(&format!("{heading} === 'nearest beat drifter'"));
    let best = browser.text("document.querySelector('.names li').textContent");
    assert!(best.contains("nearest") && best.contains("won"), "{best}");
    // And further to a decision, with what was compared.
    browser.click("a[href*='/seats/0/explain']");
    browser.until(&format!("{heading} === 'Why: drifter'"));
    browser.click("tbody a[aria-label^='Why']");
    browser.until(&format!("/^round \\d+: drifter /.test({heading})"));
    browser.click("a[rel=next]");
    browser.until("document.querySelector('a[rel=prev]')");
    assert_eq!(browser.complaints(&app.url()), [""; 0]);
}
