"""TLS: files are checked at the start, certificates at every connection."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import aiohttp
import pytest
from casino_agentkit.settings import ServiceSettings
from casino_agentkit.tls import (
    clear_text_warning,
    client_context,
    server_context,
    why_not_trusted,
)
from pydantic import ValidationError
from support.certificates import Authority


class PlaceSettings(ServiceSettings):
    """Settings of a sample service."""

    prefix: ClassVar[str] = "CASINO_PLACE_"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def fault(**files: Path | None) -> str:
    with pytest.raises(ValidationError) as caught:
        PlaceSettings.model_validate(files)
    (error,) = caught.value.errors()
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"


class TestSettings:
    def test_without_settings_there_is_no_tls(self) -> None:
        settings = PlaceSettings()
        assert settings.server_tls() is None
        assert settings.client_tls().verify_mode is ssl.CERT_REQUIRED

    def test_certificate_and_key_make_a_context(self, authority: Authority) -> None:
        cert, key = authority.give("place")
        context = PlaceSettings(tls_cert=cert, tls_key=key).server_tls()
        assert context is not None
        assert context.minimum_version == ssl.TLSVersion.TLSv1_2

    @pytest.mark.parametrize("missing", ["CERT", "KEY"])
    def test_certificate_and_key_come_together(self, authority: Authority, missing: str) -> None:
        files = dict(zip(("CERT", "KEY"), authority.give("place"), strict=True))
        (there,) = {"CERT", "KEY"} - {missing}
        message = fault(**{f"tls_{there.lower()}": files[there]})
        assert f"CASINO_PLACE_TLS_{there} is set without CASINO_PLACE_TLS_{missing}" in message

    @pytest.mark.parametrize("name", ["tls_cert", "tls_key", "tls_ca"])
    def test_a_missing_file_is_named(self, authority: Authority, tmp_path: Path, name: str) -> None:
        cert, key = authority.give("place")
        files = {"tls_cert": cert, "tls_key": key, name: tmp_path / "nowhere"}
        assert f"{name}: " in fault(**files)
        assert f"{tmp_path}/nowhere cannot be read: No such file or directory" in fault(**files)

    def test_a_key_of_another_certificate_is_refused(self, authority: Authority) -> None:
        (cert, _), (_, key) = authority.give("place"), authority.give("other")
        message = fault(tls_cert=cert, tls_key=key)
        assert f"{key} is not the key of the first certificate in {cert}" in message

    @pytest.mark.parametrize("mode", [0o604, 0o644, 0o640 | 0o020])
    def test_a_key_that_others_can_read_is_refused(self, authority: Authority, mode: int) -> None:
        """The error shows the `chmod` that helps."""
        cert, key = authority.give("place")
        key.chmod(mode)
        message = fault(tls_cert=cert, tls_key=key)
        assert f"tls_key: Value error, {key} is open to others (mode {mode:04o}): `chmod" in message

    def test_a_key_with_a_passphrase_is_refused(self, authority: Authority) -> None:
        cert, key = authority.give("place", passphrase=b"sesame")
        message = fault(tls_cert=cert, tls_key=key)
        assert f"{key} needs a passphrase: give the key without one" in message

    def test_files_with_other_content_are_refused(self, authority: Authority) -> None:
        """As when the two were exchanged."""
        cert, key = authority.give("place")
        cert.chmod(0o600)
        assert "holds no certificate in PEM" in fault(tls_cert=key, tls_key=key)
        assert "holds no private key in PEM" in fault(tls_cert=cert, tls_key=cert)
        assert "holds no certificate in PEM" in fault(tls_ca=key)


@asynccontextmanager
async def echo(context: ssl.SSLContext | None) -> AsyncIterator[int]:
    """Listen and answer anything with a line; gives the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def called(url: str, context: ssl.SSLContext) -> str:
    """Call a URL; returns the answer, or what went wrong with TLS."""
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(connector=connector) as session:
        try:
            async with session.get(url) as reply:
                return await reply.text()
        except aiohttp.ClientError as error:
            return why_not_trusted(error) or f"{error!r}"


class TestTrust:
    async def test_an_own_authority_is_trusted(self, authority: Authority) -> None:
        """Beside the system's."""
        async with echo(server_context(*authority.give("place"))) as port:
            trusting = client_context(authority.root)
            assert await called(f"https://localhost:{port}", trusting) == "ok"
            assert await called(f"https://127.0.0.1:{port}", trusting) == "ok"
            assert len(trusting.get_ca_certs()) == len(client_context().get_ca_certs()) + 1

    async def test_a_single_certificate_is_trusted(self, authority: Authority) -> None:
        own, other = authority.give("place"), authority.give("other")
        trusting = client_context(own[0])
        async with echo(server_context(*own)) as port:
            assert await called(f"https://localhost:{port}", trusting) == "ok"
        async with echo(server_context(*other)) as port:
            assert "is not accepted" in await called(f"https://localhost:{port}", trusting)

    async def test_an_unknown_authority_is_not_trusted(
        self, authority: Authority, tmp_path: Path
    ) -> None:
        other = Authority(tmp_path, "other")
        async with echo(server_context(*authority.give("place"))) as port:
            for context in (client_context(), client_context(other.root)):
                message = await called(f"https://localhost:{port}", context)
                assert "its TLS certificate is not accepted (unable to get local issuer" in message
                assert "CASINO_*_TLS_CA" in message

    async def test_a_name_that_is_not_on_the_certificate_is_refused(
        self, authority: Authority
    ) -> None:
        """Even of a trusted authority."""
        cert, key = authority.give("place", ("casino.example",))
        async with echo(server_context(cert, key)) as port:
            message = await called(f"https://localhost:{port}", client_context(authority.root))
            assert "Hostname mismatch, certificate is not valid for 'localhost'" in message

    async def test_an_expired_certificate_is_refused(self, authority: Authority) -> None:
        """Even of a trusted authority."""
        cert, key = authority.give("place", lasts=timedelta(hours=-1))
        async with echo(server_context(cert, key)) as port:
            message = await called(f"https://localhost:{port}", client_context(authority.root))
            assert "certificate has expired" in message

    async def test_a_server_without_tls_has_its_own_error(self) -> None:
        """It differs from that of a wrong certificate."""
        async with echo(None) as port:
            message = await called(f"https://localhost:{port}", client_context())
            assert message.startswith("no TLS connection (")
            assert message.endswith("): is it a plain http address?")


class TestWarning:
    """The warning of a process that listens without TLS."""

    def test_on_loopback_there_is_no_warning(self) -> None:
        """Nobody else can listen there."""
        assert clear_text_warning("127.0.0.1", None, is_local=True) is None

    def test_behind_a_proxy_there_is_no_warning(self) -> None:
        assert clear_text_warning("0.0.0.0", "https://casino.example", is_local=False) is None

    @pytest.mark.parametrize("public", [None, "http://lobby:4000"])
    def test_beyond_loopback_there_is_a_warning(self, public: str | None) -> None:
        message = clear_text_warning("0.0.0.0", public, is_local=False) or ""
        for word in ("keys and cards travel in clear", "TLS_CERT", "TLS_KEY", "PUBLIC_URL"):
            assert word in message
