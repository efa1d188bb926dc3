//! The rules with ceilings run on small bad examples, and must find the planted faults and nothing else.

use super::ceilings::Ceilings;
use super::{Source, counted};

fn source((path, text): &(&str, &str)) -> Source {
    Source {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    }
}

/// What is found of one rule, as `file:line` or as what stands for it.
fn found(rule: &str, sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<Source> = sources.iter().map(source).collect();
    let mut places: Vec<String> = counted(&sources)
        .into_iter()
        .filter(|finding| finding.rule == rule)
        .map(|finding| finding.place)
        .collect();
    places.sort();
    places
}

/// `a` and `b` use each other, through the list's re-export and in a macro's argument; `c`, `d` and `e` go round,
/// `e` by a path in its code. `f` only re-exports, `g` is used by its child and does not use it, the tests of `h` use
/// what uses `h`.
const CIRCLES: &[(&str, &str)] = &[
    (
        "src/lib.rs",
        "pub use a::A; mod a; mod b; mod c; mod d; mod e; mod f; mod g; mod h;",
    ),
    ("src/a.rs", "use crate::b::B; pub struct A(B);"),
    (
        "src/b.rs",
        "pub struct B; fn b() { println!(\"{}\", [crate::A::new()].len()); }",
    ),
    ("src/c.rs", "use super::{d, g}; fn c() { d::d(); }"),
    ("src/d.rs", "use super::e::*; pub fn d() { e(); }"),
    (
        "src/e.rs",
        "pub fn e() { if true { crate::c::deep::deep(1) } }",
    ),
    ("src/c/deep.rs", "pub fn deep(_: u8) {}"),
    ("src/f/mod.rs", "mod one; mod two; pub use one::One;"),
    ("src/f/one.rs", "pub struct One;"),
    ("src/f/two.rs", "use super::One; use std::fmt::Debug;"),
    ("src/g.rs", "mod child; pub struct G;"),
    ("src/g/child.rs", "use super::G; fn child(_: G) {}"),
    (
        "src/h.rs",
        "pub struct H; #[cfg(test)] mod tests { use crate::g::G; use super::H; }",
    ),
];

#[test]
fn circles_of_files_are_found() {
    let mut sources = CIRCLES.to_vec();
    // The child of `c` belongs to the round only if it uses something of it.
    sources[3].1 = "use super::{d, g}; pub mod deep; fn c() { d::d(); }";
    assert_eq!(found("circles", &sources), ["src/a.rs src/b.rs"]);
    sources[6].1 = "use super::super::d; pub fn deep(_: u8) {}";
    assert_eq!(
        found("circles", &sources),
        ["src/a.rs src/b.rs", "src/c/deep.rs src/d.rs src/e.rs"]
    );
    assert_eq!(found("files in circles", &sources).len(), 5);
}

#[test]
fn methods_far_from_their_type_are_found() {
    let sources = [
        ("src/lib.rs", "mod a; mod b; pub use a::Near; impl Near {}"),
        (
            "src/a.rs",
            "pub struct Near; impl Near {} impl Clone for Near {} mod within { impl super::Near {} } mod child;",
        ),
        ("src/a/child.rs", "use crate::Near; impl Near {}"),
        (
            "src/b.rs",
            "use crate::Near;\nstruct Own;\nimpl Own {}\nimpl Drop for Near {}\nimpl Near {}\n#[cfg(test)]\nimpl Near {}",
        ),
    ];
    assert_eq!(
        found("impls", &sources),
        ["src/b.rs:5: impl Near", "src/lib.rs:1: impl Near",]
    );
}

const FUNCTIONS: &str = "
fn pair(_: u8, (a, b): (u8, u8)) {}
fn borrowed(both: &mut (u8, u8), unit: (), list: &[(u8, u8)]) {}
trait Open { fn open(&self, pair: (u8, u8)) -> Result<(), String>; }
impl Open for u8 { fn open(&self, pair: (u8, u8)) -> Result<(), String> { Ok(()) } }
impl Own { fn kept() -> Option<Result<u8, String>> { None } }
fn typed() -> Result<String, Error> { let _ = |(a, b): (u8, u8)| -> Result<u8, String> { Ok(a) }; }
#[cfg(test)]
mod tests { fn pair(_: (u8, u8)) -> Result<u8, String> {} }
fn outer() { fn inner(_: (u8, u8)) {} }
";

