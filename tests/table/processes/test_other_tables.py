"""What the first process answers for tables that it does not have."""

from typing import Any

import httpx
import pytest
from casino_agentkit import Service
from casino_table.app import build_app
from casino_table.process_group import TableGroup
from casino_table.settings import TableSettings
from casino_table.workers import ProcessTables, Workers

FIRST, SECOND = "http://127.0.0.1:4500", "http://127.0.0.1:4501"
CARD = "/.well-known/agent-card.json"


def services(**settings: Any) -> tuple[Service, Service]:
    """Return both processes of three tables; none is started, and their addresses are settings."""
    group = TableGroup(TableSettings(count=3, port=4500, processes=2, **settings), 2)
    workers = Workers(group, {}, lambda _line: None)
    own = group.settings.model_copy(
        update={"public_url": group.public_url(2), "grpc_port": group.grpc_port(2)}
    )
    return (
        build_app(group.settings, FIRST, part=ProcessTables(group.share(1), workers=workers)),
        build_app(own, SECOND, part=ProcessTables(group.share(2))),
    )


def client(service: Service, url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(service.asgi()), base_url=url)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "192.0.2.7"])
async def test_a_card_names_the_process_that_has_the_table(host: str) -> None:
    """It is that process's own card, for the name by which the caller reached the first one."""
    first, second = services()
    async with client(first, f"http://{host}:4500") as one, client(second, SECOND) as two:
        answered = await one.get(f"/tables/2{CARD}")
        own = await two.get(f"/tables/2{CARD}", headers={"host": f"{host}:4501"})
        assert answered.status_code == own.status_code == 200
        assert answered.content == own.content
        assert answered.headers["etag"] == own.headers["etag"]
        card = answered.json()
        assert card["name"] == "A2A Casino table 2"
        interfaces = card["supportedInterfaces"]
        assert all(
            interface["url"].startswith(f"http://{host}:4501/tables/2/") for interface in interfaces
        )
        etag = {"if-none-match": answered.headers["etag"]}
        assert (await one.get(f"/tables/2{CARD}", headers=etag)).status_code == 304
        assert (await one.head(f"/tables/2{CARD}")).headers["etag"] == answered.headers["etag"]
        older = await one.get("/tables/2/.well-known/agent.json")
        assert older.content == answered.content


async def test_public_urls_are_those_of_the_settings() -> None:
    key = "k" * 32
    first, second = services(public_url="https://tables.example:443", grpc_port=5000, fleet_key=key)
    second.grpc_port = 5001  # the server sets it
    async with client(first, "https://tables.example") as one, client(second, SECOND) as two:
        answered = await one.get(f"/tables/2{CARD}", headers={"host": "10.0.0.1"})
        assert answered.content == (await two.get(f"/tables/2{CARD}")).content
        (grpc,) = [
            interface
            for interface in answered.json()["supportedInterfaces"]
            if interface["protocolBinding"] == "GRPC"
        ]
        assert grpc["url"] == "tables.example:5001"
        moved = await one.post("/tables/2/a2a/jsonrpc", headers={"host": "10.0.0.1"})
        assert moved.headers["location"] == "https://tables.example:444/tables/2/a2a/jsonrpc"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/tables/2/a2a/jsonrpc"),
        ("GET", "/tables/2"),
        ("POST", f"/tables/2{CARD}"),
        ("GET", "/tables/2/a2a/rest/tasks/a%2Fb?historyLength=1&x=%0d%0aSet-Cookie:%20a"),
        ("GET", "/tables/2//evil.example/"),
        ("GET", "/tables/%32/x"),
    ],
)
async def test_other_paths_are_redirected_to_that_process(method: str, path: str) -> None:
    """With single slashes, without a body or a header of the request, and not kept by caches."""
    first, _ = services()
    async with client(first, FIRST) as one:
        url = httpx.URL(FIRST).copy_with(raw_path=path.encode())
        request = one.build_request(method, url, headers={"authorization": "Bearer secret"})
        reply = await one.send(request)
    assert reply.status_code == 307
    assert reply.headers["location"] == SECOND + path.replace("//", "/")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.content == b""
    assert "secret" not in str(reply.headers)


@pytest.mark.parametrize(
    "path",
    ["/tables/0", "/tables/4/x", "/tables/02", "/tables/2x", "/tables/-2", "/tables/99999/x"],
)
async def test_what_no_process_has_is_not_found(path: str) -> None:
    """Only the paths of tables lead to the other processes."""
    first, _ = services()
    async with client(first, FIRST) as one:
        assert (await one.get(path)).status_code == 404


async def test_pages_of_others_are_refused_here_as_there() -> None:
    """The guard against DNS rebinding and foreign pages is before the redirect."""
    for service, url in zip(services(), (FIRST, SECOND), strict=True):
        async with client(service, url) as one:
            rebound = await one.get("/tables/2/x", headers={"host": "evil.example"})
            foreign = await one.post("/tables/2/x", headers={"origin": "https://evil.example"})
        assert (rebound.status_code, foreign.status_code) == (421, 403)


async def test_all_cards_are_listed_by_the_numbers_of_their_tables() -> None:
    """Those of this process alone, while the others are not started."""
    first, second = services()
    assert first.card_urls(FIRST) == [f"{FIRST}/tables/1{CARD}", f"{FIRST}/tables/3{CARD}"]
    assert second.card_urls(SECOND) == [f"{SECOND}/tables/2{CARD}"]
