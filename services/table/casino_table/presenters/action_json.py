"""The payload of `action_taken` in Hold'em as JSON; it equals that of its model in every byte."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from casino_contracts import Unit
from casino_games.holdem.record import Action
from casino_play.holdem_fields import ROUNDS
from casino_play.player_decision import Decision
from pydantic_core import to_json

_TAKEN: Final = (
    b'{"handNumber":%d,"playerId":%b,"bettingRound":"%b","action":"%b"%b,"pot":%b,"stack":%b,'
    b'"outcome":"%b"%b}'
)
_ROUNDS: Final = tuple(name.encode() for name in ROUNDS)


def action_taken_json(
    hand_number: int, player_id: str, action: Action, unit: Unit, decision: Decision
) -> bytes:
    """Return the payload of an action, which the engine has recorded, and of its decision."""
    _, street, kind, amount, _, stack, pot = action
    number: Callable[[int], bytes] = _whole if unit.decimals == 0 else _decimal(unit)
    said = b""
    if (latency_ms := decision.latency_ms) is not None:
        said = b',"latencyMs":%d' % latency_ms
    if decision.message is not None:
        said += b',"message":%b' % to_json(decision.message)
    if decision.reason is not None:
        said += b',"reason":%b' % to_json(decision.reason)
    return _TAKEN % (
        hand_number,
        _text(player_id),
        _ROUNDS[street],
        kind.encode(),
        b"" if amount is None else b',"amount":%b' % number(amount),
        number(pot),
        number(stack),
        decision.outcome.encode(),
        said,
    )


def _whole(chips: int) -> bytes:
    return b"%d" % chips


def _decimal(unit: Unit) -> Callable[[int], bytes]:
    return lambda chips: to_json(unit.amount(chips))


@lru_cache(maxsize=4096)
def _text(text: str) -> bytes:
    return to_json(text)
