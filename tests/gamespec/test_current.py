"""The specification of the version that the lobby's list of games has now."""

import asyncio

import pytest
from casino_gamespec import (
    GameNotOffered,
    InvalidSpecification,
    InvalidVersion,
    LobbyUnavailable,
    VersionNotServed,
)
from starlette.requests import Request
from starlette.responses import Response
from support.specifications import SPEC_PATH, Client, LobbySide, specification


@pytest.fixture
def client() -> Client:
    """Return a client of a lobby with one game."""
    return Client(LobbySide(kuhn_poker=specification(version="1.2.0")))


async def test_the_list_is_read_every_time_and_a_document_once(client: Client) -> None:
    """Until the list has a version that no document in memory serves."""
    for _ in range(3):
        assert str((await client.cache.current("kuhn_poker")).version) == "1.2.0"
    assert client.fetches() == 1
    client.side.documents["kuhn_poker"] = specification(version="1.3.0")
    client.side.versions["kuhn_poker"] = "1.3.0"
    assert str((await client.cache.current("kuhn_poker")).version) == "1.3.0"
    assert client.fetches() == 2


async def test_callers_share_the_list_and_the_document(client: Client) -> None:
    """Whoever asks first."""
    await asyncio.gather(*(client.cache.current("kuhn_poker") for _ in range(50)))
    assert [path for path, _ in client.side.asked] == ["/api/games", SPEC_PATH]


@pytest.mark.parametrize("game_type", ["chess", "../outside", ""])
async def test_an_unknown_game_is_found_once_it_is_offered(client: Client, game_type: str) -> None:
    """A list is not kept."""
    with pytest.raises(GameNotOffered):
        await client.cache.current(game_type)
    client.side.documents["chess"] = specification(gameType="chess")
    assert (await client.cache.current("chess")).game_type == "chess"


async def test_an_invalid_document_is_not_read_again_soon(client: Client) -> None:
    """Reading it may take half a second, and anybody may invite a player."""
    client.side.documents["kuhn_poker"] = "# Nothing"
    for _ in range(5):
        with pytest.raises(InvalidSpecification):
            await client.cache.current("kuhn_poker")
    assert client.fetches() == 1


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
    """Tables send messages of the listed version."""
    client.side.versions["kuhn_poker"] = "1.3.0"
    with pytest.raises(VersionNotServed, match=r"is 1\.2\.0, required is 1\.3\.0"):
        await client.cache.current("kuhn_poker")


async def test_a_version_that_is_none_is_refused(client: Client) -> None:
    """The list is not trusted."""
    client.side.versions["kuhn_poker"] = "newest"
    with pytest.raises(InvalidVersion):
        await client.cache.current("kuhn_poker")


async def test_closing_ends_a_running_list(client: Client) -> None:
    """Whoever waits for it is cancelled."""
    asked = asyncio.Event()

    async def hang(_request: Request) -> Response:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    client.side.instead = hang
    waiting = asyncio.create_task(client.cache.current("kuhn_poker"))
    await asked.wait()
    await client.cache.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
