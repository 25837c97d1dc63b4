"""Questions that a table asks, as values: of real hands, and judged by the table's own rules."""

import asyncio
import inspect
import json
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from casino_agentkit import Malformed
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    GameActionRequest,
    GameActionResponse,
)
from casino_match.players.judgement import read_as
from casino_play.bot_file import Function
from casino_table.practice.desk import Desk
from pydantic import TypeAdapter

from casino.check.examination import OTHER_QUESTIONS_ASKED, QUESTIONS_ASKED
from casino.check.practice import PLAYER_ID, TABLE_ID

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
        reply = _ordered(Desk(), do="review", question=self.turn, answer=conforming)
        return str(reply.get("illegal", ""))


@cache
def questions(*, any_game: bool = False, seed: int = 1) -> tuple[Question, ...]:
    """Return the questions that `casino check` asks: of every kind, always the same for a seed.

    They are sixty of Hold'em; with `any_game` in the format of all games, as a bot gets them whose
    reply to `signup` has `playsAnyGame`, and twelve of other games.
    """
    desk = Desk()
    dealt = _ordered(
        desk, do="deal", seed=seed, count=QUESTIONS_ASKED, tableId=TABLE_ID, playerId=PLAYER_ID,
        displayName="Mine", playsAnyGame=any_game,
        otherGames=OTHER_QUESTIONS_ASKED if any_game else 0,
    )  # fmt: skip
    return tuple(
        Question(
            spot["kind"],
            _ordered(desk, do="ask", question=number, clockMs=CLOCK_MS)["request"].encode(),
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


def _ordered(desk: Desk, **order: Any) -> dict[str, Any]:
    reply = desk.reply(json.dumps(order).encode())
    if "invalid" in reply:
        raise ValueError(reply["invalid"])
    return reply
