"""The scorecards that are open, in memory without their runs: what opens one, and their bounds."""

import json
import uuid
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeGuard

from casino_evaluator.domain.scorecard import Scorecard
from casino_evaluator.errors import ErrorName, RequestRefused

MOST_TAGS = 32
LONGEST_TAG = 128
LONGEST_SEED = 128
LONGEST_URL = 2_048
OPAQUE_BYTES = 16_384
OPAQUE_DEPTH = 64
_SHOWN = 64


@dataclass(frozen=True, slots=True)
class Opening:
    """The details of a new scorecard."""

    tags: tuple[str, ...] = ()
    source_url: str | None = None
    opaque: Any = field(default=None, repr=False)
    competition_mode: bool = False
    seed: str | None = None

    @classmethod
    def read(
        cls,
        *,
        tags: Any = None,
        source_url: Any = None,
        opaque: Any = None,
        competition_mode: Any = None,
        seed: Any = None,
    ) -> Self:
        """Check values of JSON, None for absent ones; raises RequestRefused, which names one."""
        if competition_mode is not None and not isinstance(competition_mode, bool):
            raise _refused("competition_mode: must be true or false")
        return cls(
            tags=_tags(tags),
            source_url=_text("source_url", source_url, LONGEST_URL),
            opaque=_opaque(opaque),
            competition_mode=competition_mode is True,
            seed=_text("seed", seed, LONGEST_SEED),
        )


def _tags(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    is_list = isinstance(value, (list, tuple)) and len(value) <= MOST_TAGS
    if not is_list or not all(_is_text(tag, LONGEST_TAG) for tag in value):
        raise _refused(
            f"tags: must be a list of at most {MOST_TAGS} texts of {LONGEST_TAG} characters"
        )
    return tuple(filter(None, value))


def _text(name: str, value: Any, longest: int) -> str | None:
    if value is not None and not _is_text(value, longest):
        raise _refused(f"{name}: must be a text of at most {longest} characters")
    return value


def _is_text(value: Any, longest: int) -> TypeGuard[str]:
    """Return whether it is a text without half a surrogate pair, which UTF-8 cannot hold."""
    if not isinstance(value, str) or len(value) > longest:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _opaque(value: Any) -> Any:
    if not _is_shallow(value, OPAQUE_DEPTH):
        raise _refused(f"opaque: must be nested at most {OPAQUE_DEPTH} levels deep")
    try:
        size = len(json.dumps(value, separators=(",", ":"), allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise _refused("opaque: must be JSON") from error
    if size > OPAQUE_BYTES:
        raise _refused(f"opaque: must have at most {OPAQUE_BYTES} bytes as JSON")
    return value


def _is_shallow(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list)):
        return True
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


def _refused(message: str) -> RequestRefused:
    return RequestRefused(ErrorName.VALIDATION_ERROR, message)


@dataclass(frozen=True, slots=True)
class CardLimits:
    """Bounds of scorecards. A card that is too old or was not used for too long is closed."""

    idle_s: float = 15 * 60
    open_s: float = 24 * 3_600
    per_key: int = 100
    anonymous: int = 10_000
    """Open scorecards of all anonymous keys together."""
    closed_per_key: int = 1_000
    """Closed scorecards that are kept for each key of the settings, the newest."""
    closed_per_anonymous_key: int = 50
    runs: int = 1_000


@dataclass(frozen=True, slots=True)
class OpenCard:
    """What a session must know of its scorecard."""

    card_id: str
    key: str
    seed: str
    """The empty text if its owner chose none."""
    competition_mode: bool


class OpenCards:
    """The open scorecards of all keys.

    `configured` are the ids of the settings' keys: what the others do costs them nothing.
    """

    def __init__(
        self, limits: CardLimits, configured: Container[str], now: Callable[[], float]
    ) -> None:
        self._limits = limits
        self._configured = configured
        self._now = now
        self._cards: dict[str, Scorecard] = {}

    def __iter__(self) -> Iterator[Scorecard]:
        return iter(list(self._cards.values()))

    def get(self, card_id: str) -> Scorecard | None:
        """Return an open card, stale or not."""
        return self._cards.get(card_id)

    def put(self, card: Scorecard) -> None:
        self._cards[card.card_id] = card

    def remove(self, card_id: str) -> None:
        """Take a card out: from here on it takes no command."""
        self._cards.pop(card_id, None)

    def of(self, key: str) -> list[Scorecard]:
        return [card for card in self._cards.values() if card.key == key]

    def used(self, card_id: str, at: float) -> None:
        card = self._cards.get(card_id)
        if card is not None:
            self._cards[card_id] = replace(card, updated_at=at)

    def is_stale(self, card: Scorecard) -> bool:
        now = self._now()
        return (
            now - card.updated_at >= self._limits.idle_s
            or now - card.opened_at >= self._limits.open_s
        )

    def closed_kept(self, key: str) -> int:
        is_configured = key in self._configured
        limits = self._limits
        return limits.closed_per_key if is_configured else limits.closed_per_anonymous_key

    def owned(self, key: str, card_id: str) -> Scorecard | None:
        card = self._cards.get(card_id)
        return None if card is None or card.key != key or self.is_stale(card) else card

    def card_of(self, key: str, card_id: str, game_id: str) -> OpenCard:
        """Return an open scorecard for a command of a game; raises RequestRefused."""
        card = self._cards.get(card_id)
        if card is None or self.is_stale(card):
            raise not_open(game_id)
        if card.key != key:
            raise unknown_card(card_id)
        return OpenCard(card_id, key, card.seed or "", card.competition_mode)

    def admit(self, key: str) -> None:
        """Refuse another card of a key, if it has too many; raises RequestRefused."""
        mine = self.of(key)
        competing = next((card for card in mine if card.competition_mode), None)
        if competing is not None:
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                "cannot open multiple scorecards in competition mode;"
                f" close {competing.card_id} first",
                409,
            )
        if len(mine) >= self._limits.per_key:
            raise RequestRefused(
                ErrorName.RATE_LIMIT_EXCEEDED,
                f"this key has {len(mine)} open scorecards; close one first",
                429,
            )
        if key not in self._configured and self._anonymous() >= self._limits.anonymous:
            raise RequestRefused(
                ErrorName.SERVER_ERROR, "too many scorecards are open; try again later", 503
            )

    def _anonymous(self) -> int:
        return sum(card.key not in self._configured for card in self._cards.values())


def new_card(key: str, opening: Opening, at: float) -> Scorecard:
    return Scorecard(
        card_id=str(uuid.uuid4()),
        key=key,
        opened_at=at,
        updated_at=at,
        tags=opening.tags,
        source_url=opening.source_url,
        opaque=opening.opaque,
        competition_mode=opening.competition_mode,
        seed=opening.seed,
    )


def shown(name: str) -> str:
    return name[:_SHOWN]


def unknown_card(card_id: str) -> RequestRefused:
    return RequestRefused(ErrorName.SERVER_ERROR, f"card_id `{shown(card_id)}` not found", 404)


def not_open(game_id: str) -> RequestRefused:
    return RequestRefused(ErrorName.SERVER_ERROR, f"game {shown(game_id)} not found")
