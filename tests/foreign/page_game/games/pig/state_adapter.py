"""Turns the state of a Pig game into a prompt."""

import json

HISTORY_SHOWN = 10


class PigStateAdapter:
    def state_to_prompt(self, public_state, private_state, valid_actions, turn_history):
        private_state = private_state or {}
        me = private_state.get("player_id") or public_state.get("current_player", "")
        lines = [
            "You are playing Pig, a dice game.",
            f"The first player to HOLD with banked points plus secret bonus of at least "
            f"{public_state['target']} wins.",
            "ROLL one or two dice to add their sum to your turn total. Any 1 ends your turn "
            "and loses the turn total; with two dice, double 1 also loses all your banked "
            "points. HOLD banks the turn total and ends your turn.",
            "",
            f"You are: {me}",
            f"Turn: {public_state['turn_number']}",
            f"Points at risk this turn: {public_state['turn_total']}",
            "Banked points:",
        ]
        for player in public_state["players"]:
            you = " (you)" if player == me else ""
            lines.append(f"- {player}{you}: {public_state['banked'][player]}")
        if "secret_bonus" in private_state:
            lines.append(
                f"Your secret bonus (only you know it): {private_state['secret_bonus']}; "
                f"you need {private_state['points_needed']} more points to win."
            )
        # The shape of turn_history entries is not known here, so they are
        # shown as they come; without any, the game's own history is used.
        history = list(turn_history or public_state.get("history", []))[-HISTORY_SHOWN:]
        if history:
            lines += ["", "Recent history:"]
            lines += [f"- {h if isinstance(h, str) else json.dumps(h, default=str)}" for h in history]
        lines += ["", "Legal actions:"]
        lines += [f"- {json.dumps(a)}" for a in valid_actions]
        lines += ["", "Answer with one of the legal actions as a JSON object, for example:",
                  json.dumps(valid_actions[0]) if valid_actions else "{}"]
        return "\n".join(lines)

    def get_output_schema(self):
        return {
            "type": "object",
            "properties": {
                "action_type": {"type": "string", "enum": ["ROLL", "HOLD"]},
                "dice": {
                    "type": "integer",
                    "enum": [1, 2],
                    "description": "Number of dice; only with ROLL.",
                },
            },
            "required": ["action_type"],
        }
