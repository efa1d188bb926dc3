//! Facts in sentences.

use super::dialect::{self, Command};
use super::scene::face;
use drover_game::scene::Who;
use drover_game::sentence::{Reading, listed};
use drover_game::text::counted;
use serde_json::Value;

/// A fact in a sentence.
#[must_use]
pub fn sentence(read: Reading<'_>) -> Option<String> {
    match read.fact.kind.as_str() {
        "game" => {
            let (players, deals) = (read.number("players")?, read.number("deals")?);
            Some(format!(
                "The game begins: {}, {}",
                counted(players, "player"),
                counted(deals, "deal")
            ))
        }
        "deal" => {
            let (deal, cards) = (read.number("deal")?, read.number("cards")?);
            let [declared, taken, points] =
                ["declared", "taken", "points"].map(|name| read.list(name));
            let results = taken.iter().enumerate().map(|(place, taken)| {
                let declared = declared.get(place).filter(|value| !value.is_null());
                let declared =
                    declared.map_or_else(String::new, |number| format!("declared {number} and "));
                let points = points
                    .get(place)
                    .and_then(Value::as_i64)
                    .unwrap_or_default();
                format!("{} {declared}took {taken} ({points:+})", Who(place))
            });
            let results: Vec<String> = results.collect();
            Some(format!(
                "Deal {deal}, {} each: {}",
                counted(cards, "card"),
                results.join("; ")
            ))
        }
        "result" => {
            let points = read.list("points").iter().enumerate();
            let points: Vec<String> = points
                .map(|(place, points)| format!("{} has {points}", Who(place)))
                .collect();
            Some(format!("The game ends: {}", listed(&points)))
        }
        _ => None,
    }
}

/// An answer to a message in words.
#[must_use]
pub fn answered(message: &[u8], answer: &str) -> Option<String> {
    let asked = dialect::read(message);
    let said = dialect::receive(answer.lines().next()?)?;
    let payload = said.payload.strip_prefix(&asked.id.unwrap_or_default());
    let word = payload.unwrap_or(&said.payload).split_whitespace().next()?;
    match asked.command.ok()? {
        Command::GenDeclare if said.yes => {
            let tricks: i64 = word.parse().ok()?;
            Some(format!("declares {}", counted(tricks, "trick")))
        }
        Command::GenMove if said.yes => Some(format!("plays {}", face(word))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{answered, sentence};
    use drover_game::Fact;
    use drover_game::scene::Names;
    use drover_game::sentence::Reading;
    use serde_json::json;

    #[test]
    fn a_deal_says_who_took_what_they_declared() {
        let data = json!({"deal": 2, "cards": 1, "declared": [1, null], "taken": [0, 1], "points": [-1, 11]});
        let fact = Fact::new("deal", data);
        let sentence = sentence(Reading {
            fact: &fact,
            own: None,
        })
        .expect("a sentence");
        assert_eq!(
            Names::by_seat(&["ann", "bob"].map(Some)).fill(&sentence),
            "Deal 2, 1 card each: ann declared 1 and took 0 (-1); bob took 1 (+11)"
        );
    }

    #[test]
    fn answers_are_said_with_cards_as_people_read_them() {
        let said = |message: &str, answer: &str| answered(message.as_bytes(), answer);
        assert_eq!(said("gen_move", "= TH\n\n").as_deref(), Some("plays 10♥"));
        assert_eq!(
            said("17 gen_move", "=17 AS\nsure\n\n").as_deref(),
            Some("plays A♠")
        );
        assert_eq!(
            said("gen_declare", "= 1\n\n").as_deref(),
            Some("declares 1 trick")
        );
        assert_eq!(said("gen_declare", "? no\n\n"), None);
    }
}
