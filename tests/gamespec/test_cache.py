"""Specifications are fetched once per version, and kept in memory and on disk."""

import asyncio
from pathlib import Path

import pytest
from casino_gamespec import (
    GameNotOffered,
    InvalidSpecification,
    InvalidVersion,
    LobbyUnavailable,
    VersionNotServed,
)
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from support.specifications import SPEC_PATH, Client, LobbySide, specification


@pytest.fixture
def client() -> Client:
    """Return a client of a lobby with one game."""
    return Client(LobbySide(kuhn_poker=specification(version="1.2.0")))


async def test_a_version_is_fetched_once(client: Client) -> None:
    """The list of games and the document are requested once."""
    assert client.cache.held("kuhn_poker", "1.2.0") is None
    assert await client.version("1.2.0") == "1.2.0"
    assert await client.version("1.2") == "1.2.0"
    assert [path for path, _ in client.side.asked] == ["/api/games", SPEC_PATH]
    assert client.cache.held("kuhn_poker", "1.2.0") is not None


async def test_an_older_version_is_served_by_a_later_minor_version(client: Client) -> None:
    assert await client.version("1.1.0") == "1.2.0"
    assert await client.version("1.0.3") == "1.2.0"
    assert client.fetches() == 1


async def test_a_newer_version_is_fetched_when_a_message_names_it(client: Client) -> None:
    """With the ETag of the one before, which is kept for tables that still use it."""
    await client.version("1.2.0")
    client.side.documents["kuhn_poker"] = specification(version="2.0.0")
    assert await client.version("2.0.0") == "2.0.0"
    assert client.side.asked[-1][1] is not None
    assert await client.version("1.2.0") == "1.2.0"
    assert client.fetches() == 2


async def test_a_lobby_behind_its_tables_is_asked_again_later(client: Client) -> None:
    await client.version("1.2.0")
    for _ in range(3):
        with pytest.raises(VersionNotServed, match=r"is 1\.2\.0, required is 1\.3\.0"):
            await client.version("1.3.0")
    assert client.fetches() == 2
    assert client.side.asked[-1][1] is not None  # and it answered 304
    client.side.documents["kuhn_poker"] = specification(version="1.3.0")
    client.time.now += 11
    assert await client.version("1.3.0") == "1.3.0"


async def test_an_unknown_game_is_refused(client: Client) -> None:
    with pytest.raises(GameNotOffered, match="chess is not offered; the games are: kuhn_poker"):
        await client.version("1.0.0", "chess")


async def test_a_document_of_another_game_is_refused(client: Client) -> None:
    client.side.documents["kuhn_poker"] = specification(gameType="chess")
    with pytest.raises(InvalidSpecification, match="requested was kuhn_poker"):
        await client.version("1.2.0")


async def test_an_invalid_document_is_not_fetched_again_soon(client: Client) -> None:
    client.side.documents["kuhn_poker"] = "# Nothing"
    for _ in range(5):
        with pytest.raises(InvalidSpecification, match="front matter"):
            await client.version("1.2.0")
    assert client.fetches() == 1
    client.side.documents["kuhn_poker"] = specification(version="1.2.0")
    client.time.now += 11
    assert await client.version("1.2.0") == "1.2.0"


@pytest.mark.parametrize("version", ["", "latest", "../../x"])
async def test_a_malformed_version_is_refused(client: Client, version: str) -> None:
    with pytest.raises(InvalidVersion):
        await client.version(version)
    assert client.side.asked == []


async def test_concurrent_requests_share_one_fetch(client: Client) -> None:
    found = await asyncio.gather(*(client.version("1.2.0") for _ in range(10)))
    assert found == ["1.2.0"] * 10
    assert client.fetches() == 1


async def test_a_fetch_continues_after_a_timeout(client: Client) -> None:
    may_answer = asyncio.Event()
    answered = client.side.documents["kuhn_poker"]

    async def late(request: Request) -> Response:
        await may_answer.wait()
        client.side.instead = None
        return await client.side.games(request)

    client.side.instead = late
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client.version("1.2.0"), 0.01)  # virtual: who asks gives up
    may_answer.set()
    assert await client.version("1.2.0") == "1.2.0"
    assert client.fetches() == 1
    assert answered.startswith("---")


