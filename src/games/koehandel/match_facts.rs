//! What happened in a match, once: auctions, trades and bluffs, from the facts of those seats of which there are
//! transcripts. Every seat receives every settlement, in the same order; what was bid and paid, only those who took part
//! know.

use super::cards::{Animal, Compass, PLAYERS, Purse};
use super::dialect::cards;
use drover_game::game::Seat;
use drover_game::history::MatchFact;
use drover_game::wire::Fact;
use serde_json::Value;

/// The field of an auction with each one's highest bid since its last start, as far as the reader knows them. Facts of
/// earlier versions have none.
pub(super) const BIDS: &str = "bids";
/// The kinds of facts that are read.
pub(super) const KINDS: &[&str] = &[AUCTION, TRADE, BLUFF];
const AUCTION: &str = "auction";
const TRADE: &str = "trade";
const BLUFF: &str = "bluff";

/// What happened in the match, in its order.
pub(super) fn match_facts(seats: &[(Seat, Vec<Fact>)]) -> Vec<MatchFact> {
    let seats = seats.iter();
    let seats: Vec<Witness<'_>> = seats
        .map(|(seat, facts)| Witness::new(*seat, facts))
        .collect();
    // Of equally complete ones the first.
    let most = seats.iter().map(|one| one.settled.len()).max();
    let Some(base) = seats.iter().find(|one| Some(one.settled.len()) == most) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (at, fact) in base.settled.iter().enumerate() {
        let views = seats.iter().filter_map(|one| one.view_of(at, base));
        let views: Vec<View<'_>> = views.collect();
        if fact.kind == AUCTION {
            found.push((at, auction(&views)));
        } else {
            found.extend(trade(&views).into_iter().map(|fact| (at, fact)));
        }
    }
    for bluffer in (0..PLAYERS as u8).map(Seat) {
        // Its own seat knows what it bid and held.
        let own = seats.iter().find(|one| one.seat == bluffer);
        let count = |one: &&Witness<'_>| one.bluffs_by(bluffer).count();
        let best = own.or_else(|| seats.iter().max_by_key(count));
        let bluffs = best.into_iter().flat_map(|one| one.bluffs_by(bluffer));
        found.extend(bluffs.map(|(at, data)| (at, bluff(bluffer, data))));
    }
    // Bluffs come before what they led to.
    found.sort_by_key(|(at, fact)| (*at, fact.kind != BLUFF));
    found.into_iter().map(|(_, fact)| fact).collect()
}

/// One seat's facts.
struct Witness<'a> {
    seat: Seat,
    /// Auctions and trades in order.
    settled: Vec<&'a Fact>,
    /// Bluffs, each with how many were settled before.
    bluffs: Vec<(usize, &'a Value)>,
}

impl<'a> Witness<'a> {
    fn new(seat: Seat, facts: &'a [Fact]) -> Self {
        let mut witness = Self {
            seat,
            settled: Vec::new(),
            bluffs: Vec::new(),
        };
        for fact in facts {
            match fact.kind.as_str() {
                AUCTION | TRADE => witness.settled.push(fact),
                BLUFF => witness.bluffs.push((witness.settled.len(), &fact.data)),
                _ => {}
            }
        }
        witness
    }

    fn bluffs_by(&self, bluffer: Seat) -> impl Iterator<Item = (usize, &'a Value)> {
        let bluffs = self.bluffs.iter().copied();
        bluffs.filter(move |(_, data)| absolute(self.seat, &data["by"]) == Some(bluffer))
    }

    fn view(&self, at: usize) -> Option<View<'a>> {
        let fact = self.settled.get(at)?;
        Some(View {
            seat: self.seat,
            kind: &fact.kind,
            data: &fact.data,
        })
    }

    /// What it knows of a settlement, if that is the one which another seat has at this place.
    fn view_of(&self, at: usize, base: &Witness<'_>) -> Option<View<'a>> {
        let (own, other) = (self.view(at)?, base.view(at)?);
        let mut owners = ["buyer", "winner", "loser"].iter();
        let is_same = self.settled.len() == base.settled.len()
            && own.kind == other.kind
            && own.animal() == other.animal()
            && owners.all(|name| own.seat_of(name) == other.seat_of(name));
        is_same.then_some(own)
    }
}

/// What one seat knows of a settlement.
struct View<'a> {
    seat: Seat,
    kind: &'a str,
    data: &'a Value,
}

impl View<'_> {
    fn seat_of(&self, name: &str) -> Option<Seat> {
        absolute(self.seat, self.data.get(name)?)
    }

    fn animal(&self) -> Option<Animal> {
        let name = match self.kind {
            AUCTION => "card",
            _ => "animal",
        };
        animal(&self.data[name])
    }

    /// The highest bid of each seat, as far as this one knows them; `None` in facts of earlier versions.
    fn bids(&self) -> Option<Vec<(Option<Seat>, i64)>> {
        let bids = self.data.get(BIDS)?.as_object()?.iter();
        let bids = bids.filter_map(|(place, bid)| {
            let place = absolute(self.seat, &Value::from(place.as_str()));
            Some((place, bid.as_i64()?))
        });
        Some(bids.collect())
    }
}

