"""What a language model is told."""

import json

from core import StateAdapter


class MyStateAdapter(StateAdapter):
    def state_to_prompt(self, public_state, private_state, valid_actions, turn_history):
        return "\n".join(
            [
                f"Points: {public_state['scores']}",
                f"Cards of this trick: {public_state['trick'] or 'none yet'}",
                f"Your cards: {private_state['hand']}",
                "You may do one of these:",
                *map(json.dumps, self.format_valid_actions_for_prompt(valid_actions)),
                "Answer with that JSON object.",
            ]
        )

    def get_output_schema(self):
        return {
            "type": "object",
            "properties": {"action_type": {"const": "PLAY_CARD"}, "card": {"type": "integer"}},
            "required": ["action_type", "card"],
        }

    def format_system_prompt(self, role, **kwargs):
        return f"You are a {role}. The highest card of a trick wins a point. Win the most points."
