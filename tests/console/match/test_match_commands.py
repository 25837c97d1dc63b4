"""`casino match` in this process: a match, its files, and the errors of its options."""

import json
from functools import partial
from pathlib import Path

import httpx
import pytest
import typer
from casino.__main__ import app
from casino.commands.match_commands import with_matches
from casino.match_text import TEMPLATE
from casino_match.errors import StoreFailed
from support.console_side import casino
from support.match.plans import played
from typer.main import get_command

BOT = "def act(turn):\n    return {'action': 'fold'}\n"
FEW = ("--decks", "40", "--decks-per-block", "4", "--jobs", "1")


match = partial(casino, "match")


async def right(*arguments: str) -> list[str]:
    """Run `casino match`, and return its lines."""
    ended = await match(*arguments)
    assert (ended.exit_code, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


async def test_a_match_is_played_shown_and_verified(tmp_path: Path) -> None:
    """The same command again plays nothing, and prints the same result."""
    out = str(tmp_path / "out")
    command = ("tight", "caller", *FEW, "--seed", "a seed", "--out", out)
    lines = await right(*command)
    assert lines[0] == f"match  {out} begins: up to 40 decks, seed a seed"
    assert lines[2] == "tight-caller: 80 hands, 40 decks, 2 players"
    assert lines[-1] == f"files  {out}"
    again = await right(*command)
    assert again[0] == f"match  {out} goes on: up to 40 decks, seed a seed"
    assert (again[1:], await right(out)) == (lines[1:], again)
    assert await right("show", out) == lines[2:-1]
    digest = lines[-2].split()[1]
    assert digest == played(tmp_path / "here").digest
    assert await right("verify", out) == [
        f"plan    {lines[-3].split()[1]}",
        f"result  {digest}",
        "hands   80 of 40 decks played again by the rules",
        "blocks  2 played again by the players",
        "note    its result is not signed: only a service of matches has a card key",
        "everything agrees",
    ]


@pytest.mark.parametrize(
    ("option", "needed"), [("--alpha", "--stop-better"), ("--games-at-once", "a player that is")]
)
async def test_an_option_that_changes_nothing_is_refused(
    tmp_path: Path, option: str, needed: str
) -> None:
    """Also beside a plan, which may have what it needs."""
    plan = tmp_path / "plan.toml"
    plan.write_text(TEMPLATE)
    for players in (("tight", "caller"), (str(plan),)):
        ended = await match(*players, option, "1", "--out", str(tmp_path / "out"))
        assert (ended.exit_code, f"has no effect without {needed}" in ended.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("bound", ["0:inf", "-inf:5", "nan:5", "0:1e999"])
async def test_a_bound_that_is_not_finite_is_refused(tmp_path: Path, bound: str) -> None:
    """Before anything is written."""
    out = tmp_path / "k16a"
    ended = await match("tight", "caller", *FEW, "--stop-better", bound, "--out", str(out))
    assert ended.exit_code == 2
    assert "--stop-better" in ended.stderr
    assert "write two finite win rates" in ended.stderr
    assert not out.exists()


async def test_programs_get_lines_of_json(tmp_path: Path) -> None:
    """The plan, the progress, the result, whose document is that of the file."""
    out = tmp_path / "out"
    lines = await right("tight", "caller", *FEW, "--seed", "a seed", "--out", str(out), "--json")
    documents = [json.loads(line) for line in lines]
    events = [document["event"] for document in documents]
    assert (events[0], set(events[1:-1]), events[-1]) == ("plan", {"progress"}, "result")
    assert documents[-2]["decks"] == documents[-2]["of"] == 40
    assert documents[-1]["result"] == json.loads((out / "result.json").read_bytes())
    assert json.loads((await right("show", str(out), "--json"))[0]) == documents[-1]["result"]
    assert len(documents[-1]["result"]["notableHands"]) == 10


async def test_a_plan_is_written_and_played(tmp_path: Path) -> None:
    """Options take the place of its values; paths start at its folder."""
    plan, out = tmp_path / "match.toml", str(tmp_path / "out")
    assert await right("new", str(plan)) == [f"{plan}   play it: casino match {plan}"]
    assert plan.read_text() == TEMPLATE
    again = await match("new", str(plan))
    assert (again.exit_code, again.stderr) == (1, f"casino match new: {plan}: File exists\n")
    (tmp_path / "mine.py").write_text(BOT)
    plan.write_text('players = ["caller", "mine.py"]\n[deal]\nseed = "s"\ndecks = 9_000\n')
    lines = await right(str(plan), *FEW, "--stack", "50", "--out", out)
    assert lines[2] == "caller-mine: 80 hands, 40 decks, 2 players"
    written = json.loads((tmp_path / "out/plan.json").read_bytes())
    assert (written["folder"], written["plan"]["rules"]["stack"]) == (str(tmp_path), 50)
    assert written["plan"]["players"][1]["player"] == "mine.py:act"
    (tmp_path / "mine.py").write_text(BOT + "\n")
    changed = await match(str(plan), *FEW, "--stack", "50", "--out", out)
    assert (changed.exit_code, changed.stdout) == (2, "")
    assert "mine.py:act (mine) has changed" in changed.stderr


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def decide(turn): ...\n", "has no function act: write def act(turn): ..."),
        ("def act(turn:\n", "line 1: SyntaxError"),
    ],
)
async def test_a_bot_that_cannot_be_loaded_is_mended_and_plays(
    source: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was played, so nothing is to go on, and the same command begins anew."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(source)
    ended = await match("mine.py", "caller", *FEW)
    assert (ended.exit_code, ended.stdout.count("\n")) == (1, 1)
    assert reason in ended.stderr
    (tmp_path / "mine.py").write_text(BOT)
    assert (await right("mine.py", "caller", *FEW))[
        2
    ] == "mine-caller: 80 hands, 40 decks, 2 players"


async def test_a_bot_that_raises_is_explained_where_the_match_stops_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def act(turn):\n    return turn['nothing']\n")
    lines = await right("mine.py", "caller", *FEW)
    assert "See the first wrong answer: the same command with --fresh --wrong-answer stop" in lines
    ended = await match("mine.py", "caller", *FEW, "--fresh", "--wrong-answer", "stop")
    assert (ended.exit_code, ended.stdout.count("\n")) == (1, 1)
    assert "mine.py, line 2: KeyError: 'nothing'" in ended.stderr


MODEL = """
from pathlib import Path

CREDIT = Path(__file__).with_name("credit")

def act(turn):
    left = int(CREDIT.read_text())
    action = "check" if "check" in turn["legalActions"] else "call"
    if left == 0:
        why = {"reason": "model_failed", "detail": "402 Payment required"}
        return {"action": action, "defaulted": why, "usage": {"model": "small"}}
    CREDIT.write_text(str(left - 1))
    usage = {"model": "small", "inputTokens": 900, "outputTokens": 100, "costUsd": 0.002}
    return {"action": action, "usage": usage}
"""


async def test_a_match_whose_model_fails_is_suspended_in_its_words_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No default counts: the result is that of a model that never failed, and has what it cost."""
    monkeypatch.chdir(tmp_path)
    credit = tmp_path / "credit"
    (tmp_path / "mine.py").write_text(MODEL)
    command = ("mine.py", "caller", *FEW, "--seed", "a seed", "--patience", "100ms", "--out")
    credit.write_text("100")
    ended = await match(*command, "out")
    assert ended.exit_code == 1
    assert "suspended; the blocks that are played stay" in ended.stdout
    assert "bb/100" not in ended.stdout
    assert "no answer for 0 s: only a default, model_failed: 402 Payment required" in ended.stderr
    assert "so far" in (await right("show", "out"))[0]
    credit.write_text("9999")
    lines = await right(*command, "out")
    assert lines[-2] == (await right(*command, "undisturbed"))[-2]
    (told,) = (line for line in lines if line.startswith("mine") and "small" in line)
    decisions = json.loads((tmp_path / "out/result.json").read_bytes())["players"][0]["decisions"]
    assert told.split()[:4] == [
        "mine", "small", f"{decisions * 1_000 * 100 / 80:,.0f}", f"{decisions / 80 * 0.2:g}",
    ]  # fmt: skip


async def test_a_model_that_fails_on_every_call_never_has_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though its plan counts defaults; the result counts them, and has the provider's words."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "credit").write_text("0")
    (tmp_path / "mine.py").write_text(MODEL)
    lines = await right("mine.py", "maniac", *FEW, "--no-answer", "default", "--out", "out")
    document = json.loads((tmp_path / "out/result.json").read_bytes())
    count = document["players"][0]["decisions"]
    assert any(line.startswith("mine") and line.endswith(f"{count} model_failed") for line in lines)
    assert "mine, model_failed: 402 Payment required" in lines
    (said,) = (line for line in lines if line.startswith("No verdict: "))
    assert f"{count} of {count} decisions of mine were not its own" in said
    assert document["unjudged"] == ["mine"]
    assert document["pairs"][0]["verdict"] == "undecided"
    assert f"note    not mine's own decisions: {count} model_failed" in await right("verify", "out")
    document["players"][0]["outcomes"] = {"ok": count}
    (tmp_path / "out/result.json").write_text(json.dumps(document))
    ended = await match("verify", "out")
    assert "players: outcomes of mine: the blocks give" in ended.stdout


async def test_shares_say_what_is_missing(tmp_path: Path) -> None:
    command = ("tight", "caller", *FEW, "--out", str(tmp_path / "out"))
    lines = await right(*command, "--block", "1/2")
    assert lines[1].startswith("5 of 10 blocks are missing. When all shares are played,")
    await right(*command, "--block", "2/2")
    result = await right(str(tmp_path / "out"))
    assert result[2] == "tight-caller: 80 hands, 40 decks, 2 players"


async def test_verification_finds_what_was_changed(tmp_path: Path) -> None:
    """A bot that does not decide by its question, and a result that is not of the blocks."""
    out = tmp_path / "out"
    bot = tmp_path / "mine.py"
    bot.write_text(
        "import secrets\n\ndef act(turn):\n"
        "    return {'action': secrets.choice(['fold', 'all-in'])}\n"
    )
    await right("caller", str(bot), *FEW, "--out", str(out))
    ended = await match("verify", str(out))
    assert ended.exit_code == 1
    assert "is played differently now" in ended.stdout
    played(tmp_path / "other")
    document = json.loads((tmp_path / "other/result.json").read_bytes())
    document["digest"] = "sha256:" + "0" * 64
    (tmp_path / "other/result.json").write_text(json.dumps(document))
    ended = await match("verify", str(tmp_path / "other"), "--json")
    assert (ended.exit_code, len(json.loads(ended.stdout)["faults"])) == (1, 1)


async def test_a_match_is_published(tmp_path: Path) -> None:
    """At the lobby of the option, with the link of its page."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(503, json={"title": "Closing", "detail": "later"})

    ended = await casino(
        "match", "tight", "caller", *FEW, "--out", str(tmp_path), "--publish", "http://lobby",
        to=httpx.MockTransport(answer),
    )  # fmt: skip
    assert (ended.exit_code, ended.stderr) == (1, "casino match: later\n")
    assert {(request.method, request.url.path[:25]) for request in requests} == {
        ("PUT", "/v1/matches/tight-caller-")
    }
    assert (tmp_path / "result.json").is_file(), "the result is not lost"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("tight", "players: name at least 2 players, such as mybot.py and tight"),
        ("tight equity --clock 5", "rules.clock: must be a duration such as"),
        ("tight equity --block 3/2", "--block: '3/2' is no share: write 1/10"),
        ("tight equity --block 1/2", "choose --seed or --out"),
        ("nowhere.toml", "nowhere.toml cannot be read: No such file"),
    ],
)
async def test_what_cannot_be_played_is_one_line(arguments: str, message: str) -> None:
    """It names the field and the fix, and ends with 2."""
    ended = await match(*arguments.split())
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


async def test_a_match_that_is_not_there_ends_with_1(tmp_path: Path) -> None:
    ended = await match("show", str(tmp_path))
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"casino match show: {tmp_path} holds no match")


@pytest.mark.parametrize(
    "arguments", ["tight equity --stop-better five", "x --jobs 0", "--decks 5"]
)
async def test_a_wrong_option_ends_with_2(arguments: str) -> None:
    ended = await match(*arguments.split())
    assert (ended.exit_code, ended.stdout) == (2, "")


CONTEXT = typer.Context(get_command(app), info_name="casino match")


def test_an_error_of_a_match_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), with_matches(CONTEXT):
        raise StoreFailed("the disk is full")
    assert capsys.readouterr().err == "casino match: the disk is full\n"
