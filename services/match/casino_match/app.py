"""Composition root of the service of matches, and its A2A interface: the skill `runMatch`."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from casino_agentkit import (
    Agent,
    AgentClient,
    Caller,
    CardSigner,
    HttpTransport,
    IdempotencyCache,
    KeyRule,
    Rule,
    Scheme,
    Service,
    Waits,
)
from casino_agentkit.card_key import CardKey
from casino_agentkit.process.secret_keys import service_key
from casino_contracts import RunMatchInput, RunMatchOutput
from casino_contracts.base import SECRET_FIELDS
from prometheus_client import CollectorRegistry

from casino_match import __version__
from casino_match.players.remote_card import read_version
from casino_match.run.match_start import draw_seed
from casino_match.service.match_folder import MatchFolder, RequestStarter
from casino_match.service.match_queue import MatchMetrics, MatchQueue, MatchWorker, Play
from casino_match.service.matches import Matches
from casino_match.service.requested_match import PlanLimits
from casino_match.settings import MatchSettings

_REPLIES: Final = 64
"""Number of replies that are kept for repeated requests; each may have a whole result."""

OPERATOR: Final = Scheme("operatorKey", "the operator key of this service of matches")
KEY_SETTING: Final = "CASINO_MATCH_OPERATOR_TOKEN"
SECRET_KEYS = (*SECRET_FIELDS, "arguments")
"""Keys whose values are redacted in logs."""


def match_agent(matches: Matches, version: str, who: Rule) -> Agent:
    """Return the agent; `who` authorizes callers. With a `requestId` a call is idempotent."""
    agent = Agent(
        "Matches",
        "Finds out which of several agents plays better: plays No-Limit Hold'em in duplicate by a"
        " plan that is written before the first card, and answers with win rates and intervals.",
        version=version,
        tags=("casino", "match", "evaluation", "poker"),
    )

    @agent.entrypoint("runMatch", who=who, memory=IdempotencyCache(size=_REPLIES))
    async def run_match(request: RunMatchInput) -> RunMatchOutput:
        """Begin a match, resume it, or wait for it; the same plan is the same match."""
        return await matches.run(request)

    return agent


@dataclass(frozen=True)
class _OwnKey(KeyRule):
    """Admits the holders of the match service's key, and of the operator's it follows from."""

    def admit(self, caller: Caller, message: Any) -> None:
        """Check the caller's token. Raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        if caller.token:
            caller = caller._replace(token=service_key(caller.token, "match"))
        super().admit(caller, message)


def build_app(
    settings: MatchSettings,
    url: str,
    *,
    draw_seed: Callable[[], str] = draw_seed,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    play: Play | None = None,
) -> Service:
    """Return the service at `url`; tests inject seeds, the clock, and what plays a match."""
    policy, tls = settings.outgoing(), settings.client_tls()

    def client() -> AgentClient:
        return AgentClient(HttpTransport(policy, tls=tls))

    registry = CollectorRegistry()
    waits = Waits()
    metrics = MatchMetrics(registry, waits)
    folder = MatchFolder(settings.matches)
    reading = client()
    card_key = CardKey.kept_at(settings.signing_key)
    worker = MatchWorker(client, settings.processes, now, metrics, card_key.sealed)
    queue = MatchQueue(play or worker.play, settings.at_once, settings.queued, metrics)
    starter = RequestStarter(folder, partial(read_version, reading), draw_seed, settings.kept)
    bounds = PlanLimits(settings.decks, settings.longest_wait)
    matches = Matches(folder, starter, queue, bounds, waits)
    token = settings.operator_token
    key = service_key(token.get_secret_value(), "match") if token else None

    async def start() -> None:
        await asyncio.to_thread(folder.open)

    async def stop() -> None:
        await matches.drain()
        await reading.close()

    return Service(
        {
            "": match_agent(
                matches, __version__, _OwnKey(OPERATOR, lambda _request: key, KEY_SETTING)
            )
        },
        public_url=settings.public_url,
        guarded=lambda app: settings.guarded(app, url),
        page_rules=settings.page_rules(url),
        signer=CardSigner(card_key),
        start=start,
        drain=matches.drain,
        stop=stop,
        checks=lambda: {"data directory": folder.is_there},
        a2a_03=settings.a2a_03,
        registry=registry,
        waits=waits,
    )
