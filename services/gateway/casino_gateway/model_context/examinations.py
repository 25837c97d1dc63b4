"""Examinations of models at an evaluator, over its REST interface: observations and actions."""

import re
from typing import Any, Final

import httpx
from casino_lobby_client.errors import CallRefused, LobbyAway

from casino_gateway.model_context.mcp_messages import ExamAction, ExamReport, Json

_EXAM: Final = re.compile(r"([a-z0-9-]{1,64})/([0-9a-f-]{36})")
_WAIT: Final = 7
"""The action that waits while an opponent thinks."""
_CLICK: Final = 6


class Examinations:
    """Examinations of this gateway's guests; `http` has the evaluator's address.

    All methods raise CallRefused in the evaluator's words, or LobbyAway.
    """

    def __init__(self, http: httpx.AsyncClient, key: str | None) -> None:
        self._http = http
        self._key = key

    async def begin(self, game: str) -> ExamReport:
        """Begin an examination, named by its game or the first four letters of it."""
        offered = await self._call("GET", "/api/games")
        ids = [one["game_id"] for one in offered if game in {one["game_id"], one["game_id"][:4]}]
        if not ids:
            games = ", ".join(f"{one['game_id'][:4]} ({one['title']})" for one in offered)
            raise CallRefused("UNKNOWN_EXAMINATION", f"There are: {games}.", 404)
        card = (await self._call("POST", "/api/scorecard/open", {}))["card_id"]
        order = {"game_id": ids[0], "card_id": card}
        begun = await self._call("POST", "/api/cmd/RESET", order)
        return await self._observed(f"{ids[0]}/{begun['guid']}")

    async def act(self, exam: str, action: int) -> ExamReport:
        """Take an action by its number; 0 only looks."""
        named = _EXAM.fullmatch(exam)
        if named is None:
            raise CallRefused("UNKNOWN_EXAMINATION", "exam must be what examine returned.", 404)
        if action:
            order = {"game_id": named[1], "guid": named[2]}
            await self._call("POST", f"/api/cmd/ACTION{action}", order)
        return await self._observed(exam)

    async def _observed(self, exam: str) -> ExamReport:
        seen = await self._call("GET", f"/api/cmd/{exam.rpartition('/')[2]}/observation")
        moment = seen["moment"] or {}
        actions = [
            ExamAction(number=one["number"], label=one["label"], action=one["action"])
            for one in moment.get("actions", ())
            if one["number"] != _CLICK
        ]
        if _WAIT in seen["available_actions"]:
            actions.append(ExamAction(number=_WAIT, label="wait while the opponent thinks"))
        is_over = seen["state"] != "NOT_FINISHED"
        card = await self._call("GET", f"/api/scorecard/{seen['card_id']}") if is_over else {}
        return ExamReport(
            exam=exam,
            game=moment.get("game_type", ""),
            result=seen["state"],
            level=seen["level"],
            levels=seen["win_score"],
            completed=seen["score"],
            standing=moment.get("standing") or {},
            state=moment.get("state"),
            actions=actions,
            score=card.get("score"),
            next="The examination is over: `score` is its result."
            if is_over
            else "Call examine with this exam and the number of one of actions.",
        )

    async def _call(self, method: str, path: str, body: Json | None = None) -> Any:
        try:
            if self._key is None:
                answer = await self._http.get("/api/games/anonkey")
                self._key = answer.json().get("api_key")
            headers = {"x-api-key": self._key or ""}
            answer = await self._http.request(method, path, json=body, headers=headers)
            said = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise LobbyAway("the evaluator does not answer") from error
        if not answer.is_success:
            reason, message = said.get("error", "REFUSED"), said.get("message", "")
            raise CallRefused(str(reason), f"{message}.", answer.status_code)
        return said
