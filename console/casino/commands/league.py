"""Command `casino league`: play every two players of a folder against each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casino.commands.context import AsJsonLines, at_lobby, context_of, url_or_none
from casino.commands.match_commands import Jobs, OnCluster, chosen, with_matches
from casino.lobby_api import LobbyApi
from casino.publishing import league_id_of, league_link, match_id_of, publish_league, publish_match

if TYPE_CHECKING:
    from casino_match.leagues.round_robin import PlayedLeague


def league(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A folder with league.toml, which lists players and common rules, or with a plan"
            " for each match between two players.",
        ),
    ],
    decks: Annotated[
        int | None,
        typer.Option(min=1, help="Number of decks of each match. Default: those of the plans."),
    ] = None,
    jobs: Jobs = None,
    on: OnCluster = None,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="LOBBY",
            callback=url_or_none,
            help="Publish the table and its matches at the lobby with this URL.",
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Play a match between every two players of a folder, and rank them by what is sure.

    Matches that are played are kept: a new player plays only its own matches, and a player that
    has changed plays its matches again. docs/matches.md explains the table.
    """
    over = {"deal": {"decks": decks}} if decks is not None else {}
    output = context_of(context).output()
    with with_matches(context):
        from rich.console import Console  # noqa: PLC0415  as the session

        from casino.league_session import LeagueSession  # noqa: PLC0415  the same

        match_id = match_id_of if publish else None
        session = LeagueSession(output, Console(stderr=True), as_json, **chosen(match_id=match_id))
        played = session.run(folder, over, jobs, on)
    if publish is not None and played.results:
        at_lobby(context, publish, lambda api: _publish(api, played))
        link = league_link(publish, league_id_of(played.league))
        if as_json:
            output.json({"event": "published", "link": link})
        else:
            output.line(f"page   {link}")
    if played.is_interrupted or played.failures:
        raise typer.Exit(session.exit_code or 1)


async def _publish(api: LobbyApi, played: "PlayedLeague") -> None:
    for result in played.results:
        await publish_match(api, result)
    await publish_league(api, played.league)
