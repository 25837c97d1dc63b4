"""Games of third parties at a table: points, restarts, and every kind of fault."""

from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import CommandRefused
from casino_contracts import (
    GameActedPayload,
    GameCompletedPayload,
    GameStartedPayload,
    HandRecordInput,
    StartGameInput,
)
from games.hosting.faulty_games import FAULTS, EndlessLoop
from games.hosting.loaded_games import PAGE_GAMES, loaded, template_at
from games.hosting.pile_game import CREATED, Json, PileGame, registered
from support.players.any_player import wild
from support.table.disk_log import CutLog, disk_log, kill
from support.table.table_harness import TableHarness, any_game_harness
from support.table.table_side import configuring


def _stacks(harness: TableHarness) -> list[int]:
    return [seat.stack for seat in harness.table.seats.values()]


class TestPoints:
    async def test_a_session_ranks_players_and_moves_no_chips(self) -> None:
        """Everything says so: the summary, the first status, each hand's end, the record."""
        with registered() as game_type:
            harness, _players = await any_game_harness(game_type, wild, wild, wild)
            configured = harness.lobby.events[0] if harness.lobby.events else None
            summary = await harness.play(maxHands=3)
            record = await harness.host.hand_record(HandRecordInput(hand_id="t1/2"))
        assert configured is None or configured.payload
        assert (summary.status, summary.hand_count, summary.plays_for) == ("idle", 3, "points")
        assert {seat.stack for seat in summary.players} == {400}
        (opening,) = harness.payloads("configured")
        assert opening["playsFor"] == "points"
        for payload in harness.payloads("hand_completed"):
            end = GameCompletedPayload.model_validate(payload)
            assert end.points is not None
            assert end.points[0].place == 1
            assert end.points[0].player_id == end.result["winner"]
            rest = [rank.points for rank in end.points[1:]]
            assert rest == sorted(rest, reverse=True)
            assert end.scores == {}
        assert record.points is not None
        assert record.scores == {}
        assert "is first with" in harness.events("hand_completed")[0].message

    async def test_what_is_published_is_the_public_state_only(self) -> None:
        """The document does not say that the result of `step` is public."""
        with registered() as game_type:
            harness, _players = await any_game_harness(game_type, wild, wild)
            await harness.play(maxHands=1)
        for kind, model in (
            ("hand_started", GameStartedPayload),
            ("action_taken", GameActedPayload),
        ):
            assert all(model.model_validate(one) for one in harness.payloads(kind))
        assert "of the result" not in str(harness.timeless_events())
        assert harness.payloads("hand_started")[0]["state"]["turns"] == {"0": "now"}


async def test_a_restart_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    """The game has no `serialize`."""
    with registered() as game_type:
        whole, _ = await any_game_harness(game_type, wild, wild)
        await whole.play(maxHands=3)
        log = CutLog(tmp_path / "journal", at=10)
        harness, _ = await any_game_harness(game_type, wild, wild, log=log)
        await harness.host.start(StartGameInput(max_hands=3))
        await kill(harness.host, log)
        await harness.resume(disk_log(tmp_path / "journal"))
        await harness.end()
        assert harness.timeless_events() == whole.timeless_events()
        await harness.host.stop()


class TestConfiguring:
    async def test_a_fault_is_refused_with_the_method(self) -> None:
        """And the fix, for who wrote the game; the rehearsal finds every other fault as well."""
        rules, message = FAULTS[1]
        with registered(rules) as game_type, pytest.raises(CommandRefused) as refused:
            await TableHarness().host.configure(configuring(gameType=game_type))
        assert refused.value.reason == "UNKNOWN_GAME"
        (violation,) = refused.value.violations
        assert violation.field == "gameType"
        assert message.partition(":")[0] in violation.message

    # What ends the thread may come in a finalizer, which ignores it; then it comes again.
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    @pytest.mark.full  # a real thread, for as long as a call may take
    async def test_a_call_that_never_returns_is_refused(self) -> None:
        with registered(EndlessLoop) as game_type, pytest.raises(CommandRefused) as refused:
            await TableHarness().host.configure(configuring(gameType=game_type))
        assert "step: takes too long" in str(refused.value)


class TeamGame(PileGame):
    """Four players in two teams, as the factory gets them."""

    def __init__(self, players: list[str], seed: Any, counters: int) -> None:
        if len(players) != 4:
            raise ValueError("four players")
        super().__init__(players, seed, counters)


