//! What is kept of a match for history: auctions, bluffs, trades, donkeys, own faults, scores, rows that
//! cannot be and what was made good after a lost one; all of it read off the messages as they come.

use super::cards::{Animal, Compass, PLAYERS, Purse};
use super::fold::{Deal, Fold, Sold, Traded};
use super::match_facts::{self, BIDS};
use super::message::{Message, Sale};
use super::models::Guess;
use super::rules::{Act, Ask, Money};
use super::view::View;
use drover_game::game::Seat;
use drover_game::history::{Bluff, History, MatchFact};
use drover_game::sighting::Sighting;
use drover_game::wire::Fact;
use serde_json::{Map, Value, json};

/// Facts found and not yet fetched are at most this many; a match has a few hundred in all.
const UNFETCHED_MAX: usize = 1_000;
/// The field of a trade with the reader's own bids; for those who see all seats, `offers` by seat.
const OWN_BIDS: &str = "own_bids";
/// Letters of an unsound row that its mark repeats.
const UNSOUND_TEXT_MAX: usize = 200;

/// Finds facts message by message.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    found: Vec<Fact>,
    /// The bidding now under way, as far as the reader was shown it.
    bids: Option<Bids>,
    /// The reader's own bids in the open trade, in order.
    offers: [Option<Purse>; 2],
    /// Cards in the rival's bids, in order.
    shown: [Option<u8>; 2],
    donkeys: u8,
    /// Whether bounds on cash are proved.
    proved: bool,
}

/// The highest bid of everybody since the last start of the bidding; 0 is none.
#[derive(Clone, Copy, Debug)]
struct Bids {
    card: Animal,
    auctioneer: Compass,
    highest: [u16; PLAYERS],
    /// The reader's highest bid before its last one.
    before: u16,
    /// Who is sure to have bid no more: the final price was shown.
    closed: bool,
}

impl Facts {
    /// Receives a message that took the reader from `before` to `fold`. Settlements come first: those
    /// of several rows close only with the message after them.
    pub fn receive(&mut self, message: &Message, before: &View, fold: &Fold) {
        self.proved = fold.proves();
        for deal in fold.deals() {
            match deal {
                Deal::Sale(sold) => {
                    let bids = self.bids.filter(|bids| bids.card == sold.card);
                    self.uncaught(before, None);
                    self.sale(sold, bids);
                }
                Deal::Trade(traded) => self.trade(traded),
            }
        }
        match message {
            Message::Bid(sale, history) => self.shown_bids(sale, history, before),
            Message::PreEmpt(sale, history) => {
                self.shown_bids(sale, history, before);
                if let Some(bids) = &mut self.bids {
                    bids.closed = true;
                }
            }
            Message::Bluffed { by, hand } => self.caught(*by, *hand, before),
            Message::SecondBluff => {
                let refused = self
                    .bids
                    .map(|bids| (bids.card, bids.highest[Compass::S.index()]));
                if let Some(bids) = &mut self.bids {
                    // What was refused was never bid.
                    bids.highest[Compass::S.index()] = bids.before;
                }
                let (card, bid) = refused.unzip();
                self.note("second_bluff", json!({"by": "S", "card": card, "bid": bid}));
            }
            Message::Fault(fault) => {
                self.note("fault", json!({"by": "S", "reason": fault.word()}));
            }
            Message::Donkey(note) => {
                self.donkeys = self.donkeys.saturating_add(1);
                let number = self.donkeys;
                self.note("donkey", json!({"number": number, "value": note.value()}));
            }
            Message::Challenged { cards, .. } => {
                (self.offers, self.shown) = ([None; 2], [Some(*cards), None]);
            }
            Message::Tie { cards, .. } => match self.shown {
                [None, _] => self.shown[0] = Some(*cards),
                _ => self.shown[1] = Some(*cards),
            },
            Message::End(scores) => self.scores(scores),
            _ => {}
        }
    }

