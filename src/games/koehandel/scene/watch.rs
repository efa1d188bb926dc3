//! One seat's match as it is shown: what lies on the table, read off the messages as they come.

use super::state::{Auction, Bid, Player, Settled, Stage, Stake, State, Trade};
use super::words::{said, sentence};
use crate::cards::{Compass, MONEY_MAX, PLAYERS, Purse};
use crate::fold::{Deal, Fold};
use crate::message::{Goods, Message, Sale};
use crate::rules::{Act, Ask, Money};
use crate::view::View;
use drover_game::scene::{Scene, Who};
use smallvec::SmallVec;

/// What happened last.
#[derive(Clone, Debug, Default)]
enum Last {
    #[default]
    Nothing,
    Received(Message),
    Said(Ask, Act),
}

/// A trade of the reader's own: bids by how many cards, and which where the reader knows.
#[derive(Clone, Copy, Debug)]
struct OwnTrade {
    goods: Goods,
    began: bool,
    mine: Option<(u8, Option<Purse>)>,
    theirs: Option<(u8, Option<Purse>)>,
    tied: bool,
}

/// What lies on the table, as far as one seat knows it.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    last: Last,
    sale: Option<Sale>,
    /// The bids that were shown, and the reader's own among them.
    bids: SmallVec<[(Compass, u16); 6]>,
    own_bids: SmallVec<[u16; 4]>,
    trade: Option<OwnTrade>,
    settled: Option<Deal>,
    count: u32,
    over: bool,
}

impl Watch {
    /// Receives a message that `fold` has folded.
    pub fn receive(&mut self, message: &Message, fold: &Fold) {
        for deal in fold.deals() {
            self.count = self.count.saturating_add(1);
            self.settled = Some(*deal);
            self.clear();
        }
        match message {
            Message::Bid(sale, history) | Message::PreEmpt(sale, history) => {
                if self.sale.is_none_or(|before| before.card != sale.card) {
                    self.clear();
                }
                self.sale = Some(*sale);
                self.bids = history.clone();
                self.insert_own();
            }
            Message::Bluffed { .. } => {
                if let Some(sale) = &mut self.sale {
                    (sale.price, sale.leader) = (0, sale.auctioneer);
                }
                self.bids.clear();
                self.own_bids.clear();
            }
            Message::SecondBluff => self.refused(),
            Message::Collect { price, .. } => {
                if let Some(sale) = &mut self.sale {
                    (sale.price, sale.leader) = (*price, Compass::S);
                }
            }
            Message::Start => self.clear(),
            Message::Fault(_) => {
                // A challenge that was refused; a bid in a trade is settled by what follows.
                self.trade = self.trade.filter(|trade| trade.theirs.is_some());
            }
            Message::Challenged { goods, cards } => self.challenged(*goods, *cards),
            Message::Tie { goods, cards } => {
                if self.trade.is_none() {
                    self.challenged(*goods, *cards);
                }
                if let Some(trade) = &mut self.trade {
                    (trade.tied, trade.mine) = (true, None);
                    trade.theirs = (!trade.began).then_some((*cards, None));
                }
            }
            Message::End(_) => {
                self.clear();
                self.over = true;
            }
            _ => {}
        }
        self.last = Last::Received(message.clone());
    }

    /// Takes note of the reader's own answer.
    pub fn said(&mut self, ask: &Ask, act: &Act, view: &View) {
        let stake = |money: &Money| match money {
            Money::Cards(cards) => (cards.cards(), Some(*cards)),
            Money::Missing | Money::Garbage => (0, None),
        };
        match (ask, act) {
            (
                Ask::Turn,
                Act::Trade {
                    opponent: Some(rival),
                    animal: Some(animal),
                    offer,
                },
            ) => {
                self.clear();
                let goods = Goods {
                    animal: *animal,
                    count: view.stake(*rival, *animal),
                    rival: *rival,
                };
                self.trade = Some(OwnTrade {
                    goods,
                    began: true,
                    mine: Some(stake(offer)),
                    theirs: None,
                    tied: false,
                });
            }
            (Ask::Bid { price, .. }, act) => {
                let amount = match act {
                    Act::Amount(Some(amount)) if amount > price && *amount <= MONEY_MAX => *amount,
                    _ => 0,
                };
                if amount > 0 {
                    self.own_bids.push(amount);
                    if let Some(sale) = &mut self.sale {
                        (sale.price, sale.leader) = (amount, Compass::S);
                    }
                }
                self.bids.push((Compass::S, amount));
            }
            (Ask::PreEmpt { price, .. }, Act::Amount(Some(amount)))
                if *amount > 0 && amount >= price =>
            {
                if let Some(sale) = &mut self.sale {
                    sale.leader = Compass::S;
                }
            }
            (Ask::Counter { .. } | Ask::Rebid { .. }, act) => {
                if let Some(trade) = &mut self.trade {
                    trade.mine = Some(match act {
                        Act::Cards(money) => stake(money),
                        _ => (0, None),
                    });
                }
            }
            _ => {}
        }
        self.last = Last::Said(*ask, *act);
    }

