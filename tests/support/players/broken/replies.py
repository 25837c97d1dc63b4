"""Bots whose replies are faulty."""

import json
import math
from typing import Any

from support.players.broken.bot import Bot


class Broken(Bot):
    """A bot that is faulty when it is asked to act, not before."""

    def post(self, body: bytes) -> tuple[int, bytes] | None:
        if b"legalActions" in body:
            return self.asked(body)
        return super().post(body)

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        """Answer a question."""
        return super().post(body)


class ServerError(Broken):
    """Answers with status 500."""

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        del body
        return 500, b"Internal Server Error"


class Closes(Broken):
    """Closes the connection without an answer, as a handler with an exception does."""

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        del body
        return None


class Hangs(Broken):
    """Never answers."""

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        del body
        self.released.wait(60)
        return None


class EnvelopeForgotten(Broken):
    """Answers with the action alone."""

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        return 200, json.dumps(self.answer(json.loads(body))).encode()


class OtherId(Broken):
    """Counts its replies itself."""

    def envelope(self, call: dict[str, Any], answer: Any) -> Any:
        reply = super().envelope(call, answer)
        return reply if "displayName" in answer else reply | {"id": "1"}


class Prose(Broken):
    """Answers with a sentence."""

    def envelope(self, call: dict[str, Any], answer: Any) -> Any:
        reply = super().envelope(call, answer)
        if "action" in answer:
            reply["result"]["message"]["parts"] = [{"text": "I think that I will call."}]
        return reply


class NullAnswer(Bot):
    """A branch of it returns nothing."""

    def act(self, turn: dict[str, Any]) -> Any:
        return None if "call" in turn["legalActions"] else super().act(turn)


class NotANumber(Bot):
    """Its amount is not a number, which Python writes as NaN."""

    def act(self, turn: dict[str, Any]) -> Any:
        if "raise" in turn["legalActions"]:
            return {"action": "raise", "amount": math.nan}
        return super().act(turn)


class UnknownAction(Bot):
    """Dances."""

    def act(self, turn: dict[str, Any]) -> Any:
        del turn
        return {"action": "dance"}


class Increment(Bot):
    """Sends what it adds."""

    def act(self, turn: dict[str, Any]) -> Any:
        if "raise" in turn["legalActions"]:
            return {"action": "raise", "amount": turn["minRaiseTo"] - turn["currentBet"]}
        return super().act(turn)


class AmountForgotten(Bot):
    """Raises without an amount."""

    def act(self, turn: dict[str, Any]) -> Any:
        return {"action": "raise"} if "raise" in turn["legalActions"] else super().act(turn)


class AmountTooLarge(Bot):
    """Raises to more than it has."""

    def act(self, turn: dict[str, Any]) -> Any:
        if "raise" in turn["legalActions"]:
            return {"action": "raise", "amount": turn["maxRaiseTo"] * 2}
        return super().act(turn)


class OffUnit(Bot):
    """Raises by a third of the pot, unrounded."""

    def act(self, turn: dict[str, Any]) -> Any:
        if "raise" in turn["legalActions"]:
            return {"action": "raise", "amount": turn["minRaiseTo"] + 1 / 3}
        return super().act(turn)


class AlwaysChecks(Bot):
    """Checks, also when there is something to call."""

    def act(self, turn: dict[str, Any]) -> Any:
        del turn
        return {"action": "check"}


class TooLarge(Bot):
    """Sends two megabytes of reasons."""

    def act(self, turn: dict[str, Any]) -> Any:
        return super().act(turn) | {"reasoning": "x" * 2_000_000}


class Large(Bot):
    """Sends the question back with its answer."""

    def act(self, turn: dict[str, Any]) -> Any:
        return super().act(turn) | {"turn": turn, "notes": "x" * 20_000}