/// The highest bid of others than the buyer, if it is known.
fn second(views: &[View<'_>], buyer: Option<Seat>) -> Option<i64> {
    let known = views
        .iter()
        .filter_map(|view| Some((view.seat, view.bids()?)));
    let known: Vec<_> = known.collect();
    // The buyer was shown every bid before its own last one; the others know their own.
    let all = known.len() == PLAYERS || known.iter().any(|(seat, _)| Some(*seat) == buyer);
    let bids = known.into_iter().flat_map(|(_, bids)| bids);
    let others = bids.filter(|(place, _)| *place != buyer);
    let highest = others.map(|(_, bid)| bid).max();
    all.then_some(highest.unwrap_or(0))
}

fn auction(views: &[View<'_>]) -> MatchFact {
    let seat = |name| views.iter().find_map(|view| view.seat_of(name));
    let is = |name| views.iter().any(|view| view.data[name] == true);
    let text = |name: &str| views.iter().find_map(|view| view.data[name].as_str());
    let (free, pre_empted, buyer) = (is("free"), is("pre_empted"), seat("buyer"));
    let is_known = views
        .iter()
        .any(|view| view.data["pre_empted"].is_boolean());
    let price = views.iter().find_map(|view| view.data["price"].as_i64());
    let paid = text("paid").and_then(cards);
    let second = match (free, pre_empted) {
        (true, _) => None,
        // The auctioneer pays what another one has bid.
        (_, true) => price,
        _ => second(views, buyer),
    };
    let worth = paid.map(|paid| i64::from(paid.value()));
    let worth = worth.or(free.then_some(0));
    MatchFact {
        how: match (free, pre_empted) {
            (true, _) => Some("free"),
            (_, true) => Some("pre_empted"),
            // Who does not know the auctioneer knows neither whether it has bought.
            _ => is_known.then_some("sold"),
        },
        by: buyer,
        with: seat("paid_to"),
        winner: buyer,
        count: Some(1),
        price,
        second,
        paid: worth,
        money: paid.map(|paid| paid.to_string()),
        over: worth
            .or(price)
            .zip(second)
            .map(|(paid, second)| paid - second),
        ..about(AUCTION, views.first().and_then(View::animal))
    }
}

/// A trade, and before it the bluffs in it: offers of cards that are worth nothing.
fn trade(views: &[View<'_>]) -> Vec<MatchFact> {
    let seat = |name| views.iter().find_map(|view| view.seat_of(name));
    let (winner, loser, challenger) = (seat("winner"), seat("loser"), seat("challenger"));
    let other = |one: Option<Seat>| match one == winner {
        true => loser,
        false => winner,
    };
    let offer = |by: Option<Seat>| {
        let own = views.iter().find(|view| Some(view.seat) == by)?;
        // After a tie the first bids are void. Who has none has accepted.
        match own.data["own_bids"].as_array()?.last() {
            Some(last) => last.as_str().and_then(cards),
            None => Some(Purse::EMPTY),
        }
    };
    let worth = |by| offer(by).map(|offer| i64::from(offer.value()));
    let target = challenger.and_then(|_| other(challenger));
    let mut paid = views.iter().map(|view| &view.data["winner_paid"]["money"]);
    let paid = paid.find_map(Value::as_str).and_then(cards);
    let animal = views.first().and_then(View::animal);
    let count = views.first().and_then(|view| view.data["count"].as_i64());
    let traded = MatchFact {
        by: challenger,
        with: target,
        winner,
        count,
        bid: worth(challenger),
        second: worth(target),
        paid: paid.map(|paid| i64::from(paid.value())),
        money: paid.map(|paid| paid.to_string()),
        over: worth(winner)
            .zip(worth(loser))
            .map(|(won, lost)| won - lost),
        ..about(TRADE, animal)
    };
    let bluffs = [winner, loser].into_iter().filter_map(|by| {
        let offer = offer(by).filter(|offer| offer.value() == 0 && offer.cards() > 0)?;
        Some(MatchFact {
            how: Some(TRADE),
            by,
            with: other(by),
            winner,
            count,
            held: Some(0),
            money: Some(offer.to_string()),
            caught: Some(by == loser),
            ..about(BLUFF, animal)
        })
    });
    bluffs.chain([traded.clone()]).collect()
}

/// A bid above what the bluffer held.
fn bluff(by: Seat, data: &Value) -> MatchFact {
    let (bid, held) = (data["bid"].as_i64(), data["held"].as_i64());
    MatchFact {
        how: Some(AUCTION),
        by: Some(by),
        count: Some(1),
        bid,
        held,
        money: data["hand"].as_str().map(str::to_owned),
        over: bid.zip(held).map(|(bid, held)| bid - held),
        caught: data["caught"].as_bool(),
        ..about(BLUFF, animal(&data["card"]))
    }
}

/// A fact about an animal.
fn about(kind: &'static str, animal: Option<Animal>) -> MatchFact {
    MatchFact {
        kind,
        item: animal.map(Animal::name),
        value: animal.map(|animal| animal.value().into()),
        ..MatchFact::default()
    }
}

fn animal(value: &Value) -> Option<Animal> {
    let mut letters = value.as_str()?.chars();
    Animal::from_letter(letters.next()?)
}

/// The seat that is meant by a place's letter in a fact of this seat.
fn absolute(viewer: Seat, place: &Value) -> Option<Seat> {
    let mut letters = place.as_str()?.chars();
    let place = Compass::from_letter(letters.next()?)?;
    Some(Seat(place.seat(viewer.index()) as u8))
}
