"""Answers as language models write them: the action that is meant, or a fault that says why not.

`tests/vectors/answers_in_text.json` has texts by kind, each with the action, or `! ` and words of
the fault; `open` marks those where nobody has bet. Tables and players of language models read them
by the same rules; a table is stricter in the spelling of an action.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import AgentClient, Conversation
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.answer_in_text import TextAnswer
from casino_agentkit.client.agent_reply import read_output
from casino_agentkit.entrypoint import adapter_of
from casino_agentkit.errors import Malformed
from casino_agentkit.said_in_words import folded
from casino_contracts import ActionResponse
from casino_games import JsonActionParser
from casino_play.turn import AgentSeat, Decision, PlayerDirectory, Turn
from support.in_process import InProcessTransport
from support.players.odd_agent import Odd, says
from support.table.first_question import facing_the_blind
from support.table.virtual_clock import VirtualClock

KINDS: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "answers_in_text.json").read_text()
)
TEXTS = [(kind, *row) for kind, rows in KINDS.items() for row in rows]
PARSER = JsonActionParser(fallback_to_random=False)
FACING: list[dict[str, Any]] = [
    {"action_type": "fold"},
    {"action_type": "call"},
    {"action_type": "raise", "min": 4, "max": 200},
    {"action_type": "all-in"},
]
OPEN: list[dict[str, Any]] = [
    {"action_type": "check"},
    {"action_type": "bet", "min": 4, "max": 200},
    {"action_type": "all-in"},
]
GENERATED = 5_000


def shown(action: dict[str, Any]) -> str:
    return " ".join(map(str, action.values()))


def parsed(text: str, actions: list[dict[str, Any]]) -> str:
    """Return the action that a player of a language model reads, or `! ` and the fault."""
    read = PARSER.read(text, actions)
    return shown(read.value) if isinstance(read, TextAnswer) else f"! {read.message}"


@pytest.mark.parametrize(("kind", "text", "meant", "situation"), [(*row, "")[:4] for row in TEXTS])
def test_a_player_reads_what_is_meant(kind: str, text: str, meant: str, situation: str) -> None:
    """Or says why nothing is certain; more than 200 texts."""
    read = parsed(text, OPEN if situation == "open" else FACING)
    if meant.startswith("! "):
        assert read.startswith("! "), kind
        assert meant[2:] in read
    else:
        assert read == meant, kind


async def decided(text: str, *, typed: bool = False) -> tuple[Decision, Odd]:
    """Return the decision of a table whose player answers with this text, and the player."""
    odd = Odd(says({"text": text}), typed=typed)
    client = AgentClient(InProcessTransport({"http://odd": odd.app()}))
    _, question = facing_the_blind()
    seat = AgentSeat("http://odd", "order", 10_000)
    turn = Turn(PlayerDirectory(client), VirtualClock())
    return await turn.decide(seat, question, Conversation()), odd


async def test_a_table_plays_what_is_meant_or_nothing() -> None:
    """The same texts through a call: no ghost move, and a fault asks once more with its reason."""
    for kind, text, meant, *situation in TEXTS:
        if situation:
            continue
        decision, odd = await decided(text)
        if decision.is_own:
            assert shown(decision.action) == meant, (kind, text)
        else:
            assert meant.startswith("! "), (kind, text, decision.reason)
            assert decision.reason, text
            assert len(odd.asked) == 2, text
            again = odd.asked[1]["params"]["message"]["parts"][0]["text"]
            assert '"rejected":{"reason":' in again, text


async def test_an_agent_with_the_extension_answers_in_json() -> None:
    """Words count only from agents that were asked in words."""
    for text in ("I call.", "Action: raise to 20"):
        untyped, _ = await decided(text)
        typed, _ = await decided(text, typed=True)
        assert (untyped.outcome, typed.outcome) == ("ok", "malformed")
        assert typed.reason == "the reply contains no JSON object"


def table_reads(text: str) -> str:
    """Return the action that a table reads in a text reply, "" for a fault."""
    result = {"message": {"parts": [{"text": text}]}}
    schema = adapter_of(ActionResponse)
    try:
        answer = read_output("odd", result, schema, ReplyBounds(), reads_words=True)
    except Malformed:
        return ""
    return str(answer.action)


SPOILT = "{}[]\":,\\`'<>/| \n.?!;*-0aeé"


def spoilt(dice: random.Random, text: str) -> str:
    """Return a text with a few characters replaced, removed or repeated, or cut off."""
    for _ in range(dice.choice((0, 1, 1, 3, 9))):
        at = dice.randrange(len(text) + 1)
        end = at + dice.choice((0, 1, 1, 5))
        piece = dice.choice(("", dice.choice(SPOILT), text[at:end] * 2))
        text = text[:at] + piece + text[end:]
    return text[: dice.randrange(len(text) + 1)] if dice.random() < 0.2 else text


def test_no_generated_text_is_a_crash_or_an_action_that_stands_nowhere() -> None:
    """Texts of all kinds, joined, spoilt and cut; both readers agree where both read an action."""
    dice = random.Random("answers in text")
    actions = 0
    for _ in range(GENERATED):
        joint = dice.choice(("", " ", "\n", "\n\n", " or ", ". Final: ", "</think>", "```json\n"))
        pieces = [dice.choice(TEXTS)[1] for _ in range(dice.choice((1, 1, 2, 3)))]
        text = spoilt(dice, joint.join(pieces))
        read = PARSER.read(text, FACING)
        if isinstance(read, TextAnswer):
            actions += 1
            kind, amount = read.value["action_type"], read.value.get("amount")
            piece = text[read.start : read.end]
            assert folded(kind) in folded(piece.replace("\\", "")), text
            assert amount is None or str(amount) in piece, text
        at_table = table_reads(text)
        if isinstance(read, TextAnswer) and at_table:
            assert at_table == read.value["action_type"], text
    assert GENERATED / 10 < actions < GENERATED * 9 / 10
