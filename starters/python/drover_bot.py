"""The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it.

Each game is played by the Bot of the file that is named like it. What a Bot may have besides decide(ask, view, acts):
begin(match), seen(event), played(act) and end(result). A program that is restarted in a match is sent all of that
again, but not asked again: what a bot keeps, it keeps in seen and played.
"""

import json
import random
import sys
from importlib import import_module


def say(message):
    """Sends a line. It must leave at once."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(about):
    """Keeps something, any JSON, for the next match: it is the `note` of that match."""
    say({"type": "note", "note": about})


def play():
    """Plays one match."""
    bot = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            bot = import_module(message["game"]).Bot()
            say({"type": "ready", "protocol": 1})
        elif kind == "match" and hasattr(bot, "begin"):
            bot.begin(message)
        elif kind == "seen" and hasattr(bot, "seen"):
            bot.seen(message["event"])
        elif kind == "played" and hasattr(bot, "played"):
            bot.played(message["act"])
        elif kind == "ask" and not message["past"]:
            # So that a decision that is made once more is the same.
            random.seed(message["number"])
            act = bot.decide(message["ask"], message["view"], message["acts"])
            say({"type": "act", "number": message["number"], "act": act})
        elif kind == "refused":
            print("refused:", message["why"], file=sys.stderr)
        elif kind == "end" and hasattr(bot, "end"):
            bot.end(message)


if __name__ == "__main__":
    play()
