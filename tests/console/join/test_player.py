"""A joined bot: loaded anew when its file changed, what it answers, and what its log keeps."""

import json
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from casino.errors import BotLogFailed
from casino.join.joined_player import BotLog, JoinedPlayer, player_agent
from casino.join.reloaded_bot import ReloadedBot
from casino_agentkit import CommandRefused, UnfairDeal
from casino_contracts import Card, SignupResponse
from casino_play.errors import BotFileFailed, FunctionFailed
from support.players.fair_table import QUESTION, FairTable

INVITATION = {"tableId": "t1", "roomId": "green", "playerId": "player-1", "seatToken": "secret"}
TURN: dict[str, Any] = {"requestId": "green/17:3:1", "legalActions": ["fold", "call"]}


class Side:
    """A player whose answers are a list, and what it says and logs."""

    def __init__(self, directory: Path, room_id: str | None = None, **options: Any) -> None:
        self.said: list[str] = []
        self.answers: list[object] = []
        self.path = directory / "mine.log"
        self.log = BotLog(self.path, lambda: datetime(2026, 11, 23, tzinfo=UTC))
        ticks = count(step=0.002)
        self.player = JoinedPlayer(
            SignupResponse(display_name="Mine", **options),
            self._decide,
            self.log,
            self.said.append,
            room_id=room_id,
            now=lambda: next(ticks),
        )

    async def _decide(self, _turn: dict[str, Any]) -> object:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def side(tmp_path: Path) -> Iterator[Side]:
    """Return a player that joins the room green."""
    side = Side(tmp_path, room_id="green")
    yield side
    side.log.close()


async def test_every_decision_is_logged_before_and_after(side: Side) -> None:
    side.answers = [{"action": "call"}]
    assert await side.player.answer("act", TURN) == {"action": "call"}
    at = "2026-11-23T00:00:00.000Z"
    request = {"requestId": "green/17:3:1"}
    assert side.logged == [
        {"at": at, "event": "question", **request, "turn": TURN},
        {"at": at, "event": "answer", **request, "answer": {"action": "call"}, "latencyMs": 2.0},
    ]
    assert stat.S_IMODE(side.path.stat().st_mode) == 0o600
    assert side.said == []


async def test_why_an_answer_was_not_accepted_is_said_and_logged(side: Side) -> None:
    """With the hand, when the table asks for the second time."""
    side.answers = [{"action": "call"}]
    rejected = {"reason": "ILLEGAL_ACTION", "message": "check is not possible now"}
    await side.player.act({**TURN, "rejected": rejected})
    assert side.said == ["hand 17: not accepted: check is not possible now; asked once more"]
    assert side.logged[0]["event"] == "rejected"
    assert side.logged[0]["reason"] == "check is not possible now"


async def test_notices_reach_a_bot_that_wants_them(side: Side) -> None:
    """Its agent names the skill; that of another bot refuses it."""
    taken: list[dict[str, Any]] = []
    wanting = JoinedPlayer(
        SignupResponse(display_name="Model"),
        side.player.act,
        side.log,
        side.said.append,
        notice=taken.append,
    )
    assert await wanting.answer("notify", {"kind": "dealt"}) == {"ok": True}
    assert taken == [{"kind": "dealt"}]
    with pytest.raises(CommandRefused, match="has signup, act, contribute"):
        await side.player.answer("notify", {"kind": "dealt"})
    skills = [set(player_agent(player, "a-key").entrypoints) for player in (wanting, side.player)]
    own = {"signup", "act", "contribute"}
    assert skills == [own | {"notify"}, own]


async def test_a_bot_contributes_and_is_not_asked_for_cards_that_were_not_committed_to(
    side: Side,
) -> None:
    """What it was dealt is logged with its proof; a hand that is not fair is said and refused."""
    table = FairTable()
    second = table.commit(await side.player.answer("contribute", table.request()))
    third = table.contribute(await side.player.answer("contribute", second))
    assert await side.player.answer("contribute", third) == {}
    proof, cards = table.deal(1)
    hole = [Card.of_number(number) for number in cards]
    turn = QUESTION | {"holeCards": [card.model_dump(mode="json") for card in hole]}
    side.answers = [{"action": "call"}, {"action": "fold"}]
    assert await side.player.act({**turn, "proof": proof}) == {"action": "call"}
    assert await side.player.act(turn) == {"action": "fold"}
    dealt = {"handNumber": 1, "block": "main/1/1", "playerId": "player-1"}
    shown = {"cards": [card.text for card in hole], "proof": proof}
    at = side.logged[0]["at"]
    assert side.logged[1] == {"at": at, "event": "dealt", **dealt, **shown}
    wrong = turn | {"handNumber": 2, "requestId": "main/2:1:1", "proof": proof}
    for unfair, why in (
        (wrong, "The deal is not fair: hand 2 of main/1/1: proof: it is not of the cards"),
        ({**turn, "pot": "x"}, "The deal is not fair: the question cannot be read: pot: "),
    ):
        with pytest.raises(UnfairDeal) as refusal:
            await side.player.act(unfair)
        assert refusal.value.message.startswith(why)
        assert side.said[-1].endswith(refusal.value.message)
        assert side.logged[-1]["error"] == refusal.value.message
    again = FairTable(secret=bytes(32)).commit({"commitment": ""})
    with pytest.raises(UnfairDeal, match="has had another one before"):
        await side.player.answer("contribute", again)
    assert "has had another one before" in side.said[-1]


