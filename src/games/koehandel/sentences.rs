//! Facts in sentences.

use super::cards::{Animal, Compass, Purse};
use super::dialect::{Fields, cards, goods, read_answer};
use super::rules::{Act, Ask, Money};
use super::scene::{counted, worth};
use drover_game::Fact;
use drover_game::scene::Who;
use drover_game::sentence::{Reading, listed};
use serde_json::Value;

/// A fact in a sentence. Places are the wire's, from the reader's own seat, or seats.
#[must_use]
pub fn sentence(read: Reading<'_>) -> Option<String> {
    match read.fact.kind.as_str() {
        "auction" => auction(read),
        "bluff" => bluff(read),
        "second_bluff" => {
            let (by, card) = (who(read, "by")?, card(read, "card"));
            let bid = read
                .number("bid")
                .map_or_else(String::new, |bid| format!(" of {bid}"));
            Some(format!(
                "{by}'s bid{bid} for the {card} is refused: it was caught bluffing before"
            ))
        }
        "fault" => {
            let reason = read.text("reason")?.replace('_', " ");
            Some(format!(
                "{} does what is not allowed: {reason}",
                who(read, "by")?
            ))
        }
        "donkey" => {
            let (number, value) = (read.number("number")?, read.number("value")?);
            Some(format!("Donkey number {number}: every player gets {value}"))
        }
        "trade" => trade(read),
        "score" => score(read),
        "who" => {
            let rival = who(read, "rival")?;
            let share = read.get("share").and_then(Value::as_f64);
            Some(match (read.text("name"), read.is("given"), share) {
                (Some(name), true, _) => format!("{rival} is known to be {name}"),
                (Some(name), _, Some(share)) => {
                    format!("{rival} seems to play as {name} ({:.0} %)", 100.0 * share)
                }
                (Some(name), ..) => format!("{rival} seems to play as {name}"),
                (None, ..) => format!("Who {rival} plays like is not known any more"),
            })
        }
        "refused" => Some(format!(
            "An answer of {} was against the rules and was replaced",
            read.own()
        )),
        "rebuilt" => Some(format!(
            "{} counts again what is certain{}",
            read.own(),
            read.why()
        )),
        _ => None,
    }
}

/// Whether a match turns on a fact: a bluff that is caught.
#[must_use]
pub fn turns_on(fact: &Fact) -> bool {
    fact.kind == "bluff" && fact.data.get("caught") == Some(&Value::Bool(true))
}

/// Whether highlights leave it out: an auction in which nobody bids.
#[must_use]
pub fn is_routine(fact: &Fact) -> bool {
    fact.kind == "auction" && fact.data.get("free") == Some(&Value::Bool(true))
}

/// An answer to a message in words, as the rules read it.
#[must_use]
pub fn answered(message: &[u8], answer: &str) -> Option<String> {
    let asked = Fields::cut(message).ok()?;
    let (kind, place) = (asked.kind(), Compass::W);
    let ask = match kind {
        "start" => Ask::Turn,
        "auction" => Ask::Bid {
            card: Animal::DONKEY,
            price: 0,
            leader: place,
            auctioneer: place,
        },
        "trade" | "collect" => Ask::Pay {
            payee: place,
            price: 0,
        },
        _ => return None,
    };
    // Who sells is not shown an auctioneer.
    let sells = asked.auctioneer().is_empty();
    let card = goods(asked.goods());
    let card = card.map_or("it".to_owned(), |(_, card, _)| {
        format!("the {}", card.name())
    });
    Some(match read_answer(&ask, answer.as_bytes()) {
        Some(Act::Trade {
            opponent,
            animal,
            offer,
        }) => match opponent.zip(animal) {
            Some((rival, animal)) => format!(
                "challenges {} for the {}, offering {}",
                Who(rival.index()),
                animal.name(),
                coins(&offer, "nothing")
            ),
            None => "makes a challenge that names no rival or no animal".to_owned(),
        },
        Some(Act::Amount(Some(price))) if sells => format!("buys {card} for {price}"),
        Some(Act::Amount(Some(bid))) => format!("bids {bid} for {card}"),
        Some(Act::Cards(money)) if money != Money::Missing => {
            let coins = coins(&money, "");
            match (kind, asked.message()) {
                ("collect", _) => format!("pays {coins}"),
                (_, "equal_bid") => format!("offers {coins} after the tie"),
                _ => format!("offers {coins} against it"),
            }
        }
        _ => match (kind, asked.message()) {
            ("start", _) => "auctions the next card".to_owned(),
            ("auction", _) if sells => format!("sells {card}"),
            ("auction", _) => format!("passes on {card}"),
            ("collect", _) => "leaves the choice of coins to the referee".to_owned(),
            (_, "equal_bid") => "lets it go".to_owned(),
            _ => "accepts the offer".to_owned(),
        },
    })
}

