"""Plays Planet Wars: every strong planet takes the planet near it that pays best."""

from math import ceil, hypot

from drover_bot import play


class Bot:
    def decide(self, ask, view, acts):
        planets, me = view["planets"], view["you"]
        mine = [planet for planet in planets if planet["owner"] == me]
        others = [planet for planet in planets if planet["owner"] != me]
        aimed = {fleet.get("to") for fleet in view["fleets"] or [] if fleet.get("owner") == me}
        launches = []
        for planet in mine:
            best = None
            for other in others:
                turns = ceil(hypot(planet["x"] - other["x"], planet["y"] - other["y"]))
                grows = other["growth"] * turns if other["owner"] else 0
                needed = other["ships"] + grows + 1
                pays = (other["growth"] + 0.1) / (needed + turns)
                fits = other["id"] not in aimed and needed < planet["ships"]
                if fits and (best is None or pays > best[0]):
                    best = (pays, other["id"], needed)
            if best:
                _, target, ships = best
                aimed.add(target)
                launches.append({"from": planet["id"], "to": target, "ships": ships})
        return {"launches": launches, "upgrades": [], "message": None}


if __name__ == "__main__":
    play(Bot())