async def test_a_default_is_said_with_its_reason(side: Side) -> None:
    """It passes to the table as it is, with what it cost."""
    why = {"reason": "model_failed", "detail": "401 Incorrect API key provided"}
    answer = {"action": "call", "defaulted": why, "usage": {"inputTokens": 7}}
    side.answers = [answer, {"action": "call", "away": True}]
    assert await side.player.act(TURN) == answer
    await side.player.act(TURN)
    assert side.said == [
        "hand 17: not decided by the bot: model_failed: 401 Incorrect API key provided",
        "hand 17: not decided by the bot: away",
    ]


async def test_an_error_of_the_bot_is_an_answer_that_the_table_understands(side: Side) -> None:
    """It comes back as `rejected`, which needs no second line."""
    side.answers = [FunctionFailed("mine.py, line 3: KeyError: 'x'"), {"action": "fold"}]
    with pytest.raises(CommandRefused) as refusal:
        await side.player.act(TURN)
    assert (refusal.value.reason, refusal.value.message) == (
        "BOT_FAILED",
        "mine.py, line 3: KeyError: 'x'",
    )
    await side.player.act({**TURN, "rejected": {"message": "mine.py, line 3: KeyError: 'x'"}})
    assert side.said == []
    assert [entry["event"] for entry in side.logged] == [
        "question",
        "failed",
        "rejected",
        "question",
        "answer",
    ]
    assert side.logged[1]["error"] == "mine.py, line 3: KeyError: 'x'"


def test_a_seat_is_taken_only_where_and_while_the_bot_joins(side: Side) -> None:
    """Another lobby that finds the card gets no seat, and no right to ask."""
    with pytest.raises(CommandRefused, match="takes no seat here now"):
        side.player.signup(INVITATION)
    side.player.is_joining = True
    with pytest.raises(CommandRefused, match="takes no seat here now"):
        side.player.signup({**INVITATION, "roomId": "red"})
    assert side.player.signup(INVITATION) == {"displayName": "Mine"}
    invited = side.player.invited("player-1")
    assert invited is not None
    assert (invited.table_id, invited.seat_token) == ("t1", "secret")
    assert "secret" not in repr(invited)


def test_another_game_is_refused_unless_the_bot_plays_any(tmp_path: Path) -> None:
    leduc = {**INVITATION, "gameType": "leduc_poker"}
    holdem = Side(tmp_path)
    with pytest.raises(CommandRefused, match="this room plays leduc_poker: `casino join --any-gam"):
        holdem.player.signup(leduc)
    anything = Side(tmp_path, plays_any_game=True, clock_ms=600_000)
    reply = {"displayName": "Mine", "playsAnyGame": True, "clockMs": 600_000}
    assert anything.player.signup(leduc) == reply
    holdem.log.close()
    anything.log.close()


def test_a_log_does_not_grow_for_ever(tmp_path: Path) -> None:
    """What is full becomes `….1`, which only the owner may read either."""
    path = tmp_path / "mine.log"
    log = BotLog(path, lambda: datetime(2026, 11, 23, tzinfo=UTC), most_bytes=200)
    for number in range(5):
        log.joined("green", f"player-{number}", "Mine")
    log.close()
    kept = [json.loads(line)["playerId"] for line in Path(f"{path}.1").read_text().splitlines()]
    assert kept == ["player-2", "player-3"]
    assert json.loads(path.read_text())["playerId"] == "player-4"
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(BotLogFailed, match=r"--log .*/none/mine.log: it cannot be written"):
        BotLog(tmp_path / "none" / "mine.log")


def write(path: Path, source: str, second: int = 0) -> None:
    """Write a version of the file, with a time of its own."""
    path.write_text(source)
    os.utime(path, (1_700_000_000 + second, 1_700_000_000 + second))


def remove(path: Path) -> None:
    """Remove the file, as some editors do before they write it."""
    path.unlink()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


