// Plays Planowanie: declares its high cards, takes tricks until it has as many, and then throws its high cards away.
"use strict";

module.exports = class {
  decide(ask, view, acts) {
    const values = view.game.deck.values.length;
    const players = view.game.players;
    if (ask === "declare") {
      const tricks = view.hand.reduce((sum, card) => sum + this.chance(card, values, players), 0);
      const apart = (act) => Math.abs(act.declare - tricks);
      return acts.sort((one, other) => apart(one) - apart(other))[0];
    }
    const { declared, taken, trick } = view.round;
    const suit = (card) => Math.floor(card / values);
    // The highest takes the trick: the first suit is trump, then comes the suit of the first card.
    const rank = (card) => {
      const led = trick.length > 0 && suit(card) === suit(trick[0]);
      return (card % values) + values * (suit(card) === 0 ? 2 : led ? 1 : 0);
    };
    const cards = acts.map((act) => act.play).sort((one, other) => rank(one) - rank(other));
    const highest = Math.max(-1, ...trick.map(rank));
    const takes = cards.filter((card) => rank(card) > highest);
    const loses = cards.filter((card) => rank(card) < highest);
    if (taken[view.seat] >= declared[view.seat]) return { play: loses.length ? loses[loses.length - 1] : cards[0] };
    if (!takes.length) return { play: cards[0] };
    const isLast = trick.length === players - 1;
    return { play: isLast ? takes[0] : takes[takes.length - 1] };
  }

  // The chance that a card takes a trick, as a guess: trumps often do.
  chance(card, values, players) {
    const height = ((card % values) + 1) / values;
    return card < values ? height ** 0.5 : height ** (2 * players);
  }
};
