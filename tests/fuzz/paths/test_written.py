"""What structs and the kit write as JSON is, byte for byte, what the models write."""

import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, get_args

import orjson
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.jsonrpc import JsonRpcBinding
from casino_agentkit.protocol import MessageIds
from casino_agentkit.server.call_execution import CallMetrics, PlainCalls
from casino_contracts import ActionRequest, ActionTakenPayload, Outcome, WireModel
from casino_contracts.fast_struct import struct_of
from casino_games.holdem.events import ROUNDS
from casino_play.hand_questions import HandQuestions
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import Decision
from fuzz.paths.hands import TEXTS, act, dealt
from fuzz.paths.plan import INPUTS, Differences, numbers, tell
from prometheus_client import CollectorRegistry
from support.in_process import InProcessTransport
from support.plain.requests import envelope

_MESSAGE_ID: Final = re.compile(rb'"messageId":"[0-9a-f]+"')
_OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
Said = dict[str, Any]
ACTION_TAKEN: Final[Callable[..., ActionTakenPayload]] = struct_of(ActionTakenPayload)


def question_of(rng: random.Random, asked: HandQuestions) -> tuple[bytes, Said]:
    """Return a question as it is written, and what it has to say of the hand."""
    hand, names, amount = asked.hand, asked.names, asked.unit.amount
    left_ms, time_bank_ms = rng.randint(0, 30_000), rng.choice((None, 0, 7_000))
    left = timedelta(milliseconds=left_ms)
    written = HoldemQuestion(asked).request(1, left, None, time_bank_ms)
    return written, {
        "table_id": names.table_id,
        "hand_id": names.hand_id,
        "player_id": names.players[hand.actor].player_id,
        "pot": amount(hand.pot),
        "to_call": amount(hand.to_call),
        "player_stack": amount(hand.stacks[hand.actor]),
        "deadline_ms": left_ms,
        "time_bank_ms": time_bank_ms,
    }


def action_of(rng: random.Random, asked: HandQuestions) -> tuple[bytes, Said]:
    """Return the payload of the last action as it is written, and what it has to say."""
    seat, street, kind, total, _, stack, pot = asked.hand.actions[-1]
    amount = asked.unit.amount
    decision = Decision(
        {"action_type": kind},
        rng.choice(_OUTCOMES),
        timedelta(milliseconds=rng.choice((0, 1, 7, 30_000)) + rng.random()),
        message=rng.choice((None, *TEXTS)),
        reasoning="private",
        reason=rng.choice((None, *TEXTS)),
    )
    said = {
        "player_id": asked.names.players[seat].player_id,
        "hand_number": asked.names.hand_number,
        "betting_round": ROUNDS[street],
        "action": kind,
        "amount": None if total is None else amount(total),
        "pot": amount(pot),
        "stack": amount(stack),
        "outcome": decision.outcome,
        "latency_ms": decision.latency_ms,
        "message": decision.message,
        "reason": decision.reason,
    }
    return ACTION_TAKEN(**said).wire(), said


def ends(model: type[WireModel], written: bytes, said: Said) -> tuple[object, object]:
    """Return the bytes and what they have to say, and the same of the model that reads them."""
    read = model.model_validate_json(written)
    return (written, said), (read.wire(), {name: getattr(read, name) for name in said})


def test_questions_and_actions() -> None:
    """In hands of every size, with odd names, in units of cents too."""
    differences, found = Differences(), Counter[str]()
    for name, rng in numbers("hands", INPUTS):
        if found["questions"] >= INPUTS:
            break
        asked = dealt(rng)
        while not asked.hand.is_over:
            if rng.random() < 0.9:  # what is not asked is in the history of the next
                found["questions"] += 1
                one, other = ends(ActionRequest, *question_of(rng, asked))
                if one != other:
                    differences.add(name, len(asked.hand.actions), one, other)
            act(rng, asked.hand)
            found["actions"] += 1
            one, other = ends(ActionTakenPayload, *action_of(rng, asked))
            if one != other:
                differences.add(name, asked.hand.actions[-1], one, other)
    tell(f"written {dict(found)}, {len(differences)} differences")
    assert not len(differences), str(differences)


def test_envelopes() -> None:
    """Those of calls and answers, around data that is JSON already."""
    differences = Differences()
    calls, ids = PlainCalls(CallMetrics(CollectorRegistry())), MessageIds()
    binding = JsonRpcBinding(InProcessTransport(), "http://a/", "", ids, ReplyBounds())
    for name, rng in numbers("envelopes", INPUTS):
        skill, context_id = rng.choice(TEXTS), rng.choice(TEXTS) + "c"
        data = {rng.choice(TEXTS): rng.choice((*TEXTS, 7, None, 0.1))}
        request_id = rng.choice((*TEXTS, 0, -1, 2**63 - 1))
        sent = binding._body("c1", skill, orjson.dumps(data), None, context_id)
        answer = calls._response(request_id, context_id, orjson.dumps(data))
        call = envelope(skill, data, "c1", contextId=context_id, messageId="c1")
        said = {**call["params"]["message"], "messageId": "ID", "role": "ROLE_AGENT"}
        del said["metadata"]
        reply = {"jsonrpc": "2.0", "id": request_id, "result": {"message": said}}
        answer = _MESSAGE_ID.sub(b'"messageId":"ID"', answer)
        for written, meant in ((sent, call), (answer, reply)):
            read = orjson.loads(written)
            if read != meant or orjson.dumps(read) != written:
                differences.add(name, (skill, context_id, data, request_id), written, meant)
    assert not len(differences), str(differences)
