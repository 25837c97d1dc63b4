"""Composition root of the service of matches."""

import asyncio
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from casino_agentkit import (
    AgentClient,
    Caller,
    CardSigner,
    HttpTransport,
    Scheme,
    Service,
    policy_of,
)
from casino_agentkit.authority import is_token, refusal_of
from casino_agentkit.process.key import service_key
from casino_contracts.base import SECRET_FIELDS
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from casino_match import __version__
from casino_match.api_a2a import match_agent
from casino_match.metrics import MatchMetrics
from casino_match.service.beginnings import Beginnings, versions_over
from casino_match.service.matches import Matches
from casino_match.service.planned import Bounds
from casino_match.service.playing import Playing
from casino_match.service.runs import Play, Runs
from casino_match.service.shelf import Shelf
from casino_match.settings import MatchSettings

OPERATOR: Final = Scheme("operatorKey", "the operator key of this service of matches")
SERVICE: Final = "match"
"""Its name in the key that is derived from the operator's."""
SECRET_KEYS = (*SECRET_FIELDS, "arguments")
"""Keys whose values are redacted in logs."""
_SEED_BYTES: Final = 16


def build_app(
    settings: MatchSettings,
    url: str,
    *,
    draw_seed: Callable[[], str] = lambda: secrets.token_hex(_SEED_BYTES),
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    play: Play | None = None,
) -> Service:
    """Return the service at `url`; tests inject seeds, the clock, and what plays a match."""
    policy = policy_of(settings.call_addresses, settings.host, (settings.public_url,))

    def client() -> AgentClient:
        return AgentClient(HttpTransport(policy, tls=settings.client_tls()))

    registry = CollectorRegistry()
    metrics = MatchMetrics(registry)
    shelf = Shelf(settings.matches)
    reading = client()
    playing = Playing(client, settings.processes, now, metrics)
    runs = Runs(play or playing.play, settings.at_once, settings.queued, metrics)
    beginnings = Beginnings(shelf, versions_over(reading), draw_seed, settings.kept)
    bounds = Bounds(settings.decks, settings.longest_wait)
    matches = Matches(shelf, beginnings, runs, bounds)

    async def start() -> None:
        await asyncio.to_thread(shelf.open)

    async def stop() -> None:
        await matches.drain()
        await reading.close()

    return Service(
        {"": match_agent(matches, __version__, _MatchRule(settings.operator_token))},
        public_url=settings.public_url,
        guarded=lambda app: settings.guarded(app, url),
        page_rules=settings.page_rules(url),
        signer=CardSigner.kept_at(settings.signing_key),
        start=start,
        drain=matches.drain,
        stop=stop,
        checks=lambda: {"data directory": shelf.is_there},
        a2a_03=settings.a2a_03,
        registry=registry,
    )


class _MatchRule:
    """Admits callers with this service's key, or with the operator's, from which it is derived.

    Without a key it admits everybody; the service then listens on loopback only.
    """

    scheme = OPERATOR

    def __init__(self, key: SecretStr | None) -> None:
        self._key = service_key(key.get_secret_value(), SERVICE) if key else None

    def admit(self, caller: Caller, message: Any) -> None:  # noqa: ARG002  of every rule
        """Check the caller's key. Raises CommandRefused: UNAUTHORIZED, FORBIDDEN."""
        if self._key is not None and not (
            caller.token and is_token(service_key(caller.token, SERVICE), self._key)
        ):
            raise refusal_of(caller, OPERATOR)
