"""A function as an agent in this process, for the kit's client."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from casino_agentkit import EXTENSION, HttpReply, TimedOut
from casino_play.bot_file import Function, act_of, file_of, line_of, load_function, split_spec

from casino.check.failures import EXCEPTION

ADDRESS: Final = "http://function.invalid"
_ERROR_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"
_FAILED: Final = -32603


class FunctionBot:
    """Transport to a function that decides; signup is answered for it.

    Faults name the lines of the file that defines it.
    """

    def __init__(self, function: Function, file: Path | None = None) -> None:
        self.file = file or file_of(function)
        self.name = getattr(function, "__name__", type(function).__name__)
        self._act = act_of(function)

    @classmethod
    def of_file(cls, spec: str) -> "FunctionBot":
        """Return the function of `FILE:FUNCTION`; raises BotFileFailed if it cannot be loaded."""
        return cls(load_function(spec), split_spec(spec)[0])

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        """Return the card, or the function's answer in the envelope of a reply."""
        del headers
        if method == "GET":
            return _json(_card(self.file))
        call = json.loads(body)
        message = call["params"]["message"]
        envelope: dict[str, Any] = {"jsonrpc": "2.0", "id": call["id"]}
        if message["metadata"][EXTENSION]["skill"] == "signup":
            return _json(envelope | _result(call["id"], {"displayName": self.file.stem}))
        try:
            async with asyncio.timeout(timeout_s) as clock:
                answer = await self._act(message["parts"][0]["data"])
        except TimeoutError as error:
            if not clock.expired():  # the function's own
                return _json(envelope | self._raised(error))
            raise TimedOut(url, f"no reply within {timeout_s:.3g} s") from error
        except Exception as error:  # noqa: BLE001  whatever the bot's author raises
            return _json(envelope | self._raised(error))
        try:
            return _json(envelope | _result(call["id"], answer))
        except (TypeError, ValueError) as error:
            return _json(envelope | _error(f"{self.name} returns what is no JSON: {error}"))

    async def check_link(self, source: str, target: str) -> None:
        """Allow every link: there is no other address."""

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    def _raised(self, error: BaseException) -> dict[str, Any]:
        line = line_of(error, self.file)
        where = f"{self.file.name}, line {line}" if line else self.file.name
        return _error(f"{where}: {type(error).__name__}: {error}")


def is_file(target: str) -> bool:
    """Return whether a target of the check is a function of a file, not a URL.

    >>> is_file("bot.py:act"), is_file("http://127.0.0.1:9000")
    (True, False)
    """
    return "://" not in target


def _card(file: Path) -> dict[str, Any]:
    interface = {"url": f"{ADDRESS}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return {
        "name": file.stem,
        "description": f"The function of a file, on Python {sys.version_info.major}.",
        "version": "1",
        "supportedInterfaces": [interface],
        "capabilities": {"extensions": [{"uri": EXTENSION}]},
        "skills": [{"id": "signup"}, {"id": "act"}],
    }


def _result(call_id: str, answer: Any) -> dict[str, Any]:
    part = {"data": answer, "mediaType": "application/json"}
    return {"result": {"message": {"messageId": call_id, "role": "ROLE_AGENT", "parts": [part]}}}


def _error(message: str) -> dict[str, Any]:
    info = {"@type": _ERROR_INFO, "reason": EXCEPTION, "metadata": {}}
    return {"error": {"code": _FAILED, "message": message, "data": [info]}}


def _json(value: Any) -> HttpReply:
    return HttpReply(200, json.dumps(value).encode())
