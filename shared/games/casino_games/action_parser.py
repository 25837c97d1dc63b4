"""Parse a language model's text into an action, on the player's side.

Tables accept only JSON and do not use these parsers.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import Any

from casino_games import offers
from casino_games.errors import ActionParseError
from casino_games.game import Json
from casino_games.json_in_text import LONGEST_TEXT, find_object

__all__ = ["ActionParseError", "ActionParser", "JsonActionParser"]

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
        """Return the JSON object in a text, or `None`.

        Searched in this order: fenced blocks, an object with `action_type`, the first object.
        """
        match = find_object(raw_output)
        return match.value if match else None

    def extract_reasoning(self, raw_output: str) -> str:
        """Return the text before the JSON object, or the whole text without one."""
        match = find_object(raw_output)
        return raw_output[: match.start if match else LONGEST_TEXT].strip()

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
    """A third party's parser that has the methods of the interface without its base class."""

    def __init__(self, parser: Any) -> None:
        super().__init__(bool(getattr(parser, "fallback_to_random", True)))
        self._parser = parser

    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        """Return the parser's action; raises `ActionParseError` for every failure of it."""
        try:
            action = self._parser.parse(raw_output, valid_actions)
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
        parsed = self.extract_json(raw_output)
        action = self.find_meant_action(parsed, valid_actions) if parsed is not None else None
        if action is not None:
            return action
        if self.fallback_to_random:
            return self.get_random_action(valid_actions)
        legal = offers.describe(valid_actions)
        if parsed is None:
            raise ActionParseError(f"no JSON object in the text: an action is {legal}", raw_output)
        raise ActionParseError(f"the object is no valid action: an action is {legal}", raw_output)


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
        return _folded(value) == _folded(offered)
    if type(offered) is int:
        number = _number(value)
        return type(number) is int and number == offered
    return offers.is_same(value, offered)


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())


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
