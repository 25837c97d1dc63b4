"""A bot behind TLS is checked with the authority that the operator names."""

import ssl
from pathlib import Path

import pytest
from casino.check.findings import Verdict
from casino.testing.table import checked
from casino_agentkit.tls import client_context
from support.author.broken_bots import Bot, of, served
from support.certificates import Authority


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def tls(authority: Authority) -> ssl.SSLContext:
    """Return the context of a server with its certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.give("bot"))
    return context


async def test_a_bot_behind_tls_is_ready(authority: Authority, tls: ssl.SSLContext) -> None:
    with served(Bot(), tls) as url:
        findings = await checked(url, tls=client_context(authority.root))
    assert not of(Verdict.FAULT, findings), findings
    assert ("connection", "") in of(Verdict.OK, findings)


async def test_an_unknown_authority_is_named(tls: ssl.SSLContext) -> None:
    with served(Bot(), tls) as url:
        findings = await checked(url)
    (fault,) = [each for each in findings if each.verdict is Verdict.FAULT]
    assert fault.name == "tls-certificate"
    assert "CASINO_TLS_CA" in fault.fix
