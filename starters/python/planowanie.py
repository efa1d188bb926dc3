"""Plays Planowanie: declares its high cards, then takes tricks with high cards until it has enough."""

from drover_bot import play


class Bot:
    def decide(self, ask, view, acts):
        deck = view["game"]["deck"]
        values = len(deck["values"])
        players = view["game"]["players"]
        if ask == "declare":
            tricks = sum(self.chance(card, values, players) for card in view["hand"])
            return min(acts, key=lambda act: abs(act["declare"] - tricks))
        declared = view["round"]["declared"][view["seat"]]
        wants_more = view["round"]["taken"][view["seat"]] < declared
        cards = [act["play"] for act in acts]
        # High cards while tricks are missing, low ones after that; the first suit is trump.
        rank = lambda card: card % values + (values if card < values else 0)
        return {"play": max(cards, key=rank) if wants_more else min(cards, key=rank)}

    @staticmethod
    def chance(card, values, players):
        """The chance that a card takes a trick, as a guess."""
        height = (card % values + 1) / values
        return height ** 0.5 if card < values else height ** (2 * players)


play(Bot())
