//! The start page for people, like the original's `market.html`: a form that makes the connect
//! query, and the matches with their logs. No script, nothing from elsewhere.

use crate::referee::host::Host;
use crate::referee::host::match_info::HostedMatch;
use games::OptionCard;
use std::fmt::Write as _;

/// Most matches listed.
const MATCHES_SHOWN_MAX: usize = 100;

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}label{display:block;margin-top:.6rem}input{width:100%;max-width:36rem;font:inherit;\
padding:.3rem;box-sizing:border-box}button{font:inherit;margin-top:1rem;padding:.4rem 1.2rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8888;\
vertical-align:top}small{opacity:.8}fieldset{border:1px solid #8888;margin-top:1rem}";

/// The page as it stands now.
pub(in crate::referee) fn page(host: &Host) -> String {
    let kit = host.kit();
    let game = escaped(kit.game());
    let seats = host.seats();
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{game} referee</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{game} referee</h1>\n\
         <p>Start a match: give the address of each player's HTTP server. The same address may sit \
         on several seats; a seat left empty is a filler that passes on everything.</p>\n\
         <form method=\"get\" action=\"/\">\n<input type=\"hidden\" name=\"connect\" value=\"\">\n"
    );
    for seat in 1..=seats {
        let _ = write!(
            page,
            "<label for=\"url{seat}\">Player {seat}</label>\n<input id=\"url{seat}\" name=\"url{seat}\" \
             type=\"text\" inputmode=\"url\" autocomplete=\"url\" placeholder=\"http://host:port/path\">\n"
        );
    }
    page.push_str("<fieldset>\n<legend>Rules (left empty: as shown)</legend>\n");
    for card in kit.options() {
        option_field(&mut page, card);
    }
    page.push_str(
        "<label for=\"seed\">seed <small>Fixes the deck and who starts; left empty it is drawn.</small></label>\n\
         <input id=\"seed\" name=\"seed\" type=\"text\" inputmode=\"numeric\">\n</fieldset>\n\
         <button type=\"submit\">Start the match</button>\n</form>\n",
    );
    matches(&mut page, &host.matches());
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn option_field(page: &mut String, card: &OptionCard) {
    let (name, about) = (escaped(card.name), escaped(card.description));
    let default = escaped(card.default.trim_matches('"'));
    let _ = write!(
        page,
        "<label for=\"{name}\">{name} <small>{about}</small></label>\n\
         <input id=\"{name}\" name=\"{name}\" type=\"text\" placeholder=\"{default}\">\n"
    );
}

fn matches(page: &mut String, matches: &[std::sync::Arc<HostedMatch>]) {
    page.push_str("<h2>Matches</h2>\n");
    if matches.is_empty() {
        page.push_str("<p>None yet.</p>\n");
        return;
    }
    page.push_str(
        "<table>\n<thead><tr><th scope=\"col\">Market</th><th scope=\"col\">State</th>\
         <th scope=\"col\">Players, their logs and scores</th></tr></thead>\n<tbody>\n",
    );
    for hosted in matches.iter().take(MATCHES_SHOWN_MAX) {
        let state = match hosted.end.get() {
            None => "running".to_owned(),
            Some(end) if end.detail.is_empty() => escaped(end.cause.word()),
            Some(end) => format!("{}: {}", escaped(end.cause.word()), escaped(&end.detail)),
        };
        // Who knows the number of a running match is a step nearer to speaking in our place.
        let market = match hosted.end.get() {
            None => "hidden".to_owned(),
            Some(_) => hosted.info.market.to_string(),
        };
        let _ = write!(page, "<tr><td>{market}</td><td>{state}</td><td>");
        for (place, spec) in hosted.info.seats.iter().enumerate() {
            player(page, hosted, place, spec);
        }
        page.push_str("</td></tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
}

/// A running match's logs are not linked: each holds what only its own player may know.
fn player(page: &mut String, hosted: &HostedMatch, place: usize, spec: &str) {
    let info = &hosted.info;
    let given = info.names.get(place).and_then(Option::as_deref);
    let name = given.unwrap_or(without_path(spec));
    let name = escaped(name);
    let id = info.ids.get(place).copied().unwrap_or_default();
    let _ = match hosted.end.get() {
        None => write!(page, "{name}<br>"),
        Some(end) => {
            let scores = end.outcome.as_ref().map(|outcome| outcome.scores.values());
            let score = scores
                .and_then(|scores| scores.get(place))
                .map(i64::to_string);
            let score = score.unwrap_or_else(|| "no score".to_owned());
            write!(
                page,
                "{name}: {score}, <a href=\"/?log={id}\">log {id}</a><br>"
            )
        }
    };
}

/// A player's address may hold his secrets after the host.
fn without_path(spec: &str) -> &str {
    let start = spec.find("://").map_or(0, |end| end + 3);
    let end = spec
        .get(start..)
        .and_then(|rest| rest.find(['/', '?', '#']));
    end.and_then(|end| spec.get(..start + end)).unwrap_or(spec)
}

/// Text that may stand in HTML, in attributes too.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{escaped, without_path};

    #[test]
    fn nothing_from_outside_becomes_markup() {
        assert_eq!(
            escaped("<a href='x'>&\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;"
        );
    }

    #[test]
    fn addresses_are_shown_without_their_secrets() {
        assert_eq!(without_path("url:http://a:1/key?x"), "url:http://a:1");
        assert_eq!(without_path("url:http://a:1?key"), "url:http://a:1");
        assert_eq!(without_path("filler"), "filler");
    }
}