#[test]
fn tuples_and_errors_of_text_are_found() {
    let sources = [("src/lib.rs", FUNCTIONS)];
    assert_eq!(
        found("tuples", &sources),
        [
            "src/lib.rs:10: inner",
            "src/lib.rs:2: pair",
            "src/lib.rs:3: borrowed",
            "src/lib.rs:4: Open::open"
        ]
    );
    assert_eq!(
        found("text errors", &sources),
        ["src/lib.rs:4: Open::open", "src/lib.rs:6: Own::kept"]
    );
    let above = [("src/lib.rs", "mod cli;"), ("src/cli.rs", FUNCTIONS)];
    assert_eq!(found("tuples", &above).len(), 4);
    let verbs = [
        ("src/lib.rs", "mod cli;"),
        ("src/cli/mod.rs", "mod verb;"),
        ("src/cli/verb.rs", FUNCTIONS),
    ];
    assert!(found("text errors", &verbs).is_empty());
}

#[test]
fn long_functions_are_found() {
    let function = |name: &str, lines: usize| {
        let inner = "    step();\n".repeat(lines - 2);
        format!("/// What it does.\n#[must_use]\nfn {name}() {{\n{inner}}}\n")
    };
    let text = format!(
        "{}{}impl Own {{ {} }}",
        function("short", 60),
        function("long", 61),
        function("far", 80)
    );
    assert_eq!(
        found("long functions", &[("src/lib.rs", &text)]),
        [
            "src/lib.rs:128: Own::far, 80 lines",
            "src/lib.rs:65: long, 61 lines"
        ]
    );
}

#[test]
fn words_are_found_in_comments_texts_and_names() {
    let text = "//! So\n//! many are here.\nfn of(seat: SeatTold) { hear(\"anew\"); }\n\
                // of oursonly, besides, fn offer, theory, become, heardling\nlet of_ours = so_many;";
    assert_eq!(
        found("words", &[("src/x.rs", text)]),
        [
            "src/x.rs:1: so many (n, or a number)",
            "src/x.rs:3: anew (again)",
            "src/x.rs:3: fn of (a verb or a noun phrase)",
            "src/x.rs:3: hear (receive)",
            "src/x.rs:3: told (send, report, notify)",
            "src/x.rs:5: of ours (our)",
            "src/x.rs:5: so many (n, or a number)"
        ]
    );
    for unread in ["CONTRIBUTING.md", "Cargo.lock"] {
        assert!(found("words", &[(unread, text)]).is_empty());
    }
    let field = "json!({\"heard\": heard})";
    assert!(found("words", &[("src/games/smartdog/facts.rs", field)]).is_empty());
    assert_eq!(
        found("words", &[("src/games/smartdog/fold.rs", field)]).len(),
        2
    );
}

#[test]
fn ceilings_hold_from_both_sides() {
    let long = format!("fn long() {{\n{}}}", "step();\n".repeat(60));
    let text = format!("fn one(_: (u8, u8)) {{}}\nfn two(_: (u8, u8)) {{}}\n{long}");
    let found = counted(&[source(&("src/lib.rs", &text))]);
    let wrong = |ceilings: &str| Ceilings::parse(ceilings).compare(&found).join("\n");
    let reason = "long functions: src/lib.rs long = one table, read from top to bottom";
    let at = |ceiling: usize| wrong(&format!("# head\ntuples: src = {ceiling}\n{reason}\n"));
    assert_eq!(at(2), "");
    assert!(at(1).starts_with("tuples: src = 2, above its ceiling of 1:\n    src/lib.rs:1: one"));
    assert!(at(3).starts_with("tuples: src = 2, below its ceiling of 3: lower it"));
    assert!(wrong(reason).contains("above its ceiling of 0"));
    assert!(wrong("tuples: src = 2").contains("cut it, or give its reason"));
    let bare = "tuples: src = 2\nlong functions: src/lib.rs long";
    assert!(wrong(bare).contains("has no reason"));
    let gone = format!("tuples: src = 2\n{reason}\nlong functions: src/lib.rs gone = it was long");
    assert!(wrong(&gone).contains("gone is not long any more"));
    let other = format!("tuples: src = 2\ntuples: src/api = 1\n{reason}");
    assert!(wrong(&other).starts_with("tuples: src/api = 0, below its ceiling of 1"));
}
