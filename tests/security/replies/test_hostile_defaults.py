"""What a player says of its default and its costs is bounded, or its answer is malformed.

As with every field of a reply, a value that cannot be read is refused once, by its name: it is
never dropped, which would make a default a decision. Real client, real turn.
"""

from datetime import timedelta
from typing import Any

import orjson
import pytest
from casino_agentkit import AgentClient, Conversation
from casino_agentkit.protocol import CARD_PATH
from casino_contracts.base import DEFAULT_DETAIL_LIMIT, ID_LIMIT
from casino_play.turn import AgentSeat, Decision, PlayerDirectory, Turn
from casino_table.practice.practice_judge import (
    HOLDEM_TABLES,
    NOBODY,
    OTHER_GAMES_TABLES,
    chosen,
    posed,
)
from starlette.responses import Response
from support.in_process import InProcessTransport
from support.players.odd_agent import Odd
from support.table.virtual_clock import VirtualClock

Json = dict[str, Any]
CLOCK = timedelta(seconds=9)
URL = "http://odd"
SKILL = {"id": "act", "name": "act", "description": "d", "tags": ["t"]}
BIG = 2**53 - 1
NESTED: Any = "[" * 20 + "]" * 20


async def decided(fields: str, *, is_holdem: bool = True) -> tuple[Decision, list[str]]:
    """Return a table's decision, and why it refused answers; `fields` is JSON of each answer."""
    tables = HOLDEM_TABLES if is_holdem else OTHER_GAMES_TABLES[1:]
    spot = chosen(tables, 1, 1)[0]
    question = posed(spot, NOBODY._replace(plays_any_game=not is_holdem))
    kind = next(kind for kind in spot.legal if kind.lower() in {"check", "call", "fold"})
    refused: list[str] = []

    def answer(call: Json) -> Response:
        turn = call["params"]["message"]["parts"][0]["data"]
        if "rejected" in turn:
            refused.append(turn["rejected"]["message"])
        action = f'"{kind}"' if is_holdem else orjson.dumps({"action_type": kind}).decode()
        part = f'{{"data": {{"action": {action}, {fields}}}}}'
        message = f'{{"messageId": "r", "role": "ROLE_AGENT", "parts": [{part}]}}'
        result = f'{{"message": {message}}}'
        return Response(f'{{"jsonrpc": "2.0", "id": "{call["id"]}", "result": {result}}}')

    odd = Odd(answer)
    odd.card["skills"] = [SKILL]
    client = AgentClient(InProcessTransport({URL: odd.app()}))
    turn = Turn(PlayerDirectory(client), VirtualClock())
    seat = AgentSeat(f"{URL}{CARD_PATH}", "act", round(CLOCK.total_seconds() * 1000))
    decision = await turn.decide(seat, question, Conversation())
    await client.close()
    return decision, refused


@pytest.mark.parametrize("is_holdem", [True, False])
@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ('"defaulted": true', "defaulted"),
        ('"defaulted": false', "defaulted"),
        ('"defaulted": "away"', "defaulted"),
        ('"defaulted": []', "defaulted"),
        ('"defaulted": {}', "defaulted.reason"),
        ('"defaulted": {"reason": ""}', "defaulted.reason"),
        ('"defaulted": {"reason": 5}', "defaulted.reason"),
        ('"defaulted": {"reason": "Not a word"}', "defaulted.reason"),
        ('"defaulted": {"reason": "key=sk-123"}', "defaulted.reason"),
        (f'"defaulted": {{"reason": "{"x" * 41}"}}', "defaulted.reason"),
        ('"defaulted": {"reason": "timeout", "detail": 5}', "defaulted.detail"),
        ('"usage": 5', "usage"),
        ('"usage": []', "usage"),
        ('"usage": {"inputTokens": -1}', "usage.inputTokens"),
        ('"usage": {"inputTokens": 1.5}', "usage.inputTokens"),
        ('"usage": {"inputTokens": "7"}', "usage.inputTokens"),
        ('"usage": {"inputTokens": true}', "usage.inputTokens"),
        ('"usage": {"outputTokens": 1152921504606846976}', "usage.outputTokens"),
        ('"usage": {"latencyMs": {"s": 1}}', "usage.latencyMs"),
        ('"usage": {"costUsd": -0.1}', "usage.costUsd"),
        ('"usage": {"costUsd": "free"}', "usage.costUsd"),
        (f'"usage": {{"model": {NESTED}}}', "usage.model"),
    ],
)
async def test_a_value_that_cannot_be_read_is_refused_by_its_name(
    fields: str, names: str, *, is_holdem: bool
) -> None:
    """Twice; then the table decides, and says so."""
    decision, refused = await decided(fields, is_holdem=is_holdem)
    assert (decision.outcome, decision.is_own) == ("malformed", False)
    assert (decision.defaulted, decision.usage) == (None, None)
    (why,) = refused
    assert why.startswith((f"{names}: ", f"{names} ")), why
    assert "sk-123" not in why


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "-1e400"])
@pytest.mark.parametrize("field", ["costUsd", "inputTokens"])
async def test_a_number_that_is_none_is_no_answer(field: str, number: str) -> None:
    decision, refused = await decided(f'"usage": {{"{field}": {number}}}')
    assert not decision.is_own
    assert decision.usage is None
    assert refused or decision.reason


@pytest.mark.parametrize("is_holdem", [True, False])
async def test_words_are_cut_to_one_legible_line(*, is_holdem: bool) -> None:
    """A reason that nobody knows is one; what is nested beside the fields is dropped."""
    said = "\\u001b[31m401:\\n no such key\\u202e " + "x" * 100_000
    junk = f'"more": {NESTED}'
    defaulted = f'"defaulted": {{"reason": "out_of_coffee", "detail": "{said}", {junk}}}'
    usage = f'"usage": {{"model": "{"m" * 5_000}", "inputTokens": {BIG}, {junk}}}'
    decision, refused = await decided(f"{defaulted}, {usage}", is_holdem=is_holdem)
    assert (decision.outcome, refused) == ("defaulted", [])
    assert decision.defaulted is not None
    assert decision.usage is not None
    assert decision.defaulted.reason == "out_of_coffee"
    detail = decision.defaulted.detail or ""
    assert detail.startswith("[31m401: no such key")
    assert (len(detail), detail.isprintable()) == (DEFAULT_DETAIL_LIMIT, True)
    assert len(decision.reason or "") <= DEFAULT_DETAIL_LIMIT
    assert len(decision.usage.model or "") == ID_LIMIT
    assert decision.usage.input_tokens == BIG
    assert "more" not in f"{decision.defaulted.wire()!r}{decision.usage.wire()!r}"


@pytest.mark.parametrize("is_holdem", [True, False])
@pytest.mark.parametrize(
    "fields",
    ['"defaulted": null, "usage": null', '"usage": {}', '"usage": {"inputTokens": 3.0}'],
)
async def test_what_says_nothing_changes_nothing(fields: str, *, is_holdem: bool) -> None:
    decision, refused = await decided(fields, is_holdem=is_holdem)
    assert (decision.outcome, decision.is_own, refused) == ("ok", True, [])


async def test_absence_cannot_be_a_decision_beside_another_reason() -> None:
    """A default stays one, whatever `away` says."""
    for away in ("true", "false", "null"):
        decision, _ = await decided(f'"away": {away}, "defaulted": {{"reason": "budget"}}')
        assert (decision.outcome, decision.is_own) == ("defaulted", False)
