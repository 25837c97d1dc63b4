"""What the fixture `casino_table` gives: a table that asks, plays and checks in one process."""

import asyncio
import inspect
import json
import ssl
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import Any, Final

import orjson
from casino_agentkit import Malformed
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    GameActionRequest,
    GameActionResponse,
    Outcome,
)
from casino_match.domain.plan import Deal, Entrant, Plan, Rules
from casino_match.domain.plan_file import STYLE
from casino_match.play.played_block import play_block
from casino_match.players.answer_check import read_as
from casino_match.players.function_player import FunctionPlayer, GivenFunction
from casino_match.players.local_players import local_player
from casino_match.players.match_player import Decided, Player
from casino_play.bot_file import Function
from casino_play.hand_questions import HandQuestions
from casino_table.practice.practice_judge import PracticeJudge
from pydantic import TypeAdapter

from casino.check.bot_under_test import FunctionBot, is_file
from casino.check.examination import OTHER_QUESTIONS_ASKED, QUESTIONS_ASKED, examine_bot
from casino.check.findings import Finding, Verdict
from casino.check.practice import PLAYER_ID, TABLE_ID, Practice

_CLOCK: Final = timedelta(seconds=10)


class DeskHere:
    """A table's judge of practice in this process."""

    def __init__(self) -> None:
        self._judge = PracticeJudge()

    async def reply(self, order: bytes) -> bytes:
        return orjson.dumps(self._judge.reply(order))

    async def close(self) -> None:
        """Do nothing: there is no process."""


async def checked(
    bot: Function | str,
    *,
    clock: timedelta = _CLOCK,
    seed: int = 1,
    tls: ssl.SSLContext | None = None,
) -> list[Finding]:
    """Return what `casino check` finds out about a bot: faults, warnings, and what is in order.

    `bot` is a function, `FILE:FUNCTION`, or the URL of an agent; `clock` is the time for each
    answer. Raises BotFileFailed if the file cannot be loaded.
    """
    subject: FunctionBot | str
    if isinstance(bot, str):
        subject = FunctionBot.of_file(bot) if is_file(bot) else bot
    else:
        subject = FunctionBot(bot)
    return await examine_bot(subject, Practice(DeskHere()), clock, seed, tls=tls)


_RULES: Final = Rules()


@dataclass(frozen=True)
class Fault:
    """A decision that the bot did not take with its first answer."""

    hand: int
    """The number of the hand, from 1."""
    outcome: Outcome
    """`retried` if its second answer was legal; else `illegal`, `malformed`, `timeout`, `away` or
    `defaulted`, and it checked or folded."""
    reason: str
    """Why the answer was refused, as the bot reads it; an exception with its line; for `away` and
    `defaulted` what the bot says."""
    turn: dict[str, Any] = field(repr=False)
    """The question."""


@dataclass(frozen=True)
class Played:
    """What came of the hands."""

    hands: int
    nets: tuple[int, ...]
    """Chips that each player won or lost: the bot's first. They sum to 0."""
    outcomes: Mapping[Outcome, int]
    """How many of the bot's decisions had which outcome."""
    faults: tuple[Fault, ...]


class _Noted(FunctionPlayer):
    """A function whose faults are noted."""

    def __init__(self, entrant: Entrant, plan: Plan, function: Function) -> None:
        super().__init__(entrant, plan.rules.clock, source=GivenFunction(function))
        self._seatings = len(plan.players)
        self._clock_of_questions_ms = round(1000 * plan.rules.clock.total_seconds())
        self.faults: list[Fault] = []
        self.outcomes: Counter[Outcome] = Counter()

    def decide(self, question: HandQuestions) -> Decided:
        decided = super().decide(question)
        self.outcomes[decided.outcome] += 1
        if decided.outcome != "ok":
            number = self.place.deck * self._seatings + self.place.seating + 1
            turn = question.values(self._clock_of_questions_ms)
            why = decided.defaulted.text if decided.defaulted else decided.reason or ""
            self.faults.append(Fault(number, decided.outcome, why, turn))
        return decided


def play(
    bot: Function,
    *opponents: Function | str,
    hands: int = 100,
    seed: str = "1",
    rules: Rules = _RULES,
) -> Played:
    """Play hands of No-Limit Hold'em; the same seed deals the same cards.

    `opponents` are styles of the sample players, such as `"tight"`, or functions; without any it is
    `"caller"`. Everybody has the same stack before every hand, and every deck is played once in
    each seat: so `hands` is rounded up to a multiple of the players. `rules` has stack, blinds and
    clock.

    Raises PlayerFailed for an unknown style, MatchSuspended if a function does not return within a
    minute after its clock, and ChipsNotConserved if the chips do not add up.
    """
    others = opponents or ("caller",)
    plan = _plan((bot, *others), hands, seed, rules)
    noted = _Noted(plan.players[0], plan, bot)
    players: list[Player] = [noted]
    for index, other in enumerate(others, start=1):
        entrant = plan.players[index]
        if isinstance(other, str):
            players.append(local_player(plan, index))
        else:
            players.append(FunctionPlayer(entrant, rules.clock, source=GivenFunction(other)))
    block = play_block(plan, 0, players)
    nets = tuple(map(sum, zip(*(deck.net for deck in block.decks), strict=True)))
    return Played(len(block.decks) * len(players), nets, dict(noted.outcomes), tuple(noted.faults))


