"""A seat taken over the Boardgame Protocol."""

from typing import Any

import httpx

Json = dict[str, Any]


class OutsideSeat:
    """A seat, played by polling `POST /bgp`."""

    def __init__(self, http: httpx.AsyncClient, taken: Json) -> None:
        self.agent_id: str = taken["agent_id"]
        self.match_id: str = taken["match_id"]
        self.token: str = taken["token"]
        self.game: str = taken["game"]
        self._http = http

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    async def send(self, kind: str, **fields: Any) -> Json:
        """Send a message and return the answer, whatever it is."""
        body = {
            "version": "1.0.0",
            "type": kind,
            "game": self.game,
            "match_id": self.match_id,
            "agent_id": self.agent_id,
            **fields,
        }
        reply = await self._http.post("/bgp", json=body, headers=self.headers)
        answer: Json = reply.json()
        return answer

    async def state(self) -> Json:
        """Return the seat's view of the match."""
        answer = await self.send("get_state")
        assert answer["type"] == "get_state_response", answer
        return answer

    async def act(self, action_type: str, **data: Any) -> Json:
        answer = await self.send("perform_action", action={"type": action_type, "data": data})
        assert answer["type"] == "perform_action_response", answer
        response: Json = answer["action_response"]
        return response

    async def turn(self) -> Json:
        """Wait until the seat is to decide, or the match is over; returns the state."""
        while True:
            state = await self.state()
            if state["stage"] == "act" or state["status"] in {"ended", "abandoned"}:
                return state


async def sit(http: httpx.AsyncClient, room_id: str, name: str, kind: str = "ai") -> OutsideSeat:
    body = {"match_id": room_id, "name": name, "type": kind}
    reply = await http.post("/bgp/seats", json=body)
    assert reply.status_code == 201, reply.text
    return OutsideSeat(http, reply.json())