class TestRoles:
    async def test_a_factory_gets_teams_and_roles_by_seat(self) -> None:
        """And everything else of the whole config; the game's own model does not see them."""
        roles = [{"team": "red", "role": "spymaster"}, {"team": "blue"}]
        with registered(TeamGame) as game_type:
            harness, _players = await any_game_harness(
                game_type, *[wild] * 4, game_config={"players": roles, "counters": 12}
            )
            assert harness.table.min_players == 4
            await harness.play(maxHands=1)
            config = CREATED[-1]
            seen = {player.id: (player.team, player.role) for player in config.players}
        assert seen == {
            "p0": ("red", "spymaster"),
            "p1": ("blue", "player"),
            "p2": (None, "player"),
            "p3": (None, "player"),
        }
        assert config.game_config == {"counters": 12}
        assert {player.type for player in config.players} == {"agent"}

    async def test_wrong_roles_are_refused_with_their_path(self) -> None:
        with registered() as game_type, pytest.raises(CommandRefused) as refused:
            await TableHarness().host.configure(
                configuring(gameType=game_type, gameConfig={"players": [{"team": 7}]})
            )
        assert refused.value.reason == "INVALID_GAME_CONFIG"
        assert "players.0.team" in str(refused.value)


# The document's example of a configuration, which pydantic 2 warns of.
@pytest.mark.filterwarnings("ignore:Support for class-based `config`")
class TestFolders:
    """Games of folders, which import the document's own names."""

    async def test_teams_and_nested_scores_are_played_and_ranked(self) -> None:
        """With the room's teams and roles; secrets of the result of `step` stay out."""
        roles = [
            {"team": team, "role": role}
            for role in ("operative", "spymaster")
            for team in ("green", "grey")
        ]
        with loaded(PAGE_GAMES):
            harness, _players = await any_game_harness(
                "word_teams", *[wild] * 4, game_config={"players": roles, "board": {"words": 8}}
            )
            await harness.play(maxHands=2)
        ends = harness.payloads("hand_completed")
        assert len(ends) == 2
        for end in ends:
            scores = end["result"]["scores"]
            assert (scores["p0"], scores["p1"]) == (scores["p2"], scores["p3"])
            assert {rank["playerId"] for rank in end["points"]} == {"p0", "p1", "p2", "p3"}
            teams = end["result"]["public"]["scores"]["teams"]
            assert teams["green"]["score"] == scores["p0"]
        assert "owners" not in str(harness.timeless_events())

    async def test_what_new_game_writes_is_played(self, tmp_path: Path) -> None:
        template_at(tmp_path, "written_game")
        with loaded(tmp_path):
            harness, _players = await any_game_harness(
                "written_game", wild, wild, wild, game_config={"hand_size": 4}
            )
            await harness.play(maxHands=3)
        for end in harness.payloads("hand_completed"):
            assert sum(end["result"]["scores"].values()) == 4


class LateFault(PileGame):
    """It raises in a real hand, not in a rehearsal."""

    def step(self, action: Json) -> tuple[Json, bool]:
        """Raise an error with a secret in its text, in the third turn."""
        if self.turn == 2 and "p0" in self.players:
            raise KeyError("the ace of spades")
        return super().step(action)


class LateLoop(PileGame):
    """It hangs in a real hand."""

    def step(self, action: Json) -> tuple[Json, bool]:
        while self.turn == 2 and "p0" in self.players:
            pass
        return super().step(action)


class FaultyDeal(PileGame):
    """It cannot deal a real hand."""

    def reset(self, seed: Any) -> None:
        if "p0" in self.players:
            raise OSError("the ace of spades")
        super().reset(seed)


class TestFaultsInPlay:
    """The table stops with `table_error`; the chips are where they were, and others can play."""

    @pytest.mark.parametrize(
        ("rules", "what"),
        [
            (LateFault, "step: raises KeyError"),
            (FaultyDeal, "reset: raises OSError"),
            pytest.param(LateLoop, "step: takes too long", marks=pytest.mark.full),
        ],
    )
    async def test_the_table_stops_and_says_why(self, rules: type[PileGame], what: str) -> None:
        """With the method, and without the error's text, which may be secret."""
        with registered(rules) as game_type:
            harness, _players = await any_game_harness(game_type, wild, wild)
            summary = await harness.play(maxHands=3)
            assert (summary.status, summary.hand_count) == ("error", 0)
            assert summary.message == f"the session stopped: the game has a fault: {what}"
            assert "ace of spades" not in str(harness.timeless_events())
            assert _stacks(harness) == [400, 400]
            assert harness.events("table_error")
            started, cancelled = (harness.events(k) for k in ("hand_started", "hand_cancelled"))
            assert len(started) == len(cancelled)

    async def test_a_game_that_is_gone_after_a_restart_cancels_its_hand(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "journal"
        log = CutLog(path, at=7)  # configured, seated twice, started, dealt, two decisions
        with registered() as game_type:
            harness, _players = await any_game_harness(game_type, wild, wild, log=log)
            await harness.host.start(StartGameInput(max_hands=3))
            await kill(harness.host, log)
        await harness.resume(disk_log(path))
        summary = await harness.end()
        assert (summary.status, [seat.stack for seat in summary.players]) == ("error", [400, 400])
        assert len(harness.events("hand_cancelled")) == 1
        assert harness.events("table_error")
        await harness.host.stop()
