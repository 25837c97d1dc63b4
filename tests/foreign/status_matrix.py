"""The same requests to two servers of the ARC-AGI-3 API, and what they answer to each."""

from dataclasses import dataclass, field
from typing import Any

import httpx

Json = dict[str, Any]
NO_CARD = "00000000-0000-4000-8000-000000000000"
_REASONING_BYTES = 17_000
_MOST_ACTIONS = 200


@dataclass(frozen=True)
class Way:
    """How a game is played: the actions that complete its levels, and that lose it."""

    wins: str
    """Id of a game whose levels `completes` completes, if it is sent often enough."""
    completes: int
    loses: str
    """Id of a game whose first level `completes` completes, and whose second `loses` loses."""
    loses_by: int


@dataclass(frozen=True)
class Observed:
    """An answer: its status, and the types of its values by key; of an error also its name."""

    status: int
    types: dict[str, str]
    error: str | None

    @classmethod
    def of(cls, response: httpx.Response) -> "Observed":
        try:
            content = response.json()
        except ValueError:
            return cls(response.status_code, {}, None)
        if isinstance(content, list):
            content = content[0]
        types = {key: type(value).__name__ for key, value in content.items()}
        return cls(response.status_code, types, content.get("error"))


@dataclass
class Matrix:
    """Sends the requests to one server; `seen` has the answers by name."""

    http: httpx.AsyncClient
    way: Way
    key: str
    other_key: str
    seen: dict[str, Observed] = field(default_factory=dict)

    async def run(self) -> dict[str, Observed]:
        wins, loses = self.way.wins, self.way.loses
        await self._get("games", "games")
        await self._get("games without a key", "games", key=None)
        await self._get("a game by its prefix", f"games/{wins[:4]}")
        await self._get("an unknown game", "games/zzzz")
        await self._get("a key for anybody", "games/anonkey", key=None)
        await self._get("health", "healthcheck")
        card = (await self._post("open card", "scorecard/open", tags=["agent"]))["card_id"]
        await self._reset("RESET without game", card_id=card)
        await self._reset("RESET without card", game_id=wins)
        await self._reset("RESET with an unknown card", game_id=wins, card_id=NO_CARD)
        await self._reset("RESET of an unknown game", game_id="zzzz-1", card_id=card)
        frame = await self._reset("RESET", game_id=wins, card_id=card)
        await self._actions(frame)
        await self._levels(await self._reset("a second game", game_id=wins, card_id=card), card)
        won = await self._reset("a third game", game_id=wins, card_id=card)
        won = await self._until("WIN", won, self.way.completes)
        assert won["state"] == "WIN"
        await self._act("an action after WIN", 1, **named(won))
        lost = await self._reset("a fourth game", game_id=loses, card_id=card)
        lost = await self._until("half of it", lost, self.way.completes, score=1)
        lost = await self._until("GAME_OVER", lost, self.way.loses_by)
        assert lost["state"] == "GAME_OVER"
        await self._act("an action after GAME_OVER", 1, **named(lost))
        again = await self._reset("RESET after GAME_OVER", **named(lost))
        assert again["state"] == "NOT_FINISHED"
        await self._get("a card", f"scorecard/{card}")
        await self._get("a game's card", f"scorecard/{card}/{frame['game_id']}")
        await self._get("another key's card", f"scorecard/{card}", key=self.other_key)
        await self._post("close", "scorecard/close", card_id=card)
        await self._post("close again", "scorecard/close", card_id=card)
        await self._reset("RESET after close", game_id=frame["game_id"], card_id=card)
        await self._act("an action after close", 1, **named(frame))
        await self._get("a closed card", f"scorecard/{card}")
        return self.seen

    async def _actions(self, frame: Json) -> None:
        absent, fields = absent_in(frame), named(frame)
        await self._act("an absent action", absent, **fields)
        await self._act("a text as reasoning", absent, **fields, reasoning="why")
        await self._act("an object as reasoning", absent, **fields, reasoning={"why": ["so"]})
        await self._act("long reasoning", absent, **fields, reasoning="w" * _REASONING_BYTES)
        await self._act("a click", 6, **fields, x=0, y=0)
        await self._act("a click without place", 6, **fields)
        await self._act("a click outside", 6, **fields, x=99, y=0)
        await self._act("an unknown guid", 1, game_id=frame["game_id"], guid=NO_CARD)
        await self._act("no guid", 1, game_id=frame["game_id"])
        await self._act("another key's guid", 1, **fields, key=self.other_key)

    async def _levels(self, frame: Json, card: str) -> None:
        fields = {**named(frame), "card_id": card}
        frame = await self._until("a level is completed", frame, self.way.completes, score=1)
        frame = await self._reset("RESET after it", **fields)
        assert frame["levels_completed"] == 0
        frame = await self._until("a level is completed again", frame, self.way.completes, score=1)
        await self._act("an action in level 2", absent_in(frame), **fields)
        for name, completed in (("RESET after that", 1), ("RESET again", 0)):
            frame = await self._reset(name, **fields)
            assert frame["levels_completed"] == completed

    async def _until(self, name: str, frame: Json, action: int, score: int | None = None) -> Json:
        """Send an action until the score is reached, or the game's end."""
        for _ in range(_MOST_ACTIONS):
            frame = await self._act(name, action, **named(frame))
            if frame["state"] != "NOT_FINISHED" or frame["levels_completed"] == score:
                return frame
        raise AssertionError(f"{name}: still {frame['state']}")

    async def _reset(self, name: str, **body: Any) -> Any:
        return await self._post(name, "cmd/RESET", **body)

    async def _act(self, name: str, number: int, *, key: str | None = None, **body: Any) -> Any:
        return await self._post(name, f"cmd/ACTION{number}", key=key, **body)

    async def _post(self, name: str, path: str, *, key: str | None = None, **body: Any) -> Any:
        headers = {"x-api-key": key or self.key}
        return self._note(name, await self.http.post(f"/api/{path}", json=body, headers=headers))

    async def _get(self, name: str, path: str, *, key: str | None = "") -> Any:
        headers = {} if key is None else {"x-api-key": key or self.key}
        return self._note(name, await self.http.get(f"/api/{path}", headers=headers))

    def _note(self, name: str, response: httpx.Response) -> Any:
        self.seen[name] = Observed.of(response)
        return response.json() if response.is_success and self.seen[name].types else None


def named(frame: Json) -> Json:
    """Return the fields that name a frame's session."""
    return {"game_id": frame["game_id"], "guid": frame["guid"]}


def absent_in(frame: Json) -> int:
    """Return an action that is not available."""
    return next(one for one in range(1, 6) if one not in frame["available_actions"])
