//! README.md's table of tests is true: it names every ruling, and every test it names exists.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

const README: &str = include_str!("../README.md");

/// All test functions under a folder, by name.
fn tests_under(folder: &Path, found: &mut HashSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_under(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                let name = line
                    .trim_start_matches("async ")
                    .strip_prefix("fn ")
                    .and_then(|rest| rest.split('(').next());
                if let Some(name) = name
                    && std::mem::take(&mut is_test)
                {
                    found.insert(name.to_owned());
                }
            }
        }
    }
}

fn rows() -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let (_, section) = README.split_once("## 3.").expect("the table's section");
    let table = section.split("\n## ").next().unwrap_or_default();
    table
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .skip(1)
        .filter_map(|line| line.split_once(" | "))
        .map(|(rulings, tests)| {
            let tests = tests.split('`').skip(1).step_by(2).collect();
            (rulings.split(", ").collect(), tests)
        })
        .collect()
}

#[test]
fn every_ruling_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut exist = HashSet::new();
    for folder in ["", "../../laws", "../../../tests"] {
        tests_under(&root.join(folder), &mut exist);
    }
    let rows = rows();
    for (rulings, tests) in &rows {
        assert!(!tests.is_empty(), "{rulings:?} names no test");
        for test in tests {
            assert!(
                exist.contains(*test),
                "{rulings:?} names {test}, which does not exist"
            );
        }
    }
    let covered: HashSet<&str> = rows
        .iter()
        .flat_map(|(rulings, _)| rulings)
        .copied()
        .collect();
    let rulings = (1..=24).map(|number| format!("A{number}"));
    let readings = (1..=13).map(|number| format!("I{number}"));
    let precisions = (1..=13).map(|number| format!("2.2.{number}"));
    for ruling in rulings.chain(readings).chain(precisions) {
        assert!(covered.contains(ruling.as_str()), "{ruling} has no test");
    }
}