async def test_a_cache_that_is_closed_fetches_no_more(client: Client) -> None:
    async def for_ever(_request: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    client.side.instead = for_ever
    asking = asyncio.ensure_future(client.version("1.2.0"))
    while not client.side.asked:
        await asyncio.sleep(0)
    await client.cache.close()
    with pytest.raises(asyncio.CancelledError):
        await asking


def kept_in(directory: Path) -> list[str]:
    return [str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file()]


class TestDirectory:
    async def test_a_kept_document_needs_no_lobby(self, client: Client, tmp_path: Path) -> None:
        first = Client(client.side, tmp_path)
        await first.version("1.2.0")
        assert kept_in(tmp_path) == ["kuhn_poker/1.2.0.md"]
        second = Client(LobbySide(), tmp_path)
        assert await second.version("1.2.0") == "1.2.0"
        assert second.side.asked == []

    @pytest.mark.parametrize("content", ["# broken", specification(version="9.0.0"), "\0" * 50])
    async def test_an_invalid_file_is_replaced(
        self, client: Client, tmp_path: Path, content: str
    ) -> None:
        file = tmp_path / "kuhn_poker" / "1.2.0.md"
        file.parent.mkdir()
        file.write_text(content)
        assert await Client(client.side, tmp_path).version("1.2.0") == "1.2.0"
        assert file.read_text() == specification(version="1.2.0")

    async def test_a_directory_that_cannot_be_written_is_no_error(
        self, client: Client, tmp_path: Path
    ) -> None:
        (tmp_path / "kuhn_poker").write_text("a file, not a directory")
        assert await Client(client.side, tmp_path).version("1.2.0") == "1.2.0"

    async def test_a_name_cannot_leave_the_directory(self, client: Client, tmp_path: Path) -> None:
        with pytest.raises(GameNotOffered):
            await Client(client.side, tmp_path / "kept").version("1.0.0", "../outside")
        assert kept_in(tmp_path) == []


async def test_a_closed_lobby_is_unavailable(client: Client) -> None:
    async def shut(_request: Request) -> Response:
        return PlainTextResponse("closed", 503)

    client.side.instead = shut
    for _ in range(3):
        with pytest.raises(LobbyUnavailable, match="503"):
            await client.version("1.2.0")
    assert len(client.side.asked) == 1
    client.side.instead = None
    client.time.now += 11
    assert await client.version("1.2.0") == "1.2.0"


async def test_the_list_is_read_every_time_and_a_document_once(client: Client) -> None:
    """Until the list has a version that no document in memory serves."""
    for _ in range(3):
        assert str((await client.cache.current("kuhn_poker")).version) == "1.2.0"
    assert client.fetches() == 1
    client.side.documents["kuhn_poker"] = specification(version="1.3.0")
    client.side.versions["kuhn_poker"] = "1.3.0"
    assert str((await client.cache.current("kuhn_poker")).version) == "1.3.0"
    assert client.fetches() == 2


@pytest.mark.parametrize("game_type", ["chess", "../outside", ""])
async def test_an_unknown_game_is_found_once_it_is_offered(client: Client, game_type: str) -> None:
    with pytest.raises(GameNotOffered):
        await client.cache.current(game_type)
    client.side.documents["chess"] = specification(gameType="chess")
    assert (await client.cache.current("chess")).game_type == "chess"


async def test_a_document_that_could_not_be_fetched_is_fetched_again(client: Client) -> None:
    """The lobby is there again: it has sent its list."""

    async def without_documents(request: Request) -> Response:
        is_list = request.url.path == "/api/games"
        return await client.side.games(request) if is_list else Response(status_code=502)

    client.side.instead = without_documents
    with pytest.raises(LobbyUnavailable, match="HTTP 502"):
        await client.cache.current("kuhn_poker")
    client.side.instead = None
    assert str((await client.cache.current("kuhn_poker")).version) == "1.2.0"


async def test_a_document_behind_its_list_is_refused(client: Client) -> None:
    client.side.versions["kuhn_poker"] = "1.3.0"
    with pytest.raises(VersionNotServed, match=r"is 1\.2\.0, required is 1\.3\.0"):
        await client.cache.current("kuhn_poker")
