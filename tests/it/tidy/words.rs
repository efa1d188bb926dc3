//! Counts the words of CONTRIBUTING's list, in comments, texts and names alike.

use std::collections::BTreeMap;

use super::Source;
use super::ceilings::Finding;

/// A word to replace: by what, and the words in a row that are it.
struct Word {
    name: &'static str,
    instead: &'static str,
    forms: &'static [&'static [&'static str]],
}

const WORDS: &[Word] = &[
    Word {
        name: "tell",
        instead: "send, report, notify",
        forms: &[
            &["tell"],
            &["tells"],
            &["told"],
            &["telling"],
            &["untold"],
            &["retold"],
        ],
    },
    Word {
        name: "hear",
        instead: "receive",
        forms: &[
            &["hear"],
            &["hears"],
            &["heard"],
            &["hearing"],
            &["unheard"],
            &["misheard"],
        ],
    },
    Word {
        name: "so many",
        instead: "n, or a number",
        forms: &[&["so", "many"]],
    },
    Word {
        name: "anew",
        instead: "again",
        forms: &[&["anew"]],
    },
    Word {
        name: "what became of",
        instead: "outcome",
        forms: &[&["became", "of"], &["becomes", "of"], &["become", "of"]],
    },
    Word {
        name: "mend",
        instead: "fix",
        forms: &[&["mend"], &["mends"], &["mended"], &["mending"]],
    },
    Word {
        name: "of ours",
        instead: "our",
        forms: &[&["of", "ours"]],
    },
    Word {
        name: "beside",
        instead: "next to, besides",
        forms: &[&["beside"]],
    },
    Word {
        name: "whoever",
        instead: "the caller",
        forms: &[&["whoever"]],
    },
    Word {
        name: "he",
        instead: "it, they",
        forms: &[&["he"], &["him"], &["his"]],
    },
    Word {
        name: "fn of",
        instead: "a verb or a noun phrase",
        forms: &[&["fn", "of"]],
    },
];

/// Words of a wire, a spec or a stored field: lines with this text in files that begin so do not count.
const EXEMPT: &[(&str, &str)] = &[
    // Fields of facts, which the store holds.
    ("\"told\"", "src/games/lighthouses/"),
    ("\"heard\"", "src/games/planetwars/facts.rs"),
    ("\"heard\"", "src/games/smartdog/facts.rs"),
    // The line between shim and daemon.
    ("\\\"heard\\\"", "src/link/relay.rs"),
];

/// Files that list the words themselves.
const LISTS: &[&str] = &["CONTRIBUTING.md", "tests/it/tidy"];

/// Kinds of files that people write and read.
const KINDS: &[&str] = &["rs", "md", "html", "py", "toml", "sql", "js", "sh"];

/// Every place with one of the words. A name is as many words as it is made of: `so_many`, `SeatTold`.
pub(super) fn words(source: &Source) -> Vec<Finding> {
    let kind = source.path.rsplit_once('.').map_or("", |(_, kind)| kind);
    let is_read = KINDS.contains(&kind) || source.within(".ci/");
    if !is_read || LISTS.iter().any(|list| source.path.starts_with(list)) {
        return Vec::new();
    }
    let lines: Vec<&str> = source.text.lines().collect();
    let by_first = by_first();
    let parts = parts(&source.text);
    let mut found = Vec::new();
    for at in 0..parts.len() {
        for (word, form) in by_first.get(&*parts[at].text).into_iter().flatten() {
            let row = parts[at..].iter().map(|part| &*part.text);
            if !row.take(form.len()).eq(form.iter().copied()) {
                continue;
            }
            if word.name == "fn of" && !parts[at + 1].is_whole {
                continue;
            }
            if is_exempt(lines[parts[at].line - 1], &source.path) {
                continue;
            }
            let form = form.join(" ");
            let place = format!(
                "{}:{}: {form} ({})",
                source.path, parts[at].line, word.instead
            );
            found.push(Finding::new("words", &source.path, place).with_key(word.name.to_owned()));
        }
    }
    found
}

/// A word, and one of its forms.
type Form = (&'static Word, &'static [&'static str]);

fn by_first() -> BTreeMap<&'static str, Vec<Form>> {
    let mut by_first: BTreeMap<_, Vec<Form>> = BTreeMap::new();
    for word in WORDS {
        for form in word.forms {
            by_first.entry(form[0]).or_default().push((word, form));
        }
    }
    by_first
}

fn is_exempt(line: &str, path: &str) -> bool {
    EXEMPT
        .iter()
        .any(|(text, begin)| line.contains(text) && path.starts_with(begin))
}

struct Part {
    text: String,
    line: usize,
    /// Whether it is a whole name, not a part of one.
    is_whole: bool,
}

/// The words of a text: names are divided at underscores and capitals.
fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let names = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        for name in names {
            let first = parts.len();
            let mut part = String::new();
            let mut before = '_';
            for letter in name.chars() {
                let begins = letter == '_' || (letter.is_uppercase() && !before.is_uppercase());
                if begins && !part.is_empty() {
                    parts.push(new_part(&mut part, number));
                }
                if letter != '_' {
                    part.extend(letter.to_lowercase());
                }
                before = letter;
            }
            if !part.is_empty() {
                parts.push(new_part(&mut part, number));
            }
            if let [only] = &mut parts[first..] {
                only.is_whole = true;
            }
        }
    }
    parts
}

fn new_part(text: &mut String, line: usize) -> Part {
    Part {
        text: std::mem::take(text),
        line,
        is_whole: false,
    }
}
