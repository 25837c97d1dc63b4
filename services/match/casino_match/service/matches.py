"""Run a match for a caller: find it or begin it, let it be played, and say how far it is.

A match that the end of the service has interrupted stays suspended until somebody calls again.
"""

import asyncio
from typing import Final

from casino_agentkit import CommandRefused, Waits
from casino_contracts import Reason, RunMatchInput, RunMatchOutput, Waiting
from casino_contracts.match_results import MatchResult
from casino_contracts.run_match import ERROR_LIMIT

from casino_match.errors import StoreFailed
from casino_match.service.match_folder import LiveMatch, MatchFolder, RequestStarter
from casino_match.service.match_queue import MatchQueue
from casino_match.service.requested_match import (
    PlanLimits,
    RequestedMatch,
    is_match_id,
    requested_match,
)

_MOST_RESULT_BYTES: Final = 700_000
"""Of a reply with the notable hands; clients read replies of up to 1 MiB."""


class Matches:
    """The matches of the service."""

    def __init__(
        self,
        folder: MatchFolder,
        starter: RequestStarter,
        queue: MatchQueue,
        bounds: PlanLimits,
        waits: Waits,
    ) -> None:
        self._waits = waits
        self._folder = folder
        self._starter = starter
        self._queue = queue
        self._bounds = bounds
        self._played: dict[str, LiveMatch] = {}
        """Those that were played since the service started, by id."""
        self._begun: dict[str, asyncio.Task[LiveMatch]] = {}
        """Those that begin at the moment."""
        self._is_draining = False

    async def run(self, request: RunMatchInput) -> RunMatchOutput:
        """Begin or resume a match, wait, and return how far it is; raises CommandRefused."""
        requested = (
            requested_match(request.plan, self._bounds) if request.plan is not None else None
        )
        match_id = _id_of(request, requested)
        try:
            match = await self._current(match_id)
            if match is None:
                match = await self._new(match_id, requested if request.resume else None)
            if not match.is_active and match.status != "complete" and request.resume:
                self._resume(match)
            await match.ended(request.wait_ms / 1000)
            return await self._output(match)
        except StoreFailed as error:
            return RunMatchOutput(
                match_id=match_id, status="failed", decks=0, of=0, error=str(error)[:ERROR_LIMIT]
            )

    async def drain(self) -> None:
        """Suspend all matches; whoever waits gets a reply."""
        self._is_draining = True
        await self._queue.close()

    async def _current(self, match_id: str) -> LiveMatch | None:
        """Return a match that is played, or as it is on disk; raises StoreFailed."""
        played = self._played.get(match_id)
        if played is not None and played.is_active:
            return played
        kept = await asyncio.to_thread(self._folder.find, match_id)
        now = self._played.get(match_id)
        if now is not None and now is not played:  # by another call, meanwhile
            return now
        if kept is None:
            self._played.pop(match_id, None)
            return None
        if now is not None and kept.status != "complete":
            kept.end("failed" if now.status == "failed" else "suspended", now.error)
        self._played[match_id] = kept
        return kept

    async def _new(self, match_id: str, requested: RequestedMatch | None) -> LiveMatch:
        """Return the match of a plan, which calls at the same time begin once."""
        if requested is None:
            raise CommandRefused(
                Reason.MATCH_NOT_FOUND, "No match with this id has begun here: send its plan."
            )
        if match_id not in self._begun:
            self._check_room()
            task = asyncio.create_task(self._starter.begin(requested))
            self._begun[match_id] = task
            task.add_done_callback(lambda done: self._forget(match_id, done))
        match = await asyncio.shield(self._begun[match_id])
        return self._played.setdefault(match_id, match)

    def _forget(self, match_id: str, done: asyncio.Task[LiveMatch]) -> None:
        del self._begun[match_id]
        if not done.cancelled():
            done.exception()  # marks it as retrieved, in case no caller waits

    def _resume(self, match: LiveMatch) -> None:
        self._check_room()
        self._queue.add(match)

    def _check_room(self) -> None:
        if self._is_draining:
            raise CommandRefused(
                Reason.DRAINING, "The service is shutting down; call again when it is back."
            )
        if self._queue.is_full:
            raise CommandRefused(
                Reason.TOO_MANY_MATCHES,
                "As many matches as this service allows are played or wait; call again later.",
            )

    async def _output(self, match: LiveMatch) -> RunMatchOutput:
        result = None
        if match.status == "complete":
            result = _shortened(await asyncio.to_thread(self._folder.result, match))
        plan = match.written.plan
        waiting = self._waits.of(match.match_id)
        waits = tuple(Waiting.of(wait.reason, wait.since) for wait in waiting)
        return RunMatchOutput(
            match_id=match.match_id,
            status=match.status,
            decks=match.decks_played if result is None else result.decks,
            of=plan.deal.decks,
            running=match.estimate if result is None else None,
            plan_digest=plan.digest,
            result=result,
            error=match.error,
            waits=waits or None,
        )


def _id_of(request: RunMatchInput, requested: RequestedMatch | None) -> str:
    match_id = request.match_id
    if match_id is not None and not is_match_id(match_id):
        raise CommandRefused(
            Reason.MATCH_NOT_FOUND, "matchId is no id of a match: replies to runMatch have it."
        )
    if requested is None:
        return match_id or ""
    if match_id not in {None, requested.match_id}:
        raise CommandRefused(
            Reason.INVALID_PLAN,
            f"The plan is that of {requested.match_id}, not of matchId: leave one of them out.",
        )
    return requested.match_id


def _shortened(result: MatchResult) -> MatchResult:
    """Return a result without its notable hands if a reply could not hold them."""
    if len(result.wire()) <= _MOST_RESULT_BYTES:
        return result
    return result.model_copy(update={"notable_hands": ()})
