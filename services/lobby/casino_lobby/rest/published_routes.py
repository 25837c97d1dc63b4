"""REST handlers of published matches and leagues."""

import re
from typing import Final

from casino_contracts import (
    MAX_SAFE,
    League,
    LeagueList,
    LeagueSummary,
    MatchHand,
    MatchList,
    MatchResult,
    MatchSummary,
)
from starlette.requests import Request

from casino_lobby.errors import UnreadableHand
from casino_lobby.problem import ProblemType as P
from casino_lobby.rest.operation import READS, Operation
from casino_lobby.rest.request_reading import (
    IF_MATCH,
    TextParameter,
    WholeParameter,
    invalid,
    path_identifier,
    path_number,
    path_parameter,
)
from casino_lobby.service.match_publishing import Publishing
from casino_lobby.store.publications import ANY_DIGEST

_ENTITY_TAG: Final = re.compile(r'"?(sha256:[0-9a-f]{64})"?')

_AFTER = WholeParameter("after", "The `next` of the page before.", at_least=1, at_most=MAX_SAFE)
_LIMIT = WholeParameter("limit", "Maximum number of entries.", at_least=1, at_most=100, default=50)
_PLAYER = TextParameter("player", "Return only those of the player with this name.", at_most=64)
_OPPONENT = TextParameter(
    "opponent", "Return only those that this player has played in, too.", at_most=64
)
PUBLISHED = ("/v1/matches/", "/v1/leagues/")
"""Paths whose bodies are larger than others."""
_PUT = frozenset({P.INVALID_JSON, P.TOO_MANY_PUBLISHED})


class PublishedHandlers:
    """Handles the operations of matches and leagues."""

    def __init__(self, publishing: Publishing) -> None:
        self._publishing = publishing

    @Operation(
        "listMatches",
        "GET /v1/matches",
        tag="matches",
        who="reader",
        problems=READS,
        parameters=(_PLAYER, _OPPONENT, _AFTER, _LIMIT),
    )
    async def list_matches(self, request: Request) -> MatchList:
        """List matches.

        Returns the published matches, the last published first. If the response has `next`, pass
        it as `after` to get the next page.
        """
        players = {_PLAYER.read(request), _OPPONENT.read(request)} - {None}
        names = sorted(name for name in players if name is not None)
        return await self._publishing.matches(_AFTER.find(request), _LIMIT.read(request), names)

    @Operation(
        "readMatch",
        "GET /v1/matches/{matchId}",
        tag="matches",
        who="reader",
        problems=READS | {P.MATCH_NOT_FOUND},
    )
    async def read_match(self, request: Request) -> MatchResult:
        """Get a match.

        Returns the result as it was published: players, pairs with their intervals, statistics of
        play, and notable hands.
        """
        return await self._publishing.match(path_parameter(request, "matchId"))

    @Operation(
        "readMatchHand",
        "GET /v1/matches/{matchId}/hands/{handNumber}",
        tag="matches",
        who="reader",
        problems=READS | {P.MATCH_NOT_FOUND, P.HAND_NOT_FOUND},
    )
    async def read_match_hand(self, request: Request) -> MatchHand:
        """Get a notable hand of a match.

        Returns the hand as the events that a table would have published, and its record with every
        card. `handNumber` is its place among the match's `notableHands`, from 1.
        """
        match_id, number = path_parameter(request, "matchId"), path_number(request, "handNumber")
        return await self._publishing.match_hand(match_id, number)

    @Operation(
        "publishMatch",
        "PUT /v1/matches/{matchId}",
        tag="matches",
        who="operator",
        problems=_PUT | {P.MATCH_EXISTS},
    )
    async def publish_match(self, request: Request, result: MatchResult) -> MatchSummary:
        """Publish a match.

        Stores the result of a match, which `casino match` writes. Sent again, it is stored once. A
        result with another digest is refused, unless `If-Match` has the digest of the stored one;
        so is one with a notable hand whose history cannot be read.
        """
        match_id = path_identifier(request, "matchId")
        try:
            return await self._publishing.put_match(match_id, result, _expected(request))
        except UnreadableHand as error:
            raise invalid(error.field, error.fault) from error

    @Operation(
        "deleteMatch",
        "DELETE /v1/matches/{matchId}",
        tag="matches",
        who="operator",
        problems={P.MATCH_NOT_FOUND},
    )
    async def delete_match(self, request: Request) -> MatchSummary:
        """Delete a match.

        Removes a published result. Leagues that refer to it stay as they are.
        """
        return await self._publishing.delete_match(path_parameter(request, "matchId"))

    @Operation(
        "listLeagues",
        "GET /v1/leagues",
        tag="matches",
        who="reader",
        problems=READS,
        parameters=(_PLAYER, _AFTER, _LIMIT),
    )
    async def list_leagues(self, request: Request) -> LeagueList:
        """List leagues.

        Returns the published leagues, the last published first. If the response has `next`, pass
        it as `after` to get the next page.
        """
        player = _PLAYER.read(request)
        names = [] if player is None else [player]
        return await self._publishing.leagues(_AFTER.find(request), _LIMIT.read(request), names)

    @Operation(
        "readLeague",
        "GET /v1/leagues/{leagueId}",
        tag="matches",
        who="reader",
        problems=READS | {P.LEAGUE_NOT_FOUND},
    )
    async def read_league(self, request: Request) -> League:
        """Get a league.

        Returns its table, the best first, and how every two of its players have played.
        """
        return await self._publishing.league(path_parameter(request, "leagueId"))

    @Operation(
        "publishLeague", "PUT /v1/leagues/{leagueId}", tag="matches", who="operator", problems=_PUT
    )
    async def publish_league(self, request: Request, league: League) -> LeagueSummary:
        """Publish a league.

        Stores the table of a league, which `casino league` writes, in place of its earlier state.
        """
        return await self._publishing.put_league(path_identifier(request, "leagueId"), league)

    @Operation(
        "deleteLeague",
        "DELETE /v1/leagues/{leagueId}",
        tag="matches",
        who="operator",
        problems={P.LEAGUE_NOT_FOUND},
    )
    async def delete_league(self, request: Request) -> LeagueSummary:
        """Delete a league.

        Removes its table; its matches stay published.
        """
        return await self._publishing.delete_league(path_parameter(request, "leagueId"))


def _expected(request: Request) -> str | None:
    """Return the digest that a new result may replace; raises Problem."""
    text = request.headers.get(IF_MATCH)
    if text is None or text.strip() == ANY_DIGEST:
        return text and ANY_DIGEST
    tag = _ENTITY_TAG.fullmatch(text.strip())
    if tag is None:
        raise invalid(IF_MATCH, "must be the digest of the published match, such as sha256:…, or *")
    return tag[1]
