"""Moments of an attempt, from questions and notices in whatever order these come. Pure.

Questions of one hand come in the order of play. Notices come beside play: late, twice or never. So
a moment is made only once everything before it is known; the same questions and results always
make the same moments, in the same order. Ids in them are stable, because the lobby's player ids
differ from room to room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from casino_evaluator.domain.evaluation_session import LevelStanding, Moment
from casino_evaluator.domain.levels import ExaminedGame

Json = dict[str, Any]
CANDIDATE = "candidate"
OPPONENT = "opponent"


class LevelEnd(StrEnum):
    """How an attempt ended."""

    COMPLETED = "completed"
    """The last hand was played, or one of the two has no chips left, and the target is reached."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class HandPlayed:
    """What one hand of a level brought the candidate, in chips."""

    number: int
    net: int


@dataclass(frozen=True, slots=True)
class LevelProgress:
    """What happened since the last call."""

    moments: tuple[Moment, ...]
    """In order, one for each question to the opponent and each end of a hand; the last one is the
    candidate's decision, the end of the level, or the newest moment while the opponent thinks."""
    end: LevelEnd | None = None


@dataclass(frozen=True, slots=True)
class AgentLevel:
    """A level that an A2A agent has played."""

    end: LevelEnd
    actions: int
    """Decisions of the agent."""
    not_own: int
    """Decisions that it did not make: time-outs, refused answers, unreachable, defaults."""
    hands: tuple[HandPlayed, ...]
    state: Json = field(repr=False)
    """The public state at the end of the last hand."""
    opponent_defaults: int = 0
    """Decisions that the opponent did not make."""


def renamed(value: Any, ids: Mapping[str, str]) -> Any:
    """Return a JSON value with ids replaced, in texts and keys.

    >>> renamed({"scores": {"player-1": 3}, "winner": "player-1"}, {"player-1": "candidate"})
    {'scores': {'candidate': 3}, 'winner': 'candidate'}
    """
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, Mapping):
        return {ids.get(key, key): renamed(inner, ids) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(inner, ids) for inner in value]
    return value


def third_parties(public: Json) -> list[str]:
    """Return the players of a public state, after `renamed`, that are neither of the two."""
    players = public.get("players")
    if not isinstance(players, list):
        return []
    ids = [player.get("player_id") for player in players if isinstance(player, dict)]
    return [str(player_id) for player_id in ids if player_id not in {CANDIDATE, OPPONENT}]


@dataclass(frozen=True, slots=True)
class _Question:
    """A question to one of the two; `request_id` and `private` of the candidate's only."""

    public: Json
    request_id: str | None = None
    private: Json | None = None
    offers: tuple[Json, ...] = ()


@dataclass(slots=True)
class _RecordedHand:
    """What is known of one hand."""

    questions: list[_Question] = field(default_factory=list)
    made: int = 0
    """How many of `questions` are moments already."""
    private: Json | None = None
    """The candidate's newest private state of a moment, else the one at the deal."""
    result: Json | None = None


