"""Parse a language model's text into an action, on the player's side.

Tables accept only JSON and do not use these parsers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any

from casino_agentkit.answer_in_text import Sought, TextAnswer, Unread, read_answer
from casino_agentkit.json_in_text import FENCE, LONGEST_TEXT
from casino_agentkit.said_in_words import folded, without_thoughts

from casino_games import offers
from casino_games.errors import ActionParseError
from casino_games.game import Json

__all__ = ["ActionParseError", "ActionParser", "JsonActionParser"]

_POKER = {folded(kind): kind for kind in ("fold", "check", "call", "bet", "raise", "all-in")}
"""Actions that contradict another one also where they are not possible now."""
_DEFAULT_SEED = 0
_MAX_DIGITS = 16
"""More than the chips of any hand have."""


class ActionParser(ABC):
    """Parses a valid action out of raw text.

    Unreadable text becomes a random valid action with `fallback_to_random`, otherwise it raises
    `ActionParseError`. The default of `rng` is a generator with a fixed seed, so that runs are
    reproducible.
    """

    fallback_to_random: bool = True
    _rng: Random | None = None
    """The generator of random actions; None for a subclass without `super().__init__()`."""

    def __init__(
        self,
        fallback_to_random: bool = True,  # noqa: FBT001, FBT002 - the interface's signature
        rng: Random | None = None,
    ) -> None:
        self.fallback_to_random = fallback_to_random
        self._rng = rng

    @abstractmethod
    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        """Return an action that `step` accepts; raises `ActionParseError`."""

    def extract_json(self, raw_output: str) -> Json | None:
        """Return the JSON object that is the answer in a text, valid or not; else `None`.

        One with an action comes before one without, of a game whose answers have other keys.
        """
        found = _object_in(raw_output)
        return found.document if found else None

    def extract_reasoning(self, raw_output: str) -> str:
        """Return what is marked as thought, and the text before the JSON object of the answer.

        Without an object that is the whole text.
        """
        found = _object_in(raw_output)
        marked = without_thoughts(raw_output[:LONGEST_TEXT])
        before = marked.visible[: found.start if found else LONGEST_TEXT]
        if found and before.count(FENCE) % 2:
            before = before.rpartition(FENCE)[0]
        return f"{marked.thoughts}\n{before.strip()}".strip()

    def find_closest_action(self, parsed: Json, valid_actions: list[Json]) -> Json | None:
        """Return the valid action with the same `action_type`, `None` if there is none.

        Of several, the one with most equal parameters, else the first. An amount is moved into
        its range. Case and `-`, `_`, space are ignored, and `"7"` and `7.0` equal 7.
        """
        answer = _answer_of(parsed)
        same = [
            offer
            for offer in valid_actions
            if _is_alike(answer.get("action_type"), offer["action_type"])
        ]
        if not same:
            return None
        return _closest_action(
            answer, max(same, key=lambda offer: _equal_parameters(answer, offer))
        )

    def find_meant_action(self, parsed: Json, valid_actions: list[Json]) -> Json | None:
        """Return the only valid action that matches, `None` for none or several.

        Stricter than `find_closest_action`: a parameter may be missing if only one action
        matches, but none may differ, and an amount outside the range does not match.
        """
        answer = _answer_of(parsed)
        close = [offer for offer in valid_actions if _is_close(answer, offer)]
        exact = [offer for offer in close if all(key in answer for key in offers.parameters(offer))]
        chosen = exact or close
        return _action(answer, chosen[0]) if len(chosen) == 1 else None

    def get_random_action(self, valid_actions: list[Json]) -> Json:
        """Return a random valid action, with a random amount if it has a range."""
        if not valid_actions:
            raise ActionParseError("there is no valid action to choose from")
        if self._rng is None:
            self._rng = Random(_DEFAULT_SEED)  # noqa: S311 - not for secrets
        offer = self._rng.choice(valid_actions)
        answer = offers.least_of(offer)
        if offers.has_range(offer):
            answer["amount"] = self._rng.randint(offer["min"], offer["max"])
        return answer


class AdaptedParser(ActionParser):
    """A third party's parser, with or without the base class."""

    def __init__(self, parser: Any) -> None:
        super().__init__(bool(getattr(parser, "fallback_to_random", True)))
        self._parser = parser

    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        """Return the parser's action; raises `ActionParseError` for every failure of it."""
        try:
            text = without_thoughts(raw_output[:LONGEST_TEXT]).visible.strip()
            action = self._parser.parse(text, valid_actions)
        except Exception as error:  # its own ActionParseError is any class
            raise ActionParseError(str(error) or type(error).__name__, raw_output) from error
        if not isinstance(action, dict):
            raise ActionParseError("the parser returned no action", raw_output)
        return action


