"""A program that speaks its game's own protocol: python3 native.py GAME [MANNER [COUNT]].

MANNER is what it does at its decision number COUNT, and for some at every one from then on:

none     plays
crash    ends with exit status 3
once     the same, but not when it is started again
hang     answers nothing any more
slow     answers that one decision after 1.5 seconds
garbage  says what no answer begins with
illegal  answers what the rules forbid, from then on
more     says its answer twice
babble   says lines without end
long     says a line without end
mute     leaves the message before the decision unanswered
"""

import json
import os
import sys
import time

GAME = sys.argv[1]
MANNER = sys.argv[2] if len(sys.argv) > 2 else "none"
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 5
decisions = 0


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(text, illegal, garbage):
    """Answers a decision, in the program's manner."""
    global decisions
    decisions += 1
    if decisions == COUNT:
        print("decision", COUNT, file=sys.stderr, flush=True)
    if decisions == COUNT and MANNER == "once" and not os.path.exists("crashed"):
        open("crashed", "w").close()
        os.kill(os.getpid(), 9)
    if decisions == COUNT and MANNER == "slow" and not os.path.exists("slow"):
        open("slow", "w").close()
        time.sleep(1.5)
    if decisions >= COUNT:
        if MANNER == "crash":
            sys.exit(3)
        if MANNER == "hang":
            time.sleep(1000)
        if MANNER == "garbage":
            say(garbage)
        if MANNER == "illegal":
            text = illegal
        if MANNER == "more":
            say(text)
        while MANNER == "babble":
            say("x" * 1000)
        while MANNER == "long":
            sys.stdout.write("x" * 1000)
    say(text)


def planowanie():
    hand, led, laid, players = [], None, 0, 2
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        number = words.pop(0) if words[0].isdigit() else ""
        command, rest = words[0], words[1:]
        if MANNER == "mute" and command == "time_left":
            continue
        if command == "set_players":
            players = int(rest[0])
        elif command == "set_cards":
            hand, led, laid = rest[1:], None, 0
        elif command == "play":
            if laid % players == 0:
                led = rest[1][1]
            laid += 1
            if rest[1] in hand:
                hand.remove(rest[1])
            if laid % players == 0:
                led = None
        if command == "gen_declare":
            answer("=%s 0\n" % number, "= 99\n", "let me see\n")
        elif command == "gen_move":
            fitting = [card for card in hand if card[1] == led]
            card = (fitting or hand)[0]
            answer("=%s %s\n" % (number, card), "= ZZ\n", "let me see\n")
        elif command == "quit":
            say("=\n")
            return
        else:
            say("=%s\n" % number)


def lighthouses():
    island, towers = [], []
    for line in sys.stdin:
        message = json.loads(line)
        if "player_num" in message:
            island, towers = message["map"], message["lighthouses"]
            answer(json.dumps({"name": "native"}), json.dumps({"no": "name"}), "hello")
        elif "position" in message:
            x, y = message["position"]
            command = {"command": "pass"}
            if [x, y] in towers:
                command = {"command": "attack", "energy": message["energy"]}
            else:
                to = min(towers, key=lambda at: max(abs(at[0] - x), abs(at[1] - y)))
                dx, dy = [(a > b) - (a < b) for a, b in zip(to, (x, y))]
                if island[y + dy][x + dx]:
                    command = {"command": "move", "x": dx, "y": dy}
            illegal = json.dumps({"command": "move", "x": 9, "y": 9})
            answer(json.dumps(command), illegal, "my turn is done")


def planetwars():
    planets, you, received = [], 1, None
    for line in sys.stdin:
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "P":
            planets.append(words[1:])
        elif words[0] == "M":
            received = int(words[1])
        elif words[0] == "Y":
            you = int(words[1])
        elif words[0] == ".":
            # id, x, y, growth, owner, ships
            planets_now = [(p[0], float(p[1]), float(p[2]), int(p[4]), int(p[5])) for p in planets]
            extra = [] if received is None else ["M %d" % ((received + 1) % 2**32)]
            answer("\n".join(orders(planets_now, you, "F %s %s %d") + extra + ["."]), "F 1 1 1\n.", "thinking\n.")
            planets, received = [], None
        elif words[0] == "go":
            # x, y, owner, ships, growth
            planets_now = [(str(n), float(p[0]), float(p[1]), int(p[2]), int(p[3])) for n, p in enumerate(planets)]
            answer("\n".join(orders(planets_now, 1, "%s %s %d") + ["go"]), "0 0 1\ngo", "thinking\ngo")
            planets = []


def orders(planets, you, form):
    """Half of the strongest planet's ships, to the nearest one of somebody else."""
    own = [planet for planet in planets if planet[3] == you and planet[4] > 1]
    others = [planet for planet in planets if planet[3] != you]
    if not own or not others:
        return []
    _, x, y, _, ships = home = max(own, key=lambda planet: planet[4])
    to = min(others, key=lambda planet: (planet[1] - x) ** 2 + (planet[2] - y) ** 2)
    return [form % (home[0], to[0], ships // 2)]


{"planowanie": planowanie, "lighthouses": lighthouses, "planetwars": planetwars}[GAME]()
