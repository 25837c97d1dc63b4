"""The commands of a session that an evaluator accepts, and its assessments; and matches."""

import json
from pathlib import Path
from typing import Final

import httpx
from accepted.calls import KEY, Accepted, Around, Example
from support.attack.large_calls import NUMBER, PAD, Call, Victim, padded

_CLICK: Final = 6
_CARD: Final = "@card@".ljust(36, "@")
"""A text of calls, as long as what replaces it."""


def of_evaluator(target: Victim, around: Around) -> Accepted:
    """Return the commands of a session, and assessments of the sample player."""
    http = httpx.Client(base_url=target.url, trust_env=False, timeout=60)
    key = http.get("/api/games/anonkey").json()["api_key"]
    http.headers["X-API-Key"] = key
    names = [game["game_id"] for game in http.get("/api/games").json()]
    game = next(name for name in names if name.startswith("hold"))

    def opened() -> str:
        card: str = http.post("/api/scorecard/open", json={}).raise_for_status().json()["card_id"]
        return card

    card = opened()
    reset = {"game_id": game, "card_id": card}
    began = http.post("/api/cmd/RESET", json=reset).raise_for_status().json()
    of_session = {"game_id": game, "guid": began["guid"]}
    reasoned = {**of_session, "reasoning": "x" * 16_000, "pad": PAD}
    clicked = {**reasoned, "x": 1, "y": 1}

    def going(reply: bytes) -> dict[str, str]:
        if not reply or json.loads(reply).get("state") != "NOT_FINISHED":
            http.post("/api/cmd/RESET", json=of_session).raise_for_status()
        return {}

    def rescinded(reply: bytes) -> dict[str, str]:
        if reply:
            http.delete(f"/api/scorecard/{json.loads(reply)['card_id']}").raise_for_status()
        return {}

    def a_card(_reply: bytes) -> dict[str, str]:
        return {_CARD: opened()}

    routes = [
        Call("POST", "/api/cmd/RESET", padded(reasoned)),
        *(
            Call(
                "POST",
                f"/api/cmd/ACTION{number}",
                padded(clicked if number == _CLICK else reasoned),
                renew=going,
            )
            for number in range(1, 8)
        ),
        Call(
            "POST",
            "/api/scorecard/open",
            padded({"opaque": "x" * 16_000, "pad": PAD}),
            renew=rescinded,
        ),
        Call(
            "POST",
            "/api/scorecard/close",
            padded({"card_id": _CARD, "pad": PAD}),
            renew=a_card,
        ),
        Call("DELETE", f"/api/scorecard/{_CARD}", padded({"pad": PAD}), renew=a_card),
        Call("POST", f"/api/scorecard/{card}/heartbeat", padded({"pad": PAD})),
        *(
            Call("GET", path, padded({"pad": PAD}))
            for path in (
                "/api/games",
                f"/api/games/{game}",
                f"/api/cmd/{began['guid']}/observation",
                f"/api/scorecard/{card}",
                f"/api/scorecard/{card}/{game}",
                "/api/scorecards",
                f"/api/replay/{began['guid']}",
            )
        ),
    ]
    for call in routes:
        call.headers["X-API-Key"] = key
    kuhn = next(name for name in names if name.startswith("kuhn"))
    assessment = {
        "participants": {"alice": around.players.cards[0]},
        "config": {"games": [kuhn], "levels": 1, "seed": "bench"},
    }
    never = {"evaluate over invoke": "an assessment is a task, which invoke does not have"}
    return Accepted({"evaluate": Example(assessment)}, routes=routes, never=never)


def levels_file(folder: Path) -> Path:
    """Write levels for the evaluator: long ones, and quick ones; returns the file."""
    level = 'levels = [{{opponent = "caller", hands = {}, target = 1, baseline_actions = 2}}]\n'
    game = 'title = "{}"\nstarting_stack = 400\nsmall_blind = 1\nbig_blind = 2\n'
    text = "".join(
        f'[[games]]\nprefix = "{prefix}"\ngame_type = "{kind}"\n'
        + game.format(prefix.upper())
        + level.format(hands)
        for prefix, kind, hands in (("hold", "texas-holdem", 998), ("kuhn", "kuhn_poker", 2))
    )
    path = folder / "levels.toml"
    path.write_text(text)
    return path


def of_match(_target: Victim, around: Around) -> Accepted:
    """Return a match that is played, and one that each call begins."""
    players = [{"player": "style:tight"}, {"player": around.players.cards[0]}]
    deal = {"seed": "bench", "decks": 2, "decksPerBlock": 2}
    plan = {"name": NUMBER, "players": players, "deal": deal}
    return Accepted({"runMatch": Example({"plan": plan, "waitMs": 60_000}, KEY)})
