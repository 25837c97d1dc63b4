"""Command `casino mcp`: a casino's tools for a language model's host, over standard input."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from casino_agentkit import new_key
from casino_agentkit.installation import installation_hint
from casino_lobby_client.errors import CallFailed, LobbyAway

from casino.commands.context import LOBBY_URL, context_of, run_command, trusted, url_or_none
from casino.lobby_api import LobbyApi
from casino.operator_key import FAULTS_KEY, LOBBY_KEY, OperatorKey, write_key
from casino.up.casino_plan import DEFAULT_STYLES, CasinoPlan, new_seed
from casino.up.casino_ports import CasinoPorts
from casino.up.casino_run import Up
from casino.up.run_report import Report

if TYPE_CHECKING:
    from mcp import Client
    from mcp.server import Server

_MCP_PATH: Final = "/mcp"
_HANDS: Final = 100_000
_PACE_MS: Final = 100
"""So that the session of a casino of one's own lasts until somebody says "sit down", and longer."""
_LONGEST_CALL_S: Final = 60.0
"""Beyond the longest wait of a tool, 25 s."""


def mcp(
    context: typer.Context,
    casino: Annotated[
        str | None,
        typer.Option(
            envvar="CASINO_CONSOLE_MCP_URL",
            callback=url_or_none,
            help="The casino's lobby, or its gateway. Default: the lobby of this machine, at port"
            " 4000; if none answers there, a casino is started, which ends with this command.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the key of your seats in this file, written if it is missing, so that they"
            " are yours after a restart. Default: a new key each time.",
        ),
    ] = None,
    hide_names: Annotated[
        bool,
        typer.Option(
            "--hide-names",
            help="Leave out names and table talk of other players, which a model might obey.",
        ),
    ] = False,
) -> None:
    """Give a language model's host the tools to play, over standard input and output (MCP)."""
    headers = {"authorization": f"Bearer {_key(key_file)}"}
    if hide_names:
        headers["casino-names"] = "hidden"

    async def work() -> None:
        await _serve(context, casino, headers)

    run_command(context, work)


def _key(file: Path | None) -> str:
    """Return the key of a file, which is written if it is missing; raises BadParameter."""
    if file is None:
        return new_key()
    try:
        if not file.exists():
            write_key(file, new_key())
        return file.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{file}: {error}", param_hint="--key-file") from error


async def _serve(context: typer.Context, casino: str | None, headers: dict[str, str]) -> None:
    """Serve until standard input ends. Raises CallFailed."""
    try:
        # Imported here: they are optional.
        import httpx2  # noqa: PLC0415
        from mcp import Client, MCPError  # noqa: PLC0415
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415
        from mcp.server.stdio import stdio_server  # noqa: PLC0415
    except ModuleNotFoundError as error:
        hint = installation_hint("mcp")
        raise CallFailed(f"{error.name} is not installed: {hint}") from error
    failure: Exception | None = None
    timeout = httpx2.Timeout(_LONGEST_CALL_S)
    try:
        # From here on what the casino's processes and this one print goes to standard error.
        async with (
            stdio_server() as (read, write),
            _gateway(context, casino) as gateway,
            httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http,
            Client(streamable_http_client(gateway + _MCP_PATH, http_client=http)) as client,
        ):
            server = forwarding(client)
            await server.run(read, write, server.create_initialization_options())
    except* (httpx2.HTTPError, MCPError, CallFailed) as group:
        failure = first_failure(group)
    if isinstance(failure, CallFailed):
        raise failure
    if failure is not None:
        raise LobbyAway(f"no casino serves MCP at {casino or LOBBY_URL}: {failure}")


def first_failure(group: BaseExceptionGroup[Exception]) -> Exception:
    """Return the first exception of a group that is no group itself."""
    failure = group.exceptions[0]
    return first_failure(failure) if isinstance(failure, BaseExceptionGroup) else failure


def forwarding(client: "Client") -> "Server[Any]":
    """Return a server with the tools, resources and prompts of another, which `client` calls."""
    from mcp.server import Server  # noqa: PLC0415

    async def call_tool(context: Any, params: Any) -> Any:
        progress = context.session.report_progress
        return await client.call_tool(params.name, params.arguments, progress_callback=progress)

    async def list_tools(_context: Any, params: Any) -> Any:
        return await client.list_tools(cursor=_cursor(params))

    async def list_resources(_context: Any, params: Any) -> Any:
        return await client.list_resources(cursor=_cursor(params))

    async def list_resource_templates(_context: Any, params: Any) -> Any:
        return await client.list_resource_templates(cursor=_cursor(params))

    async def read_resource(_context: Any, params: Any) -> Any:
        return await client.read_resource(params.uri)

    async def list_prompts(_context: Any, params: Any) -> Any:
        return await client.list_prompts(cursor=_cursor(params))

    async def get_prompt(_context: Any, params: Any) -> Any:
        return await client.get_prompt(params.name, params.arguments)

    about = client.server_info
    assert about is not None  # noqa: S101  of a client that is connected
    return Server(
        about.name,
        title=about.title,
        version=about.version,
        instructions=client.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_resource_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _cursor(params: Any) -> str | None:
    return params.cursor if params else None


@asynccontextmanager
async def _gateway(context: typer.Context, casino: str | None) -> AsyncIterator[str]:
    """Yield the URL of a casino's gateway, for its time. Raises CallFailed."""
    api = LobbyApi(casino or LOBBY_URL, context_of(context).transport, trusted=trusted(context))
    try:
        gateway = (await api.info()).gateway_url
    except LobbyAway:
        if casino is None:
            async with _own_casino() as own:
                yield own
            return
        gateway = casino.rstrip("/").removesuffix(_MCP_PATH)  # it may be a gateway
    finally:
        await api.close()
    if gateway is None:
        raise CallFailed(f"{casino or LOBBY_URL}: this casino has no gateway; start one beside it")
    yield gateway.rstrip("/")


@asynccontextmanager
async def _own_casino() -> AsyncIterator[str]:
    """Start a casino with sample players on free ports, and yield its gateway's URL."""
    plan = CasinoPlan(
        _HANDS,
        DEFAULT_STYLES,
        (),
        new_seed(),
        exits=False,
        ports=CasinoPorts(base=0),
        has_gateway=True,
        rules={"pace_ms": _PACE_MS},
    )
    faults_key = OperatorKey(FAULTS_KEY, secrets.token_urlsafe(32))
    up = Up(plan, Report(as_json=True), OperatorKey(LOBBY_KEY), faults_key)
    running, serving = asyncio.create_task(up.run()), asyncio.current_task()
    opening = asyncio.create_task(up.opened.wait())
    try:
        await asyncio.wait({running, opening}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            raise CallFailed("the casino of this command did not start; its output says why")
        running.add_done_callback(lambda _: serving and serving.cancel())
        yield up.gateway_url
    finally:
        serving = None
        opening.cancel()
        up.stop()
        await running