/// What money is worth, or these words for none.
fn coins(money: &Money, none: &str) -> String {
    match money {
        Money::Cards(cards) => worth(*cards),
        Money::Missing => none.to_owned(),
        Money::Garbage => "coins that do not exist".to_owned(),
    }
}

/// The player at the place that a field holds: `W`, or `seat 2`.
fn who(read: Reading<'_>, name: &str) -> Option<Who> {
    place(&read.text(name)?)
}

fn place(word: &str) -> Option<Who> {
    if let Some(seat) = word.strip_prefix("seat ") {
        return seat.parse().ok().map(Who);
    }
    let mut letters = word.chars();
    let place = letters.next().and_then(Compass::from_letter)?;
    letters.next().is_none().then_some(Who(place.index()))
}

fn animal(read: Reading<'_>, name: &str) -> Option<Animal> {
    let letters = read.text(name)?;
    letters.chars().next().and_then(Animal::from_letter)
}

fn card(read: Reading<'_>, name: &str) -> &'static str {
    animal(read, name).map_or("animal", Animal::name)
}

/// Letters of money as cards.
fn purse(letters: &Value) -> Option<Purse> {
    cards(letters.as_str()?)
}

fn auction(read: Reading<'_>) -> Option<String> {
    let (buyer, card) = (who(read, "buyer")?, card(read, "card"));
    if read.is("free") {
        return Some(format!("Nobody bids: {buyer} keeps the {card}"));
    }
    let price = read.number("price");
    let price = price.map_or_else(String::new, |price| format!(" for {price}"));
    let paid = match (read.get("paid").and_then(purse), who(read, "paid_to")) {
        (Some(paid), Some(to)) if read.is("pre_empted") => format!(", paying {to} {}", worth(paid)),
        (Some(paid), _) => format!(", paying {}", worth(paid)),
        (None, _) => String::new(),
    };
    if read.is("pre_empted") {
        return Some(format!(
            "{buyer} keeps the {card} that it auctioned{price}{paid}"
        ));
    }
    let seller = who(read, "seller");
    let seller = seller.map_or_else(String::new, |seller| format!(" from {seller}"));
    Some(format!("{buyer} buys the {card}{seller}{price}{paid}"))
}

fn bluff(read: Reading<'_>) -> Option<String> {
    let (by, card) = (who(read, "by")?, card(read, "card"));
    let bid = match (read.number("bid"), read.number("bid_at_least")) {
        (Some(bid), _) => bid.to_string(),
        (None, Some(least)) => format!("at least {least}"),
        (None, None) => "too much".to_owned(),
    };
    let held = match (read.number("held"), read.number("held_at_most")) {
        (Some(held), _) => held.to_string(),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "less".to_owned(),
    };
    let end = match (read.is("caught"), read.is("pre_empt")) {
        (true, true) => "and was caught when it was to pay for its own auction",
        (true, false) => "and was caught",
        (false, _) => "and was not caught",
    };
    Some(format!(
        "{by} bid {bid} for the {card} with {held} in hand {end}"
    ))
}

fn trade(read: Reading<'_>) -> Option<String> {
    let (winner, loser) = (who(read, "winner")?, who(read, "loser")?);
    let count = read
        .number("count")
        .and_then(|count| u8::try_from(count).ok())
        .unwrap_or(1);
    let goods =
        animal(read, "animal").map_or_else(|| "an animal".to_owned(), |of| of.counted(count));
    let paid = |name: &str| {
        let paid = read.get(name)?;
        match paid.get("money").and_then(purse) {
            Some(money) => Some(worth(money)),
            None => Some(counted(u8::try_from(paid.get("cards")?.as_u64()?).ok()?)),
        }
    };
    let by = match who(read, "challenger") {
        Some(challenger) if challenger == winner => ", whom it had challenged",
        Some(_) => ", who had challenged it",
        None => "",
    };
    let tied = if read.is("tied") { "; after a tie" } else { "" };
    let paid = match (paid("winner_paid"), paid("loser_paid")) {
        (Some(own), Some(other)) if tied.is_empty() => format!("; {own} against {other}"),
        (Some(own), Some(other)) => format!(", {own} against {other}"),
        _ => String::new(),
    };
    Some(format!(
        "{winner} wins {goods} from {loser}{by}{tied}{paid}"
    ))
}

fn score(read: Reading<'_>) -> Option<String> {
    let scores = read.get("scores")?.as_object()?;
    let mut scores: Vec<(Who, i64)> = scores
        .iter()
        .filter_map(|(word, score)| Some((place(word)?, score.as_i64()?)))
        .collect();
    scores.sort_by_key(|(who, score)| (-score, who.0));
    let scores: Vec<String> = scores
        .iter()
        .map(|(who, score)| format!("{who} has {score}"))
        .collect();
    Some(format!("The match ends: {}", listed(&scores)))
}

#[cfg(test)]
mod tests {
    use super::{Fact, answered, sentence};
    use drover_game::scene::Names;
    use drover_game::sentence::Reading;
    use serde_json::{Value, json};

    fn said(kind: &str, data: Value) -> String {
        let names = Names::by_seat(&["ann", "bob", "cid", "dan"].map(Some));
        let fact = Fact::new(kind, data);
        let sentence = sentence(Reading {
            fact: &fact,
            own: Some(0),
        });
        names.fill(&sentence.expect("a sentence"))
    }

    #[test]
    fn facts_are_sentences_with_animals_and_sums() {
        let bluff = json!({"by": "W", "card": "D", "bid": 100, "bid_at_least": 100, "held": 90,
            "hand": "nnttttf", "caught": true, "pre_empt": false});
        assert_eq!(
            said("bluff", bluff),
            "bob bid 100 for the dog with 90 in hand and was caught"
        );
        let bluff = json!({"by": "seat 2", "card": "J", "bid": 200, "held": null, "held_at_most": 140,
            "caught": false, "pre_empt": false});
        assert_eq!(
            said("bluff", bluff),
            "cid bid 200 for the horse with at most 140 in hand and was not caught"
        );
        let sale = json!({"card": "F", "seller": "seat 1", "buyer": "seat 0", "paid_to": "seat 1",
            "price": 90, "cards": 5, "paid": "ftttt", "pre_empted": false, "free": false});
        assert_eq!(
            said("auction", sale),
            "ann buys the goat from bob for 90, paying 90 in 5 cards"
        );
        let kept = json!({"card": "F", "seller": "seat 1", "buyer": "seat 1", "paid_to": "seat 0",
            "price": 90, "cards": 5, "paid": "ftttt", "pre_empted": true, "free": false});
        assert_eq!(
            said("auction", kept),
            "bob keeps the goat that it auctioned for 90, paying ann 90 in 5 cards"
        );
        let trade = json!({"animal": "I", "count": 2, "challenger": "E", "winner": "E", "loser": "S",
            "winner_paid": {"cards": 3, "money": null}, "loser_paid": {"cards": 1, "money": "h"},
            "tied": true});
        assert_eq!(
            said("trade", trade),
            "dan wins 2 cows from ann, whom it had challenged; after a tie, 3 cards against 100 in 1 card"
        );
        let score = json!({"scores": {"S": 10, "W": 2400, "N": 10, "E": 0}});
        assert_eq!(
            said("score", score),
            "The match ends: bob has 2400, ann has 10, cid has 10 and dan has 0"
        );
    }

    #[test]
    fn answers_are_said_with_animals_and_sums() {
        for (message, answer, words) in [
            (
                "?market=1&id=2&type=auction&goods=F&money=t&opponent=W&auctioneer=E",
                "?money=ft",
                "bids 60 for the goat",
            ),
            (
                "?market=1&id=2&type=auction&goods=F&money=t&opponent=W&auctioneer=E",
                "",
                "passes on the goat",
            ),
            (
                "?market=1&id=2&type=auction&goods=F&money=t&opponent=W",
                "?money=t",
                "buys the goat for 10",
            ),
            (
                "?market=1&id=2&type=auction&goods=F&money=t&opponent=W",
                "",
                "sells the goat",
            ),
            (
                "?market=1&id=2&type=start",
                "?type=auction",
                "auctions the next card",
            ),
            (
                "?market=1&id=2&type=start",
                "?type=trade&opponent=N&goods=I&money=nh",
                "challenges cid for the cow, offering 100 in 2 cards",
            ),
            (
                "?market=1&id=2&type=trade&goods=I&opponent=N&money=2",
                "",
                "accepts the offer",
            ),
            (
                "?market=1&id=2&type=trade&goods=I&opponent=N&money=2",
                "?money=f",
                "offers 50 in 1 card against it",
            ),
            // As the rules read it: no money is written so.
            (
                "?market=1&id=2&type=trade&goods=I&opponent=N&money=2",
                "?money=-",
                "offers coins that do not exist against it",
            ),
            (
                "?market=1&id=2&type=collect&opponent=N&money=ft",
                "?money=ftttt",
                "pays 90 in 5 cards",
            ),
        ] {
            let names = Names::by_seat(&["ann", "bob", "cid", "dan"].map(Some));
            let said = answered(message.as_bytes(), answer).expect("words");
            assert_eq!(names.fill(&said), words, "{message}");
        }
        assert_eq!(answered(b"?type=information", ""), None);
    }
}
