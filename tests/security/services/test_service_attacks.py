"""The attacks on gateway, evaluator, fleet and published results, each refused."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from casino.attack.attack_base import Attack, AttackVerdict, Outcome, canaries, run
from casino.attack.attack_discovery import learn
from casino.attack.attack_target import AttackTarget
from casino.attack.attack_traffic import Traffic
from casino.attack.resource_attacks import send_large_body
from casino.attack.service_attacks import (
    announce_table,
    bind_foreign_wallet,
    pass_for_loopback,
    publish_hostile_hand,
    take_all_tables,
    take_invited_seat,
)
from casino_lobby.access.lobby_rules import LobbyRules
from support.attack.arena import OPERATOR_KEY as ARENA_KEY
from support.attack.arena import arena, attacked
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import OPERATOR_KEY, ByOrigin, keyed_casino
from support.casino.loop_casino import LOBBY
from support.evaluator.live_evaluator import EVALUATOR, loop_evaluator
from support.gateway.live_gateway import GATEWAY, RULES, loop_gateway
from support.in_process import InProcessTransport


@asynccontextmanager
async def target_of(
    network: InProcessTransport, operator_key: str | None = "any", **services: str
) -> AsyncIterator[AttackTarget]:
    """Explore a casino in the test's loop; without a key of its lobby, any is the operator's."""
    traffic = Traffic(ByOrigin(network))
    try:
        async with canaries("127.0.0.1") as new_canary:
            yield await learn(
                traffic,
                LOBBY,
                new_canary,
                services=services,
                operator_key=operator_key,
                may_attack=lambda _url: True,
            )
    finally:
        await traffic.close()


async def outcome_of(target: AttackTarget, attack: Attack) -> Outcome:
    ((_, outcome),) = await run(target, [attack])
    return outcome


async def test_only_open_rooms_are_played_at_through_the_gateway() -> None:
    async with loop_gateway() as live:
        await live.open("open", "kuhn_poker")
        async with target_of(live.casino.transport, gateway=GATEWAY) as target:
            assert (
                await outcome_of(target, take_invited_seat)
            ).verdict is AttackVerdict.NOT_APPLICABLE
            target.rooms = [replace(room, is_invited=True) for room in target.rooms]
            assert (await outcome_of(target, take_invited_seat)).has_succeeded
        order = {"config": RULES, "tableAgentCardUrl": live.casino.take_table()}
        exam = {"roomId": "exam", "gameType": "kuhn_poker", "seats": "invited"}
        await live.casino.open_room({**order, **exam})
        async with target_of(live.casino.transport, gateway=GATEWAY) as target:
            target.rooms = [room for room in target.rooms if room.room_id == "exam"]
            assert (await outcome_of(target, take_invited_seat)).verdict is AttackVerdict.REFUSED


async def test_a_wallet_is_bound_by_its_signature_only() -> None:
    async with (
        loop_gateway() as live,
        target_of(live.casino.transport, gateway=GATEWAY) as target,
    ):
        outcome = await outcome_of(target, bind_foreign_wallet)
        assert outcome.verdict is AttackVerdict.REFUSED, outcome


async def test_an_evaluator_gives_a_proxys_client_nothing_without_a_key() -> None:
    async with (
        loop_evaluator(api_keys="") as live,
        target_of(live.casino.transport, evaluator=EVALUATOR) as target,
    ):
        outcome = await outcome_of(target, pass_for_loopback)
        assert outcome.verdict is AttackVerdict.REFUSED, outcome


@pytest.mark.parametrize("has_share", [True, False])
async def test_one_key_of_an_evaluator_leaves_the_operator_a_table(*, has_share: bool) -> None:
    settings: dict[str, Any] = {} if has_share else {"rooms_per_key": 200, "openings_per_key": 200}
    async with (
        loop_evaluator(9, **settings) as live,
        target_of(live.casino.transport, evaluator=EVALUATOR) as target,
    ):
        outcome = await outcome_of(target, take_all_tables)
        assert outcome.has_succeeded is not has_share, outcome


async def test_a_hand_that_cannot_be_read_is_not_published() -> None:
    async with keyed_casino() as casino:
        casino.target.operator_key = OPERATOR_KEY
        outcome = await outcome_of(casino.target, publish_hostile_hand)
        assert outcome.verdict is AttackVerdict.REFUSED, outcome


async def test_a_lobby_with_a_key_and_none_of_the_fleet_takes_no_announcement() -> None:
    cases: tuple[tuple[str | None, Callable[..., LobbyRules], AttackVerdict], ...] = (
        (OPERATOR_KEY, LobbyRules, AttackVerdict.REFUSED),
        (OPERATOR_KEY, OpenLobby("announcing"), AttackVerdict.SUCCEEDED),
        (None, LobbyRules, AttackVerdict.SUCCEEDED),
    )
    for operator_token, rules, verdict in cases:
        async with (
            keyed_casino(
                fleet_key=None, operator_token=operator_token, lobby_rules=rules
            ) as casino,
            canaries("127.0.0.1") as new_canary,
        ):
            casino.target.new_canary = new_canary
            outcome = await outcome_of(casino.target, announce_table)
            assert outcome.verdict is verdict, outcome


async def test_no_agent_waits_for_a_large_body_without_a_token() -> None:
    async with arena() as casino:
        cards = casino.players.values()
        ((_, outcome),) = await attacked([send_large_body], casino.lobby_url, cards, ARENA_KEY)
        assert outcome.verdict is AttackVerdict.REFUSED, outcome
