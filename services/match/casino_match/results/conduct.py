"""How the players decided in all blocks together. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final, Literal, get_args

from casino_contracts import Outcome
from casino_contracts.match_results import PositionResult, StreetResult
from casino_contracts.play_counts import PlayCounts
from casino_contracts.play_statistics import statistics_of

from casino_match.domain.block import Conduct

Street = Literal["preflop", "flop", "turn", "river"]
_STREETS: Final[tuple[Street, ...]] = get_args(Street)
_DEFAULTS = frozenset[Outcome](get_args(Outcome)) - {"ok", "retried"}
_COUNTS = [field.name for field in fields(PlayCounts)]
_FIRST, _LAST = ("BTN", "SB", "BB"), ("HJ", "CO")


def merge(total: Conduct, more: Conduct) -> None:
    """Add the conduct of a block to that of the blocks before."""
    for sums, parts in (
        (total.outcomes, more.outcomes),
        (total.latency.buckets, more.latency.buckets),
        (total.net, more.net),
        (total.hands, more.hands),
        (total.ended_on, more.ended_on),
    ):
        _add(sums, parts)
    for position, counts in more.play.items():
        _count(total.play.setdefault(position, PlayCounts()), counts)


def play_of(conduct: Conduct) -> PlayCounts:
    """Return the counts of all positions together."""
    total = PlayCounts()
    for counts in conduct.play.values():
        _count(total, counts)
    return total


def defaults_of(conduct: Conduct) -> int:
    """Return the number of decisions in which the default action was taken."""
    return sum(conduct.outcomes.get(outcome, 0) for outcome in _DEFAULTS)


def positions_of(conduct: Conduct) -> tuple[PositionResult, ...]:
    """Return a player's results by position, from the button on."""
    return tuple(
        PositionResult(
            position=position,
            hands=conduct.hands[position],
            net=conduct.net.get(position, 0),
            statistics=statistics_of(conduct.play.get(position, PlayCounts())),
        )
        for position in _in_order(conduct.hands)
    )


def streets_of(conduct: Conduct) -> tuple[StreetResult, ...]:
    """Return a player's results by the street on which the betting of the hands ended."""
    return tuple(
        StreetResult(street=street, net=conduct.ended_on[street])
        for street in _STREETS
        if street in conduct.ended_on
    )


def _in_order(positions: Iterable[str]) -> list[str]:
    """Return positions in the order of the table: button, blinds, then by name, cut-off last."""

    def place(position: str) -> tuple[int, int, str]:
        if position in _FIRST:
            return 0, _FIRST.index(position), position
        if position in _LAST:
            return 2, _LAST.index(position), position
        return 1, len(position), position

    return sorted(positions, key=place)


def _add(sums: dict[Any, int], parts: Mapping[Any, int]) -> None:
    for key, number in parts.items():
        sums[key] = sums.get(key, 0) + number


def _count(total: PlayCounts, more: PlayCounts) -> None:
    for name in _COUNTS:
        setattr(total, name, getattr(total, name) + getattr(more, name))
