"""A simple arbiter of Planowanie, for comparison: blocking pipes, one command after the other.

Usage: simple_arbiter.py GAMES SEED PLAYER [ARGS...]; four copies of the player play each game.
"""

import random
import subprocess
import sys

VALUES, SUITS = "23456789TJQKA", "CDHS"
DEALS = [(cards, (cards - 1) % 4) for cards in range(1, 14)]


class Player:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def ask(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        first = self.process.stdout.readline()
        while self.process.stdout.readline().strip():
            pass
        assert first[:1] == b"=", (text, first)
        return first[1:].decode().strip()


def winner(cards):
    best = 0
    for at, card in enumerate(cards):
        same = card[1] == cards[best][1]
        if same and VALUES.index(card[0]) > VALUES.index(cards[best][0]):
            best = at
        elif not same and card[1] == SUITS[0]:
            best = at
    return best


def game(command, rng):
    players = [Player(command) for _ in range(4)]
    plan = " ".join(f"{cards} {leader}" for cards, leader in DEALS)
    for seat, player in enumerate(players):
        player.ask(f"set_deck {VALUES} {SUITS}")
        player.ask(f"set_players 4 {seat}")
        player.ask(f"set_game {len(DEALS)} {plan}")
    for cards, leader in DEALS:
        deck = [value + suit for suit in SUITS for value in VALUES]
        rng.shuffle(deck)
        hands = [deck[seat * cards : (seat + 1) * cards] for seat in range(4)]
        for player, hand in zip(players, hands):
            player.ask(f"set_cards {cards} {' '.join(hand)}")
        declared = []
        for player in players:
            player.ask("time_left 180000")
            declared.append(player.ask("gen_declare"))
        for player in players:
            for seat, tricks in enumerate(declared):
                player.ask(f"declare {seat} {tricks}")
        for _ in range(cards):
            trick = []
            for step in range(4):
                seat = (leader + step) % 4
                players[seat].ask("time_left 180000")
                card = players[seat].ask("gen_move")
                assert card in hands[seat], card
                led = trick[0][1] if trick else card[1]
                assert card[1] == led or all(other[1] != led for other in hands[seat])
                hands[seat].remove(card)
                trick.append(card)
                for player in players:
                    player.ask(f"play {seat} {card}")
            leader = (leader + winner(trick)) % 4
    for player in players:
        player.process.stdin.close()
        player.process.wait()


def main():
    games, seed, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    rng = random.Random(seed)
    for _ in range(games):
        game(command, rng)


main()
