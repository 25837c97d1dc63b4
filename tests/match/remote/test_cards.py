"""Signing agents up, and the card by which a match knows which version of an agent it plays."""

import asyncio

import pytest
from casino_match.errors import InvalidPlan, PlayerFailed
from casino_match.players.remote_card import read_version, version_of_card
from starlette.types import Receive, Scope, Send
from support.match.agent_side import (
    QUICK,
    MatchSide,
    by_cards,
    check_chips,
    outcomes,
    plan_of,
    table_of,
)
from support.table.table_side import Player


async def test_an_agent_that_is_not_there_cannot_be_signed_up() -> None:
    side, _ = table_of(by_cards)
    side.stop("b")
    for at_once in (1, 4):
        absent = {"name": "b", "player": "http://b", "games_at_once": at_once}
        with pytest.raises(PlayerFailed, match=r"b cannot be signed up: http://b.* Start the"):
            await side.match(plan_of("a", absent))
    with pytest.raises(PlayerFailed, match="the card of the agent cannot be read"):
        await read_version(side.network.client(), plan_of("a", "b").players[1])


async def test_a_card_that_hangs_costs_each_hand_its_clock_and_no_more() -> None:
    plan = plan_of("a", "b", rules=QUICK, faults={"no_answer": "default"})
    side, player = table_of(by_cards)
    match = await side.match(plan)
    serving = side.network.transport.apps["http://a"]
    hung: list[str] = []

    async def hang(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET":
            hung.append(scope["path"])
            await asyncio.Event().wait()
        await serving(scope, receive, send)

    side.network.transport.apps["http://a"] = hang
    match._remote[0]._card.forget("")
    block = await match.play(0)
    assert hung
    assert set(outcomes(block)) == {"timeout"}
    assert not player.asked
    check_chips(block)


async def test_another_stack_than_the_match_has_is_refused() -> None:
    side = MatchSide(Player("a", by_cards, buyIn=150), Player("b", by_cards))
    with pytest.raises(PlayerFailed, match="a asks for 150 chips.* begins with 200"):
        await side.match(plan_of("a", "b"))


async def test_a_changed_card_is_another_player() -> None:
    """When the match is resumed, and when an agent comes back in the middle of it."""
    side, _ = table_of(by_cards)
    sound = plan_of("a", "b").players[0]
    version = await read_version(side.network.client(), sound)
    plan = plan_of(sound.model_copy(update={"version": version}).model_dump(), "b")
    match = await side.match(plan)
    side.serve("a", Player("better", by_cards).agent())
    await match.play(0)  # its card is read once
    with pytest.raises(InvalidPlan, match="the card of a at .* is another one than when the plan"):
        await side.match(plan)

    side, player = table_of(by_cards)
    match = await side.match(plan)
    side.stop("a")
    sleep = side.clock.sleep

    async def back_with_another_card(seconds: float) -> None:
        side.serve("a", Player("better", by_cards).agent())
        await sleep(seconds)

    side.clock.sleep = back_with_another_card  # type: ignore[method-assign]
    with pytest.raises(InvalidPlan, match="Serve that version again"):
        await match.play(0)
    assert not player.asked


def test_the_version_of_a_card_is_what_it_says() -> None:
    """Not its form, its signatures or where it is served."""
    card = b'{"name": "A", "version": "1", "supportedInterfaces": [{"url": "http://a:1/rpc"}]}'
    moved = (
        b'{"version":"1","name":"A","url":"http://b","signatures":[{"signature":"x"}],'
        b'"supportedInterfaces":[{"url":"http://b:2/rpc"}]}'
    )
    assert version_of_card(card) == version_of_card(moved)
    assert version_of_card(card) != version_of_card(card.replace(b'"1"', b'"2"'))
    with pytest.raises(ValueError, match="no JSON object"):
        version_of_card(b"[]")


async def test_arguments_are_in_the_invitation() -> None:
    """Of the player that has some; each table has an invitation with a token of its own."""
    player, other = Player("a", by_cards), Player("b", by_cards)
    side = MatchSide(player, other)
    await side.match(plan_of({"name": "a", "player": "http://a", "arguments": {"depth": 3}}, "b"))
    assert [invited.arguments for invited in player.invited] == [{"depth": 3}] * 4
    assert {invited.arguments for invited in other.invited} == {None}
    assert len({invited.table_id for invited in player.invited}) == 4
    tokens = {invited.seat_token for invited in (*player.invited, *other.invited)}
    assert len(tokens) == 8