    /// Takes note of the reader's own answer.
    pub fn said(&mut self, ask: &Ask, act: &Act) {
        match (ask, act) {
            (Ask::Bid { price, .. }, Act::Amount(Some(amount))) if amount > price => {
                self.own_bid(*amount);
            }
            (Ask::PreEmpt { price, .. }, Act::Amount(Some(amount))) if amount >= price => {
                self.own_bid(*price);
            }
            (Ask::Turn, Act::Trade { offer, .. }) => {
                (self.offers, self.shown) = ([cards(offer), None], [None; 2]);
            }
            (Ask::Counter { .. }, Act::Cards(money)) => self.offers[0] = cards(money),
            (Ask::Rebid { .. }, Act::Cards(money)) => self.offers[1] = cards(money),
            _ => {}
        }
    }

    /// Takes note of who a rival is, or seems to be; `None`: what was noted before does not hold any more.
    pub fn who(&mut self, rival: Compass, guess: Option<&Guess>) {
        let name = guess.map(|guess| &guess.name);
        let share = guess.map(|guess| guess.share);
        let given = guess.is_some_and(|guess| guess.given);
        let data = json!({"rival": letter(rival), "name": name, "share": share, "given": given});
        self.note("who", data);
    }

    /// Takes note that a bot's answer was replaced because the rules refuse it.
    pub fn refused(&mut self, ask: &Ask, act: &Act) {
        let (asked, answered) = (format!("{ask:?}"), format!("{act:?}"));
        self.note("refused", json!({"asked": asked, "answered": answered}));
    }

    /// Takes note of a row that cannot be and is not folded: the mark next to it in the transcript.
    pub fn unsound(&mut self, what: &str, why: &str) {
        let what: String = what.chars().take(UNSOUND_TEXT_MAX).collect();
        self.note("unsound", json!({"what": what, "why": why}));
    }

    /// Takes note that the view was brought in line with what is certain.
    pub fn rebuilt(&mut self, why: &str) {
        self.note("rebuilt", json!({ "why": why }));
    }

