"""Bots with the mistakes of a newcomer; each answers a turn in its own wrong way."""

import json
import math
from typing import Any

from support.players.broken.bot import Bot
from support.players.broken.replies import Broken


class Mistaken(Broken):
    """Plays properly, but keeps what the table says about its refused answers."""

    def __init__(self) -> None:
        super().__init__()
        self.rejections: list[str] = []

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        """Keep the reason of the refusal, and answer."""
        turn = json.loads(body)["params"]["message"]["parts"][0]["data"]
        if "rejected" in turn:
            self.rejections.append(turn["rejected"]["message"])
        return self.wrong(body)

    def wrong(self, body: bytes) -> tuple[int, bytes] | None:
        """Return status and body of the reply."""
        return Bot.post(self, body)


def answering(answer: Any) -> type[Mistaken]:
    """Return a bot that always decides so."""

    class Answering(Mistaken):
        """Sends the same answer to every question."""

        def act(self, turn: dict[str, Any]) -> Any:
            del turn
            return answer

    return Answering


def replying(body: bytes, status: int = 200) -> type[Mistaken]:
    """Return a bot that always sends this body."""

    class Replying(Mistaken):
        """Sends the same body to every question."""

        def wrong(self, _body: bytes) -> tuple[int, bytes] | None:
            return status, body

    return Replying


def with_text(text: str) -> type[Mistaken]:
    """Return a bot that answers with a text."""

    class Texting(Mistaken):
        """Sends the same text in reply to every question."""

        def envelope(self, call: dict[str, Any], answer: Any) -> Any:
            reply = super().envelope(call, answer)
            if "action" in answer:
                reply["result"]["message"]["parts"] = [{"text": text}]
            return reply

    return Texting


class NaN(Mistaken):
    """Computes an amount that is not a number."""

    def act(self, turn: dict[str, Any]) -> Any:
        del turn
        return {"action": "raise", "amount": math.nan}


class Increment(Mistaken):
    """Sends what it adds."""

    def act(self, turn: dict[str, Any]) -> Any:
        return {"action": "raise", "amount": turn["minRaiseTo"] - turn["currentBet"]}


class EnvelopeForgotten(Mistaken):
    """Answers with the action alone."""

    def wrong(self, body: bytes) -> tuple[int, bytes] | None:
        return 200, json.dumps(self.answer(json.loads(body))).encode()


class MessageForgotten(Mistaken):
    """Puts the action where the message belongs."""

    def envelope(self, call: dict[str, Any], answer: Any) -> Any:
        reply = super().envelope(call, answer)
        return reply | {"result": answer} if "action" in answer else reply


class IdForgotten(Mistaken):
    """Sends no id."""

    def envelope(self, call: dict[str, Any], answer: Any) -> Any:
        reply = super().envelope(call, answer)
        if "action" in answer:
            del reply["id"]
        return reply


class OtherId(Mistaken):
    """Counts its replies itself."""

    def envelope(self, call: dict[str, Any], answer: Any) -> Any:
        reply = super().envelope(call, answer)
        return reply | {"id": "1"} if "action" in answer else reply


class OwnError(Mistaken):
    """Refuses with an error of JSON-RPC."""

    def wrong(self, body: bytes) -> tuple[int, bytes] | None:
        error = {"code": -32000, "message": "the model is busy"}
        call = json.loads(body)
        return 200, json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": error}).encode()


class Closes(Mistaken):
    """Its handler ends with an exception."""

    def wrong(self, body: bytes) -> tuple[int, bytes] | None:
        del body
        return None


class Hangs(Mistaken):
    """Never answers."""

    def wrong(self, body: bytes) -> tuple[int, bytes] | None:
        del body
        self.released.wait(60)
        return None
