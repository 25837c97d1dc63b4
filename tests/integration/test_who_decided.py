"""Whatever answers in a player's place says so: every component, from one list.

Each component of `COMPONENTS` is made to default, and its answer is read as a table reads it.
Every module of the product that builds an answer or takes a default action is in `PROVED` or
`ELSEWHERE`, so a new one fails here until it has a component, or a reason why it needs none.
"""

import ast
import asyncio
import json
from asyncio import Task
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from casino.join.joined_player import BotLog, JoinedPlayer
from casino.join.model_bot import ModelBot
from casino_contracts import GameActionRequest, GameActionResponse, SignupResponse
from casino_contracts.player_messages import DEFAULT_REASONS
from casino_evaluator.opponents import Decide
from casino_evaluator.play.level_room import LeftSeat, left_seat
from casino_evaluator.play.level_seats import CandidateSeat, OpponentSeat
from casino_evaluator.play.recorder import Recorder
from casino_gamespec import Lobby, Specifications, is_offered
from casino_gateway.bots.dialled_bot import BotLimits, DialledBot, bot_agent
from casino_gateway.seats.live_seat import LiveSeat
from casino_play.errors import FunctionFailed
from casino_player_example.rulebook import Rulebook
from casino_player_example.styles.generic_player import GenericPlayer
from support.evaluator.level_side import KUHN, SEED, dicey
from support.gateway.seat_side import SeatSide, advance
from support.players.llm_harness import LlmHarness
from support.players.model_server import (
    ModelServer,
    Reply,
    hangs,
    says,
    sensible,
    serving,
    status,
)
from support.specifications import LobbySide, specification
from support.table.component import Component, decided

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
_HOUR = timedelta(hours=1)
_IDS = {"player-1": "candidate", "player-2": "opponent"}


# Sample players.


async def generic_without_time(request: GameActionRequest) -> GameActionResponse:
    return await GenericPlayer(Rulebook(None), think=_HOUR).act(request)


async def generic_once_refused(request: GameActionRequest) -> GameActionResponse:
    return await GenericPlayer(Rulebook(None)).act(request)


async def generic_at_another_state(request: GameActionRequest) -> GameActionResponse:
    """Ask one whose specification the question does not conform to."""
    version = request.spec_version
    side = LobbySide(kuhn_poker=specification(version=f'"{version}"'))
    specifications = Specifications(
        Lobby(side.client(), "http://lobby", timeout=_HOUR), clock=lambda: 0.0
    )
    return await GenericPlayer(Rulebook(specifications)).act(request)


async def by_model(
    request: GameActionRequest, *replies: Reply, **settings: Any
) -> GameActionResponse:
    """Return the second answer of a model's player, whose lobby has no specification."""
    async with LlmHarness(*replies, **settings) as harness:
        harness.lobby.documents.clear()
        first = request.model_copy(update={"request_id": "first"})
        await harness.player.act(first)
        return await harness.player.act(request)


async def a_model_that_refuses_the_key(request: GameActionRequest) -> GameActionResponse:
    return await by_model(request, status(401, "Incorrect API key provided"))


async def a_model_that_hangs(request: GameActionRequest) -> GameActionResponse:
    return await by_model(request, hangs)


async def a_model_that_names_no_action(request: GameActionRequest) -> GameActionResponse:
    return await by_model(request, says("I would rather not say."))


async def a_model_whose_tokens_are_spent(request: GameActionRequest) -> GameActionResponse:
    return await by_model(request, sensible, token_budget=1)


async def a_model_at_another_state(request: GameActionRequest) -> GameActionResponse:
    async with LlmHarness(sensible) as harness:
        document = specification(version=f'"{request.spec_version}"')
        harness.lobby.documents["kuhn_poker"] = document
        return await harness.player.act(request)


# `casino join`.


