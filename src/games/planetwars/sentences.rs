//! Facts in sentences.

use super::rules::{Act, NEUTRAL};
use drover_game::Fact;
use drover_game::scene::Numbered;
use drover_game::sentence::{Reading, listed};
use drover_game::text::counted;
use serde_json::Value;

/// The most fleets of an answer that are named.
const FLEETS_MAX: usize = 6;

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
                "Last state sent, turn"
            } else {
                "Turn"
            };
            Some(format!("{what} {turn}: {}", listed(&players)))
        }
        _ => None,
    }
}

/// An answer in words.
#[must_use]
pub fn answered(act: &Act) -> String {
    let fleets = act.launches.iter().map(|fleet| {
        let ships = counted(fleet.ships, "ship");
        format!("{ships} from planet {} to planet {}", fleet.from, fleet.to)
    });
    let mut fleets: Vec<String> = fleets.collect();
    let more = fleets.len().saturating_sub(FLEETS_MAX);
    fleets.truncate(FLEETS_MAX);
    if more > 0 {
        fleets.push(counted(more, "more fleet"));
    }
    let sends = (!fleets.is_empty()).then(|| format!("sends {}", listed(&fleets)));
    let grows = act.upgrades.iter().map(|planet| format!("planet {planet}"));
    let grows: Vec<String> = grows.collect();
    let grows = (!grows.is_empty()).then(|| format!("buys growth for {}", listed(&grows)));
    // Who has nothing to say in the ring says 0.
    let word = act.message.filter(|word| *word != 0);
    let word = word.map(|word| format!("passes the word {word}"));
    let done: Vec<String> = sends.into_iter().chain(grows).chain(word).collect();
    match done.is_empty() {
        true => "waits".to_owned(),
        false => done.join("; "),
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
    use drover_game::kit::Kit as _;
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
        let standing = json!([{"player": 2, "planets": 1, "ships": 9, "growth": 1}]);
        assert_eq!(
            said("result", json!({"turn": 83, "players": standing}), None),
            "Last state sent, turn 83: Player 2 has 1 planet and 9 ships, +1"
        );
        let launch = json!({"turn": 3, "from": 1, "to": 2, "ships": 9, "lands": 12});
        assert_eq!(
            said("launch", launch, None),
            "ann sends 9 ships from planet 1 to planet 2, to land in turn 12"
        );
    }

    #[test]
    fn answers_are_said_with_planets_and_ships() {
        let dialect = crate::KIT.card().dialect;
        let said = |message: &[u8], answer: &str| dialect.in_words(message, answer);
        let orders = "F 1 2 9\nF 3 2 1\nB 4\n.";
        let words = "sends 9 ships from planet 1 to planet 2 and 1 ship from planet 3 to planet 2; buys growth for planet 4";
        assert_eq!(said(b"Y 1\n.", orders).as_deref(), Some(words));
        // On the wire of 2010, too.
        let words = "sends 9 ships from planet 1 to planet 2";
        assert_eq!(said(b"go\n", "1 2 9\ngo").as_deref(), Some(words));
        for (orders, words) in [
            (".", "waits"),
            ("M 0\n.", "waits"),
            ("M 7\n.", "passes the word 7"),
        ] {
            assert_eq!(said(b"Y 1\n.", orders).as_deref(), Some(words));
        }
        let many = "F 1 2 9\n".repeat(9) + ".";
        let many = said(b"Y 1\n.", &many).expect("words");
        assert!(many.ends_with(" and 3 more fleets"), "{many}");
    }
}
