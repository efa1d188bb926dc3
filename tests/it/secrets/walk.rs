//! All that there is to read: what the interface's description lists, with what a daemon knows in the place of its
//! parameters; its streams; and the pages that lead from the first one.

use crate::app::Answer;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The most pages that are read, besides those of single entries.
const PAGES_MAX: usize = 1_000;
/// The most pages of single entries that are read under one path: chance makes a match longer or shorter.
const ENTRIES_MAX: usize = 8;
/// The most pages of one path, or of one of its tabs, that show a choice of its rows.
const CHOICES_MAX: usize = 24;

/// Parameters that name a match or something of it, and those that show more of it.
const REVEALING: [&str; 10] = [
    "market",
    "match",
    "session",
    "tournament",
    "entry",
    "seat",
    "bot",
    "pictures",
    "stderr",
    "states",
];

/// What paths and queries may name.
#[derive(Debug, Default)]
pub struct Known {
    pub matches: Vec<String>,
    pub sessions: Vec<String>,
    pub opponents: Vec<String>,
    pub tournaments: Vec<String>,
    pub markets: Vec<String>,
    /// Entries that asked for a decision.
    pub decisions: Vec<String>,
}

impl Known {
    /// What may stand in a path for `{name}` after the word `of`.
    fn places(&self, of: &str, name: &str) -> Vec<String> {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match (of, name) {
            ("matches", _) => self.matches.clone(),
            ("sessions", _) => self.sessions.clone(),
            ("opponents", _) => self.opponents.clone(),
            ("tournaments", _) => self.tournaments.clone(),
            (_, "game") => own(&["koehandel", "planowanie"]),
            (_, "bot") => own(&["champion", "guide", "rules"]),
            ("seats", _) => own(&["0", "1", "2", "3"]),
            _ => panic!("what stands for {{{name}}} after {of}?"),
        }
    }

    /// What a query may ask for with this parameter.
    fn values(&self, parameter: &Value) -> Vec<String> {
        match parameter["name"].as_str().unwrap() {
            "market" => self.markets.clone(),
            "match" => self.matches.clone(),
            "session" => self.sessions.clone(),
            "tournament" => self.tournaments.clone(),
            "entry" => self.decisions.clone(),
            "live" => vec!["true".into(), "false".into()],
            "limit" => vec!["1".into(), "250".into()],
            "seat" => (0..4).map(|seat| seat.to_string()).collect(),
            _ => match &parameter["example"] {
                Value::Null => Vec::new(),
                Value::String(text) => vec![text.clone()],
                other => vec![other.to_string()],
            },
        }
    }

    /// The template's paths.
    fn filled(&self, template: &str) -> Vec<String> {
        let mut paths = vec![String::new()];
        let mut of = "";
        for word in template.split('/').skip(1) {
            let place = word
                .strip_prefix('{')
                .and_then(|rest| rest.split_once('}'))
                .map(|(name, rest)| (self.places(of, name), rest));
            let (words, rest) = place.unwrap_or_else(|| (vec![word.to_owned()], ""));
            let with = |path: &String| -> Vec<String> {
                let words = words.iter();
                words.map(|word| format!("{path}/{word}{rest}")).collect()
            };
            paths = paths.iter().flat_map(with).collect();
            of = word;
        }
        paths
    }
}

/// What the document lists to be read.
#[derive(Debug, Default)]
pub struct Readable {
    /// Each path alone, and with each parameter that it takes or one like it does.
    pub paths: Vec<String>,
    /// Streams of events.
    pub streams: Vec<String>,
    /// What everybody may read, as is.
    pub open: Vec<String>,
}

/// All that the document lists to be read.
pub fn described(document: &Value, known: &Known) -> Readable {
    let mut all = Readable::default();
    for (template, operations) in document["paths"].as_object().unwrap() {
        let Some(operation) = operations.get("get") else {
            continue;
        };
        let paths = known.filled(template);
        if operation["responses"]["200"]["content"]["text/event-stream"].is_object() {
            all.streams.extend(paths);
            continue;
        }
        if !operation["security"].is_array() {
            all.open.extend(paths);
            continue;
        }
        let mut turn = 0;
        for parameter in operation["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            if parameter["in"] != "query" {
                continue;
            }
            for value in known.values(parameter) {
                // These might show something anywhere; the rest is asked of one path after the other, and so are other
                // forms of the same rows.
                let is_form = template.ends_with(".csv") || template.ends_with(".ndjson");
                let asked = if REVEALING.contains(&name) && !is_form {
                    &paths[..]
                } else {
                    turn += 1;
                    &paths[turn % paths.len()..][..1]
                };
                all.paths
                    .extend(asked.iter().map(|path| format!("{path}?{name}={value}")));
            }
        }
        all.paths.extend(paths);
    }
    all
}

/// Reads all pages that lead from `/`, and what else of the daemon's they link to.
pub fn pages(mut read: impl FnMut(&str) -> Answer) -> Vec<(String, Answer)> {
    let (mut known, mut waiting) = (BTreeSet::new(), vec!["/".to_owned()]);
    let (mut all, mut others) = (Vec::new(), 0);
    let (mut of_entries, mut of_choices) = (BTreeMap::new(), BTreeMap::new());
    while let Some(path) = waiting.pop() {
        let place = path.split('?').next().unwrap();
        if place.ends_with("/events") || !known.insert(path.clone()) {
            continue;
        }
        let is_entry = path.contains("entry=") || path.contains("cursor=");
        let (counts, most) = match is_entry {
            true => (&mut of_entries, ENTRIES_MAX),
            false => (&mut of_choices, CHOICES_MAX),
        };
        let tab = path.split("tab=").nth(1).unwrap_or_default();
        let tab = tab.split('&').next().unwrap();
        let count: &mut usize = counts.entry(format!("{place} {tab}")).or_default();
        *count += 1;
        if *count > most {
            continue;
        }
        others += usize::from(!is_entry);
        let answer = read(&path);
        if answer.head.contains("text/html") {
            waiting.extend(links(&path, &answer.body));
        }
        all.push((path, answer));
        assert!(others < PAGES_MAX, "pages lead on and on: {waiting:?}");
    }
    all
}

/// What a page refers to on the same host.
fn links(page: &str, html: &str) -> Vec<String> {
    let attributes = ["href=\"", "src=\"", "data-follow=\""];
    let marks = attributes.iter().flat_map(|mark| html.split(mark).skip(1));
    let found = marks.filter_map(|rest| rest.split('"').next());
    let own = found.filter_map(|link| {
        let link = plain(link);
        let link = link.split('#').next()?;
        match link.chars().next()? {
            '/' => Some(link.to_owned()),
            '?' => Some(format!("{}{link}", page.split('?').next()?)),
            _ => None,
        }
    });
    own.collect()
}

/// A text of a page as it is read.
pub fn plain(html: &str) -> String {
    let mut text = html.to_owned();
    for (name, letter) in [("#38", "&"), ("amp", "&"), ("#34", "\""), ("#39", "'")] {
        text = text.replace(&format!("&{name};"), letter);
    }
    text
}
