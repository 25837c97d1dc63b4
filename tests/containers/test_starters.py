"""The console's image writes every starter, and the one in Python runs by its own Dockerfile."""

import urllib.request
from pathlib import Path

import pytest
from casino.starters.starter import LANGUAGES, write_starter
from support.author.bot_process import BotProcess
from support.author.single_write import answer_of, call, exchanged
from support.casino.docker import docker, inspect, stopped
from support.processes import wait_for

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


def test_the_console_s_image_has_all_templates(images: dict[str, str]) -> None:
    """Also after the modules in its image were compiled."""
    code = f"""
import subprocess
for language in {sorted(LANGUAGES)}:
    subprocess.run(["casino", "new-bot", language, f"/tmp/{{language}}"], check=True)
"""
    said = docker("run", "--rm", "--entrypoint", "python", images["console"], "-c", code)
    for name, language in LANGUAGES.items():
        files = len(language.files) + 5  # Dockerfile, README and three questions
        assert f"/tmp/{name}: a bot in {language.title}, {files} files" in said


def test_the_python_starter_runs_in_its_own_image(images: dict[str, str], tmp_path: Path) -> None:
    """Without rights, on a read-only root; it ends by itself when it is stopped."""
    assert images  # there is an engine, with the base image
    project = tmp_path / "shark"
    write_starter(LANGUAGES["python"], project)
    image = docker("build", "--quiet", project)
    hardened = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")
    name = docker("run", "--detach", "--publish", "127.0.0.1::9000", *hardened, image)
    try:
        port = int(docker("port", name, "9000/tcp").splitlines()[0].rpartition(":")[2])
        wait_for(lambda: _serves_its_card(port))
        bot = BotProcess(port, project / "bot.log")
        invitation = {"tableId": "main", "gameType": "texas-holdem"}
        (seat,) = exchanged(bot, call("signup", invitation))
        assert answer_of(seat) == {"displayName": "shark"}
        assert "seat at main" in docker("logs", name)
        assert stopped(name, grace=20) == 0
        assert inspect(name)["Config"]["User"] == "10001"
    finally:
        docker("rm", "--force", name)
        docker("image", "rm", "--force", image)


def _serves_its_card(port: int) -> bool:
    """Return whether the card can be read; the engine accepts connections before the bot does."""
    url = f"http://127.0.0.1:{port}/.well-known/agent-card.json"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
