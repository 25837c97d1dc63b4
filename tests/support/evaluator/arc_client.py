"""A client of the ARC-AGI-3 API, and levels that are easy.

card = await client.open()
frame = await client.begin("kuhn", card)
frame = await client.act(frame, CHECK)
"""

from typing import Any

import httpx

Json = dict[str, Any]

LEVELS = """
[[games]]
prefix = "kuhn"
game_type = "kuhn_poker"
title = "KUHN"
starting_stack = 40
small_blind = 1
big_blind = 2
tags = ["poker", "heads-up"]
levels = [
    {opponent = "caller", hands = 2, target = 1, baseline_actions = 2},
    {opponent = "caller", hands = 2, target = 1, baseline_actions = 2},
    {opponent = "random", hands = 2, target = 1, baseline_actions = 2},
]

[[games]]
prefix = "hard"
game_type = "kuhn_poker"
title = "HARD"
starting_stack = 40
small_blind = 1
big_blind = 2
levels = [
    {opponent = "caller", hands = 2, target = 1, baseline_actions = 2},
    {opponent = "caller", hands = 2, target = 44, baseline_actions = 2},
]

[[games]]
prefix = "hold"
game_type = "texas-holdem"
title = "HOLD"
starting_stack = 200
small_blind = 1
big_blind = 2
levels = [
    {opponent = "random", hands = 6, target = 1, baseline_actions = 10},
    {opponent = "tight", hands = 2, target = 1, baseline_actions = 4},
]
"""
"""Who checks completes every level of `kuhn`, and fails in the second of `hard`."""
CHECK = 2
KEY = "the-key-of-the-tests"
OTHER_KEY = "another-key-of-the-tests"


class ArcClient:
    """A client of the ARC-AGI-3 API."""

    def __init__(self, http: httpx.AsyncClient, key: str) -> None:
        self._http = http
        self.headers = {"x-api-key": key}

    async def get(self, path: str) -> httpx.Response:
        return await self._http.get(f"/api/{path}", headers=self.headers)

    async def delete(self, path: str) -> httpx.Response:
        return await self._http.delete(f"/api/{path}", headers=self.headers)

    async def post(self, path: str, **body: Any) -> httpx.Response:
        return await self._http.post(f"/api/{path}", json=body, headers=self.headers)

    async def games(self) -> dict[str, Json]:
        """Return the games by their first four letters."""
        listed: list[Json] = (await self.get("games")).json()
        return {game["game_id"][:4]: game for game in listed}

    async def open(self, **fields: Any) -> str:
        card: str = okay(await self.post("scorecard/open", **fields))["card_id"]
        return card

    async def begin(self, game: str, card: str) -> Json:
        return okay(await self.post("cmd/RESET", game_id=game, card_id=card))

    async def reset(self, frame: Json) -> Json:
        named = {"game_id": frame["game_id"], "guid": frame["guid"]}
        return okay(await self.post("cmd/RESET", **named))

    async def act(self, frame: Json, number: int, **fields: Any) -> Json:
        return okay(await self.try_to_act(frame, number, **fields))

    async def try_to_act(self, frame: Json, number: int, **fields: Any) -> httpx.Response:
        """Take an action, whatever the answer is."""
        named = {"game_id": frame["game_id"], "guid": frame["guid"]}
        return await self.post(f"cmd/ACTION{number}", **{**named, **fields})

    async def check_until(self, frame: Json, score: int | None = None) -> Json:
        """Check until the score is reached or the session is over; returns the last frame."""
        while frame["state"] == "NOT_FINISHED" and (score is None or frame["score"] < score):
            frame = await self.act(frame, CHECK)
        return frame

    async def card(self, card: str) -> Json:
        return okay(await self.get(f"scorecard/{card}"))


def okay(response: httpx.Response) -> Json:
    """Return the JSON of an answer that must be 200."""
    assert response.status_code == 200, response.text
    content: Json = response.json()
    return content