def _plan(players: tuple[Function | str, ...], hands: int, seed: str, rules: Rules) -> Plan:
    decks = -(-hands // len(players))
    entrants = tuple(
        Entrant(
            name=f"seat {number}",
            player=f"{STYLE}{who}" if isinstance(who, str) else GivenFunction(who).spec,
        )
        for number, who in enumerate(players, start=1)
    )
    return Plan(
        players=entrants, rules=rules, deal=Deal(seed=seed, decks=decks, decks_per_block=decks)
    )


CLOCK_MS: Final = 10_000
"""The time for an answer, in milliseconds, as questions tell it."""

_HOLDEM: Final = TypeAdapter(ActionRequest)
_GAME: Final = TypeAdapter(GameActionRequest)
_HOLDEM_ANSWER: Final = TypeAdapter(ActionResponse)
_GAME_ANSWER: Final = TypeAdapter(GameActionResponse)


@dataclass(frozen=True)
class Question:
    """One question, as a bot gets it."""

    kind: str
    """What is asked, in words, such as `heads-up, river: check, bet, all-in`."""
    sent: bytes = field(repr=False)
    """The input of `act` as JSON, as it is sent."""

    @property
    def turn(self) -> dict[str, Any]:
        """The input of `act`: each time a new value, which may be changed."""
        turn: dict[str, Any] = json.loads(self.sent)
        return turn

    @property
    def message(self) -> ActionRequest | GameActionRequest:
        """The question as a message, of Hold'em or of any game."""
        schema = _GAME if "availableActions" in self.turn else _HOLDEM
        return schema.validate_json(self.sent)

    def changed(self, **fields: Any) -> "Question":
        """Return the question with other values of fields, by their names in `turn`.

        Raises ValueError if that is no question.
        """
        other = replace(self, sent=json.dumps(self.turn | fields).encode())
        _ = other.message
        return other

    def answer_of(self, act: Function) -> Any:
        """Return the answer of a bot's function, which a table would play.

        Raises AssertionError with the table's reason where a table would not, and whatever the
        function raises. An `async` function runs in an event loop of its own.
        """
        answer = act(self.turn)
        if inspect.iscoroutine(answer):
            answer = asyncio.run(answer)
        if objection := self.objection(answer):
            raise AssertionError(f"{self.kind}: {objection}")
        return answer

    def objection(self, answer: object) -> str:
        """Return why a table would refuse an answer, as the bot reads it; "" if it plays it."""
        is_holdem = isinstance(self.message, ActionRequest)
        try:
            read: ActionResponse | GameActionResponse = (
                read_as(_HOLDEM_ANSWER, answer) if is_holdem else read_as(_GAME_ANSWER, answer)
            )
        except Malformed as error:
            return error.message
        conforming = read.model_dump(mode="json")
        reply = _ordered(PracticeJudge(), do="review", question=self.turn, answer=conforming)
        return str(reply.get("illegal", ""))


@cache
def questions(*, any_game: bool = False, seed: int = 1) -> tuple[Question, ...]:
    """Return the questions that `casino check` asks: of every kind, always the same for a seed.

    They are sixty of Hold'em; with `any_game` in the format of all games, as a bot gets them whose
    reply to `signup` has `playsAnyGame`, and twelve of other games.
    """
    judge = PracticeJudge()
    dealt = _ordered(
        judge, do="deal", seed=seed, count=QUESTIONS_ASKED, tableId=TABLE_ID, playerId=PLAYER_ID,
        displayName="Mine", playsAnyGame=any_game,
        otherGames=OTHER_QUESTIONS_ASKED if any_game else 0,
    )  # fmt: skip
    return tuple(
        Question(
            spot["kind"],
            _ordered(judge, do="ask", question=number, clockMs=CLOCK_MS)["request"].encode(),
        )
        for number, spot in enumerate(dealt["questions"])
    )


def question(*words: str, any_game: bool = False, seed: int = 1) -> Question:
    """Return the first question whose `kind` has all these words, such as `"river", "raise"`.

    Raises LookupError if there is none; see `questions`.
    """
    posed = questions(any_game=any_game, seed=seed)
    for candidate in posed:
        if all(word in candidate.kind for word in words):
            return candidate
    kinds = "\n".join(sorted({candidate.kind for candidate in posed}))
    raise LookupError(f"no question has all of {', '.join(words)}; there are\n{kinds}")


def _ordered(judge: PracticeJudge, **order: Any) -> dict[str, Any]:
    reply = judge.reply(json.dumps(order).encode())
    if "invalid" in reply:
        raise ValueError(reply["invalid"])
    return reply


class CasinoTable:
    """A table of the casino, for the tests of a bot's function. It keeps nothing."""

    question = staticmethod(question)
    questions = staticmethod(questions)
    play = staticmethod(play)

    def faults(self, bot: Function, *, clock: timedelta = _CLOCK, seed: int = 1) -> list[Finding]:
        """Return the faults that `casino check` finds, each with its name, its text and its fix.

        The bot is asked sixty questions of every kind, and some of them again: as after a lost
        reply, as after an illegal answer, and with fields of a later version. An answer that comes
        later than `clock` is a fault.
        """
        findings = asyncio.run(checked(bot, clock=clock, seed=seed))
        return [finding for finding in findings if finding.verdict is Verdict.FAULT]
