// Plays Koehandel: bids up to what an animal is worth to it, pays with little change, and auctions.
"use strict";

const VALUES = [10, 40, 90, 160, 250, 350, 500, 650, 800, 1000]; // of four, by animal, A to J
const COINS = [0, 10, 50, 100, 200, 500];

const worth = (cards) => cards.reduce((sum, count, at) => sum + count * COINS[at], 0);

module.exports = class {
  decide(ask, view, acts) {
    if (ask === "turn") return acts.includes("auction") ? "auction" : acts[0];
    const [[kind, about]] = Object.entries(ask);
    if (kind === "bid") {
      const amounts = acts.map((act) => act.amount).filter((amount) => amount !== null);
      const lowest = Math.min(...amounts);
      return { amount: lowest <= this.limit(about.card, view) ? lowest : null };
    }
    if (kind === "pre_empt") return { amount: null };
    // What is to be paid; in a trade what the animals are worth, or as near as the acts come.
    const goal = kind === "pay" ? 0 : this.limit(about.animal, view) * about.count;
    const apart = (act) => Math.abs(worth(act.cards.cards) - goal);
    const offers = acts.filter((act) => act.cards !== "missing");
    return offers.sort((one, other) => apart(one) - apart(other))[0] || acts[0];
  }

  // What a card is worth: more, the more of its kind are here, and never more than half of the money.
  limit(card, view) {
    const animal = "ABCDEFGHIJ".indexOf(card);
    const value = VALUES[animal] * (1 + view.herds[0][animal]) * 0.3;
    return Math.min(value, worth(view.purse) * 0.5);
  }
};
