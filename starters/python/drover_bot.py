"""The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it."""

import json
import sys


def say(message):
    """Sends a line. It must leave at once."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(about):
    """Keeps something, any JSON, for the next match: it is the `note` of that match."""
    say({"type": "note", "note": about})


def play(bot):
    """Plays. What a bot may have: begin(match), seen(event), decide(ask, view, acts), end(result).

    A function that makes a bot from a game's name will do as well.
    """
    make = bot if callable(bot) else lambda game: bot
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            bot = make(message["game"])
            say({"type": "ready", "protocol": 1})
        elif kind == "match" and hasattr(bot, "begin"):
            bot.begin(message)
        elif kind == "seen" and hasattr(bot, "seen"):
            bot.seen(message["event"])
        elif kind == "ask" and not message["past"]:
            act = bot.decide(message["ask"], message["view"], message["acts"])
            say({"type": "act", "number": message["number"], "act": act})
        elif kind == "refused":
            print("refused:", message["why"], file=sys.stderr)
        elif kind == "end" and hasattr(bot, "end"):
            bot.end(message)
