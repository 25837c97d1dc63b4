"""The generic player plays any game by its specification, or takes the default in time."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from casino_contracts import Defaulted, GameActionResponse
from casino_gamespec import Lobby, Specifications, is_offered
from casino_player_example.rulebook import Rulebook
from casino_player_example.styles.generic_player import GenericPlayer, time_to_think
from starlette.requests import Request
from starlette.responses import Response
from structlog.testing import capture_logs
from support.specifications import LobbySide, specification
from support.table.any_game import BET, PASS, question

SOON = timedelta(seconds=5)


def player_at(side: LobbySide | None, think: timedelta = timedelta()) -> GenericPlayer:
    if side is None:
        return GenericPlayer(Rulebook(None), think=think)
    lobby = Lobby(side.client(), "http://lobby", timeout=SOON)
    return GenericPlayer(Rulebook(Specifications(lobby, clock=lambda: 0.0)), think=think)


@pytest.fixture
def lobby() -> LobbySide:
    return LobbySide(kuhn_poker=specification())


async def act(player: GenericPlayer, **changes: Any) -> GameActionResponse:
    return await player.act(question(**changes))


async def test_the_same_question_gets_the_same_answer(lobby: LobbySide) -> None:
    """From any generic player, whatever is left of the clock."""
    asked = [{"requestId": f"t1/{n}:1:1"} for n in range(30)]
    first, second = player_at(lobby), player_at(None)
    answers = [(await act(first, **one)).action for one in asked]
    assert [(await act(second, deadlineMs=3000, **one)).action for one in asked] == answers


async def test_an_invalid_state_gets_the_default_action(lobby: LobbySide) -> None:
    """The fault is logged once, without the card."""
    player = player_at(lobby)
    lie = {"public": {"pot": 2}, "private": {"card": "the ace of spades"}}
    with capture_logs() as logs:
        answers = [await act(player, state=lie, requestId=f"t1/{n}:1:1") for n in range(20)]
    assert {answer.action["action_type"] for answer in answers} == {"PASS"}
    why = answers[0].defaulted
    assert why is not None
    assert (why.reason, "$.private.card" in (why.detail or "")) == ("state_invalid", True)
    assert [entry["event"] for entry in logs] == ["state_invalid"]
    assert "spades" not in str(logs)


async def test_an_unspecified_action_on_offer_gets_the_default_action(lobby: LobbySide) -> None:
    """The specification does not know it."""
    player = player_at(lobby)
    offers = [{"action_type": "SHOUT"}, PASS]
    answers = [await act(player, availableActions=offers, requestId=f"{n}") for n in range(20)]
    assert [answer.action for answer in answers] == [PASS] * 20
    reasons = {answer.defaulted and answer.defaulted.reason for answer in answers}
    assert reasons == {None, "state_invalid"}


@pytest.mark.parametrize("document", ["# Nothing", specification(gameType="chess")])
async def test_an_invalid_specification_stops_no_decision(document: str) -> None:
    """It takes an offered action, and logs the reason once."""
    player = player_at(LobbySide(kuhn_poker=document))
    with capture_logs() as logs:
        answers = [await act(player, requestId=f"t1/{n}:1:1") for n in range(30)]
    assert all(is_offered(answer.action, [PASS, BET]) for answer in answers)
    assert [entry["event"] for entry in logs] == ["specification_missing"]


async def test_a_slow_lobby_does_not_cost_the_turn(lobby: LobbySide) -> None:
    """The request goes on for the next question."""
    may_answer = asyncio.Event()

    async def late(request: Request) -> Response:
        await may_answer.wait()
        lobby.instead = None
        return await lobby.games(request)

    lobby.instead = late
    player = player_at(lobby)
    assert is_offered((await act(player, deadlineMs=150)).action, [PASS, BET])
    may_answer.set()
    why = (await act(player, state={"public": {}, "private": {}})).defaulted
    assert why is not None
    assert "does not match the specification" in (why.detail or "")


async def test_a_decision_ends_before_the_clock(lobby: LobbySide) -> None:
    """With the default action of the specification."""
    lobby.documents["kuhn_poker"] = specification(defaultTimeoutAction="BET")
    player = player_at(lobby, think=timedelta(hours=1))
    answer = await act(player, deadlineMs=400)
    assert answer.action == BET
    assert answer.defaulted == Defaulted(reason="timeout", detail="no time left for a decision")


async def test_the_default_of_holdem_is_check_before_fold() -> None:
    """If checking is on offer."""
    offers = [{"action_type": "bet", "min": 2, "max": 200}, {"action_type": "check"}]
    player = player_at(None, think=timedelta(hours=1))
    answer = await act(player, deadlineMs=0, availableActions=offers, gameType="texas-holdem")
    assert answer.action == {"action_type": "check"}


async def test_after_a_refusal_it_takes_the_default_action(lobby: LobbySide) -> None:
    """Whatever was wrong."""
    player = player_at(lobby)
    rejected = {"reason": "illegal", "message": "no"}
    answers = [await act(player, rejected=rejected, requestId=f"{n}") for n in range(20)]
    assert {answer.action["action_type"] for answer in answers} == {"PASS"}
    assert {answer.defaulted.reason for answer in answers if answer.defaulted} == {"rejected"}


@pytest.mark.parametrize(
    ("deadline_ms", "seconds"), [(0, 0), (90, 0), (300, 0.2), (1000, 0.8), (10_000, 8.5)]
)
def test_a_part_of_the_clock_is_kept_for_the_reply(deadline_ms: int, seconds: float) -> None:
    """A fifth, at least 0.1 s, at most 1.5 s."""
    assert time_to_think(deadline_ms).total_seconds() == pytest.approx(seconds)


async def test_an_unreachable_lobby_stops_no_decision() -> None:
    """It takes an offered action."""

    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    http = httpx.AsyncClient(transport=httpx.MockTransport(refuse))
    lobby = Lobby(http, "http://lobby", timeout=SOON)
    player = GenericPlayer(Rulebook(Specifications(lobby, clock=lambda: 0.0)))
    assert is_offered((await player.act(question())).action, [PASS, BET])
