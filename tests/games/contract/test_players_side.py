"""Every game's state adapter and action parser: what a language model reads, and what it meant."""

import json
import random

import jsonschema
from casino_games import action_parser, offers, state_adapter
from casino_games.hosting.generated_specification import specification_of
from casino_gamespec import answer, is_offered
from casino_seats.offered_action import default_meant
from games.playing import copy_of, games_under_way, some_answer, some_of, wrong_answers


class TestThePlayersSide:
    def test_prompts_are_made_by_the_documents_keywords(self, game_type: str) -> None:
        """A runner that was written from the document alone calls them like this."""
        adapter = state_adapter(game_type)
        for game in games_under_way(game_type):
            for player_id in game.get_pending_players():
                public_state = game.get_public_state()
                private_state = game.get_private_state(player_id)
                actions = game.get_actions_of(player_id)
                prompt = adapter.state_to_prompt(
                    public_state=public_state,
                    private_state=private_state,
                    valid_actions=actions,
                    turn_history=[{"player_id": "p0", "action": actions[0]}],
                )
                assert all(action["action_type"] in prompt for action in actions)
                system = adapter.format_system_prompt(
                    role=game.get_current_role(),
                    public_state=public_state,
                    private_state=private_state,
                )
                assert game.get_current_role() in system
                assert adapter.format_valid_actions_for_prompt(valid_actions=actions) == actions

    def test_the_default_of_its_specification_is_the_table_s_wherever_it_is_named(
        self, game_type: str
    ) -> None:
        """Also where no action of that name is offered, and of a specification that was made."""
        named = specification_of(game_type).front_matter()["defaultTimeoutAction"]
        for game in games_under_way(game_type):
            for player_id in game.get_pending_players():
                offered, table_s = game.get_actions_of(player_id), game.default_action(player_id)
                meant = default_meant({"action_type": named}, offered, named)
                assert meant in (None, table_s)
                assert meant == table_s or {"action_type": named} in offered or len(offered) == 1

    def test_the_output_schema_takes_every_answer(self, game_type: str) -> None:
        schema = state_adapter(game_type).get_output_schema()
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        generator = random.Random(game_type)
        for game in games_under_way(game_type):
            if not game.is_over():
                validator.validate(some_answer(game.get_available_actions(), generator))
        assert not validator.is_valid({"action_type": "NO_SUCH"})
        assert not validator.is_valid({})

    def test_an_answer_in_text_is_read_as_it_was_meant(self, game_type: str) -> None:
        """Plain, fenced, behind reasoning, in an envelope, in the other case."""
        parser = action_parser(game_type, fallback_to_random=False)
        generator = random.Random(game_type)
        for game in games_under_way(game_type):
            actions = game.get_available_actions()
            for offer in some_of(actions, generator):
                meant = some_answer([offer], generator)
                text = json.dumps(meant)
                loud = json.dumps(meant | {"action_type": meant["action_type"].swapcase()})
                for raw in (
                    text,
                    f"I think {{so}}.\n```json\n{text}\n```\nDone.",
                    f'Well: {{"pot": 3}} and so {text}',
                    f'{{"action": {text}, "reasoning": "because"}}',
                    loud.replace("_", "-").replace("action-type", "action_type"),
                ):
                    assert parser.parse(raw_output=raw, valid_actions=actions) == meant
                copy_of(game).step(parser.parse(text, actions))

    def test_offers_are_read_alike_with_and_without_the_rules(self, game_type: str) -> None:
        """`casino_gamespec.choice` and `casino_games.offers` state the same range twice."""
        generator = random.Random(game_type)
        for game in games_under_way(game_type):
            actions = game.get_available_actions()
            some = some_of(actions, generator)
            for offer in some:
                assert answer(offer) == offers.least_of(offer)
                assert is_offered(some_answer([offer], generator), actions)
            for wrong in wrong_answers(some):
                assert not isinstance(wrong, dict) or not is_offered(wrong, actions)
