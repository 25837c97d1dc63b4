"""No attack passes by luck: each defence, taken away alone, lets exactly its attacks through."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest
from casino.attack.bindings import BINDINGS
from casino.attack.catalogue import ATTACKS
from casino.attack.engine import Result
from casino_agentkit import Memory
from support.arena import ROOM, STYLES, THINK, Parts, arena
from support.attacker import attacked, succeeded_in, target_at
from support.known_holes import KNOWN_HOLES
from support.undefended import OpenLobby, OpenTable, open_player

pytestmark = pytest.mark.skip(
    reason="not finished: the arena serves its players without the guard of the Host header, and"
    " the list of defences lacks those that were built beside it",
)


class Defence(NamedTuple):
    """How a defence is taken away, and the attacks that succeed without it."""

    without: Callable[[], Parts]
    lets_through: set[str]


def _open_players() -> Parts:
    return Parts(
        player=lambda name: open_player(
            name, STYLES[name], THINK, Memory(ignoring=("deadlineMs",), size=256)
        )
    )


DEFENCES: dict[str, Defence] = {
    "a table is configured by its room's lobby": Defence(
        lambda: Parts(table_rules=OpenTable("configuring")),
        {"rebind-table", "begin-higher-epoch", "take-free-table"},
    ),
    "a table is played at by its room's lobby": Defence(
        lambda: Parts(table_rules=OpenTable("playing")),
        {
            "seat-at-table",
            "start-game-at-table",
            "unseat-player",
            "close-table",
            "read-table-summary",  # who may play may read
        },
    ),
    "hand records are for the room's lobby": Defence(
        lambda: Parts(table_rules=OpenTable("recording")), {"read-hand-records"}
    ),
    "a table tells strangers its status only": Defence(
        lambda: Parts(table_rules=OpenTable("summary")), {"read-table-summary"}
    ),
    "events come from the room's table": Defence(
        lambda: Parts(lobby_rules=OpenLobby("recording")),
        {"forge-stacks", "forge-departure", "forge-seat", "forge-closing"},
    ),
    "tables announce themselves with the fleet key": Defence(
        lambda: Parts(lobby_rules=OpenLobby("announcing")),
        {
            "announce-table",
            "offer-newer-game",
            "multiply-requests",
            "read-page-as-specification",
        },
    ),
    "commands over A2A need the operator key": Defence(
        lambda: Parts(lobby_rules=OpenLobby("commanding")),
        {
            "command-over-a2a",
            "open-many-rooms",
            "call-table-as-player",
            "invite-elsewhere",
        },
    ),
    "a player answers its own table": Defence(
        _open_players, {"question-player", "repeat-question"}
    ),
}
"""Name -> how it is taken away, and what must succeed then.

To add one: build the piece without it (`Parts`, `support.undefended`) and name its attacks.
"""

_BY_HAND = {
    "write-into-closed-room": "a closed room takes nothing, whoever sends it (test_events)",
    "send-deep-event": "an event is kept only if it can be read back (the tests of stored data)",
    "claim-moved-table": "the room's own token, while its table is away (test_fleet_keys)",
    "share-table": "tables are compared by what they serve (test_fleet_keys)",
    "read-hidden-cards": "the operator's key on REST (tests/lobby/test_operator.py)",
}
"""Attacks of which the arena has no piece to take away, and where their defence is shown."""

_SHORT = tuple(one for one in BINDINGS if one.takes_every_token)
_TRIED = [one for one in ATTACKS if one.group != "resources"]


async def _tried(parts: Parts) -> list[Result]:
    async with (
        arena(parts) as casino,
        target_at(
            casino.lobby_url,
            casino.players.values(),
            operator_key=parts.operator_key,
            bindings=_SHORT,
        ) as target,
    ):
        return await attacked(target, ROOM, _TRIED)


def _evidence(results: list[Result]) -> dict[str, str]:
    return {one.attack.name: f"{one.outcome.verdict}: {one.outcome.evidence}" for one in results}


async def test_with_every_defence_only_the_known_holes_are_open() -> None:
    """And there was something to try in every attack."""
    results = await _tried(Parts())
    known = KNOWN_HOLES.keys() & {one.name for one in _TRIED}
    assert succeeded_in(results) == known, _evidence(results)
    idle = [one.attack.name for one in results if one.outcome.verdict.value == "not applicable"]
    assert idle == [], _evidence(results)


@pytest.mark.parametrize("name", DEFENCES)
async def test_without_a_defence_exactly_its_attacks_succeed(name: str) -> None:
    """One at a time."""
    defence = DEFENCES[name]
    results = await _tried(defence.without())
    known = KNOWN_HOLES.keys() & {one.name for one in _TRIED}
    assert succeeded_in(results) - known == defence.lets_through - known, _evidence(results)


def test_every_attack_has_a_defence_that_is_taken_away_somewhere() -> None:
    """Here, by hand elsewhere, or it is open."""
    shown = set().union(*(defence.lets_through for defence in DEFENCES.values()))
    names = {one.name for one in ATTACKS}
    assert shown | _BY_HAND.keys() | KNOWN_HOLES.keys() == names
    assert not shown & _BY_HAND.keys()


def test_the_arena_s_players_think() -> None:
    """Else nobody could tell a remembered answer by its speed."""
    assert timedelta(milliseconds=20) < THINK
