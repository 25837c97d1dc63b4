"""Amounts within what a message may hold, since a table may report anything. Pure."""

from casino_contracts import MAX_SAFE

from casino_lobby.domain.standings.player_results import Chips


def bounded(amount: Chips) -> Chips:
    """Return an amount within what a message may hold."""
    return max(-MAX_SAFE, min(MAX_SAFE, amount))
