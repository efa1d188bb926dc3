"""Plays Lighthouses: walks to the nearest lighthouse that it can take, takes it, and connects what it can."""

from collections import deque


class Bot:
    def seen(self, event):
        """Keeps the chart. A restarted program is sent it again."""
        if isinstance(event, dict) and "begins" in event:
            chart, self.seat, _players = event["begins"]
            self.width = chart["width"]
            self.island = "".join(chart["rows"])
            self.lighthouses = chart["lighthouses"]

    def decide(self, ask, view, acts):
        if ask == "prepare":
            return "pass"
        here, energy = view["position"], view["energy"]
        connects, attacks, moves = (
            [act for act in acts if kind in act] for kind in ["connect", "attack", "move"]
        )
        if connects:
            return connects[0]
        goals = {
            cell
            for cell, beacon in zip(self.lighthouses, view["beacons"])
            if beacon["owner"] != self.seat and beacon["energy"] < energy
        }
        attack = max(attacks, key=lambda act: act["attack"], default=None)
        if here in goals and attack and attack["attack"] > view["beacons"][self.lighthouses.index(here)]["energy"]:
            return attack
        step = self.step(here, goals - {here})
        there = dict(view["seen"])

        def goodness(act):
            """A step on the way is best, then one to where energy lies."""
            to = here + act["move"]["dy"] * self.width + act["move"]["dx"]
            return to == step, there.get(to, 0)

        return max(moves, key=goodness, default="pass")

    def step(self, here, goals):
        """The first step of a shortest way to one of these cells."""
        first = {here: None}
        waiting = deque([here])
        while waiting:
            cell = waiting.popleft()
            if cell in goals:
                return first[cell]
            for to in (cell + dy * self.width + dx for dy in [-1, 0, 1] for dx in [-1, 0, 1]):
                # The island has water all around it.
                if self.island[to] == "#" and to not in first:
                    first[to] = to if cell == here else first[cell]
                    waiting.append(to)
        return None
