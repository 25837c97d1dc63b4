"""Command `casino match`: play a match between bots, and say which is better."""

from pathlib import Path
from typing import Annotated

import typer

from casino.commands.context import AsJsonLines, at_lobby, context_of, url
from casino.commands.match import options as plan_option
from casino.commands.match.library import playing
from casino.commands.match.options import bounds_of, chosen
from casino.page_links import match_link
from casino.publishing import match_id_of, publish_match


def _checked_url(text: str | None) -> str | None:
    return None if text is None else url(text)


def run(  # noqa: PLR0913, PLR0917  the options of a command
    context: typer.Context,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT BOT ...|PLAN.toml|DIR",
            help="The players: a style (equity, tight, ...), a function (bots/mine.py:act), the URL"
            " of an agent, each also as NAME=BOT. Or a plan. Or the directory of a match that"
            " goes on.",
        ),
    ],
    decks: plan_option.Decks = None,
    seed: plan_option.Seed = None,
    name: plan_option.Name = None,
    stack: plan_option.Stack = None,
    small_blind: plan_option.SmallBlind = None,
    big_blind: plan_option.BigBlind = None,
    ante: plan_option.Ante = None,
    clock: plan_option.Clock = None,
    seatings: plan_option.SeatingsOption = None,
    decks_per_block: plan_option.DecksPerBlock = None,
    stop_better: plan_option.StopBetter = None,
    alpha: plan_option.Alpha = None,
    beta: plan_option.Beta = None,
    wrong_answer: plan_option.WrongAnswer = None,
    no_answer: plan_option.NoAnswer = None,
    patience: plan_option.Patience = None,
    games_at_once: plan_option.GamesAtOnce = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The match's files. Default: matches/NAME-DIGEST."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Number of processes. Default: all cores.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="ray|ADDRESS", help="Play on a Ray cluster: a local one, or the one there."
        ),
    ] = None,
    block: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Play only this share of the blocks: for job arrays."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew, also if there is such a match.")
    ] = False,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="LOBBY", callback=_checked_url, help="Publish the result at this lobby's page."
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Play a match between bots, or go on with it, and say which of them is better.

    Every deck is played in every seating with equal stacks. The same command again plays only what
    is missing. docs/matches.md explains the result.
    """
    values = {
        "name": name,
        "deal": chosen(decks=decks, seed=seed, seatings=seatings, decks_per_block=decks_per_block),
        "rules": chosen(
            stack=stack, small_blind=small_blind, big_blind=big_blind, ante=ante, clock=clock
        ),
        "stop": {
            **(bounds_of(stop_better) if stop_better else {}),
            **chosen(alpha=alpha, beta=beta),
        },
        "faults": chosen(wrong_answer=wrong_answer, no_answer=no_answer, patience=patience),
    }
    options = {field: value for field, value in values.items() if value}
    with playing(context, as_json=as_json) as session:
        from casino.match.read_order import order_of  # noqa: PLC0415  needs the extra

        order = order_of(
            players, options, games_at_once, out=out, is_fresh=fresh, jobs=jobs, on=on, share=block
        )
        code, result = session.run(order)
    if publish is not None and result is not None:
        at_lobby(context, publish, lambda api: publish_match(api, result))
        link = match_link(publish, match_id_of(result))
        output = context_of(context).output()
        if as_json:
            output.json({"event": "published", "link": link})
        else:
            output.line(f"page   {link}")
    if code:
        raise typer.Exit(code)
