//! Pictures of every page, and of the middle of a match of each game: `SCREENSHOTS=FOLDER cargo test --test it
//! screenshots -- --ignored`. They are looked at by people.

use super::driver::Browser;
use super::{app, filled, pages};
use std::path::PathBuf;

#[test]
#[ignore = "makes pictures for people to look at"]
fn screenshots() {
    let folder = PathBuf::from(std::env::var_os("SCREENSHOTS").unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    let browser = Browser::start().unwrap();
    let data = filled();
    let app = app(data.path());
    for page in pages(&app) {
        for (width, scheme) in [
            (1280, "light"),
            (1280, "dark"),
            (390, "light"),
            (390, "dark"),
        ] {
            browser.look(width, scheme);
            browser.open(&format!("{}{page}", app.url()));
            browser.until("!document.querySelector('#replay') || document.querySelector('#replay .board')?.getAttribute('aria-busy') === 'false'");
            let name = page.trim_matches('/').replace(['/', '?', '&', '='], "-");
            let path = folder.join(format!("{name}-{width}-{scheme}.png"));
            std::fs::write(path, browser.picture("html")).unwrap();
            if page.starts_with("/matches/") && !page.contains('?') && !page.ends_with("explain") {
                browser.run("const scrub = document.querySelector('#replay input'); scrub.value = Math.floor(scrub.max / 2); scrub.dispatchEvent(new Event('input')); return 0");
                browser.until(
                    "document.querySelector('#replay svg').getAttribute('aria-busy') === 'false'",
                );
                let path = folder.join(format!("{name}-{width}-{scheme}-replay.png"));
                std::fs::write(path, browser.picture("#replay")).unwrap();
            }
        }
    }
}
