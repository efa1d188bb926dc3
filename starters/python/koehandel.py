"""Plays Koehandel: bids up to what an animal is worth to it, pays with little change, and auctions."""

VALUES = [10, 40, 90, 160, 250, 350, 500, 650, 800, 1000]  # of four, by animal, A to J
COINS = [0, 10, 50, 100, 200, 500]


def worth(cards):
    return sum(count * coin for count, coin in zip(cards, COINS))


class Bot:
    def decide(self, ask, view, acts):
        if ask == "turn":
            return "auction" if "auction" in acts else acts[0]
        (kind, about), = ask.items()
        if kind == "bid":
            offers = [act for act in acts if act["amount"] is not None]
            lowest = min(offers, key=lambda act: act["amount"], default=None)
            if lowest and lowest["amount"] <= self.limit(about["card"], view):
                return lowest
            return {"amount": None}
        if kind == "pre_empt":
            return {"amount": None}
        # What is to be paid; in a trade what the animals are worth, or as near as the acts come.
        goal = 0 if kind == "pay" else self.limit(about["animal"], view) * about["count"]
        offers = [act for act in acts if act["cards"] != "missing"]
        return min(offers, key=lambda act: abs(worth(act["cards"]["cards"]) - goal), default=acts[0])

    def limit(self, card, view):
        """What a card is worth: more, the more of its kind are here, and never more than half of the money."""
        animal = ord(card) - ord("A")
        have = view["herds"][0][animal]
        value = VALUES[animal] * (1 + have) * 0.3
        return min(value, worth(view["purse"]) * 0.5)
