"""How a question of an A2G server is decided by a player of any game."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from casino_contracts import Defaulted, GameActionRequest, GameActionResponse
from casino_gamespec import Lobby, Specifications
from casino_player_example.a2g_client.a2g_decisions import A2GRulebook, ServerDecisions
from casino_player_example.a2g_client.a2g_messages import Message
from casino_player_example.styles.generic_player import GenericPlayer
from structlog.testing import capture_logs
from support.specifications import LobbySide, schema, specification

SOON = timedelta(seconds=5)
OFFERS = [{"type": "PASS"}, {"type": "BET", "minAmount": 2, "maxAmount": 9}]
STATE = schema("state", {"pot": {"type": "integer"}, "availableActions": {"type": "array"}})
ACTION = {
    "$schema": STATE["$schema"],
    "type": "object",
    "additionalProperties": False,
    "required": ["action"],
    "properties": {"action": {"enum": ["PASS", "BET"]}, "amount": {"type": "integer"}},
}


class Answers:
    """A player that gives prepared answers, and keeps the requests."""

    def __init__(self, *actions: dict[str, Any]) -> None:
        self.actions = list(actions)
        self.defaulted: Defaulted | None = None
        self.asked: list[GameActionRequest] = []

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        self.asked.append(request)
        return GameActionResponse(action=self.actions.pop(0), defaulted=self.defaulted)


class Slow:
    """A player that takes an hour."""

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        await GenericPlayer(rulebook(), think=timedelta(hours=1)).act(
            request.model_copy(update={"deadline_ms": 10**9})
        )
        raise AssertionError("it was waited for")


def rulebook() -> A2GRulebook:
    """Return the specifications of a server whose schemas describe A2G's payloads."""
    side = LobbySide(kuhn_poker=specification(state=STATE, action=ACTION))
    lobby = Lobby(side.client(), "http://server", timeout=SOON)
    return A2GRulebook(Specifications(lobby, clock=lambda: 0.0), SOON)


async def decide(
    player: Any,
    offers: Sequence[Any] = OFFERS,
    *,
    pot: Any = 4,
    refusal: str = "",
    left: float = 5,
    default: str | None = None,
    request_id: str = "",
) -> dict[str, Any] | None:
    """Return the payload that is submitted; `default` is the reason that is counted."""
    payload = {"pot": pot, "availableActions": list(offers)}
    question = Message(
        "game_action_request", "r1", payload, "kuhn_poker", "t1", "1.0.0", request_id=request_id
    )
    decisions = ServerDecisions(player, rulebook(), clock=lambda: 100.0)
    sent = await decisions.decide(question, player_id="me", until=100.0 + left, refusal=refusal)
    assert decisions.defaults == ({default: 1} if default else {})
    submitted, beside = sent or (None, {})
    said = beside.get("defaulted", {}).get("reason")
    assert said == (default if request_id else None), "a foreign server gets no field of ours"
    return submitted


async def test_an_answer_is_submitted_as_a2g_writes_it() -> None:
    """The player is asked in this casino's form, with the whole payload as state."""
    player = Answers({"action_type": "BET", "amount": 7})
    assert await decide(player) == {"action": "BET", "amount": 7}
    (asked,) = player.asked
    assert asked.available_actions == (
        {"action_type": "PASS"},
        {"action_type": "BET", "min": 2, "max": 9},
    )
    assert asked.state == {"pot": 4, "availableActions": OFFERS}
    assert (asked.deadline_ms, asked.spec_version) == (5000, "1.0.0")


@pytest.mark.parametrize(
    "wrong",
    [
        {"action_type": "BET", "amount": 10},
        {"action_type": "BET", "amount": 7, "more": 1},
        {"action_type": "FOLD"},
        {"action": "PASS"},
    ],
)
async def test_an_invalid_choice_is_asked_again_not_sent(wrong: dict[str, Any]) -> None:
    """With the reason; after two of them the default action is submitted."""
    player = Answers(wrong, {"action_type": "PASS"})
    assert await decide(player) == {"action": "PASS"}
    rejected = player.asked[1].rejected
    assert rejected is not None
    assert await decide(Answers(wrong, wrong), default="rejected") == {"action": "PASS"}


async def test_the_server_s_refusal_reaches_the_player() -> None:
    """As the reason of the second attempt."""
    player = Answers({"action_type": "PASS"})
    await decide(player, refusal="INVALID_AMOUNT: too small")
    assert player.asked[0].rejected is not None
    assert player.asked[0].rejected.message == "INVALID_AMOUNT: too small"


async def test_a_late_player_is_replaced_by_the_default_action() -> None:
    """Of the specification."""
    assert await decide(Slow(), left=0.05, default="timeout") == {"action": "PASS"}


async def test_a_default_of_the_player_is_logged_and_counted() -> None:
    """A2G has no field that says who decided."""
    player = Answers({"action_type": "PASS"})
    player.defaulted = Defaulted(reason="model_failed", detail="401: no such key")
    with capture_logs() as logs:
        assert await decide(player, default="model_failed") == {"action": "PASS"}
    player.actions = [{"action_type": "PASS"}]
    await decide(player, default="model_failed", request_id="t1/1:1:1")
    (entry,) = [entry for entry in logs if entry["event"] == "default_submitted"]
    assert entry["reason"] == "model_failed"
    assert "401" not in str(entry), "its words may quote cards"


async def test_a_state_that_is_not_specified_gets_the_default_action() -> None:
    """The payload is checked against the State Schema, as the protocol requires."""
    player = GenericPlayer(rulebook())
    payloads = [await decide(player, pot="four", default="state_invalid") for _ in range(9)]
    assert payloads == [{"action": "PASS"}] * 9


@pytest.mark.parametrize("offers", [[], [{"type": "SING"}], ["BET"], [{"action_type": "BET"}]])
async def test_without_a_readable_offer_nothing_is_submitted(offers: list[Any]) -> None:
    """Nothing is inferred."""
    assert await decide(Answers(), offers) is None
