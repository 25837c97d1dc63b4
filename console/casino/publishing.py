"""Publish matches and leagues at a lobby, and the links to the lobby's page."""

import re
from typing import Final
from urllib.parse import quote

from casino_agentkit.protocol import BODY_LIMIT
from casino_contracts.match_results import (
    League,
    LeagueSummary,
    MatchPair,
    MatchResult,
    MatchSummary,
)
from casino_lobby_client.errors import CallFailed
from casino_lobby_client.lobby_client import segment

from casino.lobby_api import LobbyApi

_DIGEST_DIGITS: Final = 12
_LONGEST_NAME: Final = 64
_FEWEST_POINTS: Final = 10
_EVERY: Final = "*"


def match_id_of(result: MatchResult) -> str:
    """Return a match's id at a lobby, which follows from its name and digest alone."""
    digest = result.digest.removeprefix("sha256:")[:_DIGEST_DIGITS]
    return f"{_plain(result.name) or 'match'}-{digest}"


def league_id_of(league: League) -> str:
    return _plain(league.name) or "league"


async def publish_match(
    api: LobbyApi, result: MatchResult, match_id: str | None = None, *, replaces: bool = False
) -> MatchSummary:
    """Publish a result; another one with the id is refused unless `replaces`. Raises CallFailed."""
    path = f"/v1/matches/{segment(match_id or match_id_of(result))}"
    headers = {"If-Match": _EVERY} if replaces else {}
    return await api.put(path, small_enough(result), MatchSummary, headers)


async def publish_league(
    api: LobbyApi, league: League, league_id: str | None = None
) -> LeagueSummary:
    """Publish a table in place of its earlier state; raises CallFailed."""
    path = f"/v1/leagues/{segment(league_id or league_id_of(league))}"
    return await api.put(path, league, LeagueSummary)


def small_enough(result: MatchResult, most_bytes: int = BODY_LIMIT) -> MatchResult:
    """Return a result that a lobby takes, with fewer points if need be; raises CallFailed."""
    while len(result.wire()) > most_bytes:
        points = max(len(pair.series) for pair in result.pairs)
        if points <= _FEWEST_POINTS:
            raise CallFailed(f"the result of {result.name} is larger than {most_bytes} bytes")
        pairs = tuple(_thinned(pair) for pair in result.pairs)
        result = result.model_copy(update={"pairs": pairs})
    return result


def _thinned(pair: MatchPair) -> MatchPair:
    """Return a pair with every second point of its course, the last one included."""
    return pair.model_copy(update={"series": pair.series[::-2][::-1]})


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_LONGEST_NAME]


def room_link(lobby: str, room_id: str) -> str:
    """Return the link to a room.

    >>> room_link("http://127.0.0.1:4000/", "a/b")
    'http://127.0.0.1:4000/rooms/a%2Fb'
    """
    return f"{lobby.rstrip('/')}/rooms/{quote(room_id, safe='')}"


def hand_link(lobby: str, room_id: str, number: int, epoch: int | None = None) -> str:
    """Return the link to the replay of a hand; without an epoch it is the newest one.

    >>> hand_link("http://127.0.0.1:4000", "main", 17, 2)
    'http://127.0.0.1:4000/rooms/main/hands/17?epoch=2'
    """
    query = "" if epoch is None else f"?epoch={epoch}"
    return f"{room_link(lobby, room_id)}/hands/{number}{query}"


def match_link(lobby: str, match_id: str) -> str:
    """Return the link to a published match.

    >>> match_link("http://127.0.0.1:4000", "equity-tight-9c1d")
    'http://127.0.0.1:4000/#/matches/equity-tight-9c1d'
    """
    return f"{lobby.rstrip('/')}/#/matches/{quote(match_id, safe='')}"


def league_link(lobby: str, league_id: str) -> str:
    """Return the link to a published league.

    >>> league_link("http://127.0.0.1:4000/", "styles")
    'http://127.0.0.1:4000/#/leagues/styles'
    """
    return f"{lobby.rstrip('/')}/#/leagues/{quote(league_id, safe='')}"
