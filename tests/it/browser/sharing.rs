//! A match in another site's page, and a step of it as a picture.

use super::driver::Browser;
use crate::app::{TestApp, folder, ok, run};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};

/// Another site: its one page frames what stands in its address after the question mark. It lives as long as the test.
fn site() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let asked = BufReader::new(&stream).lines().map_while(Result::ok).next();
            let path = asked.as_deref().unwrap_or_default().split(' ').nth(1);
            let framed = path
                .and_then(|path| path.split_once('?'))
                .map_or("", |(_, url)| url);
            let page = format!(
                "<!DOCTYPE html><title>Club</title><iframe src=\"{framed}\" width=\"700\" height=\"700\"></iframe>"
            );
            let length = page.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{page}"
            );
        }
    });
    address
}

#[test]
fn a_match_is_shown_on_sites_that_are_named_and_a_step_is_a_picture() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = folder();
    let store = folder.path().join("drover.db");
    let store = store.to_str().unwrap();
    let seats = ["--seat", "builtin:greedy", "--seat", "builtin:random"];
    let options = ["--games", "1", "--option", "deals=3 1", "--store", store];
    ok(run(
        &[&["play", "planowanie"][..], &seats, &options].concat()
    ));
    let (named, other) = (site(), site());
    let sites = format!("[\"http://{named}\"]");
    let app = TestApp::with(folder.path(), &[("API__FRAMED_BY", &sites)]);
    let id = app.items("/api/v1/matches?limit=1")[0]["id"].clone();
    let embed = format!("{}/embed/matches/{}", app.url(), id.as_str().unwrap());
    let where_it_is = "document.querySelector('.replay-where')?.textContent";
    browser.look(1280, "light");

    browser.open(&format!(
        "http://{named}/?{embed}?turn=3&speed=16&theme=dark"
    ));
    browser.enter("iframe");
    browser.until("document.querySelector('.replay-where')?.dataset.turn === '3'");
    assert_eq!(
        browser.text("document.documentElement.dataset.theme"),
        "dark"
    );
    assert_eq!(
        browser.text("document.querySelector('[aria-label=\"Steps a second\"]').value"),
        "16"
    );
    let link = browser.text("(({pathname, search, target}) => `${pathname}${search} ${target}`)(document.querySelector('#replay a'))");
    let page = format!("/matches/{}?step=", id.as_str().unwrap());
    assert!(
        link.starts_with(&page) && link.ends_with(" _blank"),
        "{link}"
    );
    a_step_is_a_picture(&browser);

    browser.open(&format!(
        "http://{named}/?{embed}?autoplay=1&loop=1&speed=16"
    ));
    browser.enter("iframe");
    // It begins again after its end.
    browser.until("document.querySelector('#replay').dataset.whole === 'true'");
    // One deal has no curve of points.
    browser.until("document.querySelector('.replay-charts').hidden");
    browser.run("window.ended = false; new MutationObserver(() => { const [at, of] = document.querySelector('.replay-where').textContent.match(/\\d+/g); window.ended ||= at === of; }).observe(document.querySelector('.replay-where'), {childList: true}); const scrub = document.querySelector('#replay input'); scrub.value = scrub.max - 3; scrub.dispatchEvent(new Event('input'));");
    browser.until(&format!(
        "window.ended && /^Step [1-9] /.test({where_it_is})"
    ));

    browser.open(&format!("http://{other}/?{embed}"));
    browser.enter("iframe");
    browser.until("location.protocol === 'chrome-error:'");
    // Nor is any other page framed, where it may be.
    browser.open(&format!("http://{named}/?{}/matches", app.url()));
    browser.enter("iframe");
    browser.until("location.protocol === 'chrome-error:'");
}

/// The button gives a PNG of what is shown, twice as large and in its colours.
fn a_step_is_a_picture(browser: &Browser) {
    browser.until("document.querySelector('#replay svg').getAttribute('aria-busy') === 'false'");
    browser.run("HTMLAnchorElement.prototype.click = function () { window.taken = this; }");
    browser.run("document.querySelector('[aria-label^=\"Save picture\"]').click()");
    browser.until("window.taken");
    assert!(browser.text("taken.download").ends_with(".png"));
    let seen = browser.promised(
        "const done = arguments[arguments.length - 1]; const image = new Image(); image.onload = () => { \
         const canvas = document.createElement('canvas'); [canvas.width, canvas.height] = [image.width, image.height]; \
         const pen = canvas.getContext('2d'); pen.drawImage(image, 0, 0); \
         const colours = new Set(new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer)); \
         done([image.width, image.height, colours.size]); }; image.src = taken.href;",
    );
    let shown = browser.run("const {width, height} = document.querySelector('#replay svg').viewBox.baseVal; return [2 * width, 2 * height]");
    assert_eq!([&seen[0], &seen[1]], [&shown[0], &shown[1]]);
    assert!(seen[2].as_u64().unwrap() > 20, "{seen}");
}
