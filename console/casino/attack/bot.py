"""A bot of the attacker's own that sits at a table: it plays quietly and keeps what it is told."""

from typing import Any

import orjson

from casino.attack.canary import CARD_PATH, agent_card
from casino.attack.listener import Listener, Request, Response

NAME = "Mallory"


class Bot:
    """An A2A agent that signs up, checks or folds, and notes what came.

    `signup` is what it answers to the invitation.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.signup: dict[str, Any] = {"displayName": NAME}
        self.seat_token = ""
        self.player_id = ""
        self.table_id = ""
        self.asked: list[dict[str, Any]] = []
        """The questions that its table asked: with its own cards, which it may know."""
        self._host = host
        self._listener = Listener(host, self._answer)

    async def twin(self, signup: dict[str, Any]) -> "Bot":
        """Return a second bot that listens too, and signs up with another answer."""
        other = Bot(self._host)
        other.signup = signup
        await other.start()
        return other

    async def start(self) -> None:
        """Listen."""
        await self._listener.start()

    @property
    def card_url(self) -> str:
        """Where its card is."""
        return self._listener.url + CARD_PATH

    async def stop(self) -> None:
        """Close."""
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

    def _output(self, asked: dict[str, Any]) -> dict[str, Any]:
        if "casinoName" in asked:
            self.seat_token = asked.get("seatToken", "")
            self.player_id = asked.get("playerId", "")
            self.table_id = asked.get("tableId", "")
            return self.signup
        self.asked.append(asked)
        return {"action": "check" if "check" in asked.get("legalActions", ()) else "fold"}


def _input(call: dict[str, Any]) -> dict[str, Any]:
    """Return the data part of a call; raises KeyError, TypeError or IndexError without one."""
    found: list[dict[str, Any]] = [
        part["data"] for part in call["params"]["message"]["parts"] if "data" in part
    ]
    first: dict[str, Any] = found[0]
    return first