    /// What is to be seen now; `None` before the first message.
    #[must_use]
    pub fn scene(&self, fold: &Fold) -> Option<Scene> {
        let name = |place: Compass| Who(place.index());
        let title = match &self.last {
            Last::Nothing => return None,
            Last::Received(message) => sentence(message, &name),
            Last::Said(ask, act) => said(ask, act, &name),
        };
        Some(Scene::new(self.count, title, &self.state(fold)))
    }

    fn state(&self, fold: &Fold) -> State {
        let (view, ask) = (fold.view(), fold.ask());
        let trade = self.trade.map(shown_trade);
        State {
            stage: match ask {
                _ if self.over => Stage::Over,
                Some(Ask::Pay { .. }) => Stage::Pay,
                Some(Ask::PreEmpt { .. }) => Stage::Buy,
                _ if trade.is_some() => Stage::Trade,
                _ if self.sale.is_some() => Stage::Auction,
                _ => Stage::Turn,
            },
            players: std::array::from_fn(|at| shown_player(view, Compass::ALL[at])),
            turn: fold.turn().map(Compass::index).filter(|_| !self.over),
            asked: ask.map(|_| Compass::S.index()),
            deck_left: view.deck_left,
            donkeys: view.donkeys,
            auction: self.sale.map(|sale| self.auction(&sale, view)),
            trade,
            settled: self.settled.as_ref().map(Settled::from),
        }
    }

    fn auction(&self, sale: &Sale, view: &View) -> Auction {
        let bid = |(by, amount): &(Compass, u16)| {
            let cash = view.cash[by.index()];
            let bluff = *amount > cash.high;
            let known = *amount > 0 && (bluff || *amount <= cash.low);
            Bid {
                by: by.index(),
                amount: *amount,
                bluff: known.then_some(bluff),
            }
        };
        Auction {
            card: sale.card,
            seller: sale.auctioneer.index(),
            price: sale.price,
            leader: (sale.price > 0).then_some(sale.leader.index()),
            bids: self.bids.iter().map(bid).collect(),
        }
    }

    fn challenged(&mut self, goods: Goods, cards: u8) {
        self.clear();
        self.trade = Some(OwnTrade {
            goods,
            began: false,
            mine: None,
            theirs: Some((cards, None)),
            tied: false,
        });
    }

    /// The reader's last bid, or its purchase, counts for nothing.
    fn refused(&mut self) {
        if let Some(own) = self.own_bids.pop() {
            let mut bids = self.bids.iter_mut();
            if let Some((_, amount)) = bids.rfind(|bid| **bid == (Compass::S, own)) {
                *amount = 0;
            }
        }
        if let Some(sale) = &mut self.sale {
            let best = self.bids.iter().rev().max_by_key(|(_, amount)| *amount);
            let best = best.filter(|(_, amount)| *amount > 0);
            (sale.leader, sale.price) = best.copied().unwrap_or((sale.auctioneer, 0));
        }
    }

    fn clear(&mut self) {
        (self.sale, self.trade) = (None, None);
        self.bids.clear();
        self.own_bids.clear();
    }

    /// Histories leave out the reader's own bids (I3): each stands before the first higher one.
    fn insert_own(&mut self) {
        for own in &self.own_bids {
            let mut shown = self.bids.iter();
            if !self.bids.contains(&(Compass::S, *own)) {
                let before = shown.position(|(_, amount)| amount > own);
                let at = before.unwrap_or(self.bids.len());
                self.bids.insert(at, (Compass::S, *own));
            }
        }
    }
}

fn shown_player(view: &View, place: Compass) -> Player {
    let at = place.index();
    let own = place == Compass::S;
    Player {
        caught: view.exposed[at],
        barred: view.barred[at],
        ..Player::new(
            place.letter().to_string(),
            &view.herds[at],
            own.then_some(view.purse),
            view.cards[at],
            view.cash[at],
        )
    }
}

fn shown_trade(trade: OwnTrade) -> Trade {
    let stake =
        |bid: Option<(u8, Option<Purse>)>| bid.map(|(cards, money)| Stake::new(cards, money));
    let (own, rival) = (Compass::S.index(), trade.goods.rival.index());
    let (mine, theirs) = (stake(trade.mine), stake(trade.theirs));
    let (challenger, target, offer, counter) = match trade.began {
        true => (own, rival, mine, theirs),
        false => (rival, own, theirs, mine),
    };
    Trade {
        animal: trade.goods.animal,
        count: trade.goods.count,
        challenger,
        target,
        offer,
        counter,
        tied: trade.tied,
    }
}

const _: () = assert!(Compass::ALL.len() == PLAYERS);
