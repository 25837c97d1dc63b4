"""Without the repository: the wheel, its extras, README's commands, and every installation hint.

What is tried is found: commands in README.md, hints by the calls of `installation_hint`, extras in
the wheel. One of which nothing is known here fails with its line, and is not passed over.
"""

import ast
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest
from support.author.readme import README, readme_bot
from support.casino.docker import BASE, ROOT, docker, require_engine, run

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

INSTALLED: Final = "a2a-casino-test/wheel"
FOR_DEVELOPERS: Final = {"test", "dev"}
"""Extras that nobody needs without the repository."""
PIP_SETTINGS: Final = (
    "PIP_CONSTRAINT=/dist/constraints.txt",
    "PIP_DISABLE_PIP_VERSION_CHECK=1",
    "PIP_NO_COMPILE=1",
    "PIP_ROOT_USER_ACTION=ignore",
)
ATTEND: Final = """
import os, signal, subprocess, sys
words, is_ended, script = sys.argv[1:]
pipe = subprocess.PIPE
attended = subprocess.Popen(
    ["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT,
    text=True, start_new_session=True,
)
for line in attended.stdout:
    print(line, end="", flush=True)
    if is_ended and words in line:
        is_ended = ""
        os.killpg(attended.pid, signal.SIGINT)
sys.exit(attended.wait())
"""
"""Runs a script; with `is_ended`, as by Ctrl-C as soon as it has printed words."""
ASK: Final = """
import json, sys, urllib.error, urllib.request
path, said = sys.argv[1], sys.argv[2:]
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
body = said[0].encode() if said else None
asked = urllib.request.Request("http://127.0.0.1:4050" + path, body, headers)
try:
    print("answer:", urllib.request.urlopen(asked).read().decode())
except urllib.error.HTTPError as error:
    print("refused:", error.status)
"""
GATEWAY: Final = """
rm -f gateway.log
python -m casino_gateway >gateway.log 2>&1 &
until grep -qs '"listening"' gateway.log; do sleep 0.1; done
python /ask.py {asked}
kill -TERM $!; wait $!; cat gateway.log
"""
PLAYER: Final = "CASINO_PLAYER_PORT=0 python -m casino_player_example"
MODEL: Final = (
    "OPENAI_API_KEY=x CASINO_PLAYER_STYLE=llm CASINO_PLAYER_LLM_MODEL=openai:a-model"
    " CASINO_PLAYER_LLM_BASE_URL=http://127.0.0.1:9/v1"
)
MATCH: Final = "rm -rf m && casino match tight caller --decks 4 --out m"
BOT: Final = "http://127.0.0.1:9000"
LEAGUE: Final = 'players = ["mybot.py", "tight"]\n[deal]\ndecks = 20\n'


@dataclass(frozen=True)
class Trial:
    """What is run, the words by which it worked, and whether Ctrl-C has to end it then."""

    words: str
    is_ended: bool = False
    script: str = ""