class Recorder:
    """Makes one attempt's moments, with `stable_ids`; `least` is the smallest stack dealt in."""

    def __init__(self, game: ExaminedGame, level: int, *, least: int, has_opponent: bool) -> None:
        self._game = game
        self._rules = game.levels[level - 1]
        self._least = least
        self._has_opponent = has_opponent
        self._level = level
        self._stacks = [game.starting_stack, game.starting_stack if has_opponent else 0]
        self._hands: dict[int, _RecordedHand] = {}
        self._fresh: list[Moment] = []
        self.newest: Moment | None = None
        self.end: LevelEnd | None = None
        self.played: list[HandPlayed] = []
        self.open: str | None = None
        """The request id of the candidate's decision that is to be made."""
        self.fault: str | None = None
        """Why the level is lost."""

    @property
    def is_settled(self) -> bool:
        """Whether the candidate is to decide, or the level is over."""
        return self.open is not None or self.end is not None

    @property
    def is_blocked(self) -> bool:
        """Whether a notice is awaited, without which nothing more can be shown."""
        current = len(self.played) + 1
        hand = self._hands.get(current)
        return self.end is None and (
            any(number > current for number in self._hands)
            or (hand is not None and (hand.made < len(hand.questions) or hand.result is not None))
        )

    def dealt(self, number: int, private: Json) -> None:
        hand = self._hand(number)
        if hand is not None and hand.private is None:
            hand.private = private
            self._make()

    def asked_opponent(self, number: int, public: Json) -> None:
        self._ask(number, _Question(public))

    def asked_candidate(
        self, number: int, request_id: str, state: Json, offers: Sequence[Json]
    ) -> None:
        private = state.get("private") or {}
        self._ask(number, _Question(state.get("public") or {}, request_id, private, tuple(offers)))

    def over(self, number: int, result: Json, private: Json | None = None) -> None:
        """Take a hand's result, and the candidate's own private state at its end if it is known."""
        hand = self._hand(number)
        if hand is None:
            return
        hand.result = hand.result or result
        if hand.private is None:
            hand.private = private
        self._make()

    def answered(self) -> None:
        """Note that the candidate has decided; what comes from now on is new."""
        self.open = None
        self._fresh.clear()

    def lose(self, why: str) -> None:
        self.fault = self.fault or why

    def take(self) -> LevelProgress:
        """Return what is new since the last call, or the newest moment again."""
        moments, self._fresh = tuple(self._fresh), []
        return LevelProgress(moments, self.end) if moments else self.now

    @property
    def now(self) -> LevelProgress:
        if self.newest is None:
            return LevelProgress((), self.end)
        is_open = self.open is not None
        return LevelProgress(
            (self.newest if is_open else replace(self.newest, offers=()),), self.end
        )

    # Within.

    def _hand(self, number: int) -> _RecordedHand | None:
        if self.end is not None or number <= len(self.played):
            return None
        return self._hands.setdefault(number, _RecordedHand())

    def _ask(self, number: int, question: _Question) -> None:
        if unknown := third_parties(question.public):
            self.lose(f"somebody else sits in the room: {unknown[0]:.64}")
        hand = self._hand(number)
        if hand is None:
            self.lose(f"hand {number} is asked about after its end")
            return
        hand.questions.append(question)
        self._make()

    def _make(self) -> None:
        while self.end is None:
            number = len(self.played) + 1
            hand = self._hands.get(number)
            if hand is None:
                return
            while hand.made < len(hand.questions):
                if not self._make_asked(number, hand):
                    return
            if hand.result is None or hand.private is None:
                return
            self._make_over(number, hand, hand.result)

    def _make_asked(self, number: int, hand: _RecordedHand) -> bool:
        """Make the moment of a question; returns False while the candidate's cards are unknown."""
        question = hand.questions[hand.made]
        following = (item.private for item in hand.questions[hand.made :])
        if question.private is not None:
            hand.private = question.private
        elif hand.private is None:
            hand.private = next((private for private in following if private is not None), None)
        if hand.private is None:
            return False
        hand.made += 1
        self._keep(number, question.public, hand.private, offers=question.offers)
        self.open = question.request_id
        return True

    def _make_over(self, number: int, hand: _RecordedHand, result: Json) -> None:
        net = int((result.get("scores") or {}).get(CANDIDATE, 0))
        self._stacks[0] += net
        self._stacks[1] -= net if self._has_opponent else 0
        self.played.append(HandPlayed(number, net))
        del self._hands[number]
        if number >= self._rules.hands or self._is_short():
            reached = self._stacks[0] >= self._rules.target
            self.end = LevelEnd.COMPLETED if reached else LevelEnd.FAILED
        self.open = None
        self._keep(number, result.get("public") or {}, hand.private or {}, result=result)

    def _is_short(self) -> bool:
        dealt_in = self._stacks if self._has_opponent else self._stacks[:1]
        return min(dealt_in) < self._least

    def _keep(
        self,
        number: int,
        public: Json,
        private: Json,
        *,
        offers: tuple[Json, ...] = (),
        result: Json | None = None,
    ) -> None:
        self.newest = Moment(
            game_type=self._game.game_type,
            hand_number=number,
            player_id=CANDIDATE,
            opponent_id=OPPONENT,
            state={"public": public, "private": private},
            standing=LevelStanding(
                level=self._level,
                hands=self._rules.hands,
                hands_played=len(self.played),
                target=self._rules.target,
                stack=self._stacks[0],
                opponent_stack=self._stacks[1],
            ),
            offers=offers,
            result=result,
        )
        self._fresh.append(self.newest)
