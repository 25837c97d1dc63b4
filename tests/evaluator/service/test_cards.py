"""Scorecards of API keys: open, read, close, keep alive, rescind; who may, and their bounds."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from casino_evaluator.domain.scorecard import CountedCommand, HandSums, Run
from casino_storage.sqlite_file import SqliteFile
from support.evaluator.card_side import ADA, BOB, KUHN, LEDUC, RECORDED, Evaluator, Refusal


async def test_a_card_is_read_while_it_is_open_and_after_it_is_closed(evaluator: Evaluator) -> None:
    """Closed once; another process reads the same; EV-25."""
    cards = evaluator.cards
    card_id = await cards.open(ADA, tags=["agent"], opaque={"run": 1}, seed="s")
    assert str(UUID(card_id)) == card_id
    assert (await cards.read(ADA, card_id))["environments"] == []
    session = await evaluator.act(await evaluator.begin(card_id))
    summary = await cards.read(ADA, card_id)
    assert (summary["total_actions"], summary["tags"], summary["seed"]) == (1, ["agent"], "s")
    assert (await cards.read_game(ADA, card_id, KUHN.game_id))["cards"][KUHN.game_id]["actions"]
    assert cards.card_of(ADA, card_id, KUHN.game_id).seed == "s"
    closed = await cards.close(ADA, card_id)
    assert closed["closed_at"] == "1970-01-01T00:16:40Z"
    assert await evaluator.restarted().read(ADA, card_id) == closed
    with Refusal() as again:
        await cards.close(ADA, card_id)
    assert again == (404, "VALIDATION_ERROR")
    for call in (evaluator.act(session), evaluator.begin(card_id, "other")):
        with Refusal() as refusal:
            await call
        assert refusal == (400, "SERVER_ERROR")
        assert refusal.message == f"game {KUHN.game_id} not found"
    assert await cards.read(ADA, card_id) == closed


async def test_a_card_of_another_key_is_not_there(evaluator: Evaluator) -> None:
    cards = evaluator.cards
    card_id = await cards.open(ADA)
    await evaluator.begin(card_id)
    before = await cards.read(ADA, card_id)
    for call in (
        cards.read(BOB, card_id),
        cards.read_game(BOB, card_id, KUHN.game_id),
        cards.close(BOB, card_id),
        cards.heartbeat(BOB, card_id),
        cards.rescind(BOB, card_id),
        cards.replay(BOB, "guid"),
        cards.read(ADA, "none"),
        cards.rescind(ADA, "none"),
    ):
        with Refusal() as refusal:
            await call
        assert refusal.status == 404
    with Refusal() as refusal:
        cards.card_of(BOB, card_id, KUHN.game_id)
    assert refusal == (404, "SERVER_ERROR")
    assert await cards.read(ADA, card_id) == before
    assert await cards.listed(BOB) == []


async def test_a_card_is_closed_when_it_is_not_used(evaluator: Evaluator) -> None:
    """A command and a heartbeat are uses; a day is the most."""
    cards = evaluator.cards
    idle, used, old = [await cards.open(ADA) for _ in range(3)]
    session = await evaluator.begin(used)
    for _ in range(3):
        evaluator.now += 600
        session = await evaluator.act(session)
        assert (await cards.heartbeat(ADA, old))["open_for_s"] == 900
    assert await cards.close_stale() == [idle]
    assert (await cards.read(ADA, idle))["closed_at"] is not None
    evaluator.now += 899
    assert await cards.close_stale() == []
    evaluator.now += 1
    with Refusal() as refusal:  # whether or not somebody has closed it
        await evaluator.act(session)
    assert refusal == (400, "SERVER_ERROR")
    again = evaluator.restarted()
    await again.start()
    assert "closed_at" in await again.read(ADA, used)
    with Refusal() as refusal:
        await again.heartbeat(ADA, used)
    assert refusal == (404, "SERVER_ERROR")


async def test_a_card_is_open_for_a_day_at_most(evaluator: Evaluator) -> None:
    card_id = await evaluator.cards.open(ADA)
    for _ in range(24 * 6 - 1):
        evaluator.now += 600
        left = (await evaluator.cards.heartbeat(ADA, card_id))["open_for_s"]
    assert left == 600
    evaluator.now += 600
    assert await evaluator.cards.close_stale() == [card_id]


async def test_open_cards_are_open_after_a_restart(evaluator: Evaluator) -> None:
    card_id = await evaluator.cards.open(ADA, seed="s")
    session = await evaluator.act(await evaluator.begin(card_id))
    before = await evaluator.cards.read(ADA, card_id)
    evaluator.cards = evaluator.restarted()
    await evaluator.cards.start()
    assert await evaluator.cards.read(ADA, card_id) == before
    await evaluator.act(session)
    assert (await evaluator.cards.close(ADA, card_id))["total_actions"] == 2


async def test_a_rescinded_card_is_gone(evaluator: Evaluator) -> None:
    cards = evaluator.cards
    for is_closed in (False, True):
        card_id = await cards.open(ADA)
        session = await evaluator.begin(card_id)
        assert len((await cards.replay(ADA, "guid"))["commands"]) == 1
        if is_closed:
            await cards.close(ADA, card_id)
        await cards.rescind(ADA, card_id)
        assert await cards.listed(ADA) == []
        for call in (cards.read(ADA, card_id), cards.replay(ADA, "guid"), evaluator.act(session)):
            with Refusal() as refusal:
                await call
            assert refusal.error == "SERVER_ERROR"


async def test_competition_mode_has_one_card_and_one_session_per_game(database: SqliteFile) -> None:
    """It is read once it is closed, and games that were not played count."""
    evaluator = Evaluator(database)
    cards = evaluator.cards
    card_id = await cards.open(ADA, competition_mode=True)
    await cards.open(BOB, competition_mode=True)
    with Refusal() as refusal:
        await cards.open(ADA)
    assert refusal == (409, "SERVER_ERROR")
    assert card_id in refusal.message
    session = await evaluator.begin(card_id)
    with Refusal() as refusal:
        await evaluator.begin(card_id, "other")
    assert refusal == (400, "SERVER_ERROR")
    for call in (cards.read(ADA, card_id), cards.read_game(ADA, card_id, KUHN.game_id)):
        with Refusal() as refusal:
            await call
        assert refusal == (403, "SERVER_ERROR")
    won = replace(session, score=2, state="WIN", commands=2)
    await cards.counted(won, CountedCommand(2, "action", 2, "WIN"), RECORDED)
    summary = await cards.close(ADA, card_id)
    assert [each["id"] for each in summary["environments"]] == [KUHN.game_id, LEDUC.game_id]
    assert summary["score"] == summary["environments"][0]["score"] / 2 > 0
    assert (await cards.read(ADA, card_id)) == summary
    assert await cards.open(ADA, competition_mode=True)


async def test_runs_of_agents_are_kept_as_a_closed_card(evaluator: Evaluator) -> None:
    run = Run.begun(KUHN, "guid").agent_level(
        1, actions=4, not_own=1, hands=HandSums.of((2,)), completed=True
    )
    card = await evaluator.cards.played(ADA, [run], tags=["evaluate"], seed="s")
    summary = await evaluator.cards.read(ADA, card.card_id)
    assert summary["environments"][0]["casino"]["unavailable_share"] == 0.25
    assert summary["closed_at"] == summary["open_at"]


async def test_a_replay_says_what_is_there(evaluator: Evaluator) -> None:
    """The commands from a number on, and how many there are."""
    card_id = await evaluator.cards.open(ADA)
    session = await evaluator.begin(card_id)
    for _ in range(4):
        session = await evaluator.act(session)
    replay = await evaluator.cards.replay(ADA, "guid", first=2, limit=3)
    assert [command["number"] for command in replay.pop("commands")] == [2, 3, 4]
    assert replay == {
        "guid": "guid",
        "game_id": KUHN.game_id,
        "card_id": card_id,
        "commands_total": 5,
        "dropped": 0,
        "first": 2,
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tags", "agent"),
        ("tags", [1]),
        ("tags", [None]),
        ("tags", ["x"] * 33),
        ("tags", ["x" * 129]),
        ("source_url", 1),
        ("source_url", "x" * 2_049),
        ("seed", "x" * 129),
        ("seed", "\ud800"),
        ("seed", 7),
        ("opaque", "x" * 16_384),
        ("opaque", float("nan")),
        ("competition_mode", "yes"),
        ("competition_mode", 1),
    ],
)
async def test_wrong_details_are_refused_by_name(
    evaluator: Evaluator, field: str, value: Any
) -> None:
    with Refusal() as refusal:
        await evaluator.cards.open(ADA, **{field: value})
    assert refusal == (400, "VALIDATION_ERROR")
    assert refusal.message.startswith(f"{field}: ")
    assert await evaluator.cards.listed(ADA) == []


async def test_details_that_are_nested_too_deeply_are_refused(evaluator: Evaluator) -> None:
    opaque: Any = []
    for depth in range(100_000):
        opaque = {"in": opaque} if depth % 2 else [opaque]
        if depth in {70, 99_999}:
            with Refusal() as refusal:
                await evaluator.cards.open(ADA, opaque=opaque)
            assert refusal == (400, "VALIDATION_ERROR")
    assert await evaluator.cards.open(ADA, opaque="x" * 16_382, tags=None, seed=None)


async def test_cards_and_runs_are_bounded(database: SqliteFile) -> None:
    """Of one key, of all keys, and the runs of one card; old closed ones go."""
    evaluator = Evaluator(database, per_key=2, anonymous=3, closed_per_anonymous_key=2, runs=2)
    cards = evaluator.cards
    mine = [await cards.open(ADA) for _ in range(2)]
    with Refusal() as refusal:
        await cards.open(ADA)
    assert refusal == (429, "RATE_LIMIT_EXCEEDED")
    await cards.open(BOB)
    with Refusal() as refusal:
        await cards.open(BOB)
    assert refusal == (503, "SERVER_ERROR")
    session = await evaluator.begin(mine[0])
    session = replace(session.reset(), commands=2)
    await cards.counted(session, CountedCommand(1, "full_reset", 0, "NOT_FINISHED"), RECORDED)
    for kind in ("full_reset", "new"):
        with Refusal() as refusal:
            if kind == "new":
                await evaluator.begin(mine[0], "other")
            else:
                session = replace(session.reset(), commands=3)
                await cards.counted(
                    session, CountedCommand(1, "full_reset", 0, "NOT_FINISHED"), RECORDED
                )
        assert "2 runs" in refusal.message
    assert len((await cards.read(ADA, mine[0]))["environments"][0]["runs"]) == 2
    for card_id in mine:
        await cards.close(ADA, card_id)
    third = await cards.open(ADA)
    await cards.close(ADA, third)
    assert [card["card_id"] for card in await cards.listed(ADA)] == [third, mine[1]]


async def test_anonymous_keys_cost_configured_ones_nothing(database: SqliteFile) -> None:
    """Neither open cards nor closed ones; a key of the settings has its own bounds."""
    evaluator = Evaluator(
        database, [ADA], anonymous=1, per_key=3, closed_per_key=2, closed_per_anonymous_key=0
    )
    cards = evaluator.cards
    other = await cards.open(BOB)
    with Refusal() as refusal:
        await cards.open(BOB)
    assert refusal == (503, "SERVER_ERROR")
    mine = [await cards.open(ADA) for _ in range(3)]
    for card_id in mine:
        await cards.close(ADA, card_id)
    assert {card["card_id"] for card in await cards.listed(ADA)} == set(mine[1:])
    evaluator.now += 900
    assert await cards.close_stale() == [other]
    assert await cards.listed(BOB) == []
