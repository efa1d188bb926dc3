"""Plays smart-dog: each dog goes round the nearest sheep, so that the sheep is between it and its pen."""

from drover_bot import play

STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class Bot:
    def decide(self, ask, view, acts):
        ground = view["ground"]
        cols, rows = ground["torus"]["cols"], ground["torus"]["rows"]
        land = ground["land"]
        sheep = [thing["sheep"]["spot"] for thing in view["seen"] if "sheep" in thing]
        dogs = [thing["dog"] for thing in view["seen"] if "dog" in thing]
        mine = [dog for dog in dogs if dog["owner"] == view["seat"]]
        pen = [at for at, cell in enumerate(land) if cell == str(view["seat"] + 1)]
        taken = {(spot["x"], spot["y"]) for spot in sheep}
        taken |= {(dog["spot"]["x"], dog["spot"]["y"]) for dog in dogs}

        def apart(one, other):
            """How far it is, round the world's borders if that is shorter."""
            dx, dy = abs(one[0] - other[0]), abs(one[1] - other[1])
            return min(dx, cols - dx) + min(dy, rows - dy)

        orders = []
        for dog in mine:
            here = (dog["spot"]["x"], dog["spot"]["y"])
            if not sheep:
                continue
            prey = min(((spot["x"], spot["y"]) for spot in sheep), key=lambda spot: apart(spot, here))
            if pen:
                home = min(((at % cols, at // cols) for at in pen), key=lambda spot: apart(spot, prey))
            else:
                home = prey

            def goodness(way):
                dx, dy = STEPS[way]
                to = ((here[0] + dx) % cols, (here[1] + dy) % rows)
                free = land[to[1] * cols + to[0]] == "." and to not in taken
                return (free, -abs(apart(to, prey) - 2), apart(to, home))

            best = max(STEPS, key=goodness)
            if goodness(best)[0]:
                orders.append({"move": [dog["id"], best]})
            if apart(here, prey) <= 2 and apart(here, home) > apart(prey, home):
                orders.append({"bark": dog["id"]})
        return orders


play(Bot())