    /// Hands over what was found.
    pub fn take(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.found)
    }

    fn note(&mut self, kind: &str, data: Value) {
        if self.found.len() < UNFETCHED_MAX {
            self.found.push(Fact {
                kind: kind.to_owned(),
                data,
            });
        }
    }

    fn scores(&mut self, scores: &[i64; PLAYERS]) {
        let scores: Map<String, Value> = Compass::ALL
            .into_iter()
            .zip(scores)
            .map(|(place, score)| (letter(place), (*score).into()))
            .collect();
        self.note("score", json!({ "scores": scores }));
    }

    /// The bids of a history, of which only those above all before them count (I4), and the highest.
    fn shown_bids(&mut self, sale: &Sale, history: &[(Compass, u16)], view: &View) {
        if self.bids.is_some_and(|bids| bids.card != sale.card) {
            self.uncaught(view, None);
        }
        self.bids.get_or_insert(Bids {
            card: sale.card,
            auctioneer: sale.auctioneer,
            highest: [0; PLAYERS],
            before: 0,
            closed: false,
        });
        let mut most = 0;
        for (place, value) in history {
            if *value > most {
                most = *value;
                self.shown_bid(*place, *value);
            }
        }
        self.shown_bid(sale.leader, sale.price);
    }

    fn own_bid(&mut self, value: u16) {
        if let Some(bids) = &mut self.bids {
            bids.before = bids.highest[Compass::S.index()];
        }
        self.shown_bid(Compass::S, value);
    }

    fn shown_bid(&mut self, place: Compass, value: u16) {
        if let Some(bids) = &mut self.bids {
            let highest = &mut bids.highest[place.index()];
            *highest = value.max(*highest);
        }
    }

    /// A bluff came to light. What was bid is known to those who saw the end of the bidding; others
    /// know that it was more than the bluffer held.
    fn caught(&mut self, by: Compass, hand: Purse, view: &View) {
        let bids = self.bids;
        self.uncaught(view, Some(by));
        let seen = bids.map_or(0, |bids| bids.highest[by.index()]);
        let pre_empt = bids.map(|bids| bids.auctioneer == by);
        let all = bids.map_or(0, |bids| bids.highest.into_iter().max().unwrap_or(0));
        let seen = if pre_empt == Some(true) { all } else { seen };
        let known = bids.is_some_and(|bids| bids.closed || by == Compass::S);
        let at_least = seen.max(hand.value().saturating_add(10));
        self.note(
            "bluff",
            json!({
                "by": letter(by),
                "card": bids.map(|bids| bids.card),
                "bid": known.then_some(seen).filter(|bid| *bid > hand.value()),
                "bid_at_least": at_least,
                "held": hand.value(),
                "hand": hand.to_string(),
                "caught": true,
                "pre_empt": pre_empt,
            }),
        );
    }

    /// Bids above what their makers can have held, which others outbid or bought off: bluffs that
    /// were not caught. Ends the bidding.
    fn uncaught(&mut self, view: &View, caught: Option<Compass>) {
        let Some(bids) = self.bids.take() else { return };
        for place in Compass::ALL {
            let bid = bids.highest[place.index()];
            let most = view.cash[place.index()];
            let pre_empt = place == bids.auctioneer;
            if !self.proved || bid <= most.high || caught == Some(place) || pre_empt {
                continue;
            }
            self.note(
                "bluff",
                json!({
                    "by": letter(place),
                    "card": bids.card,
                    "bid": bid,
                    "bid_at_least": bid,
                    "held": most.is_exact().then_some(most.high),
                    "held_at_most": most.high,
                    "caught": false,
                    "pre_empt": false,
                }),
            );
        }
        if caught.is_some() {
            self.bids = Some(Bids {
                highest: [0; PLAYERS],
                before: 0,
                closed: false,
                ..bids
            });
        }
    }

    fn sale(&mut self, sold: &Sold, bids: Option<Bids>) {
        let bids = bids.map_or([0; PLAYERS], |bids| bids.highest);
        let bids = Compass::ALL.into_iter().zip(bids);
        let bids = bids.filter(|(_, bid)| *bid > 0);
        let bids: Map<String, Value> = bids
            .map(|(place, bid)| (letter(place), bid.into()))
            .collect();
        let pre_empted = |auctioneer| sold.payee.is_some() && auctioneer == sold.buyer;
        self.note(
            "auction",
            json!({
                "card": sold.card,
                "seller": sold.auctioneer.map(letter),
                "buyer": letter(sold.buyer),
                "paid_to": sold.payee.map(letter),
                "price": sold.price,
                "cards": sold.cards,
                "paid": sold.paid.map(|paid| paid.to_string()),
                "pre_empted": sold.auctioneer.map(pre_empted),
                "free": sold.payee.is_none(),
                BIDS: bids,
            }),
        );
    }

    fn trade(&mut self, traded: &Traded) {
        let own = traded.winner == Compass::S || traded.loser == Compass::S;
        let (offers, shown) = if own {
            (
                std::mem::take(&mut self.offers),
                std::mem::take(&mut self.shown),
            )
        } else {
            ([None; 2], [None; 2])
        };
        let letters = |purse: Option<Purse>| purse.map(|purse| purse.to_string());
        self.note(
            "trade",
            json!({
                "animal": traded.animal,
                "count": traded.count,
                "challenger": traded.challenger.map(letter),
                "winner": letter(traded.winner),
                "loser": letter(traded.loser),
                "winner_paid": {"cards": traded.cards, "money": letters(traded.paid)},
                "loser_paid": {"cards": traded.back, "money": letters(traded.paid_back)},
                OWN_BIDS: offers.into_iter().flatten().map(|bid| bid.to_string()).collect::<Vec<_>>(),
                "rival_bids_cards": shown.into_iter().flatten().collect::<Vec<_>>(),
                "tied": own.then_some(traded.tied),
            }),
        );
    }
}

