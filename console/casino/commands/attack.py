"""Command `casino attack`: run the known attacks against your own casino."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from casino_lobby_client.errors import CallFailed

from casino.attack import (
    command_attacks,
    forgery_attacks,
    resource_attacks,
    seat_attacks,
    service_attacks,
)
from casino.attack.attack_base import (
    Attack,
    Result,
    canaries,
    run,
    seated,
    write_line,
    write_list,
    write_table,
)
from casino.attack.attack_discovery import learn
from casino.attack.attack_traffic import Heard, Traffic, is_private
from casino.commands.context import LOBBY_URL, AsJsonLines, at_lobby, context_of, operator_key, url
from casino.errors import NoLobby, NotSeated
from casino.lobby_api import LobbyApi
from casino.operator_key import LOBBY_KEY

_MODULES = (forgery_attacks, seat_attacks, command_attacks, service_attacks, resource_attacks)
ATTACKS = tuple(
    item for module in _MODULES for item in vars(module).values() if isinstance(item, Attack)
)
GROUPS = tuple(dict.fromkeys(attack.group for attack in ATTACKS))


def attack(  # noqa: PLR0913, PLR0917  each parameter is an option
    context: typer.Context,
    lobby: Annotated[
        str,
        typer.Argument(
            metavar="URL", envvar="CASINO_CONSOLE_LOBBY_URL", callback=url, help="The lobby's URL."
        ),
    ] = LOBBY_URL,
    seat: Annotated[
        str | None,
        typer.Option(
            metavar="ROOM",
            help="Seat an attacking bot in this room until the end, with the operator's key from"
            f" {LOBBY_KEY}.",
        ),
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option(help="Agent card URL of a player to attack. Repeatable.")
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(help="Agent card URL of a table that the lobby does not list. Repeatable."),
    ] = None,
    gateway: Annotated[
        str | None, typer.Option(help="The gateway's URL, if the lobby does not tell it.")
    ] = None,
    evaluator: Annotated[str | None, typer.Option(help="The evaluator's URL.")] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(help=f"Run only this group, of {', '.join(GROUPS)}. Repeatable."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the attacks without running them.")
    ] = False,
    listen: Annotated[
        str, typer.Option(help="The address on which the attack's own servers listen.")
    ] = "127.0.0.1",
    received: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            dir_okay=False,
            help="Write everything that the casino sends to this file, to search it for leaked"
            " secrets.",
        ),
    ] = None,
    yes_it_is_mine: Annotated[
        bool, typer.Option("--yes-it-is-mine", help="Also attack addresses that are not private.")
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Attack your own casino as outsiders and seated bots would, and report the results."""
    attacks = _chosen(group or [])
    output = context_of(context).output()
    if list_:
        write_list(output, attacks, as_json=as_json)
        return
    services = {"gateway": gateway, "evaluator": evaluator}
    for address in (
        lobby,
        *map(url, (*(player or ()), *(table or ()), *filter(None, services.values()))),
    ):
        if not (yes_it_is_mine or is_private(address)):
            raise typer.BadParameter(
                f"{address} is not on this machine or in a private network; if the casino there"
                " is yours, add --yes-it-is-mine"
            )

    key = operator_key(context, LOBBY_KEY)

    async def work(_api: LobbyApi) -> list[Result]:
        traffic = Traffic(context_of(context).transport, heard)
        try:
            async with canaries(listen, heard) as new_canary:
                target = await learn(
                    traffic,
                    lobby,
                    new_canary,
                    players=player or (),
                    tables=table or (),
                    services=services,
                    operator_key=key.value,
                    may_attack=lambda address: yes_it_is_mine or is_private(address),
                )
                on_result = (lambda result: write_line(output, result)) if as_json else _ignore
                if seat is None:
                    return await run(target, attacks, on_result)
                async with seated(target, seat, listen):
                    return await run(target, attacks, on_result)
        except (NoLobby, NotSeated) as error:
            raise CallFailed(str(error)) from error
        finally:
            await traffic.close()

    with _recording(received) as heard:
        results = at_lobby(context, lobby, work)
    if not as_json:
        write_table(output, results)
    if any(result.outcome.has_succeeded for result in results):
        raise typer.Exit(1)


def _ignore(_result: Result) -> None:
    """Write nothing: the table of results is written at the end."""


@contextmanager
def _recording(file: Path | None) -> Iterator[Heard]:
    """Yield a function that appends bytes and a newline to a file that only its owner can read."""
    if file is None:
        yield lambda _bytes: None
        return
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}", param_hint="--received") from error
    with os.fdopen(descriptor, "wb") as received:
        yield lambda chunk: received.writelines((chunk, b"\n"))


def _chosen(groups: list[str]) -> list[Attack]:
    for group in groups:
        if group not in GROUPS:
            message = f"{group} is none of {', '.join(GROUPS)}"
            raise typer.BadParameter(message, param_hint="--group")
    return [attack for attack in ATTACKS if not groups or attack.group in groups]
