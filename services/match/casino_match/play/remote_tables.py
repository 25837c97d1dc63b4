"""The tables at which agents play a match: which hands, in which order, under which ids. Pure.

Each seating has tables of its own, so that an agent that remembers a table does not meet a deck
twice there. The decks of a block come in another order at each, and no id tells which deck it is.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from casino_games.shuffle import derive_seed
from casino_play.holdem_fields import HandNames, SeatedPlayer

from casino_match.domain.plan import Plan
from casino_match.domain.seatings import seatings_of
from casino_match.players.local import is_remote
from casino_match.players.player import Place
from casino_match.players.signup import player_id

_ID_DIGITS: Final = 16
_ALGORITHM: Final = len("sha256:")


class RemoteTables:
    """The tables of a plan, numbered from 0."""

    def __init__(self, plan: Plan, *, runs_code: bool) -> None:
        """With `runs_code`, each seating has one table: functions remember a seating's hands."""
        self._plan = plan
        self._seatings = seatings_of(len(plan.players), plan.deal.seatings)
        self.at_once = min(who.games_at_once for who in plan.players if is_remote(who))
        """Maximum number of hands at the same time."""
        self._for_each = 1 if runs_code else max(1, self.at_once // len(self._seatings))
        self.ids = tuple(
            f"match-{plan.digest[_ALGORITHM:][:_ID_DIGITS]}-{number + 1}"
            for number in range(self._for_each * len(self._seatings))
        )

    def hands(self, block: int, table: int) -> Iterator[tuple[Place, HandNames]]:
        """Yield the hands of a block at a table, in the order in which they are played."""
        seating, part = divmod(table, self._for_each)
        decks = self._plan.decks_of(block)
        order = list(decks)
        Random(derive_seed(self._plan.deal.seed, "order", block, seating)).shuffle(order)  # noqa: S311
        for place, deck in enumerate(order):
            if place % self._for_each == part:
                yield Place(deck, seating), self._names(table, seating, decks.start + place + 1)

    def _names(self, table: int, seating: int, number: int) -> HandNames:
        table_id = self.ids[table]
        seated = tuple(
            SeatedPlayer(player_id(player), f"Player {player + 1}", seat)
            for seat, player in enumerate(self._seatings[seating])
        )
        return HandNames(table_id, f"{table_id}/{number}", number, seated)