/// What history makes of these facts.
pub(super) struct Shown;

impl History for Shown {
    fn bluff(&self, fact: &Fact) -> Option<Bluff> {
        bluff(fact)
    }

    fn seated(&self, fact: Fact, seat: Seat) -> Fact {
        seated(fact, seat)
    }

    fn kinds(&self) -> &'static [&'static str] {
        match_facts::KINDS
    }

    fn match_facts(&self, seats: &[(Seat, Vec<Fact>)]) -> Vec<MatchFact> {
        match_facts::match_facts(seats)
    }

    fn as_noted(&self, mut fact: Fact, stored: &Value) -> Fact {
        if let (None, Value::Object(data)) = (stored.get(BIDS), &mut fact.data) {
            data.remove(BIDS);
        }
        fact
    }
}

/// The columns of the bluff history of a fact of kind `bluff`.
fn bluff(fact: &Fact) -> Option<Bluff> {
    if fact.kind != "bluff" {
        return None;
    }
    let number = |name: &str| fact.data.get(name).and_then(Value::as_i64);
    Some(Bluff {
        by: fact.data.get("by")?.as_str()?.to_owned(),
        bid: number("bid").or_else(|| number("bid_at_least"))?,
        held: number("held"),
        caught: fact.data.get("caught")?.as_bool()?,
    })
}

/// Fields of facts that hold a place.
const PLACES: [&str; 8] = [
    "by",
    "seller",
    "buyer",
    "paid_to",
    "challenger",
    "winner",
    "loser",
    "rival",
];

/// A fact of this seat's transcript with its places as seats.
fn seated(mut fact: Fact, seat: Seat) -> Fact {
    let named = |word: &str| {
        let mut letters = word.chars();
        let place = letters.next().and_then(Compass::from_letter);
        let place = place.filter(|_| letters.next().is_none())?;
        Some(format!("seat {}", place.seat(seat.index())))
    };
    let Value::Object(data) = &mut fact.data else {
        return fact;
    };
    for (name, value) in data.iter_mut() {
        if PLACES.contains(&name.as_str())
            && let Some(seat) = value.as_str().and_then(named)
        {
            *value = seat.into();
        }
    }
    let own = data.remove(OWN_BIDS);
    if let Some(own) = own.filter(|own| own.as_array().is_some_and(|bids| !bids.is_empty())) {
        data.insert("offers".to_owned(), json!({ "S": own }));
    }
    for by_place in ["scores", "offers", BIDS] {
        if let Some(Value::Object(values)) = data.get_mut(by_place) {
            let seats = std::mem::take(values).into_iter();
            values.extend(seats.map(|(place, value)| (named(&place).unwrap_or(place), value)));
        }
    }
    fact
}

/// What a seat's fact is among those of the others: every seat receives every settlement, in the same order, and those who
/// took part know what was paid.
pub(super) fn sighting(fact: &Fact, seat: Seat) -> Sighting {
    let own = format!("seat {}", seat.0);
    let took_part = |names: &[&str]| names.iter().any(|name| fact.data[*name] == own.as_str());
    match fact.kind.as_str() {
        "auction" => Sighting::shared(fact, &["card", "buyer"]).known(took_part(&["buyer"])),
        "trade" => Sighting::shared(fact, &["animal", "winner", "loser"])
            .known(took_part(&["winner", "loser"]))
            .apart(&["rival_bids_cards"]),
        "bluff" => Sighting::shared(fact, &["by", "card"])
            .known(took_part(&["by"]))
            .concluded(),
        "donkey" => Sighting::shared(fact, &["number"]),
        "score" => Sighting::shared(fact, &[]),
        _ => Sighting::Own,
    }
}

fn letter(place: Compass) -> String {
    place.letter().to_string()
}

fn cards(money: &Money) -> Option<Purse> {
    match money {
        Money::Cards(cards) => Some(*cards),
        Money::Missing | Money::Garbage => None,
    }
}
