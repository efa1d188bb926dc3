"""Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home."""

import random

STEPS = {"up": (0, -1), "left": (-1, 0), "down": (0, 1), "right": (1, 0)}


class Bot:
    def decide(self, ask, view, acts):
        ground = view["ground"]
        self.cols, self.rows = ground["torus"]["cols"], ground["torus"]["rows"]
        self.land = ground["land"]
        radius = ground["options"]["dogBarkingR"]
        pen = str(view["seat"] + 1)
        home = [(at % self.cols, at // self.cols) for at, cell in enumerate(self.land) if cell == pen]
        sheep = [self.spot(thing["sheep"]) for thing in view["seen"] if "sheep" in thing]
        dogs = [thing["dog"] for thing in view["seen"] if "dog" in thing]
        strays = [spot for spot in sheep if spot not in home]
        taken = {*sheep, *map(self.spot, dogs)}
        orders = []
        for dog in dogs:
            # A dog in panic neither moves nor barks.
            if dog["owner"] != view["seat"] or dog["action"] == "panic":
                continue
            here = self.spot(dog)
            goal = self.goal(here, strays, home) if strays and home else None
            steps = {way: self.moved(here, step) for way, step in STEPS.items()}
            free = [way for way, to in steps.items() if to not in taken and not self.is_closed(to)]
            if free and here != goal:
                if goal:
                    way = min(free, key=lambda way: self.apart(steps[way], goal))
                else:
                    way = self.wander(dog["id"], view["turn"], free)
                orders.append({"move": [dog["id"], way]})
                here = steps[way]
                taken.add(here)
            # An indignant one moves, but does not bark.
            reached = [spot for spot in sheep if self.apart(here, spot) <= radius * radius]
            gain = sum(1 if spot in strays else -1 for spot in reached)
            if here == goal and dog["action"] == "move" and gain > 0:
                orders.append({"bark": dog["id"]})
        return orders

    def goal(self, here, strays, home):
        """Where a bark drives the nearest sheep towards the pen: sheep run straight away from it."""
        prey = min(strays, key=lambda spot: self.apart(here, spot))
        dx, dy = self.way(prey, min(home, key=lambda spot: self.apart(prey, spot)))
        back = (-1 if dx > 0 else 1, 0) if abs(dx) > abs(dy) else (0, -1 if dy > 0 else 1)
        return self.moved(prey, back)

    def wander(self, dog, turn, free):
        """Ten turns the same way, if that is possible."""
        way = list(STEPS)[(dog + turn // 10) % 4]
        return way if way in free else random.choice(free)

    def is_closed(self, spot):
        return self.land[spot[1] * self.cols + spot[0]] in "#^"

    def moved(self, spot, step):
        return (spot[0] + step[0]) % self.cols, (spot[1] + step[1]) % self.rows

    def apart(self, one, other):
        """How far it is in a straight line, squared."""
        return sum(part * part for part in self.way(one, other))

    def way(self, one, other):
        """How far it is to the right and down, round the world's borders if that is shorter."""
        short = lambda apart, size: (apart + size // 2) % size - size // 2
        return short(other[0] - one[0], self.cols), short(other[1] - one[1], self.rows)

    @staticmethod
    def spot(thing):
        return thing["spot"]["x"], thing["spot"]["y"]