HINTS: Final = {
    ("serving.py", "grpc"): Trial(
        '"event": "listening"', is_ended=True, script=f"CASINO_PLAYER_GRPC_PORT=0 {PLAYER}"
    ),
    ("traces.py", "traces"): Trial(
        '"event": "listening"',
        is_ended=True,
        script=f"CASINO_PLAYER_TRACES=http://127.0.0.1:9 {PLAYER}",
    ),
    ("history_files.py", "parquet"): Trial(
        "8 hands written",
        script=f"{MATCH} >/dev/null && casino export m --format parquet --out hands.parquet",
    ),
    ("authentication.py", "ethereum"): Trial(
        'answer: {"',
        script=GATEWAY.format(asked=f"/api/auth/challenge?address=0x{'1' * 40}"),
    ),
    ("mcp_endpoint.py", "mcp"): Trial(
        '"sit_down"',
        script=GATEWAY.format(asked="""/mcp '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'"""),
    ),
    ("mcp_command.py", "mcp"): Trial(
        "no casino serves MCP", script="casino mcp --casino http://127.0.0.1:9 || true"
    ),
    ("model_providers.py", "llm"): Trial(
        '"event": "listening"', is_ended=True, script=f"{MODEL} {PLAYER}"
    ),
    ("encodings.py", "gym"): Trial(
        "leduc_poker_v1",
        script="""python -c 'from casino_match.gym import env; print(env("leduc_poker"))'""",
    ),
    ("ray_cluster.py", "farm"): Trial("result sha256:", script=f"{MATCH} --on ray"),
    ("new_bot.py", "pytest"): Trial(
        "7 passed", script="rm -rf bot && casino new-bot python bot && cd bot && python -m pytest"
    ),
}
"""By module and extra: what prints the hint without the extra, and with it works."""
OPENS: Final = Trial("the casino stays open", is_ended=True)
SITS: Final = Trial("in room main", is_ended=True)
COMMANDS: Final = {
    "casino up": OPENS,
    "casino up --game leduc_poker": OPENS,
    "casino up --hands 20 --exit": Trial("every chip is there"),
    f"casino up --hands 200 --seat {BOT}/.well-known/agent-card.json": OPENS,
    f"casino check {BOT}": Trial("ready for a table"),
    "casino join mybot.py --up": Trial("watch ", is_ended=True),
    "casino join mybot.py --room main --through wss://casino.example": SITS,
    "casino new-bot python mybot": Trial("mybot: a bot in Python"),
    "casino match mybot.py tight": Trial("result sha256:"),
    "casino league bots": Trial("tight"),
    "casino up --pace 700": Trial("watch ", is_ended=True),
    "casino play": Trial("You left the table"),
    "casino up --evaluator": OPENS,
}
NEED_A_CASINO: Final = ("casino join mybot.py --room", "casino play")
CASINO: Final = """
rm -f up.log
casino up --hands 2000 >up.log 2>&1 &
until grep -qs '^watch ' up.log; do sleep 0.1; done
{command}
status=$?; kill -INT $!; wait $!; exit $status
"""


@dataclass(frozen=True)
class Box:
    """A container in which the wheel is installed."""

    name: str

    def tried(self, trial: Trial, script: str = "") -> tuple[int, str]:
        """Return the exit code of a trial, and what it printed."""
        attended = ("python", "-c", ATTEND, trial.words, "1" * trial.is_ended)
        ran = run("docker", "exec", self.name, *attended, script or trial.script)
        return ran.returncode, ran.stdout + ran.stderr

    def works(self, trial: Trial, script: str = "") -> str:
        """Return what a trial prints: its words, and it ends well, unless Ctrl-C ends it."""
        code, said = self.tried(trial, script)
        assert trial.words in said, said
        assert trial.is_ended or code == 0, said
        return said

    def write(self, path: str, text: str) -> None:
        run("docker", "exec", "--interactive", self.name, "tee", path, given=text)


@contextmanager
def box(image: str, dist: Path) -> Iterator[Box]:
    """Run a container that has the wheel and the constraints below /dist, and no other file."""
    settings = [word for setting in PIP_SETTINGS for word in ("--env", setting)]
    mounted = ("--volume", f"{dist}:/dist:ro", "--workdir", "/tmp")
    name = docker("run", "--detach", "--init", *mounted, *settings, image, "sleep", "infinity")
    try:
        yield Box(name)
    finally:
        docker("rm", "--force", name)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the wheel as `make wheel` builds it, and the constraints."""
    folder = tmp_path_factory.mktemp("dist")
    shutil.copy(ROOT / "constraints.txt", folder)
    constrained = dict.fromkeys(("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"), "constraints.txt")
    command = ("wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    ran = run(sys.executable, "-m", "pip", *command, environment=constrained)
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> str:
    """Return the wheel's path in a container."""
    (path,) = dist.glob("*.whl")
    return f"/dist/{path.name}"


@pytest.fixture(scope="module")
def installed(dist: Path, wheel: str) -> Iterator[str]:
    """Yield an image in which the wheel is installed without extras."""
    require_engine()
    with box(BASE, dist) as base:
        docker("exec", base.name, "pip", "install", "--quiet", wheel)
        docker("commit", base.name, INSTALLED)
    yield INSTALLED
    docker("image", "rm", "--force", INSTALLED)


@pytest.fixture
def casino_box(installed: str, dist: Path) -> Iterator[Box]:
    with box(installed, dist) as given:
        given.write("/ask.py", ASK)
        yield given


