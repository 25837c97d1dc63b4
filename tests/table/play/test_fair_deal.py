"""Hands are dealt from blocks, to which the table committed before anybody knew their entropy."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CardSigner
from casino_agentkit.canonical_json import decoded
from casino_agentkit.card_key import CardKey
from casino_agentkit.fair_deal import block_root
from casino_contracts import ContributeInput, HandRecordInput, StartGameInput
from casino_games import game_types
from casino_table.journal.journal_log import Log
from games.hosting.pile_game import registered
from prometheus_client import generate_latest
from support.players.any_player import wild
from support.players.holdem_players import any_legal
from support.table.contributing import Answer, CheckedDeal, with_part
from support.table.disk_log import Cut, CutLog, disk_log, kill
from support.table.table_harness import TableHarness, any_game_harness, counts
from support.table.table_side import Player, configuring, seating

FAIR: dict[str, Any] = {"seed": None, "rebuy": "auto", "maxTimeouts": 1000}
Requests = dict[str, list[ContributeInput]]


def honest(_request: ContributeInput, answer: dict[str, Any]) -> dict[str, Any]:
    return answer


async def begun(
    *answers: Answer | None,
    lobby: Answer | None = honest,
    log: Log | None = None,
    **rules: Any,
) -> tuple[TableHarness, Requests]:
    """Return a table whose players and lobby contribute by their answers; None: they do not."""
    harness, requests = TableHarness(log), Requests()
    if lobby is not None:
        agent = harness.lobby.agent()
        requests["lobby"] = with_part(agent, lobby)
        harness.network.add("lobby", agent)
    callback = {**configuring().casino_callback.model_dump(), "secret": "open sesame"}
    await harness.begin(rules={**FAIR, **rules}, casinoCallback=callback)
    for number, answer in enumerate(answers):
        await sit(harness, requests, number, answer)
    return harness, requests


async def sit(
    harness: TableHarness, requests: Requests, number: int, answer: Answer | None
) -> None:
    player = Player(f"Player {number}", any_legal)
    harness.players.append(player)
    agent = player.agent()
    if answer is not None:
        requests[f"p{number}"] = with_part(agent, answer)
    card = harness.network.add(f"p{number}", agent)
    await harness.host.register(seating(number, card))


def parts(commitment: dict[str, Any]) -> list[str | None]:
    return [one.get("playerId") for one in commitment["commitments"]]


def never(_request: ContributeInput, given: dict[str, Any]) -> Any:
    """Commit, and keep the entropy to oneself."""
    return asyncio.Event().wait() if "entropy" in given else given


def lying(_request: ContributeInput, given: dict[str, Any]) -> dict[str, Any]:
    return {"entropy": "A" * 43} if "entropy" in given else given


async def test_lobby_and_players_decide_the_deal_of_a_mixed_table() -> None:
    """A player of the document has no part; contributors get a proof in their first question."""
    harness, requests = await begun(honest, None, honest, maxHands=30, dealBlock=12)
    await harness.play()
    checked = CheckedDeal(harness.lobby.events)
    assert checked.hands == 30
    assert [len(decoded(one["roots"])) // 32 for one in checked.blocks] == [12, 12, 6]
    assert [parts(one) for one in checked.blocks] == [[None, "p0", "p2"]] * 3
    assert {one["block"] for one in checked.blocks} == {"t1/1/1", "t1/1/2", "t1/1/3"}
    for who, asked in requests.items():
        assert [(bool(one.commitment), bool(one.contributed)) for one in asked] == [
            (False, False),
            (True, False),
            (False, True),
        ] * 3
        assert len({one.request_id for one in asked}) == 9, who
        assert all((one.player_id or "lobby") == who for one in asked)
    firsts = 0
    for player in harness.players:
        seen: set[int] = set()
        for question in player.asked:
            hand = question.hand_number or 0
            is_first, proof = hand not in seen, question.proof
            seen.add(hand)
            assert (proof is not None) == (is_first and question.player_id != "p1")
            if proof is None:
                continue
            firsts += 1
            values = checked.of_hand(hand)[2].values(52)
            own = {values[number] for number in proof.numbers}
            assert own == {card.number for card in question.hole_cards}
    assert firsts > 40
    page = generate_latest(harness.registry).decode()
    assert 'casino_deal_blocks_total{outcome="contributed"} 3.0' in page
    record = await harness.host.hand_record(HandRecordInput(hand_id="t1/9"))
    assert record.deck is not None
    assert record.odds


@pytest.mark.parametrize(("answer", "reason"), [(never, "silent"), (lying, "wrong")])
async def test_who_does_not_contribute_is_named_and_left_out(answer: Answer, reason: str) -> None:
    """No hand of the block is dealt; it is asked again in the next session only."""
    harness, requests = await begun(honest, answer, maxHands=3, dealBlock=2)
    started = harness.clock.time
    await harness.play()
    checked = CheckedDeal(harness.lobby.events)
    assert [parts(one) for one in checked.blocks] == [
        [None, "p0", "p1"],
        [None, "p0"],
        [None, "p0"],
    ]
    assert checked.outcomes[0]["missing"] == [{"playerId": "p1", "reason": reason}]
    assert checked.hands == 3
    assert harness.clock.time - started < 10
    assert [bool(one.contributed) for one in requests["p1"]] == [False, False, True], "and told so"
    before = len(requests["p1"])
    await harness.play(maxHands=1)
    assert len(requests["p1"]) > before


async def test_a_silent_lobby_is_left_out_and_one_of_the_document_never_asked() -> None:
    harness, _ = await begun(honest, None, lobby=never, maxHands=2)
    await harness.play()
    checked = CheckedDeal(harness.lobby.events)
    assert checked.outcomes[0]["missing"] == [{"reason": "silent"}]
    assert [parts(one) for one in checked.blocks] == [[None, "p0"], ["p0"]]
    document, _ = await begun(None, None, lobby=None, maxHands=4)
    started = document.clock.time
    await document.play()
    assert [parts(one) for one in CheckedDeal(document.lobby.events).blocks] == [[]]
    assert document.clock.time - started < 1, "nobody is waited for"


@pytest.mark.parametrize("size", [1, 100_000])
async def test_a_hostile_contributor_costs_the_clock_at_most(size: int) -> None:
    def hostile(request: ContributeInput, _given: dict[str, Any]) -> Any:
        if request.contributed or (request.commitment and size > 1):
            raise RuntimeError("x" * size)
        return {"commitment": "A" * 43, "entropy": "A" * 43}

    harness, _ = await begun(hostile, None, hostile, maxHands=2)
    started = harness.clock.time
    assert (await harness.play()).hand_count == 2
    checked = CheckedDeal(harness.lobby.events)
    assert {one["playerId"] for one in checked.outcomes[0]["missing"]} == {"p0", "p2"}
    assert harness.clock.time - started < 5


async def test_a_newcomer_begins_a_new_block() -> None:
    """Who leaves begins one, too: its decks have other leaves."""
    harness, requests = await begun(honest, honest, lobby=None, maxHands=40, paceMs=100)
    await harness.host.start(StartGameInput())
    await harness.until(lambda: len(harness.events("hand_completed")) > 2)
    await sit(harness, requests, 2, honest)
    await harness.until(lambda: len(harness.table.active()) == 3)
    await harness.end()
    checked = CheckedDeal(harness.lobby.events)
    assert checked.hands == 40
    assert checked.blocks[0]["seats"] == ["p0", "p1"]
    assert all(one["seats"] == ["p0", "p1", "p2"] for one in checked.blocks[1:])
    assert parts(checked.blocks[1]) == ["p0", "p1", "p2"]
    assert checked.blocks[-1]["leaves"] == [2, 2, 2, 3, 1, 1]


@pytest.mark.parametrize("rules", [{"fairDeal": False}, {"seed": "seven"}])
async def test_other_rooms_have_no_block(rules: dict[str, Any]) -> None:
    harness, requests = await begun(honest, honest, maxHands=2, **rules)
    await harness.play()
    assert not harness.events("deal_committed", "deal_contributed")
    assert not any("opening" in one for one in harness.payloads("hand_completed"))
    assert not any(requests.values())
    assert all(asked.proof is None for player in harness.players for asked in player.asked)


async def test_hands_of_every_game_are_dealt_from_a_block() -> None:
    with registered() as document_game:
        for game_type in (*game_types(), document_game):
            players = [wild] * (2 if game_type == document_game else counts(game_type)[-1])
            harness, _ = await any_game_harness(game_type, *players, **FAIR, maxHands=6)
            assert (await harness.play()).status == "idle"
            checked = CheckedDeal(harness.lobby.events)
            assert checked.hands == 6, game_type
            openings = [one["opening"] for one in harness.payloads("hand_completed")]
            has_leaves = bool(checked.blocks[0]["leaves"])
            assert (
                all(("secret" in one) != has_leaves for one in openings)
                or not (checked.blocks[0]["cards"])
            )
            await harness.host.stop()


async def test_a_table_with_a_key_signs_its_commitments() -> None:
    key = CardKey.new()
    harness = TableHarness(signer=CardSigner(key))
    await harness.begin(any_legal, any_legal, rules={**FAIR, "maxHands": 1})
    await harness.play()
    (commitment,) = CheckedDeal(harness.lobby.events).blocks
    assert {**commitment["key"]} == dict(key.public.jwk)
    assert key.public.has_signed(block_root(commitment), decoded(commitment["signature"]))


async def test_a_table_killed_at_any_commit_deals_the_same_cards(tmp_path: Path) -> None:
    """Before the contributions, between hands, within one; nobody commits or gives anew."""
    rules = {**FAIR, "maxHands": 2, "dealBlock": 1}
    harness, _ = await begun(honest, honest, log=(whole := CutLog(tmp_path / "whole")), **rules)
    await harness.play()
    await harness.host.stop()
    again = 0
    for at in range(5, whole.file.writes + 1):
        log = CutLog(path := tmp_path / f"{at}", at, after=False)
        harness, requests = await begun(honest, honest, log=log, **rules)
        with suppress(Cut):
            await harness.host.start(StartGameInput(request_id="s1"))
        await kill(harness.host, log)
        await harness.resume(disk_log(path))
        await harness.host.start(StartGameInput(request_id="s1"))
        assert (await harness.end()).hand_count == 2
        await harness.host.stop()
        checked = CheckedDeal(harness.lobby.events)
        assert [one["block"] for one in checked.blocks] == ["t1/1/1", "t1/1/2"], at
        assert not any("missing" in one for one in checked.outcomes)
        told = [one.commitment for one in requests["p0"] if one.commitment]
        again += len(told) - 2
        assert all(one in checked.blocks for one in told)
        for player in harness.players:
            cards = {one.request_id: one.hole_cards for one in player.asked}
            assert all(cards[one.request_id] == one.hole_cards for one in player.asked)
    assert again > 1, "some were asked again, and gave the same"
