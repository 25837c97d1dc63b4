"""Each defence, removed alone, lets exactly its attacks succeed."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import pytest
from casino.attack.attack import Attack
from casino.attack.bindings import BINDINGS
from casino.attack.catalogue import ATTACKS
from casino.attack.engine import Result
from casino.attack.outcome import Verdict
from support.attack.arena import Parts, arena, attacked, defended_player
from support.attack.undefended import AnyName, OpenLobby, OpenTable
from support.players.public_players import TAKES_EVERY_INVITATION


class Defence(NamedTuple):
    """How a defence is removed, and the attacks that succeed without it."""

    without: Callable[[], Parts]
    lets_through: set[str]


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
    "a table shows others its status only": Defence(
        lambda: Parts(table_rules=OpenTable("summary")), {"read-table-summary"}
    ),
    "events come from the room's table": Defence(
        lambda: Parts(lobby_rules=OpenLobby("recording")),
        {"forge-stacks", "forge-departure", "forge-seat", "forge-closing"},
    ),
    "tables announce themselves with the fleet key": Defence(
        lambda: Parts(lobby_rules=OpenLobby("announcing")),
        {"announce-table"},  # the fleet has more defences: see below
    ),
    "commands over A2A need the operator key": Defence(
        lambda: Parts(lobby_rules=OpenLobby("commanding")),
        {"command-over-a2a", "open-many-rooms", "invite-elsewhere"},
    ),
    "a lobby has an operator key": Defence(
        lambda: Parts(operator_key=None),
        {"command-over-a2a", "command-over-rest", "open-many-rooms", "invite-elsewhere"},
    ),
    "a lobby keeps names apart": Defence(lambda: Parts(names=AnyName()), {"sign-up-as-another"}),
    "a guard checks Host and Origin": Defence(lambda: Parts(is_guarded=False), {"rebind-host"}),
    "a page needs both the guard and the operator key to be gone": Defence(
        lambda: Parts(is_guarded=False, operator_key=None),
        {
            "rebind-host",
            "command-from-foreign-page",
            "command-over-a2a",
            "command-over-rest",
            "open-many-rooms",
            "invite-elsewhere",
        },
    ),
    "a player is invited only with its key": Defence(
        lambda: Parts(player=partial(defended_player, key=None), player_key=None),
        set(TAKES_EVERY_INVITATION),
    ),
}
"""Name -> how it is taken away, and what must succeed then.

To add one: build the piece without it (`Parts`, `support.attack.undefended`) and name its attacks.
"""

SHOWN_ELSEWHERE = {
    "use-service-key": "lobby/access/test_service_keys.py",
    "write-into-closed-room": "security/test_events.py",
    "send-deep-event": "security/test_stored_rows.py",
    "claim-moved-table": "security/test_fleet_keys.py",
    "share-table": "security/test_fleet_keys.py",
    "offer-newer-game": "lobby/service/test_games.py",
    "multiply-requests": "lobby/service/test_games.py",
    "read-page-as-specification": "security/outgoing/test_outgoing.py",
    "sign-up-with-a-page": "security/test_hostile_input.py",
    "call-table-as-player": "security/test_skill_names.py",
    "read-hidden-cards": "lobby/access/test_operator.py",
    "send-deep-body": "fuzz/test_found_cases.py",
    "publish-hostile-hand": "security/services/test_service_attacks.py",
    "invite-without-end": "security/players/test_floods.py",
    **dict.fromkeys(
        [one.name for one in ATTACKS if one.group == "resources"],
        "security/test_attack_resources.py",
    ),
    **dict.fromkeys(
        [one.name for one in ATTACKS if one.needs], "security/services/test_service_attacks.py"
    ),
    "send-large-body": "security/connections/test_kept_bodies.py",
    "hold-many-streams": "security/connections/test_resources.py",
}
"""Attacks that a second defence refuses in the arena, and where what refuses them is shown."""

_SHORT = tuple(one for one in BINDINGS if one.takes_every_token)
_TRIED = [one for one in ATTACKS if one.group != "resources" and not one.needs]
_STOPPED_ONCE = set().union(*(defence.lets_through for defence in DEFENCES.values()))
"""Attacks that a single defence of the arena refuses; the others meet a second one here."""


async def _tried(parts: Parts, attacks: Sequence[Attack]) -> list[Result]:
    async with arena(parts) as casino:
        players, key = casino.players.values(), parts.operator_key
        return await attacked(attacks, casino.lobby_url, players, key, bindings=_SHORT)


def _evidence(results: list[Result]) -> dict[str, str]:
    return {one.attack.name: f"{one.outcome.verdict}: {one.outcome.evidence}" for one in results}


async def test_with_every_defence_nothing_succeeds() -> None:
    results = await _tried(Parts(), _TRIED)
    refused = {one.attack.name for one in results if one.outcome.verdict is Verdict.REFUSED}
    assert refused == {one.name for one in _TRIED}, _evidence(results)


@pytest.mark.long
@pytest.mark.parametrize("name", DEFENCES)
async def test_without_a_defence_exactly_its_attacks_succeed(name: str) -> None:
    """One defence is removed at a time; of the others, none refuses an attack that it lets through.

    What has two defences is tried against all of them above, and without each where it is shown.
    """
    defence = DEFENCES[name]
    attacks = [one for one in _TRIED if one.name in _STOPPED_ONCE]
    results = await _tried(defence.without(), attacks)
    succeeded = {one.attack.name for one in results if one.outcome.has_succeeded}
    assert succeeded == defence.lets_through, _evidence(results)


def test_every_attack_succeeds_somewhere_without_its_defence() -> None:
    assert _STOPPED_ONCE | SHOWN_ELSEWHERE.keys() == {one.name for one in ATTACKS}
    assert not _STOPPED_ONCE & SHOWN_ELSEWHERE.keys()