async def joined(
    request: GameActionRequest, decide: Callable[[Json], Awaitable[Any]]
) -> GameActionResponse:
    signup = SignupResponse(display_name="Mine", plays_any_game=True)
    turn = json.loads(request.wire())
    with TemporaryDirectory() as folder, closing(BotLog(Path(folder) / "mine.log")) as log:
        answer = await JoinedPlayer(signup, decide, log, lambda _line: None).act(turn)
    return GameActionResponse.model_validate(answer)


async def a_joined_model_that_refuses_the_key(request: GameActionRequest) -> GameActionResponse:
    async with serving(ModelServer(status(401, "Incorrect API key provided"))) as url:
        given = {"llm_model": "openai:stand-in", "llm_base_url": url}
        bot = ModelBot(given, {"OPENAI_API_KEY": "sk-wrong"})
        response = await joined(request, bot.decide)
        await bot.close()
    return response


async def a_joined_function_that_says_so(request: GameActionRequest) -> GameActionResponse:
    async def decide(turn: Json) -> Json:
        return {"action": turn["availableActions"][0], "defaulted": {"reason": "failed"}}

    return await joined(request, decide)


async def a_joined_function_that_fails(request: GameActionRequest) -> GameActionResponse:
    async def decide(_turn: Json) -> Json:
        raise FunctionFailed("bot.py, line 7: KeyError: 'toCall'")

    return await joined(request, decide)


# The gateway. Seats of A2G, Boardgame, the page and typed play are the same `LiveSeat`.


async def a_seat_without_anybody(request: GameActionRequest) -> GameActionResponse:
    side = SeatSide()
    await advance(60)
    return await side.seat.ask(request)


@asynccontextmanager
async def asked(
    request: GameActionRequest,
) -> AsyncIterator[tuple[LiveSeat, Task[GameActionResponse]]]:
    """Yield a seat whose player is asked, and the asking."""
    seat = SeatSide().seat
    with seat.connected():
        asking = asyncio.create_task(seat.ask(request))
        while seat.question is None:
            await asyncio.sleep(0)
        yield seat, asking


async def a_seat_that_sits_out(request: GameActionRequest) -> GameActionResponse:
    async with asked(request) as (seat, asking):
        seat.sit_out()
        return await asking


async def a_seat_that_names_the_default(request: GameActionRequest) -> GameActionResponse:
    async with asked(request) as (seat, asking):
        await seat.act({"action_type": "defaultTimeoutAction"})
        return await asking


async def a_seat_that_is_given_back(request: GameActionRequest) -> GameActionResponse:
    side = SeatSide()
    side.seat.close("left")
    return await side.seat.ask(request)


async def a_bot_whose_connection_broke(request: Any) -> Json:
    bot = DialledBot("b", "Bot", BotLimits())
    agent = bot_agent(bot, ("signup", "act"))
    answer: Json = await agent.entrypoints["act"].run(json.loads(request.wire()))
    return answer


# The evaluator.


async def a_seat_whose_attempt_is_over(request: GameActionRequest) -> GameActionResponse:
    return await LeftSeat().ask(request)


async def a_seat_of_a_killed_evaluator(request: GameActionRequest) -> GameActionResponse:
    answer: GameActionResponse = await left_seat().entrypoints["act"].run(request)
    return answer


def candidate() -> CandidateSeat:
    recorder = Recorder(KUHN, 1, least=1, has_opponent=True)
    return CandidateSeat(recorder, _IDS, changed=lambda: None)


async def a_candidate_whose_attempt_ends(request: GameActionRequest) -> GameActionResponse:
    seat = candidate()
    asking = asyncio.create_task(seat.ask(request))
    await asyncio.sleep(0)
    seat.end()
    return await asking


async def a_candidate_whose_attempt_is_over(request: GameActionRequest) -> GameActionResponse:
    seat = candidate()
    seat.end()
    return await seat.ask(request)


def opponent(decide: Decide, pause: timedelta = timedelta()) -> OpponentSeat:
    return OpponentSeat(decide, SEED, pause, recorder=None, ids=_IDS, changed=lambda: None)


