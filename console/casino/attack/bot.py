"""The attacker's own bot: takes a seat, checks or folds, and records its requests."""

from typing import Any

import orjson

from casino.attack.canary import CARD_PATH, agent_card
from casino.attack.listener import Listener, Request, Response

NAME = "Mallory"


class Bot:
    """An A2A agent that signs up, checks or folds, and records the questions of its table.

    `signup` is its answer to an invitation.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.signup: dict[str, Any] = {"displayName": NAME}
        self.seat_token = ""
        self.player_id = ""
        self.questions: list[dict[str, Any]] = []
        """The questions of its table, which contain its own hole cards."""
        self._host = host
        self._listener = Listener(host, self._answer)

    async def twin(self, signup: dict[str, Any]) -> "Bot":
        """Start and return a second bot with another signup answer."""
        other = Bot(self._host)
        other.signup = signup
        await other.start()
        return other

    async def start(self) -> None:
        """Start listening."""
        await self._listener.start()

    @property
    def card_url(self) -> str:
        """URL of its agent card."""
        return self._listener.url + CARD_PATH

    async def stop(self) -> None:
        """Stop listening."""
        await self._listener.stop()

    async def _answer(self, request: Request) -> Response:
        if request.path == CARD_PATH:
            card = agent_card(self._listener.url, NAME, ("signup", "act"))
            return Response(body=orjson.dumps(card))
        if request.path != "/rpc":
            return Response(404, b"{}")
        try:
            call = orjson.loads(request.body)
            data = self._output(_input(call))
        except (ValueError, KeyError, TypeError, IndexError):
            return Response(400, b"{}")
        parts = [{"data": data, "mediaType": "application/json"}]
        message = {"messageId": "m", "role": "ROLE_AGENT", "parts": parts}
        reply = {"jsonrpc": "2.0", "id": call.get("id"), "result": {"message": message}}
        return Response(body=orjson.dumps(reply))

    def _output(self, data: dict[str, Any]) -> dict[str, Any]:
        if "casinoName" in data:
            self.seat_token = data.get("seatToken", "")
            self.player_id = data.get("playerId", "")
            return self.signup
        self.questions.append(data)
        return {"action": "check" if "check" in data.get("legalActions", ()) else "fold"}


def _input(call: dict[str, Any]) -> dict[str, Any]:
    """Return the first data part of a call; raises KeyError, TypeError or IndexError if none."""
    parts: list[dict[str, Any]] = [
        part["data"] for part in call["params"]["message"]["parts"] if "data" in part
    ]
    return parts[0]
