"""Plays Planowanie: declares its high cards, takes tricks until it has as many, and then throws its high cards away."""


class Bot:
    def decide(self, ask, view, acts):
        values = len(view["game"]["deck"]["values"])
        players = view["game"]["players"]
        if ask == "declare":
            tricks = sum(self.chance(card, values, players) for card in view["hand"])
            return min(acts, key=lambda act: abs(act["declare"] - tricks))
        seat, deal = view["seat"], view["round"]
        cards, trick = [act["play"] for act in acts], deal["trick"]

        def rank(card):
            """The highest takes the trick: the first suit is trump, then comes the suit of the first card."""
            suit = card // values
            led = trick and suit == trick[0] // values
            return card % values + values * (2 if suit == 0 else 1 if led else 0)

        cards.sort(key=rank)
        highest = max(map(rank, trick), default=-1)
        takes = [card for card in cards if rank(card) > highest]
        loses = [card for card in cards if rank(card) < highest]
        if deal["taken"][seat] >= deal["declared"][seat]:
            return {"play": loses[-1] if loses else cards[0]}
        if not takes:
            return {"play": cards[0]}
        is_last = len(trick) == players - 1
        return {"play": takes[0] if is_last else takes[-1]}

    @staticmethod
    def chance(card, values, players):
        """The chance that a card takes a trick, as a guess: trumps often do."""
        height = (card % values + 1) / values
        return height ** 0.5 if card < values else height ** (2 * players)