async def test_plain_and_asynchronous_functions_decide(path: Path) -> None:
    """The function may have another name, and use its neighbours."""
    said: list[str] = []
    (path.parent / "neighbour_of_mine.py").write_text("WORD = 'fold'\n")
    write(
        path,
        "from neighbour_of_mine import WORD\n"
        "def act(turn): return {'action': WORD}\n"
        "async def play(turn): return {'action': turn['wanted']}\n",
    )
    assert await ReloadedBot(str(path), said.append).decide({}) == {"action": "fold"}
    assert await ReloadedBot(f"{path}:play", said.append).decide({"wanted": "call"}) == {
        "action": "call"
    }
    assert said == []


async def test_a_changed_file_is_loaded_between_two_decisions(path: Path) -> None:
    """Once for each change; a file that is gone for a moment changes nothing."""
    said: list[str] = []
    write(path, "def act(turn): return 1\n")
    bot = ReloadedBot(str(path), said.append)
    assert await bot.decide({}) == 1
    write(path, "def act(turn): return 2\n", 1)
    assert (await bot.decide({}), await bot.decide({})) == (2, 2)
    remove(path)
    assert await bot.decide({}) == 2
    assert said == ["mine.py was loaded again"]


async def test_two_changes_within_one_second_are_both_seen(path: Path) -> None:
    """Although Python itself compares versions by whole seconds and size."""
    bot = None
    for number in range(3):
        write(path, f"def act(turn): return {number}\n")
        at = 1_700_000_000 * 10**9 + number
        os.utime(path, ns=(at, at))
        bot = bot or ReloadedBot(str(path), lambda _line: None)
        assert await bot.decide({}) == number


async def test_a_bot_that_exits_ends_no_process(path: Path) -> None:
    said: list[str] = []
    write(path, "def act(turn):\n    exit(3)\n")
    with pytest.raises(FunctionFailed, match=r"mine.py, line 2: SystemExit: 3"):
        await ReloadedBot(str(path), said.append).decide({})
    assert said == ["mine.py:2 in act", "    exit(3)", "SystemExit: 3"]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def act(turn):\n    return {\n", "mine.py, line 2: SyntaxError: '{' was never closed"),
        ("import nothing_of_that_name\n", "mine.py, line 1: ModuleNotFoundError: No module named"),
        ("def react(turn): return 1\n", "mine.py has no function act: write def act(turn): ..."),
        ("raise SystemExit\n", "mine.py, line 1: SystemExit"),
    ],
)
async def test_a_broken_version_leaves_the_old_one_at_work(
    path: Path, source: str, line: str
) -> None:
    """It is reported once, with its line; as the first version it is an error."""
    said: list[str] = []
    write(path, "def act(turn): return 1\n")
    bot = ReloadedBot(str(path), said.append)
    write(path, source, 1)
    assert (await bot.decide({}), await bot.decide({})) == (1, 1)
    assert line in said[-1]
    assert said[-1].endswith("; the version before plays on")
    assert len([text for text in said if "plays on" in text]) == 1
    write(path, "def act(turn): return 3\n", 2)
    assert await bot.decide({}) == 3
    write(path, source, 3)
    with pytest.raises(BotFileFailed, match="mine.py"):
        ReloadedBot(str(path), said.append)


async def test_an_error_is_shown_in_the_lines_of_its_author(path: Path) -> None:
    """Frames of libraries are left out, the same error is not written out a second time."""
    said: list[str] = []
    write(
        path,
        "import json\ndef read(text):\n    return json.loads(text)\n\n\ndef act(turn):\n"
        "    return read('{')\n",
    )
    bot = ReloadedBot(str(path), said.append)
    expected = (
        "JSONDecodeError: Expecting property name enclosed in double quotes:"
        " line 1 column 2 (char 1)"
    )
    for _ in range(2):
        with pytest.raises(FunctionFailed) as failed:
            await bot.decide({})
        assert str(failed.value) == f"mine.py, line 3: {expected}"
    assert said == [
        "mine.py:7 in act",
        "    return read('{')",
        "mine.py:3 in read",
        "    return json.loads(text)",
        expected,
        f"the same again: {expected}",
    ]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("{'amount': float('nan')}", "amount is nan, no JSON number"),
        ("{1, 2}", "it is of the type set"),
    ],
)
async def test_an_answer_that_is_no_json_is_an_error_of_the_bot(
    path: Path, answer: str, why: str
) -> None:
    said: list[str] = []
    write(path, f"def act(turn): return {answer}\n")
    with pytest.raises(FunctionFailed, match=why):
        await ReloadedBot(str(path), said.append).decide({})
    assert said[0].startswith("mine.py: the answer is no JSON: ")


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BotFileFailed, match=r"there is no file .*none\.py"):
        ReloadedBot(str(tmp_path / "none.py:act"), print)
