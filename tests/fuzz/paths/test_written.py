"""What a table and the kit write as JSON directly is, byte for byte, what the models write."""

import random
import re
from collections import Counter
from datetime import timedelta
from typing import Any, Final, get_args

import orjson
from casino_agentkit import EXTENSION, InProcessTransport
from casino_agentkit.bounds import ReplyBounds
from casino_agentkit.client.jsonrpc import JsonRpcBinding
from casino_agentkit.metrics import CallMetrics
from casino_agentkit.protocol import MessageIds
from casino_agentkit.server.calls.plain_calls import PlainCalls
from casino_contracts import ActionRequest, ActionTakenPayload, Outcome, PastAction, PlayerView
from casino_games.cards import NAMES
from casino_play.cards import wire_cards
from casino_play.decision import Decision
from casino_play.holdem_fields import ROUNDS, STATUS
from casino_play.holdem_question import AskedHand, HoldemQuestion
from casino_table.presenters.action_json import action_taken_json
from fuzz.paths.hands import TEXTS, act, away_in, dealt
from fuzz.paths.plan import INPUTS, Differences, numbers, tell
from prometheus_client import CollectorRegistry

_MESSAGE_ID: Final = re.compile(rb'"messageId":"[0-9a-f]+"')
_OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


def request_of(
    asked: AskedHand, question: HoldemQuestion, left_ms: int, time_bank_ms: int | None
) -> ActionRequest:
    """Return the model of the first attempt of a question, read from the hand itself."""
    hand, names, amount = asked.hand, asked.names, asked.unit.amount
    seat = hand.actor
    offered = question._available.get("bet") or question._available.get("raise")
    legal: tuple[Any, ...] = tuple(question._available)
    return ActionRequest(
        table_id=names.table_id,
        betting_round=ROUNDS[hand.street],
        community_cards=wire_cards([NAMES[card] for card in hand.board]),
        hole_cards=wire_cards([NAMES[card] for card in hand.hole_of(seat)]),
        pot=amount(hand.pot),
        minimum_raise=amount(hand.min_raise),
        current_bet=amount(hand.price),
        player_stack=amount(hand.stacks[seat]),
        legal_actions=legal,
        request_id="q:1",
        game_type="texas-holdem",
        hand_id=names.hand_id,
        hand_number=names.hand_number,
        player_id=names.players[seat].player_id,
        seat_number=names.players[seat].seat_number,
        button_seat=names.players[-1].seat_number,
        to_call=amount(hand.to_call),
        min_raise_to=None if offered is None else amount(offered["min"]),
        max_raise_to=None if offered is None else amount(offered["max"]),
        deadline_ms=left_ms,
        time_bank_ms=time_bank_ms,
        players=_views(asked),
        history=tuple(
            PastAction(
                player_id=names.players[done].player_id,
                betting_round=ROUNDS[street],
                action=kind,
                amount=None if total is None else amount(total),
            )
            for done, street, kind, total, *_ in hand.actions
        ),
    )


def _views(asked: AskedHand) -> tuple[PlayerView, ...]:
    hand, amount = asked.hand, asked.unit.amount
    views = []
    for seat, player in enumerate(asked.names.players):
        status: Any = STATUS[(hand.live >> seat & 1) + (hand.with_chips >> seat & 1)]
        if status == "active" and away_in(asked.names)(seat):
            status = "sitting-out"
        views.append(
            PlayerView(
                player_id=player.player_id,
                display_name=player.display_name,
                seat_number=player.seat_number,
                stack=amount(hand.stacks[seat]),
                bet=amount(hand.bets[seat]),
                status=status,
            )
        )
    return tuple(sorted(views, key=lambda view: view.seat_number))


def taken(rng: random.Random, asked: AskedHand) -> tuple[bytes, bytes]:
    """Return the payload of the last action as it is written, and by the model."""
    action, number = asked.hand.actions[-1], asked.names.hand_number
    seat, street, kind, total, _, stack, pot = action
    decision = Decision(
        {"action_type": kind},
        rng.choice(_OUTCOMES),
        timedelta(milliseconds=rng.choice((0, 1, 7, 30_000)) + rng.random()),
        message=rng.choice((None, *TEXTS)),
        reasoning="private",
        reason=rng.choice((None, *TEXTS)),
    )
    player_id, amount = asked.names.players[seat].player_id, asked.unit.amount
    model = ActionTakenPayload(
        hand_number=number,
        player_id=player_id,
        betting_round=ROUNDS[street],
        action=kind,
        amount=None if total is None else amount(total),
        pot=amount(pot),
        stack=amount(stack),
        outcome=decision.outcome,
        latency_ms=decision.latency_ms,
        message=decision.message,
        reason=decision.reason,
    )
    written = action_taken_json(number, player_id, action, asked.unit, decision)
    return written, model.wire()


def test_questions_and_actions() -> None:
    """In hands of every size, with odd names, in units of cents too."""
    differences, found = Differences(), Counter[str]()
    for name, rng in numbers("hands", INPUTS):
        if found["questions"] >= INPUTS:
            break
        asked = dealt(rng)
        while not asked.hand.is_over:
            question = HoldemQuestion(asked, "q")
            left_ms, time_bank_ms = rng.randint(0, 30_000), rng.choice((None, 0, 7_000))
            if rng.random() < 0.9:  # what is not asked is in the history of the next
                written = question.request(1, timedelta(milliseconds=left_ms), None, time_bank_ms)
                model = request_of(asked, question, left_ms, time_bank_ms).wire()
                found["questions"] += 1
                if written != model:
                    differences.add(name, len(asked.hand.actions), written, model)
            act(rng, asked.hand)
            found["actions"] += 1
            written, model = taken(rng, asked)
            if written != model:
                differences.add(name, asked.hand.actions[-1], written, model)
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
        written = sent, _MESSAGE_ID.sub(b'"messageId":"ID"', answer)
        models = _call(skill, context_id, data), _answer(request_id, context_id, data)
        whole = tuple(map(orjson.dumps, models))
        if written != whole:
            differences.add(name, (skill, context_id, data, request_id), written, whole)
    assert not len(differences), str(differences)


def _call(skill: str, context_id: str, data: Any) -> dict[str, Any]:
    message = {
        "contextId": context_id,
        "messageId": "c1",
        "role": "ROLE_USER",
        "extensions": [EXTENSION],
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"data": data, "mediaType": "application/json"}],
    }
    params = {"message": message}
    return {"jsonrpc": "2.0", "id": "c1", "method": "SendMessage", "params": params}


def _answer(request_id: str | int, context_id: str, data: Any) -> dict[str, Any]:
    message = {
        "contextId": context_id,
        "messageId": "ID",
        "role": "ROLE_AGENT",
        "extensions": [EXTENSION],
        "parts": [{"data": data, "mediaType": "application/json"}],
    }
    return {"jsonrpc": "2.0", "id": request_id, "result": {"message": message}}