def hints() -> dict[str, tuple[str, str]]:
    """Return file and extra of every call of `installation_hint` in the product, by place."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    found = {}
    for folder in build["targets"]["wheel"]["packages"]:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "installation_hint":
                    place = f"{path.relative_to(ROOT)}:{node.lineno}"
                    found[place] = (path.name, str(ast.literal_eval(node.args[0])))
    return found


def commands() -> dict[str, str]:
    """Return the commands `casino …` of the README, those of `make up` among them, by place."""
    found, fence, column = {}, None, ""
    for number, line in enumerate(README.splitlines(), 1):
        if line.startswith("```"):
            fence = line[3:] if fence is None else None
            continue
        spans = [line] if fence == "sh" else re.findall(r"`([^`]+)`", line) if fence is None else []
        if header := re.match(r"\| `\S*(casino )…` \|", line):
            column = header[1]
            continue
        column = column if line.startswith("|") else ""
        for span in [column + spans[0]] if column and spans else spans:
            command = span.partition("  #")[0].strip().removeprefix(".venv/bin/")
            if made := re.fullmatch(r'make up(?: ARGS="(.*)")?', command):
                command = f"casino up {made[1] or ''}".strip()
            if command.startswith("casino "):
                found[f"README.md:{number}: {command}"] = command
    return found


@pytest.mark.parametrize("place", hints())
def test_a_hint_installs_what_was_missing(place: str, casino_box: Box, wheel: str) -> None:
    """The command is run as it was printed, and then what was refused works."""
    assert hints()[place] in HINTS, f"{place}: this hint is not provoked yet, see HINTS"
    _, extra = hints()[place]
    trial = HINTS[hints()[place]]
    _, said = casino_box.tried(trial)
    assert trial.words not in said
    printed = re.findall(r"/\S+ -m pip install '[^']+'", said)
    wanted = [command for command in printed if command.endswith(f"'{wheel}[{extra}]'")]
    assert len(wanted) == 1, said
    docker("exec", casino_box.name, "bash", "-c", f"{wanted[0]} --quiet")
    casino_box.works(trial)


def test_every_extra_of_the_wheel_is_known_and_installs(
    casino_box: Box, dist: Path, wheel: str
) -> None:
    """Beside those that hints install: names of old releases, and all at once without conflict."""
    with ZipFile(dist / Path(wheel).name) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        described = message_from_bytes(archive.read(metadata))
    extras = set(described.get_all("Provides-Extra", ())) - FOR_DEVELOPERS
    hinted = {extra for _, extra in hints().values()}
    needed = {
        found[1]
        for line in described.get_all("Requires-Dist", ())
        if (found := re.search(r"extra == '([^']+)'", line))
    }
    assert needed - FOR_DEVELOPERS - {"all"} == hinted
    wanted = f"{wheel}[{','.join(sorted(extras))}]"
    docker("exec", casino_box.name, "pip", "install", "--quiet", wanted)
    casino_box.works(Trial("No broken requirements found."), "pip check")


@pytest.mark.long
def test_every_command_of_the_readme_works(casino_box: Box) -> None:
    """Beside the README's bot, and where it needs one a casino; the example's address is local."""
    unknown = {place for place, command in commands().items() if command not in COMMANDS}
    assert not unknown, "these commands are not tried yet, see COMMANDS"
    assert set(commands().values()) == set(COMMANDS), "the README has fewer commands"
    casino_box.write("/tmp/mybot.py", readme_bot())
    docker("exec", casino_box.name, "mkdir", "bots")
    casino_box.write("/tmp/bots/mybot.py", readme_bot())
    casino_box.write("/tmp/bots/league.toml", LEAGUE)
    docker("exec", "--detach", casino_box.name, "python", "mybot.py")
    for command, trial in COMMANDS.items():
        script = command.replace("wss://casino.example", "ws://127.0.0.1:4050")
        if command.startswith(NEED_A_CASINO):
            script = CASINO.format(command=script)
        casino_box.works(trial, script)


def test_pipx_and_uvx_run_the_wheel(casino_box: Box, wheel: str) -> None:
    """By their own environments, in which the hint is theirs."""
    casino_box.works(
        Trial("installed package a2a-casino"),
        f"pip install --quiet pipx uv && pipx install {wheel}",
    )
    _, said = casino_box.tried(
        Trial("", script=f"{MATCH}; ~/.local/bin/casino export m --format parquet --out h")
    )
    (injected,) = re.findall(r"pipx inject a2a-casino '.+'", said)
    casino_box.works(Trial("injected package pyarrow"), injected)
    casino_box.works(
        Trial("8 hands written"), "~/.local/bin/casino export m --format parquet --out h"
    )
    casino_box.works(Trial("casino "), f"uvx --from {wheel} casino --version")
