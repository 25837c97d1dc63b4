"""Scorecards of participants: kept for a caller with an API key, made for any other."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from uuid import uuid4

from casino_evaluator.domain.scorecard import Card, Run
from casino_evaluator.domain.scorecard_summary import summary

Json = dict[str, Any]
_TAG = "assessment"


class CallerKeys(Protocol):
    """The API keys, as far as this needs them."""

    def who(self, api_key: str | None) -> str | None:
        """Return the id of a key, None if it is unknown."""
        ...


class KeptCards(Protocol):
    """The scorecards of keys, as far as this needs them."""

    async def played(self, key: str, runs: Sequence[Run], **details: Any) -> Card:
        """Keep runs as a closed scorecard with details of `Opening`. Raises StoreFailed."""
        ...


class ParticipantCards:
    """Makes one scorecard for each participant; its tags are `assessment` and the role."""

    def __init__(
        self, keys: CallerKeys, cards: KeptCards, now: Callable[[], float] = time.time
    ) -> None:
        self._keys = keys
        self._cards = cards
        self._now = now

    async def made(self, token: str, role: str, seed: str, runs: Sequence[Run]) -> Json:
        """Return the summary of a scorecard. Raises StoreFailed."""
        tags, kept_seed = (_TAG, role), seed or None
        key = self._keys.who(token) if token else None
        if key is not None:
            return summary(await self._cards.played(key, runs, tags=tags, seed=kept_seed))
        at = self._now()
        return summary(
            Card(
                card_id=str(uuid4()),
                key="",
                opened_at=at,
                updated_at=at,
                closed_at=at,
                tags=tags,
                seed=kept_seed,
                runs=tuple(runs),
            )
        )
