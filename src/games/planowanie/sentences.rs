//! Facts in sentences.

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

#[cfg(test)]
mod tests {
    use super::sentence;
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
}