async def a_failing_opponent(request: GameActionRequest) -> GameActionResponse:
    def decide(state: Json, _offers: tuple[Json, ...], _dice: Random) -> Json:
        raise ValueError(f"my cards: {state['private']}")

    return await opponent(decide).ask(request)


async def an_opponent_once_refused(request: GameActionRequest) -> GameActionResponse:
    return await opponent(dicey).ask(request)


async def an_opponent_whose_attempt_is_over(request: GameActionRequest) -> GameActionResponse:
    seat = opponent(dicey, pause=_HOUR)
    seat.end()
    return await seat.ask(request)


async def an_overtaken_opponent(request: GameActionRequest) -> GameActionResponse:
    seat = opponent(dicey, pause=_HOUR)
    asking = asyncio.create_task(seat.ask(request))
    await asyncio.sleep(0)
    later = asyncio.create_task(seat.ask(request.model_copy(update={"request_id": "later"})))
    response = await asking
    later.cancel()
    return response


COMPONENTS = (
    Component(generic_without_time, "timeout"),
    Component(generic_once_refused, "rejected", is_second=True),
    Component(generic_at_another_state, "state_invalid"),
    Component(a_model_that_refuses_the_key, "provider_away"),
    Component(a_model_that_hangs, "timeout"),
    Component(a_model_that_names_no_action, "unparsable"),
    Component(a_model_whose_tokens_are_spent, "budget"),
    Component(a_model_at_another_state, "state_invalid"),
    Component(a_joined_model_that_refuses_the_key, "provider_away"),
    Component(a_joined_function_that_says_so, "failed"),
    Component(a_seat_without_anybody, "away"),
    Component(a_seat_that_sits_out, "away"),
    Component(a_seat_that_names_the_default, "default_action"),
    Component(a_seat_that_is_given_back, "closing"),
    Component(a_bot_whose_connection_broke, "disconnected"),
    Component(a_bot_whose_connection_broke, "disconnected", is_holdem=True),
    Component(a_seat_whose_attempt_is_over, "closing"),
    Component(a_seat_of_a_killed_evaluator, "closing"),
    Component(a_candidate_whose_attempt_ends, "closing"),
    Component(a_candidate_whose_attempt_is_over, "closing"),
    Component(a_failing_opponent, "failed"),
    Component(an_opponent_once_refused, "rejected", is_second=True),
    Component(an_opponent_whose_attempt_is_over, "closing"),
    Component(an_overtaken_opponent, "timeout"),
)


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda one: one.answer.__name__)
async def test_a_default_is_no_decision_of_the_player(component: Component) -> None:
    """The table counts it with its reason, as missed; its words name no card of the player."""
    decision, peer = await decided(component)
    assert decision.outcome == ("away" if component.reason == "away" else "defaulted")
    assert decision.defaulted is not None
    assert decision.defaulted.reason == component.reason
    assert component.reason in DEFAULT_REASONS
    assert not decision.is_own
    assert len(peer.asked) == 1 + component.is_second
    said = f"{decision.defaulted.detail} {decision.reason}"
    if component.is_holdem:
        assert decision.action == {"action_type": "fold"}
        assert not any(card.text in said for card in peer.asked[-1].hole_cards)
    else:
        assert is_offered(decision.action, peer.asked[-1].available_actions)
        assert str(peer.asked[-1].state["private"]) not in said


async def test_a_function_that_fails_is_replaced_by_nobody_but_the_table() -> None:
    decision, peer = await decided(Component(a_joined_function_that_fails, "none"))
    assert (decision.outcome, decision.is_own, len(peer.asked)) == ("malformed", False, 2)
    assert "line 7: KeyError: 'toCall'" in (decision.reason or "")


async def a_model_that_decides(request: GameActionRequest) -> GameActionResponse:
    return await by_model(request, sensible)


async def generic_with_time(request: GameActionRequest) -> GameActionResponse:
    return await GenericPlayer(Rulebook(None)).act(request)


