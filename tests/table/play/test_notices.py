"""Players whose card declares `notify` get their cards at the deal, and their own record after."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import ANYONE
from casino_contracts import HandNotice, HandNoticeOutput, StartGameInput
from casino_games import game_types, specification
from support.casino.leak_auditor import CARD
from support.players.any_player import AnyPlayer, kinds, noticed, pairs, wild
from support.players.holdem_players import any_legal, lively
from support.table.disk_log import CutLog, disk_log, kill
from support.table.table_harness import ANY_GAME_RULES, TableHarness
from support.table.table_side import CONFIG, Player, calling, configuring, seating


async def table_of_three(harness: TableHarness, **rules: Any) -> dict[str, list[HandNotice]]:
    """Seat a Hold'em player and a player of any game that want notices, and one that does not."""
    await harness.begin(rules={"rebuy": "auto", **rules})
    received = {}
    players: list[Player | AnyPlayer] = [
        Player("P0", lively("a")),
        AnyPlayer("P1"),
        Player("P2", lively("c")),
    ]
    for number, player in enumerate(players):
        agent, notices = noticed(player) if number < 2 else (player.agent(), [])
        received[f"p{number}"] = notices
        card = harness.network.add(f"p{number}", agent)
        await harness.host.register(seating(number, card, playsAnyGame=number == 1))
    return received


def payloads(harness: TableHarness, kind: str, number: int) -> list[dict[str, Any]]:
    """Return the payloads of a hand's events of a kind."""
    found = harness.payloads(kind)
    return [payload for payload in found if payload["handNumber"] == number]


async def test_a_player_gets_its_own_part_of_every_hand(harness: TableHarness) -> None:
    """At the deal its view, then the public result with its decisions and chips; in order."""
    received = await table_of_three(harness, maxHands=40)
    await harness.play()
    await harness.host.notices.wait()
    assert not received["p2"], "its card does not declare the skill"
    for me in ("p0", "p1"):
        assert kinds(received[me]) == pairs(40)
        for notice in received[me]:
            assert (notice.table_id, notice.player_id) == ("t1", me)
            assert notice.hand_id == f"t1/{notice.hand_number}"
            if notice.kind == "dealt":
                assert notice.state
                assert len(notice.state["private"]["hole_cards"]) == 2
                assert (notice.result, notice.record) == (None, None)
                continue
            assert notice.result
            assert notice.record
            acted = [
                (payload["action"], payload["bettingRound"], payload["outcome"])
                for payload in payloads(harness, "action_taken", notice.hand_number)
                if payload["playerId"] == me
            ]
            mine = [
                (one.action["action_type"], one.betting_round, one.outcome)
                for one in notice.record.decisions
            ]
            assert mine == acted
            (end,) = payloads(harness, "hand_completed", notice.hand_number)
            stacks = {one["playerId"]: one["stack"] for one in end["stacks"]}
            assert notice.record.stack == stacks[me]
            assert notice.record.net == notice.result["scores"][me]
            dealt = received[me][received[me].index(notice) - 1].state
            assert dealt
            assert notice.record.private == dealt["private"]


async def test_no_notice_has_a_card_that_its_player_may_not_know(harness: TableHarness) -> None:
    """Own cards, the board and shown hands are all the cards in it."""
    received = await table_of_three(harness, maxHands=60)
    await harness.play()
    await harness.host.notices.wait()
    hidden = 0
    holes = {
        (me, notice.hand_number): set(notice.state["private"]["hole_cards"])
        for me, notices in received.items()
        for notice in notices
        if notice.state
    }
    for me, other in (("p0", "p1"), ("p1", "p0")):
        for notice in received[me]:
            (end,) = payloads(harness, "hand_completed", notice.hand_number)
            shown = {hand["playerId"] for hand in end["shown"]}
            if notice.kind == "dealt" or other not in shown:
                hidden += 1
                said = set(CARD.findall(notice.model_dump_json()))
                assert not said & holes[other, notice.hand_number]
                assert holes[me, notice.hand_number] <= said
    assert hidden > 100


@pytest.mark.parametrize("game_type", game_types())
async def test_notices_of_every_game_conform_to_its_specification(
    harness: TableHarness, game_type: str
) -> None:
    spec = specification(game_type)
    seats = max(2, spec.players_min)
    rules = {**CONFIG, **ANY_GAME_RULES, "maxSeats": seats, "maxHands": 6, "maxTimeouts": 1}
    await harness.host.configure(configuring(gameType=game_type, config=rules))
    received = []
    for number in range(seats):
        agent, notices = noticed(AnyPlayer(f"P{number}", wild))
        received.append(notices)
        card = harness.network.add(f"p{number}", agent)
        seat = seating(number, card, playsAnyGame=True, startingStack=400)
        await harness.host.register(seat)
    await harness.play()
    await harness.host.notices.wait()
    for notices in received:
        assert kinds(notices) == pairs(6)
        for notice in notices:
            assert notice.spec_version == spec.version
            model = spec.state_model if notice.kind == "dealt" else spec.result_model
            model.model_validate_json(json.dumps(notice.state or notice.result))


async def test_a_resumed_hand_is_announced_again(tmp_path: Path) -> None:
    """With the same id, because the first notice may be lost; and its end once."""
    log = CutLog(tmp_path / "log", at=16)
    harness = TableHarness(log)
    received = (await table_of_three(harness, maxHands=5, seed="resume"))["p0"]
    await harness.host.start(StartGameInput())
    await kill(harness.host, log)
    before = len(received)
    await harness.resume(disk_log(tmp_path / "log"))
    assert harness.host.running
    assert harness.host.running.state.hand, "it is cut within a hand"
    number = harness.table.hand_number
    await harness.end()
    await harness.host.notices.wait()
    await harness.host.stop()
    after = kinds(received[before:])
    assert after == pairs(5)[2 * (number - 1) :]
    assert set(kinds(received[:before])) >= set(pairs(number - 2)), "those before"


async def test_a_player_that_never_takes_a_notice_slows_nobody(harness: TableHarness) -> None:
    """Hands are played without it, and the others get theirs."""
    never, asked = asyncio.Event(), []
    await harness.begin(rules={"maxHands": 30, "rebuy": "auto"})
    slow, quick = Player("Slow", calling), Player("Quick", any_legal)
    stuck = slow.agent()

    @stuck.entrypoint("notify", who=ANYONE)
    async def notify(notice: HandNotice) -> HandNoticeOutput:
        """Never answer."""
        asked.append(notice)
        await never.wait()
        return HandNoticeOutput()

    agent, notices = noticed(quick)
    for number, one in enumerate((stuck, agent)):
        await harness.host.register(seating(number, harness.network.add(f"p{number}", one)))
    started = harness.clock.time
    summary = await harness.play()
    assert (summary.status, summary.hand_count) == ("idle", 30)
    assert harness.clock.time - started < 1, "no hand waited for it"
    assert len(asked) == 1
    await harness.until(lambda: len(notices) == 60)
    assert kinds(notices) == pairs(30)
