//! Plays Planowanie: declares one trick of four cards, takes tricks with high cards until it has them, and then avoids more.
//! The conversation is JSON, one object a line; docs/bot-protocol.md describes it.

use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut out = stdout();
    for line in stdin().lock().lines() {
        let line = line?;
        match value(&line, "type") {
            "\"hello\"" => writeln!(out, "{{\"type\":\"ready\",\"protocol\":1}}")?,
            "\"ask\"" if value(&line, "past") == "false" => {
                let act = decide(value(&line, "view"), items(value(&line, "acts")));
                let number = value(&line, "number");
                writeln!(out, "{{\"type\":\"act\",\"number\":{number},\"act\":{act}}}")?;
            }
            "\"refused\"" => eprintln!("{line}"),
            _ => {}
        }
        // Each line must leave at once.
        out.flush()?;
    }
    Ok(())
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or(0)
}

fn decide<'a>(view: &'a str, mut acts: Vec<&'a str>) -> &'a str {
    let values = value(value(value(view, "game"), "deck"), "values").len() - 2;
    let (round, seat) = (value(view, "round"), number(value(view, "seat")));
    let own = |key| items(value(round, key)).get(seat).map_or(0, |text| number(text));
    let declares = |act: &&str| !value(act, "declare").is_empty();
    if acts.iter().any(declares) {
        let wanted = items(value(view, "hand")).len() / 4;
        acts.sort_by_key(|act| number(value(act, "declare")).abs_diff(wanted));
        return acts[0];
    }
    // The first suit is trump.
    let rank = |act: &&str| {
        let card = number(value(act, "play"));
        card % values + if card < values { values } else { 0 }
    };
    acts.sort_by_key(rank);
    match own("taken") < own("declared") {
        true => acts[acts.len() - 1],
        false => acts[0],
    }
}

/// The value of a key of a JSON object, as it is written; empty if there is none.
fn value<'a>(object: &'a str, key: &str) -> &'a str {
    let named = |field: &&str| field.get(1..1 + key.len()) == Some(key) && field[1 + key.len()..].starts_with("\":");
    let found = items(object).into_iter().find(named);
    found.map_or("", |field| &field[key.len() + 3..])
}

/// The items of a JSON array, or the fields of an object.
fn items(list: &str) -> Vec<&str> {
    let (mut found, mut begin, mut depth) = (Vec::new(), 1, 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in list.char_indices().skip(1) {
        if quoted {
            quoted = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' => quoted = true,
            '[' | '{' => depth += 1,
            ']' | '}' if depth > 0 => depth -= 1,
            ',' | ']' | '}' if depth == 0 => {
                if at > begin {
                    found.push(&list[begin..at]);
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
    found
}
