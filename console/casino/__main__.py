"""The `casino` command."""

import asyncio
import sys
from typing import Annotated

import typer
from casino_agentkit import InvalidSettings, PortTaken, configure_logs, serve
from casino_contracts.base import Url
from pydantic import TypeAdapter, ValidationError

from casino.deal import DealerSettings
from casino.deal import build_app as build_dealer
from casino.report import Report
from casino.up import HOUSE_PLAYERS, LOBBY_PORT, Plan, Up

STYLES = ("caller", "equity", "maniac", "random", "tight")
_SEATS = range(2, 11)
_URL: TypeAdapter[str] = TypeAdapter(Url)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A2A Casino: independent agents play for chips.",
)


@app.callback()
def casino() -> None:
    """A2A Casino: independent agents play for chips."""


@app.command()
def up(
    hands: Annotated[int, typer.Option(min=1, help="Hands to play.")] = 50,
    players: Annotated[
        str, typer.Option(help=f"House players, of {', '.join(STYLES)}.")
    ] = ",".join(HOUSE_PLAYERS),
    seat: Annotated[
        list[str] | None,
        typer.Option(help="Card URL of your bot; it sits in place of a house player. Repeatable."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Makes the session repeat exactly; else true chance.")
    ] = None,
    exit_: Annotated[bool, typer.Option("--exit", help="End when the hands are played.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The lobby's port; 0 or taken: a free one.")
    ] = LOBBY_PORT,
) -> None:
    """Start a casino on this machine and play: lobby, table and six players, each a process."""
    styles = tuple(style.strip() for style in players.split(",") if style.strip())
    strangers = tuple(seat or ())
    for style in styles:
        if style not in STYLES:
            raise typer.BadParameter(
                f"{style} is none of {', '.join(STYLES)}", param_hint="--players"
            )
    for url in strangers:
        try:
            _URL.validate_python(url)
        except ValidationError as error:
            told = f"{url}: {error.errors()[0]['msg']}"
            raise typer.BadParameter(told, param_hint="--seat") from error
    plan = Plan(hands, styles, strangers, seed, exit_, port)
    seats = len(plan.house_styles) + len(strangers)
    if seats not in _SEATS:
        raise typer.BadParameter(f"{seats} players; a table seats 2 to 10", param_hint="--players")
    raise typer.Exit(asyncio.run(Up(plan, Report(as_json=as_json)).run()))


@app.command()
def deal(
    lobby_url: Annotated[str | None, typer.Option(help="The lobby's URL.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Where its health is asked.")
    ] = None,
) -> None:
    """Keep a room playing at a lobby that runs already; settings come from CASINO_DEALER_…."""
    try:
        settings = DealerSettings.load(lobby_url=lobby_url, port=port)
        configure_logs("dealer", level=settings.log_level, secret_keys=("seed", "authorization"))
        serve(
            lambda _url: build_dealer(settings),
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
        )
    except (InvalidSettings, PortTaken) as error:
        sys.exit(f"casino deal: {error}")


def main() -> None:
    """Run the command."""
    app()


if __name__ == "__main__":
    main()
