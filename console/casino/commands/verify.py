"""Command `casino verify`: check that nobody chose a room's cards, and its signed results."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

import typer
from casino_contracts import TableEvent
from casino_histories.fair_check import FairCheck, FairReport, checked, checked_proof
from casino_histories.signed_result import ResultCheck
from casino_lobby_client.errors import CallFailed

from casino.commands.context import (
    LOBBY_URL,
    AsJsonLines,
    LobbyUrl,
    at_lobby,
    context_of,
    one_line_for,
    url,
)
from casino.lobby_api import LobbyApi
from casino.output import Output, counted

NOTHING_TO_VERIFY = 3
"""Exit code of rooms whose deal proves nothing: they are seeded, or their table deals by itself."""
_MOST_BYTES = 256 * 1024 * 1024
_PLAN = "plan.json"
_RESULTS = {"chain", "results"}
"""Fields of a signed result, and of a room's."""
_SEEDED = "its cards follow from its seed"


def verify(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="ROOM|URL|FILE|DIR",
            help="A room's id, the link of its page, a file with its events or with a hand's proof"
            " (JSON or JSON lines), or the directory of a match.",
        ),
    ],
    log: Annotated[
        Path | None,
        typer.Option(help="The log of `casino join --log`: its player's own cards are checked."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="Thumbprint of the key that must have signed each block of hands."),
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJsonLines = False,
) -> None:
    """Check offline, from public events, that nobody chose the cards of a room.

    Commitments, contributions, signatures, openings, the other decks, every shown card, and the
    signed results of its sessions. Ends with code 1 and the first hand or result that is wrong, and
    with code 3 if there is no deal to verify.
    """
    output, path = context_of(context).output(), Path(source)
    results: list[ResultCheck] = []
    with one_line_for(context, CallFailed):
        own = [] if log is None else [one for one in _documents(log) if _is_own(one)]
        if path.is_dir():
            raise CallFailed(f"{source}: `casino match verify {source}` checks a match")
        if path.is_file():
            reports, results = list(_of_file(path, key, own)), _results_of(_documents(path))
        else:
            address, room = _room_of(source, lobby)
            report, results = at_lobby(context, address, lambda api: _of_room(api, room, key, own))
            reports = [(room, report)]
    codes = {_written(output, name, report, as_json=as_json) for name, report in reports}
    codes |= {_result_code(output, check, as_json=as_json) for check in results}
    if codes != {0}:
        raise typer.Exit(1 if 1 in codes else NOTHING_TO_VERIFY)


def _is_own(line: Mapping[str, Any]) -> bool:
    return line.get("event") == "dealt" and line.get("block") is not None


def _room_of(source: str, lobby: str) -> tuple[str, str]:
    """Return the lobby's URL and the room of an id, or of a page's or REST address."""
    if "://" not in source:
        return lobby, source
    address, _, rest = url(source).partition("/rooms/")
    room = rest.partition("?")[0].partition("/")[0]
    if not room:
        raise CallFailed(f"{source} names no room: it has no /rooms/ROOM")
    return address.removesuffix("/v1"), unquote(room)


async def _of_room(
    api: LobbyApi, name: str, key: str | None, own: list[dict[str, Any]]
) -> tuple[FairReport | str, list[ResultCheck]]:
    """Return what is said of a room's deal, and of its signed results; raises CallFailed."""
    room = await api.room(name)
    results = await _signed(api, name)
    if room.seeded and not results:
        return _SEEDED, []
    check = FairCheck(key, own)
    with check.to_the_first_fault():
        for epoch in range(1, (room.epoch or 1) + 1):
            after = 0
            while (page := await api.events(name, after, epoch)).events:
                for event in page.events:
                    said = event.model_dump(mode="json")
                    for result in results:
                        result.take(said)
                    if room.seeded:
                        continue
                    if event.event_type == "hand_started" and check.is_without_block:
                        await _take_block(check, api, name, event)
                    check.take(said)
                after = page.last_sequence
        if not room.seeded:
            check.end()
    if check.report.fault is not None:
        return check.report, []
    return _SEEDED if room.seeded else check.report, results


async def _signed(api: LobbyApi, room: str) -> list[ResultCheck]:
    """Return checks of a room's signed results; none at a lobby that does not know them."""
    try:
        signed = await api.results(room)
    except CallFailed:
        return []
    return [ResultCheck(result.model_dump(mode="json")) for result in signed.results]


def _results_of(documents: list[dict[str, Any]]) -> list[ResultCheck]:
    """Return checks of the signed results in a file, with the events that are there."""
    inner = [document.get(part) for document in documents for part in ("results", "events")]
    found = documents + [one for part in inner if isinstance(part, list) for one in part]
    checks = [ResultCheck(one) for one in found if isinstance(one, dict) and "chain" in one]
    for event in (one for one in found if isinstance(one, dict) and "eventType" in one):
        for check in checks:
            check.take(event)
    return checks


