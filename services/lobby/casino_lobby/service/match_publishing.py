"""Published matches and leagues: what operators put, and everybody may read.

Notable hands are parsed when a match is published, and shown as events. Their texts are foreign:
what is kept of a hand is what its text was parsed to.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Literal, TypeVar

from casino_agentkit import CommandRefused
from casino_contracts import (
    Interval,
    League,
    LeagueList,
    LeagueSummary,
    MatchHand,
    MatchList,
    MatchPair,
    MatchResult,
    MatchSummary,
    NotableHand,
    PairSummary,
    Reason,
    TableEvent,
    WireModel,
)
from casino_histories import HandHistory, HistoryError, all_read
from casino_histories.as_events import EventsOfHand
from casino_histories.phh import read_phhs
from pydantic import TypeAdapter

from casino_lobby.errors import UNREADABLE, StoreFailed, TooManyPublications, UnreadableHand
from casino_lobby.store import Store
from casino_lobby.store.publications import ANY_DIGEST, Publication, PublicationKind

_EPOCH = 1
_UNDATED = "2000-01-01T00:00:00Z"

ModelT = TypeVar("ModelT", bound=WireModel)
_PAGE_BYTES = 512 * 1024
_NOT_FOUND = {"match": Reason.MATCH_NOT_FOUND, "league": Reason.LEAGUE_NOT_FOUND}


@dataclass(frozen=True)
class _KeptHand:
    deck: int
    seating: int
    kind: Literal["biggest", "decisive"]
    at: str
    hand: HandHistory


_KEPT: Final = TypeAdapter(list[_KeptHand])


def kept_hands(match_id: str, result: MatchResult) -> str:
    """Return what is kept of the notable hands of a match, as JSON; raises UnreadableHand."""
    kept = []
    for number, notable in enumerate(result.notable_hands, 1):
        try:
            parsed = _parsed(notable, result)
            _shown(match_id, number, parsed)
        except (HistoryError, ValueError) as error:
            raise UnreadableHand(f"notableHands.{number - 1}.history", str(error)) from error
        kept.append(parsed)
    return _KEPT.dump_json(kept).decode()


def kept_hand(match_id: str, number: int, kept: str) -> MatchHand:
    """Count from 1. Raises ValueError, CommandRefused: HAND_NOT_FOUND."""
    hands = _KEPT.validate_json(kept)
    if number > len(hands):
        raise CommandRefused(
            Reason.HAND_NOT_FOUND, f"The match {match_id} has {len(hands)} notable hands."
        )
    return _shown(match_id, number, hands[number - 1])


def _parsed(notable: NotableHand, result: MatchResult) -> _KeptHand:
    """Return a hand whose history has no other; raises HistoryError, ValueError."""
    (hand,) = all_read(read_phhs(notable.history))
    at = result.finished_at or _UNDATED
    return _KeptHand(notable.deck, notable.seating, notable.kind, at, hand)


def _shown(match_id: str, number: int, kept: _KeptHand) -> MatchHand:
    """May raise ValueError for what no event can say."""
    described = EventsOfHand(kept.hand, number)
    events = tuple(
        TableEvent(
            table_id=match_id,
            event_type=kind,
            message=message,
            timestamp=kept.at,
            payload=payload,
            sequence=sequence,
            epoch=_EPOCH,
            hand_id=f"{match_id}/{number}",
        )
        for sequence, (kind, message, payload) in enumerate(described.events(), 1)
    )
    return MatchHand(
        match_id=match_id,
        hand_number=number,
        deck=kept.deck,
        seating=kept.seating,
        kind=kept.kind,
        events=events,
        record=described.record(match_id, _EPOCH),
    )


def match_summary(match_id: str, result: MatchResult, published_at: str) -> MatchSummary:
    return MatchSummary(
        match_id=match_id,
        name=result.name,
        digest=result.digest,
        decks=result.decks,
        hands=result.hands,
        is_complete=result.is_complete,
        players=tuple(player.name for player in result.players),
        pairs=tuple(map(_pair_summary, result.pairs)),
        published_at=published_at,
        finished_at=result.finished_at,
    )


def league_summary(league_id: str, league: League, published_at: str) -> LeagueSummary:
    first = [entry.name for entry in league.players if entry.rank == entry.worst_rank == 1]
    return LeagueSummary(
        league_id=league_id,
        name=league.name,
        players=len(league.players),
        hands=sum(pair.hands for pair in league.matrix),
        leader=first[0] if len(first) == 1 else None,
        published_at=published_at,
    )


def _pair_summary(pair: MatchPair) -> PairSummary:
    headline = [entry for entry in pair.estimates if entry.estimator == pair.headline]
    rate, interval = 0.0, pair.simultaneous
    if headline:
        rate = headline[0].bb_per_100
        interval = interval or headline[0].bootstrap or headline[0].normal
    return PairSummary(
        first=pair.first,
        second=pair.second,
        estimator=pair.headline,
        bb_per_100=rate,
        interval=interval and Interval(low=interval.low, high=interval.high),
        verdict=pair.verdict,
        sentence=pair.sentence,
    )


class Publishing:
    """Puts, lists, reads and deletes results; `now` is the wall clock.

    Every method raises StoreFailed, and those of single results CommandRefused: MATCH_NOT_FOUND,
    LEAGUE_NOT_FOUND.
    """

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now

    async def put_match(self, match_id: str, result: MatchResult, over: str | None) -> MatchSummary:
        """Publish a match; it replaces one with the digest `over`, and an earlier copy of itself.

        Its notable hands are parsed here, and never again. Raises UnreadableHand, CommandRefused:
        MATCH_EXISTS, TOO_MANY_PUBLISHED.
        """
        hands = await asyncio.to_thread(kept_hands, match_id, result)
        summary = match_summary(match_id, result, self._time())
        publication = Publication(
            "match", match_id, result.digest, _json(summary), _json(result), summary.players, hands
        )
        there = await self._put(publication, over)
        if there is not None:
            raise CommandRefused(
                Reason.MATCH_EXISTS,
                f"The match {match_id} is published with the digest {there}. Choose another id, or"
                " send this digest in If-Match to replace it.",
            )
        return summary

    async def put_league(self, league_id: str, league: League) -> LeagueSummary:
        """Replace its earlier state. Raises CommandRefused: TOO_MANY_PUBLISHED."""
        summary = league_summary(league_id, league, self._time())
        content = _json(league)
        digest = f"sha256:{sha256(content.encode()).hexdigest()}"
        players = tuple(entry.name for entry in league.players)
        publication = Publication("league", league_id, digest, _json(summary), content, players)
        await self._put(publication, ANY_DIGEST)
        return summary

    async def match(self, match_id: str) -> MatchResult:
        return self._read(MatchResult, await self._find("match", match_id))

    async def match_hand(self, match_id: str, number: int) -> MatchHand:
        """They count from 1. Raises CommandRefused: HAND_NOT_FOUND, MATCH_NOT_FOUND."""
        stored = await self._find("match", match_id)
        try:
            return kept_hand(match_id, number, stored.hands)
        except UNREADABLE as error:
            self._store.unreadable.note("publication", f"{match_id} {number}", error)
            raise StoreFailed(f"hand {number} of the match {match_id} cannot be read") from error

    async def league(self, league_id: str) -> League:
        return self._read(League, await self._find("league", league_id))

    async def matches(
        self, after: int | None, limit: int, players: Sequence[str] = ()
    ) -> MatchList:
        summaries, following = await self._page(MatchSummary, "match", after, limit, players)
        return MatchList(matches=tuple(summaries), next=following)

    async def leagues(
        self, after: int | None, limit: int, players: Sequence[str] = ()
    ) -> LeagueList:
        summaries, following = await self._page(LeagueSummary, "league", after, limit, players)
        return LeagueList(leagues=tuple(summaries), next=following)

    async def delete_match(self, match_id: str) -> MatchSummary:
        return await self._delete(MatchSummary, await self._find("match", match_id))

    async def delete_league(self, league_id: str) -> LeagueSummary:
        """Its matches stay published."""
        return await self._delete(LeagueSummary, await self._find("league", league_id))

    async def _put(self, publication: Publication, over: str | None) -> str | None:
        try:
            return await self._store.published.put(publication, over)
        except TooManyPublications as full:
            raise CommandRefused(
                Reason.TOO_MANY_PUBLISHED,
                f"This lobby keeps at most {full.most} of them; delete some, such as old ones.",
            ) from full

    async def _find(self, kind: PublicationKind, publication_id: str) -> Publication:
        stored = await self._store.published.get(kind, publication_id)
        if stored is None:
            raise _missing(kind, publication_id)
        return stored

    async def _delete(self, model: type[ModelT], stored: Publication) -> ModelT:
        """Delete a result, return its summary; StoreFailed if that cannot be read."""
        if not await self._store.published.delete(stored.kind, stored.publication_id):
            raise _missing(stored.kind, stored.publication_id)  # by another request meanwhile
        return self._read(model, stored, stored.summary)

    def _read(self, model: type[ModelT], stored: Publication, content: str | None = None) -> ModelT:
        """Return a stored message; raises StoreFailed for what cannot be read."""
        try:
            return model.model_validate_json(stored.content if content is None else content)
        except UNREADABLE as error:
            self._store.unreadable.note("publication", stored.publication_id, error)
            raise StoreFailed(
                f"the {stored.kind} {stored.publication_id} cannot be read"
            ) from error

    async def _page(
        self,
        model: type[ModelT],
        kind: PublicationKind,
        after: int | None,
        limit: int,
        players: Sequence[str] = (),
    ) -> tuple[list[ModelT], int | None]:
        """Return a page (a shorter one of large entries) and where the next begins."""
        listed = await self._store.published.page(kind, after, limit + 1, players)
        summaries: list[ModelT] = []
        room = _PAGE_BYTES
        for place, entry in enumerate(listed[:limit]):
            room -= len(entry.summary)
            if room < 0 and place:
                return summaries, listed[place - 1].position
            try:
                summaries.append(model.model_validate_json(entry.summary))
            except UNREADABLE as error:
                self._store.unreadable.note("publication", entry.publication_id, error)
        return summaries, listed[limit - 1].position if len(listed) > limit else None

    def _time(self) -> str:
        now = self._now().astimezone(UTC)
        return now.isoformat(timespec="seconds").replace("+00:00", "Z")


def _json(message: WireModel) -> str:
    return message.wire().decode()


def _missing(kind: PublicationKind, publication_id: str) -> CommandRefused:
    return CommandRefused(_NOT_FOUND[kind], f"No {kind} {publication_id} is published here.")
