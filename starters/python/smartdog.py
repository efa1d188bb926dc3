"""Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home."""

import random

from drover_bot import play

STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class Bot:
    def __init__(self):
        self.wandering = {}

    def decide(self, ask, view, acts):
        ground = view["ground"]
        self.cols, self.rows = ground["torus"]["cols"], ground["torus"]["rows"]
        radius = ground["options"]["dogBarkingR"]
        pen = str(view["seat"] + 1)
        home = [(at % self.cols, at // self.cols) for at, cell in enumerate(ground["land"]) if cell == pen]
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
            steps = {way: self.moved(here, step) for way, step in STEPS.items()}
            free = [way for way, to in steps.items() if to not in taken and not self.is_closed(ground["land"], to)]
            goal = self.goal(here, strays, home) if strays and home else None
            if free and here != goal:
                way = self.nearer(steps, free, goal) if goal else self.wander(dog["id"], free)
                orders.append({"move": [dog["id"], way]})
                taken.add(steps[way])
                here = steps[way]
            # An indignant one moves, but does not bark.
            reaches = lambda spot: sum(part * part for part in self.way(here, spot)) <= radius * radius
            gain = sum(1 if spot in strays else -1 for spot in sheep if reaches(spot))
            if here == goal and dog["action"] == "move" and gain > 0:
                orders.append({"bark": dog["id"]})
        return orders

    def goal(self, here, strays, home):
        """Where a bark drives the nearest sheep towards the pen: sheep run straight away from it."""
        far = lambda one, other: sum(map(abs, self.way(one, other)))
        prey = min(strays, key=lambda spot: far(here, spot))
        dx, dy = self.way(prey, min(home, key=lambda spot: far(prey, spot)))
        back = (-dx // abs(dx), 0) if abs(dx) > abs(dy) else (0, -dy // abs(dy))
        return self.moved(prey, back)

    def nearer(self, steps, free, goal):
        return min(free, key=lambda way: sum(part * part for part in self.way(steps[way], goal)))

    def wander(self, dog, free):
        """Straight on as long as that is possible."""
        if self.wandering.get(dog) not in free:
            self.wandering[dog] = random.choice(free)
        return self.wandering[dog]

    def is_closed(self, land, spot):
        return land[spot[1] * self.cols + spot[0]] in "#^"

    def moved(self, spot, step):
        return (spot[0] + step[0]) % self.cols, (spot[1] + step[1]) % self.rows

    def way(self, one, other):
        """How far it is to the right and down, round the world's borders if that is shorter."""
        short = lambda apart, size: (apart + size // 2) % size - size // 2
        return short(other[0] - one[0], self.cols), short(other[1] - one[1], self.rows)

    @staticmethod
    def spot(thing):
        return thing["spot"]["x"], thing["spot"]["y"]


if __name__ == "__main__":
    play(Bot())
