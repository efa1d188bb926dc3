"""A simple judge of Planet Wars, for comparison: blocking pipes, one player after the other.

Usage: simple_judge.py ROUNDS PLAYER [ARGS...]   the players of the map's owners, each a process
       simple_judge.py ROUNDS                    no players: the rules alone, each owner sending one ship a
                                                 round from its first planet to the next in the list
The map is read from the standard input. Prints the rounds played a second.
"""

import math
import subprocess
import sys
import time


class Planet:
    def __init__(self, line):
        words = line.split()
        self.id, self.growth, self.owner, self.ships = (int(words[at]) for at in (1, 4, 5, 6))
        self.x, self.y = float(words[2]), float(words[3])
        self.head = " ".join(words[:5])


class Game:
    def __init__(self, lines):
        self.planets = [Planet(line) for line in lines]
        self.by_id = {planet.id: planet for planet in self.planets}
        self.fleets = []
        self.turn = 0

    def text(self):
        return "".join(f"{p.head} {p.owner} {p.ships}\n" for p in self.planets)

    def launch(self, owner, source, target, ships):
        source, target = self.by_id[source], self.by_id[target]
        assert source.owner == owner and 0 < ships <= source.ships and source is not target
        source.ships -= ships
        distance = math.hypot(source.x - target.x, source.y - target.y)
        self.fleets.append((self.turn + max(1, math.ceil(distance)), target, owner, ships))

    def step(self):
        self.turn += 1
        landing = {}
        for lands, target, owner, ships in self.fleets:
            if lands == self.turn:
                forces = landing.setdefault(target, {})
                forces[owner] = forces.get(owner, 0) + ships
        self.fleets = [fleet for fleet in self.fleets if fleet[0] > self.turn]
        for planet, forces in landing.items():
            forces[planet.owner] = forces.get(planet.owner, 0) + planet.ships
            ranked = sorted(forces.items(), key=lambda force: -force[1])
            if len(ranked) == 1:
                planet.ships = ranked[0][1]
            elif ranked[0][1] > ranked[1][1]:
                planet.owner, planet.ships = ranked[0][0], ranked[0][1] - ranked[1][1]
            else:
                planet.ships = 0
        for planet in self.planets:
            if planet.owner:
                planet.ships += planet.growth


def with_players(game, rounds, command):
    owners = sorted({planet.owner for planet in game.planets if planet.owner})
    players = [
        (owner, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        for owner in owners
    ]
    words = {owner: 0 for owner in owners}
    for number in range(rounds):
        if number == 1:
            # Starting the players is no part of it.
            begun = time.perf_counter()
        planets = game.text()
        for owner, player in players:
            player.stdin.write(f"{planets}M {words[owner]}\nY {owner}\n.\n".encode())
            player.stdin.flush()
        said = {}
        for owner, player in players:
            while True:
                line = player.stdout.readline().split()
                if line == [b"."]:
                    break
                if line[0] == b"F":
                    game.launch(owner, *(int(word) for word in line[1:]))
                elif line[0] == b"M":
                    said[owner] = int(line[1])
        words = {owner: said.get(owner, 0) for owner in owners}
        game.step()
    took = time.perf_counter() - begun
    for _, player in players:
        player.stdin.close()
        player.wait()
    return (rounds - 1) / took


def alone(game, rounds):
    begun = time.perf_counter()
    for _ in range(rounds):
        sent = set()
        for at, planet in enumerate(game.planets):
            if planet.owner and planet.owner not in sent and planet.ships:
                sent.add(planet.owner)
                goal = game.planets[(at + 1) % len(game.planets)]
                game.launch(planet.owner, planet.id, goal.id, 1)
        game.step()
    return rounds / (time.perf_counter() - begun)


def main():
    game = Game([line for line in sys.stdin if line.strip()])
    rounds = int(sys.argv[1])
    players = sys.argv[2:]
    print(with_players(game, rounds, players) if players else alone(game, rounds))


main()
