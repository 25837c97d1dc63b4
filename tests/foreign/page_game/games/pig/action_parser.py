"""Finds a Pig action in the text an LLM answered."""

import json
import random


class ActionParseError(ValueError):
    """No valid action could be read from the output."""


class PigActionParser:
    def __init__(self, fallback_to_random=True):
        self.fallback_to_random = fallback_to_random

    def parse(self, raw_output, valid_actions):
        # The last object that names a valid action counts: models tend to
        # quote the options first and decide at the end.
        for candidate in reversed(_json_objects(raw_output)):
            action = _match(candidate, valid_actions)
            if action is not None:
                return action
        if self.fallback_to_random and valid_actions:
            return dict(random.choice(valid_actions))
        raise ActionParseError(f"no valid Pig action in output: {str(raw_output)[:200]!r}")


def _json_objects(text):
    """All outermost JSON objects in the text, in order."""
    if not isinstance(text, str):
        return []
    decoder = json.JSONDecoder()
    found = []
    pos = text.find("{")
    while pos != -1:
        try:
            obj, end = decoder.raw_decode(text, pos)
        except (ValueError, RecursionError):
            end = pos + 1
        else:
            found.append(obj)
        pos = text.find("{", end)
    return found


def _match(obj, valid_actions):
    if isinstance(obj.get("action"), dict):
        obj = obj["action"]
    kind = obj.get("action_type")
    if not isinstance(kind, str):
        return None
    kind = kind.strip().upper()
    dice = obj.get("dice")
    if isinstance(dice, str) and dice.strip() in ("1", "2"):
        dice = int(dice)
    for action in valid_actions:
        if action["action_type"] != kind:
            continue
        # A ROLL that does not say how many dice is a roll of the first kind
        # offered (one die).
        if kind == "HOLD" or dice is None:
            return dict(action)
        if not isinstance(dice, bool) and action.get("dice") == dice:
            return dict(action)
    return None
