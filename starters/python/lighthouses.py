"""Plays Lighthouses: walks to the nearest lighthouse that is not its own, takes it, and connects what it can."""

from collections import deque

from drover_bot import play


class Bot:
    def seen(self, event):
        if isinstance(event, dict) and "begins" in event:
            chart, self.seat, _players = event["begins"]
            self.width = chart["width"]
            self.island = [cell == "#" for row in chart["rows"] for cell in row]
            self.lighthouses = chart["lighthouses"]

    def decide(self, ask, view, acts):
        if ask == "prepare":
            return "pass"
        of = lambda kind: [act for act in acts if isinstance(act, dict) and kind in act]
        if of("connect"):
            return of("connect")[0]
        beacons, here = view["beacons"], view["position"]
        if here in self.lighthouses:
            beacon = beacons[self.lighthouses.index(here)]
            attacks = max(of("attack"), key=lambda act: act["attack"], default=None)
            if attacks and beacon["owner"] != self.seat and attacks["attack"] > beacon["energy"]:
                return attacks
        goals = {
            cell
            for cell, beacon in zip(self.lighthouses, beacons)
            if beacon["owner"] != self.seat and beacon["energy"] < view["energy"]
        }
        step = self.step(here, goals - {here})
        moves = {self.to(here, act["move"]): act for act in of("move")}
        if step in moves:
            return moves[step]
        energy = dict(view["seen"])
        return max(moves.items(), key=lambda move: energy.get(move[0], 0))[1] if moves else "pass"

    def to(self, here, way):
        return here + way["dy"] * self.width + way["dx"]

    def step(self, here, goals):
        """The first step of a shortest way to one of these cells."""
        first = {here: None}
        waiting = deque([here])
        while waiting:
            cell = waiting.popleft()
            if cell in goals:
                return first[cell]
            for way in [-1, 0, 1]:
                for up in [-1, 0, 1]:
                    next_cell = cell + up * self.width + way
                    column = cell % self.width + way
                    inside = 0 <= column < self.width and 0 <= next_cell < len(self.island)
                    if inside and self.island[next_cell] and next_cell not in first:
                        first[next_cell] = next_cell if cell == here else first[cell]
                        waiting.append(next_cell)
        return None


if __name__ == "__main__":
    play(Bot())
