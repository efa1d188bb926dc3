"""Plays several games, each with the Bot of the file that is called like it."""

from importlib import import_module

from drover_bot import play

play(lambda game: import_module(game).Bot())
