"""Plays Planet Wars: every strong planet takes the planet near it that pays best."""

from math import ceil, hypot


class Bot:
    def decide(self, ask, view, acts):
        planets, me = view["planets"], view["you"]
        aimed = {fleet["to"] for fleet in view["fleets"] or [] if fleet["owner"] == me}
        launches = []
        for planet in planets:
            if planet["owner"] != me:
                continue
            best = None
            for other in planets:
                turns = ceil(hypot(planet["x"] - other["x"], planet["y"] - other["y"]))
                grows = other["growth"] * turns if other["owner"] else 0
                ships = other["ships"] + grows + 1
                pays = (other["growth"] + 0.1) / (ships + turns)
                fits = other["owner"] != me and other["id"] not in aimed and ships < planet["ships"]
                if fits and (best is None or pays > best[0]):
                    best = (pays, other["id"], ships)
            if best:
                _, target, ships = best
                aimed.add(target)
                launches.append({"from": planet["id"], "to": target, "ships": ships})
        return {"launches": launches, "upgrades": [], "message": None}