class JsonActionParser(ActionParser):
    """Parser for games whose answers are the JSON of their actions."""

    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        if not valid_actions:
            raise ActionParseError("there is no valid action to choose from", raw_output)
        read = self.read(raw_output, valid_actions)
        if isinstance(read, TextAnswer):
            return read.value
        if self.fallback_to_random:
            return self.get_random_action(valid_actions)
        legal = offers.describe(valid_actions)
        raise ActionParseError(f"{read.message}: an action is {legal}", raw_output)

    def read(self, raw_output: str, valid_actions: list[Json]) -> TextAnswer[Json] | Unread:
        """Return the answer in a text with its action, thoughts and place; never a random one."""

        def fit(document: Json) -> Json:
            action = self.find_meant_action(document, valid_actions)
            if action is None or not _uses_amount(document, action):
                raise ValueError("the object is no valid action")
            return action

        kinds = {folded(offer["action_type"]): offer["action_type"] for offer in valid_actions}
        words = tuple((_POKER | kinds).values())
        return read_answer(raw_output, Sought(fit, dict, words=words, reads_words=True))


def _object_in(text: str) -> TextAnswer[Json] | None:
    """Return the answer in a text, whatever its action is, else an object that has none."""
    fits: tuple[Callable[[Json], Json], ...] = (_with_action, dict)
    for fit in fits:
        if isinstance(read := read_answer(text, Sought(fit, dict)), TextAnswer):
            return read
    return None


def _with_action(document: Json) -> Json:
    if not isinstance(_answer_of(document).get("action_type"), str):
        raise ValueError("the object has no action")  # noqa: TRY004  as of other contents
    return document


def _uses_amount(document: Json, action: Json) -> bool:
    """Return whether an action that other parameters choose has the number that was said."""
    return len(action) == 1 or document.get("amount") in (None, *action.values())


def _answer_of(parsed: Json) -> Json:
    """Return the action with its type under `action_type`, also of answers to a table."""
    inner = parsed.get("action")
    if "action_type" in parsed:
        return parsed
    if isinstance(inner, dict):
        return inner
    return parsed | {"action_type": inner}


def _is_close(answer: Json, offer: Json) -> bool:
    """Return whether the answer's keys do not contradict the offer."""
    if not _is_alike(answer.get("action_type"), offer["action_type"]):
        return False
    for key in offers.parameters(offer):
        if key in answer and not _is_alike(answer[key], offer[key]):
            return False
    return not offers.has_range(offer) or offers.is_inside(_number(answer.get("amount")), offer)


def _equal_parameters(answer: Json, offer: Json) -> int:
    keys = offers.parameters(offer)
    return sum(key in answer and _is_alike(answer[key], offer[key]) for key in keys)


def _closest_action(answer: Json, offer: Json) -> Json:
    """Return an offer's action with the amount of the answer, or the nearest in its range."""
    action = offers.least_of(offer)
    amount = _number(answer.get("amount"))
    if offers.has_range(offer) and type(amount) is int:
        action["amount"] = min(max(amount, offer["min"]), offer["max"])
    return action


def _is_alike(value: object, offered: object) -> bool:
    if isinstance(offered, str) and isinstance(value, str):
        return folded(value) == folded(offered)
    if type(offered) is int:
        number = _number(value)
        return type(number) is int and number == offered
    return offers.is_same(value, offered)


def _number(value: Any) -> Any:
    """Return whole floats and decimal strings as integers, anything else unchanged."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= _MAX_DIGITS and value.strip().isdecimal():
        return int(value)
    return value


def _action(answer: Json, offer: Json) -> Json:
    action = offers.least_of(offer)
    if offers.has_range(offer):
        action["amount"] = _number(answer["amount"])
    return action
