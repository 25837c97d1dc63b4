"""Specifications are fetched once per version, by one of those who ask."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from casino_gamespec import (
    GameNotOffered,
    InvalidSpecification,
    InvalidVersion,
    Lobby,
    LobbyUnavailable,
    Specifications,
    VersionNotServed,
)
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from support.specifications import LobbySide, specification

SPEC_PATH = "/api/games/kuhn_poker/spec"


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the seconds."""
        return self.now


class Client:
    """A client's cache in front of a lobby."""

    def __init__(self, side: LobbySide, directory: Path | None = None) -> None:
        self.side = side
        self.time = Time()
        self.cache = Specifications(
            Lobby(side.client(), "http://lobby", timeout=timedelta(seconds=5)),
            clock=self.time,
            directory=directory,
            patience=timedelta(seconds=10),
        )

    async def version(self, wanted: str, game_type: str = "kuhn_poker") -> str:
        """Return which version is found."""
        return str((await self.cache.find(game_type, wanted)).version)

    def fetches(self) -> int:
        """Return how often the document was asked for."""
        return sum(path == SPEC_PATH for path, _ in self.side.asked)


@pytest.fixture
def client() -> Client:
    """Return a client of a lobby with one game."""
    return Client(LobbySide(kuhn_poker=specification(version="1.2.0")))


async def test_a_version_is_fetched_once(client: Client) -> None:
    """First the list of games, then the document; then never again."""
    assert client.cache.held("kuhn_poker", "1.2.0") is None
    assert await client.version("1.2.0") == "1.2.0"
    assert await client.version("1.2") == "1.2.0"
    assert [path for path, _ in client.side.asked] == ["/api/games", SPEC_PATH]
    assert client.cache.held("kuhn_poker", "1.2.0") is not None


async def test_an_older_version_is_served_by_a_later_one_of_its_kind(client: Client) -> None:
    """MINOR only adds."""
    assert await client.version("1.1.0") == "1.2.0"
    assert await client.version("1.0.3") == "1.2.0"
    assert client.fetches() == 1


async def test_a_newer_version_is_fetched_when_a_message_names_it(client: Client) -> None:
    """By the tag of the one before; the old one is kept for tables that still speak it."""
    await client.version("1.2.0")
    client.side.documents["kuhn_poker"] = specification(version="2.0.0")
    assert await client.version("2.0.0") == "2.0.0"
    assert client.side.asked[-1][1] is not None
    assert await client.version("1.2.0") == "1.2.0"
    assert client.fetches() == 2


async def test_a_lobby_that_lags_behind_its_tables(client: Client) -> None:
    """Is asked again, but not at every question."""
    await client.version("1.2.0")
    for _ in range(3):
        with pytest.raises(VersionNotServed, match=r"is 1\.2\.0, required is 1\.3\.0"):
            await client.version("1.3.0")
    assert client.fetches() == 2
    assert client.side.asked[-1][1] is not None  # and it answered 304
    client.side.documents["kuhn_poker"] = specification(version="1.3.0")
    client.time.now += 11
    assert await client.version("1.3.0") == "1.3.0"


async def test_a_game_that_is_not_on_offer(client: Client) -> None:
    """The others are named."""
    with pytest.raises(GameNotOffered, match="chess is not offered; the games are: kuhn_poker"):
        await client.version("1.0.0", "chess")


async def test_a_document_of_another_game_is_refused(client: Client) -> None:
    """A lobby that lies."""
    client.side.documents["kuhn_poker"] = specification(gameType="chess")
    with pytest.raises(InvalidSpecification, match="requested was kuhn_poker"):
        await client.version("1.2.0")


async def test_nonsense_is_refused_and_not_asked_for_again_soon(client: Client) -> None:
    """The error is the same for a while."""
    client.side.documents["kuhn_poker"] = "# Nothing"
    for _ in range(5):
        with pytest.raises(InvalidSpecification, match="front matter"):
            await client.version("1.2.0")
    assert client.fetches() == 1
    client.side.documents["kuhn_poker"] = specification(version="1.2.0")
    client.time.now += 11
    assert await client.version("1.2.0") == "1.2.0"


@pytest.mark.parametrize("version", ["", "latest", "../../x"])
async def test_a_version_that_is_none(client: Client, version: str) -> None:
    """Is told before anybody is asked."""
    with pytest.raises(InvalidVersion):
        await client.version(version)
    assert client.side.asked == []


async def test_many_askers_share_one_fetch(client: Client) -> None:
    """Ten at once."""
    found = await asyncio.gather(*(client.version("1.2.0") for _ in range(10)))
    assert found == ["1.2.0"] * 10
    assert client.fetches() == 1


async def test_a_fetch_outlives_the_one_who_waited(client: Client) -> None:
    """Who had no time leaves it to the next question."""
    may_answer = asyncio.Event()
    answered = client.side.documents["kuhn_poker"]

    async def late(request: Request) -> Response:
        await may_answer.wait()
        client.side.instead = None
        return await client.side._games(request)

    client.side.instead = late
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client.version("1.2.0"), 0.01)
    may_answer.set()
    assert await client.version("1.2.0") == "1.2.0"
    assert client.fetches() == 1
    assert answered.startswith("---")


async def test_a_cache_that_is_closed_fetches_no_more(client: Client) -> None:
    """Whoever waits is told."""

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
    """Return the files below a directory."""
    return [str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file()]


class TestDirectory:
    """What outlives the process."""

    async def test_a_kept_document_needs_no_lobby(self, client: Client, tmp_path: Path) -> None:
        """Exactly this version."""
        first = Client(client.side, tmp_path)
        await first.version("1.2.0")
        assert kept_in(tmp_path) == ["kuhn_poker/1.2.0.md"]
        second = Client(LobbySide(), tmp_path)
        assert await second.version("1.2.0") == "1.2.0"
        assert second.side.asked == []

    @pytest.mark.parametrize("content", ["# broken", specification(version="9.0.0"), "\0" * 50])
    async def test_a_file_that_is_not_what_it_should_be(
        self, client: Client, tmp_path: Path, content: str
    ) -> None:
        """Is fetched again, and mended."""
        file = tmp_path / "kuhn_poker" / "1.2.0.md"
        file.parent.mkdir()
        file.write_text(content)
        assert await Client(client.side, tmp_path).version("1.2.0") == "1.2.0"
        assert file.read_text() == specification(version="1.2.0")

    async def test_a_directory_that_takes_nothing(self, client: Client, tmp_path: Path) -> None:
        """Stops nobody from playing."""
        (tmp_path / "kuhn_poker").write_text("a file, not a directory")
        assert await Client(client.side, tmp_path).version("1.2.0") == "1.2.0"

    async def test_a_name_cannot_leave_the_directory(self, client: Client, tmp_path: Path) -> None:
        """Whatever a question calls its game."""
        with pytest.raises(GameNotOffered):
            await Client(client.side, tmp_path / "kept").version("1.0.0", "../outside")
        assert kept_in(tmp_path) == []


async def test_a_lobby_that_is_shut(client: Client) -> None:
    """Is unavailable, and tried again later."""

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
