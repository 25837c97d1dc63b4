"""Reads an action out of a language model's text."""

from core import ActionParseError, ActionParser


class MyActionParser(ActionParser):
    def parse(self, raw_output, valid_actions):
        answer = self.extract_json(raw_output) or {}
        for action in valid_actions:
            if answer.get("card") == action["card"]:
                return action
        if self.fallback_to_random:
            return self.get_random_action(valid_actions)
        raise ActionParseError("the text names no card that may be played")
