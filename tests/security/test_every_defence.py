"""Each defence, removed alone, lets exactly its attacks succeed, and each finding has one."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from casino.attack.attack_base import Attack, AttackVerdict, Result
from casino.attack.binding_calls import BINDINGS
from casino.commands.attack import ATTACKS
from support.attack.arena import Parts, arena, attacked, defended_player
from support.attack.switched import SWITCHED
from support.attack.undefended import AnyName, OpenLobby, OpenTable, obedient_player
from support.attack.weakened import OFF
from support.players.public_players import TAKES_EVERY_INVITATION


class Defence(NamedTuple):
    """How a defence is removed, and the attacks that succeed without it."""

    without: Callable[[], Parts]
    lets_through: set[str]


DEFENCES: dict[str, Defence] = {
    "a table is configured by its room's lobby": Defence(
        lambda: Parts(table_rules=OpenTable("configuring")),
        {"take-free-table"},
    ),
    "a table is played at by its room's lobby": Defence(
        lambda: Parts(table_rules=OpenTable("playing", "seating")),
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
    "a table shows others what its lobby publishes": Defence(
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
        {
            "command-over-a2a",
            "command-over-rest",
            "open-many-rooms",
            "invite-elsewhere",
            "seat-at-table",  # whoever may command the lobby may sit at its tables
        },
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
            "seat-at-table",
        },
    ),
    "a player is invited only with its key": Defence(
        lambda: Parts(player=partial(defended_player, key=None), player_key=None),
        set(TAKES_EVERY_INVITATION),
    ),
    "an invitation gives no rights at a player": Defence(
        lambda: Parts(player=obedient_player, player_key=None),
        {"invite-without-end", "invite-seated-player", "question-player-elsewhere"},
    ),
}
"""Name -> how it is taken away, and what must succeed then.

To add one: build the piece without it (`Parts`, `support.attack.undefended`) and name its attacks.
"""

SHOWN_ELSEWHERE = {
    "rebind-table": "table/test_gone_lobby.py",
    "begin-higher-epoch": "table/test_service.py",
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

_OF_MEMORY = ("limits", "release", "collection")
"""Shown in `connections/test_kept_bodies.py`; the others in `services/test_switched_off.py`."""
_REFUSALS = "security/services/test_service_attacks.py"
_RECENT = "lobby/domain/test_recent_events.py"
_BACKUPS = "console/backup/test_archive.py"
FINDINGS: dict[str, tuple[str, ...]] = {
    "C1 refused bodies stay in memory": _OF_MEMORY,
    "H1 signups close a table to its player": ("an invitation gives no rights at a player",),
    "H2 exam seats are open": (
        f"{_REFUSALS}::test_only_open_rooms_are_played_at_through_the_gateway",
        "gateway/test_open_rooms.py::test_nobody_finds_an_invited_room",
    ),
    "H3 one key takes all tables": (
        f"{_REFUSALS}::test_one_key_of_an_evaluator_leaves_the_operator_a_table",
    ),
    "H4 a proxy's callers pass for loopback": ("proxies",),
    "H5 an operator's key leaves the fleet open": (
        f"{_REFUSALS}::test_a_lobby_with_a_key_and_none_of_the_fleet_takes_no_announcement",
    ),
    "M1 anybody restricts a wallet": ("signatures of wallets",),
    "M2 published hands are parsed on every read": ("hands parsed at the door",),
    "M3 anybody spends a model's budget": (
        "a player is invited only with its key",
        "security/players/test_questions.py::test_third_parties_make_no_model_think",
    ),
    "M4 services have the operator's key": (
        "lobby/access/test_service_keys.py::test_a_gateway_seats_nobody_among_the_invited",
        "deploy/test_keys.py::test_a_further_key_is_noticed",
    ),
    "M5 readers of histories hang": (
        "contracts/test_foreign_text.py::test_the_limit_alone_stops_the_attack",
        "security/test_hostile_files.py::test_only_a_limit_keeps_a_key_of_many_parts_cheap",
    ),
    "low: repeated decks are known": (
        "evaluator/play/test_room_order.py::test_only_another_order_hides_which_deck_is_next",
    ),
    "low: an id of dots leads elsewhere": (
        "contracts/test_path_segment.py::test_only_a_refusal_keeps_a_dot_from_leading_elsewhere",
    ),
    "low: large events make large snapshots": (
        f"{_RECENT}::test_the_limit_on_bytes_alone_keeps_a_snapshot_small",
    ),
    "low: a backup unpacks without end": (
        f"{_BACKUPS}::test_a_backup_that_unpacks_to_a_hundred_times_its_size_writes_nothing",
    ),
    "low: others read a match": (
        "match/test_match_directory.py::test_a_match_is_closed_to_other_users",
    ),
    "low: Kubernetes passes keys as variables": (
        "deploy/test_keys.py::test_kubernetes_passes_secrets_as_files",
    ),
}
"""Findings of the review of 2026-11-27, and the defences without which their attacks succeed.

A defence is one of `DEFENCES`, one of `support.attack.weakened`, or a test that is with and without
it.
"""

_TESTS = Path(__file__).parents[1]
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
    refused = {one.attack.name for one in results if one.outcome.verdict is AttackVerdict.REFUSED}
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
    assert [path for path in SHOWN_ELSEWHERE.values() if not (_TESTS / path).is_file()] == []


def test_every_finding_has_a_defence_that_a_test_switches_off() -> None:
    """And what is switched off in processes has its attack there."""
    numbers = {f"27-{finding.partition(' ')[0]}" for finding in FINDINGS}
    assert {name for one in ATTACKS for name in one.findings if "27-" in name} <= numbers
    names = {name for each in FINDINGS.values() for name in each}
    tests = {name for name in names if "::" in name}
    for path, _, test in (name.partition("::") for name in tests):
        assert re.search(rf"\bdef {test}\(", (_TESTS / path).read_text()), (path, test)
    assert names - tests <= DEFENCES.keys() | OFF.keys()
    python_s = {"python's collection"}
    assert OFF.keys() - python_s == names & OFF.keys()
    assert SWITCHED.keys() == OFF.keys() - python_s - set(_OF_MEMORY)
