"""A checked game does what a table needs, and refuses what is not of the interface."""

from dataclasses import replace
from typing import Annotated, Any

import pytest
from casino_games import (
    ArenaConfig,
    ArenaPlayer,
    Game,
    GameError,
    GameFault,
    IllegalAction,
    InvalidSnapshot,
    UnknownPlayer,
    create_game,
)
from casino_games.hosting.checked_game import CheckedGame, hosted_game
from casino_games.hosting.game_properties import chips_needed, traits_of
from casino_games.hosting.rehearsal import rehearse
from casino_games.specification import ranking
from games.hosting.pile_game import PileConfig, PileGame, registered
from pydantic import Field

Json = dict[str, Any]


def pile(rules: type[PileGame] = PileGame, players: int = 3, **config: Any) -> Game:
    with registered(rules) as game_type:
        seats = tuple(ArenaPlayer(f"p{number}") for number in range(players))
        game = hosted_game(game_type, ArenaConfig(seats, "a seed", {}, game_type, **config))
        game.reset("a seed")
        return game


def test_a_game_of_ours_is_not_wrapped() -> None:
    config = ArenaConfig((ArenaPlayer("a"), ArenaPlayer("b")), game_type="kuhn_poker")
    assert not isinstance(hosted_game("kuhn_poker", config), CheckedGame)


def test_what_the_document_leaves_out_has_its_defaults() -> None:
    """Players from the config, no teams, one pending player, the first action on a timeout."""
    game = pile()
    assert isinstance(game, CheckedGame)
    assert game.get_players() == ["p0", "p1", "p2"]
    assert game.get_teams() is None
    assert game.get_pending_players() == [game.get_current_player()] == ["p0"]
    assert game.default_action("p0") == {"action_type": "TAKE", "counters": [1]}
    assert game.opening_events() == []
    assert game.get_public_words() == []
    assert game.get_current_role() == "player"


def test_an_answer_is_stepped_with_the_game_s_own_values() -> None:
    """The tuple and the enum member that were offered as a list and a text."""
    game = pile()
    before = game.get_public_state()["left"]
    assert game.step({"action_type": "TAKE", "counters": [2]}) == ({"events": []}, False)
    assert game.get_public_state()["left"] == before - 2
    with pytest.raises(IllegalAction):
        game.step({"action_type": "TAKE", "counters": [4]})
    with pytest.raises(UnknownPlayer):
        game.get_private_state("p9")


def test_words_for_spectators_are_sentences() -> None:
    class Telling(PileGame):
        words: Any = ("3 counters are left.",)

        def get_public_words(self) -> Any:
            return self.words and list(self.words)

    assert pile(Telling).get_public_words() == ["3 counters are left."]
    Telling.words = None
    with pytest.raises(GameFault, match="get_public_words: must return a list of sentences"):
        pile(Telling).get_public_words()


def test_the_same_seed_gives_the_same_game() -> None:
    """A text becomes an integer that every generator takes, always the same."""
    assert pile().get_public_state() == pile().get_public_state()
    lefts = {pile().get_public_state()["left"]}
    for seed in range(20):
        game = pile()
        game.reset(f"seed {seed}")
        lefts.add(game.get_public_state()["left"])
    assert len(lefts) == 4


def test_a_game_that_never_ends_has_a_fault() -> None:
    game = pile(max_turns=3)
    for _ in range(3):
        game.step(game.default_action(game.get_current_player()))
    with pytest.raises(GameFault, match="is_over: still False after 3 decisions"):
        game.step(game.default_action(game.get_current_player()))


class TeamPile(PileGame):
    """Two teams, whose scores are by team."""

    def get_teams(self) -> Json:
        return {"red": ["p0", "p2"], "blue": ["p1"]}

    def get_scores(self) -> Json:
        """Return the scores by team; one is a fraction."""
        return {"red": 1.5, "blue": 7}

    def get_winner(self) -> str | None:
        return "red" if self.is_over() else None


def test_scores_and_winners_may_be_teams() -> None:
    game = pile(TeamPile)
    assert game.get_scores() == {"p0": 1.5, "p1": 7, "p2": 1.5}
    assert [(rank.player_id, rank.place) for rank in ranking(game)] == [
        ("p1", 1),
        ("p0", 2),
        ("p2", 2),
    ]
    while not game.is_over():
        game.step(game.default_action(game.get_current_player()))
    assert [(rank.player_id, rank.place) for rank in ranking(game)] == [
        ("p0", 1),
        ("p2", 1),
        ("p1", 3),
    ]


class WrittenScores(TeamPile):
    """Scores and teams as the test writes them."""

    scores: Any = None
    teams: Any = None

    def get_teams(self) -> Any:
        return self.teams

    def get_scores(self) -> Json:
        scores: Json = self.scores
        return scores


BY_ROLE = {"red": {"spymaster": "p0", "operative": "p2"}, "blue": "p1"}


