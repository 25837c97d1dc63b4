"""From the text of a language model to an action: the parser's place is with the player.

A table never guesses: it takes JSON, and an answer it cannot take costs the player an attempt.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import Any

from casino_games import offers
from casino_games.errors import ActionParseError
from casino_games.game import Json
from casino_games.json_in_text import LONGEST_TEXT, find_object

__all__ = ["ActionParseError", "ActionParser", "JsonActionParser"]

_OWN_SEED = 0
_LONGEST_NUMBER = 16
"""In digits: more chips than a hand can have."""


class ActionParser(ABC):
    """Reads a valid action out of raw text.

    With `fallback_to_random` unreadable text becomes a random valid action, else an
    `ActionParseError`. The choice comes from `rng`; without one, from a generator of this
    parser's own that always starts the same, so that a run can be repeated.
    """

    def __init__(
        self,
        fallback_to_random: bool = True,  # noqa: FBT001, FBT002 - the interface's signature
        rng: Random | None = None,
    ) -> None:
        self.fallback_to_random = fallback_to_random
        self._rng = Random(_OWN_SEED) if rng is None else rng  # noqa: S311 - no secret comes of it

    @abstractmethod
    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        """Return an action that `step` takes, or raise `ActionParseError`."""

    def extract_json(self, raw_output: str) -> Json | None:
        """Return the object in a text, `None` where there is none.

        Tried in this order: fenced blocks, an object with `action_type`, the first object.
        """
        found = find_object(raw_output)
        return found.value if found else None

    def extract_reasoning(self, raw_output: str) -> str:
        """Return the text before the object, all of it where there is no object."""
        found = find_object(raw_output)
        return raw_output[: found.start if found else LONGEST_TEXT].strip()

    def find_closest_action(self, parsed: Json, valid_actions: list[Json]) -> Json | None:
        """Return the valid action that was meant, `None` where none or several could be.

        Case and `-`, `_`, space make no difference, `"7"` and `7.0` are 7, and a parameter
        may be missing where one action only is left. Nothing is clamped: an amount outside the
        range is no match.
        """
        asked = _asked(parsed)
        close = [offer for offer in valid_actions if _is_close(asked, offer)]
        exact = [offer for offer in close if all(key in asked for key in offers.parameters(offer))]
        chosen = exact or close
        return _answer(asked, chosen[0]) if len(chosen) == 1 else None

    def get_random_action(self, valid_actions: list[Json]) -> Json:
        """Return a random valid action, with a random amount where it has a range."""
        if not valid_actions:
            raise ActionParseError("there is no valid action to choose from")
        offer = self._rng.choice(valid_actions)
        answer = offers.least_of(offer)
        if offers.has_range(offer):
            answer["amount"] = self._rng.randint(offer["min"], offer["max"])
        return answer


class JsonActionParser(ActionParser):
    """The parser of a game whose answers are the JSON of its actions: no more is needed here."""

    def parse(self, raw_output: str, valid_actions: list[Json]) -> Json:
        """Return the action whose JSON stands in the text, or raise `ActionParseError`."""
        if not valid_actions:
            raise ActionParseError("there is no valid action to choose from", raw_output)
        parsed = self.extract_json(raw_output)
        action = self.find_closest_action(parsed, valid_actions) if parsed is not None else None
        if action is not None:
            return action
        if self.fallback_to_random:
            return self.get_random_action(valid_actions)
        legal = offers.describe(valid_actions)
        if parsed is None:
            raise ActionParseError(f"no JSON object in the text: an action is {legal}", raw_output)
        raise ActionParseError(f"the object is no valid action: an action is {legal}", raw_output)


def _asked(parsed: Json) -> Json:
    """Return the object that holds the action, with its type under `action_type`.

    `{"action": {"action_type": …}}` is how an answer travels to a table, and `{"action":
    "raise"}` is the answer of the casino protocol's Hold'em.
    """
    inner = parsed.get("action")
    if "action_type" in parsed:
        return parsed
    if isinstance(inner, dict):
        return inner
    return parsed | {"action_type": inner}


def _is_close(asked: Json, offer: Json) -> bool:
    """Tell whether nothing in the answer speaks against the offer."""
    if not _is_alike(asked.get("action_type"), offer["action_type"]):
        return False
    for key in offers.parameters(offer):
        if key in asked and not _is_alike(asked[key], offer[key]):
            return False
    return not offers.has_range(offer) or offers.is_inside(_number(asked.get("amount")), offer)


def _is_alike(given: object, offered: object) -> bool:
    if isinstance(offered, str) and isinstance(given, str):
        return _folded(given) == _folded(offered)
    if type(offered) is int:
        number = _number(given)
        return type(number) is int and number == offered
    return offers.is_same(given, offered)


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())


def _number(given: Any) -> Any:
    """Return the whole number that is meant, anything else as it is."""
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, str) and len(given) <= _LONGEST_NUMBER and given.strip().isdecimal():
        return int(given)
    return given


def _answer(asked: Json, offer: Json) -> Json:
    answer = offers.least_of(offer)
    if offers.has_range(offer):
        answer["amount"] = _number(asked["amount"])
    return answer
