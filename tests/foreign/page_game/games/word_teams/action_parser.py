from core.action_parser import ActionParseError, ActionParser


class WordTeamsActionParser(ActionParser):
    def parse(self, raw_output, valid_actions):
        parsed = self.extract_json(raw_output)
        if parsed is None:
            raise ActionParseError("no JSON", raw_output)
        return self.find_closest_action(parsed, valid_actions)
