"""Query parameters of lists of hands: order, place, and which hands."""

from dataclasses import dataclass
from typing import get_args

from casino_agentkit import Violation
from casino_contracts import HandKind
from starlette.requests import Request

from casino_lobby.problem import Problem
from casino_lobby.problem_types import ProblemType
from casino_lobby.rest.parameters import ChoiceParameter, TextParameter, WholeParameter
from casino_lobby.store import HandFilter, HandKey, Rank, RankedKey, StoredHand

_NUMBER = "[0-9]{1,16}"
_AFTER = TextParameter(
    name="after",
    description="Return only hands after this position: the `next` of the previous page.",
    at_most=60,
    pattern=rf"^{_NUMBER}\.{_NUMBER}(\.{_NUMBER})?$",
)
HANDS_LIMIT = WholeParameter(
    name="limit", description="Maximum number of hands.", at_least=1, at_most=1_000, default=100
)
_ORDER = ChoiceParameter(
    name="order",
    description="Sort order of the hands, unless `sort` is set.",
    choices=("oldest", "newest"),
    default="oldest",
)
_SORT = ChoiceParameter(
    name="sort",
    description="Sort the newest first, or those with the highest score or pot. A hand without a"
    " pot (of a game that has none) is left out of the list that is sorted by it.",
    choices=("newest", "score", "pot"),
)
_PLAYER = TextParameter(
    name="player", description="Return only hands in which the player with this id was dealt in."
)
_KIND = ChoiceParameter(
    name="kind", description="Return only hands of this kind.", choices=get_args(HandKind)
)
_SINCE = TextParameter(
    name="since",
    description="Return only hands from this one on: its epoch and number, such as `1.250`.",
    at_most=40,
    pattern=rf"^{_NUMBER}\.{_NUMBER}$",
)
PARAMETERS = (_AFTER, HANDS_LIMIT, _ORDER, _SORT, _PLAYER, _KIND, _SINCE)

_BY: dict[str, Rank] = {rank: rank for rank in get_args(Rank)}
_KINDS: dict[str, HandKind] = {kind: kind for kind in get_args(HandKind)}


@dataclass(frozen=True)
class HandChoice:
    """Which hands a request wants; `by` is None in the order of play."""

    by: Rank | None
    newest_first: bool
    after: HandKey | RankedKey | None
    limit: int
    among: HandFilter

    @classmethod
    def of(cls, request: Request) -> "HandChoice":
        """Read the parameters; raises Problem."""
        sort = _SORT.read(request)
        by = _BY.get(sort or "")
        after, since = _numbers(_AFTER.read(request)), _numbers(_SINCE.read(request))
        if after is not None and len(after) != (2 if by is None else 3):
            message = "must be the `next` of a page with the same sort"
            raise Problem(
                ProblemType.INVALID_REQUEST,
                f"after {message}.",
                (Violation("after", message),),
            )
        return cls(
            by,
            (sort or _ORDER.read(request)) == "newest",
            _place(after),
            HANDS_LIMIT.read(request),
            HandFilter(
                _PLAYER.read(request),
                _KINDS.get(_KIND.read(request) or ""),
                None if since is None else HandKey(*since),
            ),
        )

    def place_of(self, hand: StoredHand) -> str:
        """Return the position of a hand as `after` takes it."""
        place = hand.key if self.by is None else hand.ranked(self.by)
        return ".".join(map(str, place))


def _numbers(text: str | None) -> list[int] | None:
    return None if text is None else [int(number) for number in text.split(".")]


def _place(after: list[int] | None) -> HandKey | RankedKey | None:
    if after is None:
        return None
    return RankedKey(*after) if len(after) == 3 else HandKey(*after)  # noqa: PLR2004
