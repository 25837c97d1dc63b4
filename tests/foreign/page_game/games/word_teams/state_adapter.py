from core.state_adapter import StateAdapter


class WordTeamsStateAdapter(StateAdapter):
    def state_to_prompt(self, public_state, private_state, valid_actions, turn_history):
        past = self.format_turn_history(turn_history, 5)
        return f"Board: {public_state['board']}\nSecret: {private_state}\nPast: {past}\nChoose: {valid_actions}"

    def get_output_schema(self):
        return {"type": "object"}
