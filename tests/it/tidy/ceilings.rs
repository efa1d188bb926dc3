//! What the rules found against the ceilings in `ceilings.txt`, which may only fall.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// One place that a rule has found.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) rule: &'static str,
    folder: String,
    /// What the ceilings count besides the folder: a word, a function.
    pub(super) key: Option<String>,
    pub(super) place: String,
}

impl Finding {
    pub(super) fn new(rule: &'static str, file: &str, place: String) -> Finding {
        Finding {
            rule,
            folder: folder(file),
            key: None,
            place,
        }
    }

    pub(super) fn with_key(self, key: String) -> Finding {
        Finding {
            key: Some(key),
            ..self
        }
    }

    /// The lines of the ceilings that count it.
    fn rows(&self) -> Vec<String> {
        let folder = format!("{}: {}", self.rule, self.folder);
        match (&self.key, self.rule) {
            (Some(key), "long functions") => vec![format!("{}: {key}", self.rule)],
            (Some(word), _) => vec![folder, format!("{}: \"{word}\"", self.rule)],
            (None, _) => vec![folder],
        }
    }
}

/// The part of the project that a file belongs to.
fn folder(file: &str) -> String {
    if file.ends_with(".md") {
        return "guides".to_owned();
    }
    let parts: Vec<&str> = file.split('/').collect();
    let deep = match parts.as_slice() {
        ["src", "games", _, _, ..] => 3,
        ["src", _, _, ..] => 2,
        _ => 1,
    };
    parts[..deep.min(parts.len() - 1)].join("/")
}

/// The ceilings, each a line `rule: place = count`, and for a long function `rule: place = its reason`.
#[derive(Default)]
pub(super) struct Ceilings {
    rows: BTreeMap<String, String>,
}

const FILE: &str = "tests/it/tidy/ceilings.txt";
const LOWER: &str = "TIDY_LOWER";

impl Ceilings {
    pub(super) fn read() -> Ceilings {
        Ceilings::parse(&fs::read_to_string(super::root().join(FILE)).unwrap())
    }

    pub(super) fn parse(text: &str) -> Ceilings {
        let rows = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .map(|line| line.split_once(" = ").unwrap_or((line, "")))
            .map(|(row, value)| (row.to_owned(), value.trim().to_owned()))
            .collect();
        Ceilings { rows }
    }

    /// What is above its ceiling, and what is below it: both are wrong.
    pub(super) fn compare(&self, found: &[Finding]) -> Vec<String> {
        let counted = count(found);
        let rows: BTreeSet<&String> = self.rows.keys().chain(counted.keys()).collect();
        let mut wrong = Vec::new();
        for row in rows {
            let count = counted.get(row).map_or(0, Vec::len);
            let value = self.rows.get(row);
            if is_function(row) {
                match value {
                    None => wrong.push(format!(
                        "{} is long: cut it, or give its reason in {FILE}",
                        counted[row][0]
                    )),
                    Some(reason) if count > 0 && reason.len() < 10 => {
                        wrong.push(format!("{row} has no reason in {FILE}"))
                    }
                    Some(_) if count == 0 => {
                        wrong.push(format!("{row} is not long any more: remove its line"))
                    }
                    Some(_) => {}
                }
                continue;
            }
            let ceiling = value.map_or(0, |value| {
                value
                    .parse()
                    .unwrap_or_else(|_| panic!("{FILE}: {row} = {value}"))
            });
            if count > ceiling {
                let mut message = format!("{row} = {count}, above its ceiling of {ceiling}:");
                for place in &counted[row] {
                    _ = write!(message, "\n    {place}");
                }
                wrong.push(message);
            } else if count < ceiling {
                wrong.push(format!(
                    "{row} = {count}, below its ceiling of {ceiling}: lower it in {FILE} ({LOWER}=1 does)"
                ));
            }
        }
        wrong
    }

    /// Lowers the ceilings to what was found, if the environment asks for it.
    pub(super) fn lower_if_asked(&mut self, found: &[Finding]) {
        if std::env::var_os(LOWER).is_none() {
            return;
        }
        let counted = count(found);
        self.rows.retain(|row, value| {
            let count = counted.get(row).map_or(0, Vec::len);
            if let Ok(ceiling) = value.parse::<usize>() {
                *value = count.min(ceiling).to_string();
            }
            count > 0
        });
        let path = super::root().join(FILE);
        let before = fs::read_to_string(&path).unwrap();
        let mut text: String = before
            .lines()
            .take_while(|line| line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        for (row, value) in &self.rows {
            _ = writeln!(text, "{row} = {value}");
        }
        fs::write(path, text).unwrap();
    }
}

fn is_function(row: &str) -> bool {
    row.starts_with("long functions: ")
}

fn count(found: &[Finding]) -> BTreeMap<String, Vec<&str>> {
    let mut counted: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for finding in found {
        for row in finding.rows() {
            counted.entry(row).or_default().push(&finding.place);
        }
    }
    counted
}

/// The counts of every rule, in all and by folder, as a text.
pub(super) fn table(found: &[Finding]) -> String {
    let mut rules: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for finding in found {
        let folders = rules.entry(finding.rule).or_default();
        *folders.entry(&finding.folder).or_default() += 1;
    }
    let mut text = String::new();
    for (rule, folders) in rules {
        _ = writeln!(text, "{rule}: {}", folders.values().sum::<usize>());
        for (folder, count) in folders {
            _ = writeln!(text, "    {count:5} {folder}");
        }
    }
    text
}
