"""Bots without a fault: the README's function, sample players, and one behind TLS."""

import ssl
from pathlib import Path

import pytest
from casino.check.finding import Verdict
from casino_agentkit.tls.context import client_context
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles.catalogue import STYLES
from support.author.readme import readme_bot
from support.certificates import Authority
from support.players.broken.bot import Bot, served
from support.players.broken.bot_file import bot_file
from support.players.broken.checking import checked, of
from support.served import serving

CALLS = "return {'action': 'check' if 'check' in turn['legalActions'] else 'call'}"
OF_SERVERS = {"card", "signup", "seat-token", "connection", "bad-input"}


async def test_a_sound_bot_has_no_fault() -> None:
    """Every check was run, except those of other games."""
    with served(Bot()) as url:
        findings = await checked(url)
    assert not of(Verdict.FAULT, findings)
    assert of(Verdict.SKIPPED, findings) == [("other-games", "")]
    texts = {each.check: each.text for each in findings}
    assert texts["questions"] == "60 legal answers to 60 questions"


@pytest.mark.parametrize("head", ["def act(turn):", "async def act(turn):"])
async def test_of_a_function_what_only_a_server_has_is_skipped(tmp_path: Path, head: str) -> None:
    findings = await checked(bot_file(tmp_path, CALLS, head))
    assert not of(Verdict.FAULT, findings)
    assert {check for check, _ in of(Verdict.SKIPPED, findings)} >= OF_SERVERS


async def test_the_readme_s_function_is_ready(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(readme_bot())
    findings = await checked(f"{file}:act")
    assert not of(Verdict.FAULT, findings), findings
    assert ("questions", "") in of(Verdict.OK, findings)


@pytest.mark.parametrize("style", [*STYLES, "generic"])
async def test_a_sample_player_is_ready_without_a_warning(style: str) -> None:
    """It refuses callers without the seat token; one of any game is asked other games."""
    service = build_app(PlayerSettings.load({}, style=style), "http://127.0.0.1")
    with serving(service.asgi(), service) as url:
        findings = await checked(url)
    verdicts = {each.check: each.verdict for each in findings}
    # The time of an answer depends on the machine; everything else does not.
    assert Verdict.FAULT not in {verdicts.pop("concurrency"), verdicts.pop("speed")}
    other_games = verdicts.pop("other-games")
    assert other_games is (Verdict.OK if style == "generic" else Verdict.SKIPPED)
    assert set(verdicts.values()) == {Verdict.OK}, findings


async def test_a_bot_behind_tls_is_checked_with_the_named_authority(tmp_path: Path) -> None:
    """Another one is a fault, with the setting that trusts it."""
    authority = Authority(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*authority.give("bot"))
    with served(Bot(), tls) as url:
        trusting = await checked(url, tls=client_context(authority.root))
        findings = await checked(url)
    assert not of(Verdict.FAULT, trusting), trusting
    assert ("connection", "") in of(Verdict.OK, trusting)
    (fault,) = [each for each in findings if each.verdict is Verdict.FAULT]
    assert fault.name == "tls-certificate"
    assert "CASINO_TLS_CA" in fault.fix
