"""Decks of a match, from its seed. Pure."""

from casino_games.cards import Card
from casino_games.holdem.deal import cards_needed
from casino_games.shuffle import deck_order, derive_seed


def deck_seed(seed: str, number: int) -> str:
    """Return the seed of a deck; decks count from 0."""
    return derive_seed(seed, "match deck", number)


def deck_of(seed: str, number: int, seats: int) -> list[Card]:
    """Return the cards of a deck that a hand of Hold'em between so many seats can use."""
    return deck_order(deck_seed(seed, number), cards_needed(seats))
