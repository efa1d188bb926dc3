//! Facts in sentences.

use super::rules::NEUTRAL;
use drover_game::Fact;
use drover_game::scene::Numbered;
use drover_game::sentence::{Reading, listed};
use drover_game::text::counted;
use serde_json::Value;

/// A fact in a sentence.
#[must_use]
pub fn sentence(read: Reading<'_>) -> Option<String> {
    let own = read.own();
    let ships = || Some(counted(read.number("ships")?, "ship"));
    match read.fact.kind.as_str() {
        "game" => {
            let (players, planets) = (read.list("players").len(), read.number("planets")?);
            Some(format!(
                "The game begins: {}, {}",
                counted(players as i64, "player"),
                counted(planets, "planet")
            ))
        }
        "capture" => capture(read),
        "sent" => {
            let (by, planet) = (read.numbered("by")?, read.number("planet")?);
            Some(format!("{by} sends {} from planet {planet}", ships()?))
        }
        "fleet" => fleet(read),
        "launch" => {
            let (from, to, lands) = (
                read.number("from")?,
                read.number("to")?,
                read.number("lands")?,
            );
            let ships = ships()?;
            Some(format!(
                "{own} sends {ships} from planet {from} to planet {to}, to land in turn {lands}"
            ))
        }
        "word" => Some(match read.number("said") {
            Some(word) => format!("{own} passes the word {word} round the ring"),
            None => format!("{own} receives another word from the ring"),
        }),
        "team" => {
            let allies = read.list("allies").iter();
            let numbers = allies.filter_map(|ally| u32::try_from(ally.as_u64()?).ok());
            let allies: Vec<String> = numbers.map(|number| Numbered(number).to_string()).collect();
            Some(format!("{own} knows its team: {}", listed(&allies)))
        }
        "standing" | "result" => {
            let turn = read.number("turn")?;
            let players: Vec<String> = read.list("players").iter().filter_map(standing).collect();
            let what = if read.fact.kind == "result" {
                "The game ends after turn"
            } else {
                "Turn"
            };
            Some(format!("{what} {turn}: {}", listed(&players)))
        }
        _ => None,
    }
}

/// A fleet that was found.
fn fleet(read: Reading<'_>) -> Option<String> {
    let (by, to, ships) = (
        read.numbered("by")?,
        read.number("to")?,
        read.number("ships")?,
    );
    let from = read
        .number("from")
        .map_or_else(String::new, |from| format!(" from planet {from}"));
    let about = if read.is("exact") { "" } else { "About " };
    let land = if ships == 1 { "lands" } else { "land" };
    let ships = counted(ships, "ship");
    Some(format!(
        "{about}{ships}{from} {land} for {by} on planet {to}"
    ))
}

/// A planet that changes hands.
fn capture(read: Reading<'_>) -> Option<String> {
    let ships = counted(read.number("ships")?, "ship");
    let (from, planet) = (read.number("from")?, read.number("planet")?);
    let from = match from == i64::from(NEUTRAL) {
        true => "nobody".to_owned(),
        false => read.numbered("from")?,
    };
    Some(match read.number("to")? == i64::from(NEUTRAL) {
        true => format!("{from} loses planet {planet}"),
        false => {
            let to = read.numbered("to")?;
            format!("{to} takes planet {planet} from {from}, {ships} left")
        }
    })
}

/// Whether a match turns on a fact: a planet taken from another player.
#[must_use]
pub fn turns_on(fact: &Fact) -> bool {
    let from = fact.data.get("from").and_then(Value::as_u64);
    fact.kind == "capture" && from.is_some_and(|from| from != u64::from(NEUTRAL))
}

fn standing(player: &Value) -> Option<String> {
    let number = |name: &str| player.get(name)?.as_i64();
    let who = Numbered(u32::try_from(number("player")?).ok()?);
    let planets = counted(number("planets")?, "planet");
    let ships = counted(number("ships")?, "ship");
    Some(format!(
        "{who} has {planets} and {ships}, {:+}",
        number("growth")?
    ))
}

#[cfg(test)]
mod tests {
    use super::{Fact, sentence};
    use drover_game::scene::Names;
    use drover_game::sentence::Reading;
    use serde_json::{Value, json};

    #[test]
    fn facts_name_players_whose_numbers_are_public() {
        let said = |kind: &str, data: Value, numbers| {
            let fact = Fact::new(kind, data);
            let names = Names::by_seat(&["ann", "bob"].map(Some)).numbered(numbers);
            let sentence = sentence(Reading {
                fact: &fact,
                own: Some(0),
            });
            names.fill(&sentence.expect("a sentence"))
        };
        let capture = json!({"turn": 3, "planet": 7, "from": 1, "to": 2, "ships": 1});
        assert_eq!(
            said("capture", capture.clone(), Some(vec![2, 1])),
            "ann takes planet 7 from bob, 1 ship left"
        );
        assert_eq!(
            said("capture", capture, None),
            "Player 2 takes planet 7 from Player 1, 1 ship left"
        );
        let fleet = json!({"by": 2, "to": 7, "from": 3, "ships": 1, "exact": false});
        assert_eq!(
            said("fleet", fleet, None),
            "About 1 ship from planet 3 lands for Player 2 on planet 7"
        );
        let launch = json!({"turn": 3, "from": 1, "to": 2, "ships": 9, "lands": 12});
        assert_eq!(
            said("launch", launch, None),
            "ann sends 9 ships from planet 1 to planet 2, to land in turn 12"
        );
    }
}