async def a_thinking_opponent(request: GameActionRequest) -> GameActionResponse:
    return await opponent(dicey).ask(request)


@pytest.mark.parametrize("answer", [a_model_that_decides, generic_with_time, a_thinking_opponent])
async def test_a_decision_is_the_player_s_own(answer: Any) -> None:
    """The same components, where nothing goes wrong."""
    decision, _ = await decided(Component(answer, "none"))
    assert (decision.outcome, decision.is_own, decision.defaulted) == ("ok", True, None)


PROVED = {
    "services/evaluator/casino_evaluator/play/level_room.py": 3,
    "services/evaluator/casino_evaluator/play/level_seats.py": 6,
    "services/gateway/casino_gateway/bots/dialled_bot.py": 3,
    "services/gateway/casino_gateway/seats/live_seat.py": 4,
    "services/player_example/casino_player_example/styles/generic_player.py": 4,
    "services/player_example/casino_player_example/styles/llm.py": 2,
    "shared/seats/casino_seats/turns.py": 1,
}
"""Modules whose ways to default are components above, with their number of places."""

ELSEWHERE = {
    "services/player_example/casino_player_example/rulebook.py": "called by generic and llm",
    "services/player_example/casino_player_example/a2g_client/a2g_decisions.py": "A2G has no field:"
    " logged and counted, tests/player_example/a2g_client/test_decision.py",
    "services/match/casino_match/play/learner_table.py": "a learner reads the outcome `illegal`",
    "services/match/casino_match/players/function_player.py": "a match names each outcome",
    "services/match/casino_match/players/remote_player.py": "a match names each outcome",
    "services/table/casino_table/play/lease.py": "the table's own outcome, sitting_out",
    "shared/play/casino_play/generic_question.py": "what the table's outcomes take",
    "shared/play/casino_play/turn.py": "the table names each outcome",
    "console/casino/attack/callback_server.py": "decides itself",
    "console/casino/starters/templates/python/bot.py": "decides itself, after a refusal too",
    "services/player_example/casino_player_example/styles/bets.py": "decides itself",
    "services/player_example/casino_player_example/styles/simple_styles.py": "decides itself",
    "shared/games/casino_games/action_parser.py": "only for a caller who asks for it",
    "console/casino/starters/templates/game/action_parser.py": "only for a caller who asks for it",
    "shared/seats/casino_seats/offered_action.py": "called by live_seat",
    "shared/games/casino_games/hosting/checked_game.py": "the rules' default",
    "shared/games/casino_games/hosting/generated_specification.py": "an example",
    "shared/games/casino_games/hosting/rehearsal.py": "tries the rules out",
    "shared/games/casino_games/spec_document.py": "an example",
    "services/table/casino_table/practice/practice_judge.py": "a judgement",
}
"""Modules that build answers or take default actions, and why they are no components above."""

_BUILDS = {
    "ActionResponse",
    "GameActionResponse",
    "closing_default",
    "default_action",
    "default_of",
    "get_random_action",
    "random_action",
    "take_default",
}


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what builds an answer or takes a default action."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _BUILDS:
                yield node
            case ast.Call(func=ast.Attribute(attr="default")):
                yield node
            case ast.Attribute(attr="default", value=ast.Name(id="question" | "posed")):
                yield node
            case ast.Return(value=ast.Dict(keys=keys)) if any(
                isinstance(key, ast.Constant) and key.value == "action" for key in keys
            ):
                yield node


def test_every_place_that_answers_is_in_the_list() -> None:
    """A new one needs a component that proves its field, or why it needs none."""
    found = dict[str, int]()
    for top in ("console", "services", "shared"):
        for file in sorted((ROOT / top).rglob("*.py")):
            if count := sum(1 for _ in places(ast.parse(file.read_text()))):
                found[str(file.relative_to(ROOT))] = count
    assert {file: found.pop(file, 0) for file in PROVED} == PROVED
    assert found.keys() == ELSEWHERE.keys()