async def _take_block(check: FairCheck, api: LobbyApi, room: str, event: TableEvent) -> None:
    """Take the block of a hand whose commitment is deleted, if the lobby still proves the hand."""
    number = (event.payload or {}).get("handNumber")
    if not isinstance(number, int):
        return
    try:
        proof = await api.hand_proof(room, number, event.epoch)
    except CallFailed:
        return
    check.take_block(proof.model_dump(mode="json"))


def _of_file(
    path: Path, key: str | None, own: list[dict[str, Any]]
) -> Iterator[tuple[str, FairReport | str]]:
    """Yield the reports of a file: of each proof in it, or of its events. Raises CallFailed."""
    events: list[dict[str, Any]] = []
    for document in _documents(path):
        if "commitment" in document:
            yield f"hand {document.get('handNumber')}", checked_proof(document, own=own)
        elif isinstance(inner := document.get("events"), list):
            events += inner
        elif not _RESULTS & set(document):
            events.append(document)
    if any("eventType" in event for event in events):
        yield str(path), checked(events, signer=key, own=own)
    elif events:
        raise CallFailed(f"{path} has neither events nor proofs of a room")


def _documents(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON or JSON lines; raises CallFailed."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise CallFailed(f"{path} has more than {_MOST_BYTES >> 20} MiB: split it")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CallFailed(f"{path} cannot be read: {error}") from error
    try:
        found = json.loads(text)
    except ValueError:
        found = [_parsed(path, *line) for line in enumerate(text.splitlines(), 1) if line[1]]
    items = found if isinstance(found, list) else [found]
    return [one for one in items if isinstance(one, dict)]


def _parsed(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise CallFailed(f"{path}: line {number} is no JSON: {error}") from error


def _written(output: Output, name: str, report: FairReport | str, *, as_json: bool) -> int:
    """Write one report, and return its exit code."""
    if isinstance(report, str):
        if as_json:
            output.json({"source": name, "nothingToVerify": report})
        else:
            output.line(f"nothing      {name}: {report}, so there is nothing to verify")
        return NOTHING_TO_VERIFY
    fault = None if report.fault is None else str(report.fault)
    if as_json:
        output.json({"source": name, "fault": fault, **_numbers(report)})
    else:
        verdict = f"UNFAIR       {name}: {fault}" if fault else f"fair         {name}: "
        output.line(verdict + ("" if fault else counted(report.checked, "hand")))
        for line in _lines(report):
            output.line(f"             {line}")
    proven = report.checked - report.alone
    return 1 if fault else 0 if proven or report.own else NOTHING_TO_VERIFY


def _result_code(output: Output, check: ResultCheck, *, as_json: bool) -> int:
    """Write what is said of one signed result, and return its exit code."""
    fault = check.end() if check.is_covered else check.fault
    if as_json:
        output.json(
            {"result": check.session, "key": check.key, "fault": fault, "events": check.is_covered}
        )
    elif fault:
        output.line(f"WRONG        result of {check.session}: {fault}")
    else:
        rest = "" if check.is_covered else "; its events are deleted: only its signature is checked"
        output.line(f"signed       result of {check.session}, by {check.key}{rest}")
    return 1 if fault else 0


def _numbers(report: FairReport) -> dict[str, Any]:
    return {
        "hands": report.checked,
        "ownHands": report.own,
        "blocks": report.blocks,
        "withoutContributors": report.alone,
        "contributors": dict(report.contributors),
        "leftOut": [one._asdict() for one in report.left_out],
        "cancelled": report.cancelled,
        "skipped": report.skipped,
        "dealtByTable": report.by_table,
    }


def _lines(report: FairReport) -> Iterator[str]:
    """Yield what a person must know beside the verdict."""
    who = ", ".join(f"{name} {hands}" for name, hands in report.contributors.most_common())
    yield f"{counted(report.blocks, 'block')}; contributors by hands: {who or 'nobody'}"
    if report.own:
        yield f"own cards right in {counted(report.own, 'hand')}"
    for block, name, reason in report.left_out:
        yield f"left out of {block}: {name} ({reason})"
    if report.cancelled:
        yield f"cancelled: {', '.join(map(str, report.cancelled))}"
    if report.alone:
        yield f"{counted(report.alone, 'hand')} without a contributor: the table could choose"
    if report.by_table:
        yield f"{counted(report.by_table, 'hand')} dealt by the table: nothing to verify"
    if report.skipped:
        yield f"{counted(report.skipped, 'hand')} skipped: their blocks are deleted"
