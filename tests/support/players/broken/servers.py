"""Bots that answer well, but not always: again, at once, or after bad input."""

import itertools
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from casino_contracts import ActionRequest

from support.players.broken.bot import Bot
from support.players.broken.replies import Broken

NAGLE_S = 0.044
"""So long a body waits for the delayed acknowledgement of its head."""


class TwoWrites(Bot):
    """Its body arrives 44 ms after its head, as with Nagle's algorithm."""

    def write(self, handler: BaseHTTPRequestHandler, head: bytes, body: bytes) -> None:
        handler.wfile.write(head)
        handler.wfile.flush()
        time.sleep(NAGLE_S)
        handler.wfile.write(body)


class Slow(Bot):
    """Thinks for most of a clock of four seconds, once."""

    def __init__(self) -> None:
        super().__init__()
        self.has_thought = False

    def act(self, turn: dict[str, Any]) -> Any:
        if not self.has_thought:
            self.has_thought = True
            time.sleep(2.5)
        return super().act(turn)


class DiesAtRedelivery(Broken):
    """Has no answer to a question that it has answered, and then to none."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def asked(self, body: bytes) -> tuple[int, bytes] | None:
        turn = json.loads(body)["params"]["message"]["parts"][0]["data"]
        if turn["requestId"] in self.seen:
            return None
        self.seen.add(turn["requestId"])
        return super().asked(body)


class AnotherAnswer(Bot):
    """Folds every second time."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = itertools.count()

    def act(self, turn: dict[str, Any]) -> Any:
        if "fold" in turn["legalActions"] and next(self.turns) % 2:
            return {"action": "fold"}
        return super().act(turn)


class RefusesSecondAttempt(Bot):
    """Takes a question with `rejected` for an error."""

    def act(self, turn: dict[str, Any]) -> Any:
        if "rejected" in turn:
            raise LookupError
        return super().act(turn)


class StrictFields(Bot):
    """Refuses a question with a field that it does not know."""

    KNOWN = frozenset(ActionRequest.model_json_schema(by_alias=True)["properties"])

    def act(self, turn: dict[str, Any]) -> Any:
        if set(turn) - self.KNOWN:
            raise LookupError
        return super().act(turn)


class OneConnection(Bot):
    """Serves one connection, until that is closed."""

    server = HTTPServer


class OneAtATime(Bot):
    """Thinks for 80 ms, about one question after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.thinking = threading.Lock()

    def act(self, turn: dict[str, Any]) -> Any:
        with self.thinking:
            time.sleep(0.08)
        return super().act(turn)


class FailsUnderLoad(Bot):
    """Two questions at once are too much."""

    def __init__(self) -> None:
        super().__init__()
        self.counting = threading.Lock()
        self.at_once = 0

    def act(self, turn: dict[str, Any]) -> Any:
        with self.counting:
            self.at_once += 1
        time.sleep(0.05)
        with self.counting:
            was, self.at_once = self.at_once, self.at_once - 1
        if was > 1:
            raise LookupError
        return super().act(turn)


class DiesOnGarbage(Bot):
    """Its loop ends with the first request that is no JSON."""

    def post(self, body: bytes) -> tuple[int, bytes] | None:
        try:
            json.loads(body)
        except ValueError:
            self.is_dead = True
        return super().post(body)


class HangsOnGarbage(Bot):
    """Waits for the rest of what is no JSON."""

    def post(self, body: bytes) -> tuple[int, bytes] | None:
        try:
            json.loads(body)
        except ValueError:
            self.released.wait(60)
        return super().post(body)


class ClosesOnGarbage(Bot):
    """Its handler has no `except`, as that of README's bot."""

    def post(self, body: bytes) -> tuple[int, bytes] | None:
        try:
            json.loads(body)
        except ValueError:
            return None
        return super().post(body)


class OldHttp(Bot):
    """Closes the connection after each reply, and says so."""

    protocol = "HTTP/1.0"