@pytest.mark.parametrize(
    "scores",
    [
        {"p0": 1, "p1": 7, "p2": 1},
        {"teams": {"red": 1, "blue": 7}, "turns": 9},
        {"red": {"found": 1, "left": 5}, "blue": {"found": 7, "left": 0}},
        {"red": {"left": 5, "score": 1}, "blue": {"left": 0, "score": 7}},
        {"red": {"p0": 1, "p2": 1}, "blue": {"p1": 7, "points": 99}},
        {"teams": {"red": 3, "blue": 3}, "players": {"p0": 1, "p1": 7, "p2": 1}},
        {"p0": {"points": 1, "cards": 4}, "p1": {"points": 7.0}, "p2": 1, "rounds": {"p0": 9}},
        {"teams": [], "all": {"scores": {"red": {"score": {}, "points": 1}, "blue": 7}}},
    ],
)
def test_scores_may_be_nested_by_team_and_by_player(scores: Json) -> None:
    """A player's own number comes before its team's, and the outer before the inner."""
    rules = type("Nested", (WrittenScores,), {"scores": scores, "teams": BY_ROLE})
    assert pile(rules).get_scores() == {"p0": 1, "p1": 7, "p2": 1}


@pytest.mark.parametrize(
    "scores",
    [
        {"p0": 1, "p1": 7},
        {"red": 1, "blue": True},
        {"red": {"p0": 1}, "blue": 7},
        {"red": "1", "blue": 7},
        {"first": {"red": 1, "blue": 7}, "second": {"red": 2, "blue": 7}},
    ],
)
def test_scores_without_one_number_for_a_player_are_a_fault(scores: Json) -> None:
    """Nothing is added up or invented."""
    rules = type("Unclear", (WrittenScores,), {"scores": scores, "teams": BY_ROLE})
    with pytest.raises(GameFault, match="get_scores: must return a number for each player, or for"):
        pile(rules).get_scores()


def test_teams_of_the_room_count_where_the_game_names_none() -> None:
    with registered(WrittenScores) as game_type:
        WrittenScores.scores = {"red": 4, "blue": 2}
        seats = (ArenaPlayer("a", "red"), ArenaPlayer("b", "blue"), ArenaPlayer("c", "red"))
        game = hosted_game(game_type, ArenaConfig(seats, "a seed", {}, game_type))
        game.reset("a seed")
        assert game.get_teams() == {"red": ["a", "c"], "blue": ["b"]}
        assert game.get_scores() == {"a": 4, "b": 2, "c": 4}


class ChipPileConfig(PileConfig):
    """With stacks: the scores are chips."""

    stacks: Annotated[list[int], Field(default_factory=list)]


class ChipPile(PileGame):
    """Its settings have stacks, and its scores are still points."""


class FairChipPile(PileGame):
    """Its scores are chips."""

    def get_scores(self) -> Json:
        """Return chips: the last player gets one of each other."""
        winner = self.get_winner()
        scores = dict.fromkeys(self.players, 0)
        if winner is not None:
            scores = dict.fromkeys(self.players, -1) | {winner: len(self.players) - 1}
        return scores


def test_chips_must_add_up() -> None:
    """Settings with `stacks` make the scores chips; the fault names the fix."""
    changes = {"config_class": "games.hosting.test_checked_game.ChipPileConfig"}
    with (
        registered(ChipPile, **changes) as game_type,
        pytest.raises(GameFault, match=r"get_scores: chips must add up to 0 .* take `stacks` out"),
    ):
        rehearse(game_type, {}, 2)
    with registered(FairChipPile, **changes) as game_type:
        assert traits_of(game_type).plays_for_chips
        assert chips_needed(game_type, {}) == 1
        rehearsal = rehearse(game_type, {}, 2)
    assert rehearsal.result is not None
    assert sorted(rehearsal.result["scores"].values()) == [-1, 1]


class OurPile(PileGame, Game):  # type: ignore[misc]  # the text of `reset` names no default
    """The base class of ours, with no more than the methods of the document."""

    def step(self, action: Json) -> tuple[Json, bool]:
        """Take counters; say so."""
        _result, is_over = super().step(action)
        return {"events": [{"event": "taken"}]}, is_over


def test_the_base_class_needs_only_the_document_s_methods() -> None:
    """Limits have defaults, snapshots are optional, and its events are public."""
    with registered(OurPile) as game_type:
        config = ArenaConfig((ArenaPlayer("a"), ArenaPlayer("b")), "a seed", {"counters": 9})
        game = hosted_game(game_type, replace(config, game_type=game_type))
        game.reset("a seed")
        assert game.get_pending_players() == ["a"]
        result, _is_over = game.step(game.default_action("a"))
        raw = create_game(game_type, config)
    assert result == {"events": [{"event": "taken"}]}
    assert (OurPile.min_players, OurPile.max_players) == (2, 10)
    assert (raw.get_players(), raw.get_teams()) == ([], None)
    with pytest.raises(GameError, match="no snapshots"):
        raw.serialize()
    with pytest.raises(InvalidSnapshot, match="no snapshots"):
        OurPile.deserialize({})
