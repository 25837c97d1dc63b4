"""Operators on the page: forms, bots on free seats, questions before commands, refusals."""

import json
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, PageHarness, rooms, snapshot
from support.chromium import PHONE, fits
from support.players.recorded import room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOM = "/v1/rooms/main"
PLAYERS = [
    {"playerId": f"p{number}", "displayName": name, "seatNumber": number, "stack": 200}
    for number, name in enumerate(("Ada", "<b>Grace</b>"))
]
CONFIG = {"name": "A2A Casino", "operatorTokenNeeded": False}
SAMPLES = [{"name": "Tight", "agentCardUrl": "http://127.0.0.1:4101"}]
OWN = "http://127.0.0.1:9000"


async def opened(page: Page, harness: PageHarness, players: list[dict[str, Any]]) -> None:
    """Open a waiting room of six seats with these players."""
    begin = room([], players)
    begin["summary"]["status"] = "waiting"
    harness.answers["/v1/config"] = {**CONFIG, "sampleBots": SAMPLES}
    harness.answers[f"{ROOM}/hands"] = {"hands": []}
    harness.stream(f"{ROOM}/stream", snapshot(begin))
    await page.goto(f"{ORIGIN}/#/rooms/main")
    await expect(page.locator(".room-head .pill")).to_have_text("waiting")


async def creating(page: Page, harness: PageHarness) -> Locator:
    """Open the dialog that opens a room."""
    harness.stream("/v1/stream", rooms())
    await page.goto(ORIGIN)
    await page.get_by_role("button", name="Open a room").first.click()
    return page.get_by_role("dialog")


def refusal(kind: str, detail: str, status: int = 409) -> dict[str, Any]:
    """Return a problem without errors of fields."""
    return {"type": f"/problems/{kind}", "title": "No", "status": status, "detail": detail}


async def test_a_bot_is_seated_from_a_free_seat(page: Page, harness: PageHarness) -> None:
    """A sample bot by one more click; the card of another is remembered, and only here."""
    await page.set_viewport_size(PHONE)
    await opened(page, harness, [])
    await expect(page.get_by_text("Nobody sits at this table")).to_be_visible()
    for of_a_key in ("#locked", "#token"):
        await expect(page.locator(of_a_key)).to_be_hidden()
    await expect(page.get_by_role("button", name="Start the session")).to_be_hidden()
    free = page.locator(".table").get_by_role("button", name="Seat a bot")
    await expect(free).to_have_count(6)
    await expect(page.get_by_role("button", name="Sit here")).to_have_count(0)
    await free.nth(3).click()
    dialog = page.get_by_role("dialog", name="Seat a bot")
    assert await serious_faults(page) == []
    harness.problems[f"{ROOM}/players"] = refusal("agent-unreachable", "Nobody there.", 502)
    await dialog.get_by_role("button", name="Tight").click()
    field = dialog.get_by_label("Agent card")
    await expect(dialog.get_by_text("Nobody there.")).to_be_visible()
    await expect(field).to_have_attribute("aria-invalid", "true")
    del harness.problems[f"{ROOM}/players"]
    seat = {"displayName": "<i>Mine</i>", "seatNumber": 4, "stack": 200}
    harness.answers[f"{ROOM}/players"] = seat
    await field.fill(OWN)
    await dialog.get_by_role("button", name="Seat the bot").click()
    await expect(dialog).to_be_hidden()
    await expect(page.get_by_text("<i>Mine</i> sits down at another seat")).to_be_visible()
    orders = [json.loads(body) for body in harness.bodies]
    assert orders == [
        {"agentCardUrl": SAMPLES[0]["agentCardUrl"], "preferredSeat": 3},
        {"agentCardUrl": OWN, "preferredSeat": 3},
    ]
    await free.first.click()
    await expect(dialog.get_by_role("group", name="Used before")).to_contain_text("<i>Mine</i>")
    await dialog.get_by_role("button", name="Forget these").click()
    assert await page.evaluate("localStorage.getItem('recent-cards')") is None
    loaded = await page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert not [one for one in loaded if "/play/room_seat" in one], "nobody can sit down"


async def test_leave_and_close_are_asked_and_tell_the_truth(
    page: Page, harness: PageHarness
) -> None:
    """A no sends nothing; a refusal of the start is forgotten when somebody sits down."""
    await opened(page, harness, PLAYERS)
    harness.problems[f"{ROOM}/start"] = refusal("not-enough-players", "2 are needed.")
    await page.get_by_role("button", name="Start the session").click()
    await expect(page.locator(".next-step .fault")).to_have_text("2 are needed.")
    await page.get_by_text("Run this room").click()
    leave = page.get_by_role("button", name="Let Ada leave")
    await leave.click()
    dialog = page.get_by_role("dialog", name="Let Ada leave?")
    await expect(dialog.get_by_role("button", name="Keep the player")).to_be_focused()
    assert await serious_faults(page) == []
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()
    assert len(harness.bodies) == 1, "nothing but the start was sent"
    for players, words in ((PLAYERS, "leaves after the running hand"), ([], "has left")):
        harness.answers[f"{ROOM}/players/p0"] = {"players": players}
        await leave.click()
        await dialog.get_by_role("button", name="Let leave").click()
        await expect(page.get_by_text(f"Ada {words}.")).to_be_visible()
    harness.problems[f"{ROOM}/close"] = refusal("room-closed", "It is closing.")
    await page.get_by_role("button", name="Close the room…").click()
    await page.keyboard.press("Escape")
    assert len(harness.bodies) == 3
    await page.get_by_role("button", name="Close the room…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Close the room").click()
    await expect(page.get_by_text("It is closing.")).to_be_visible()


async def test_a_refusal_stands_at_its_field_until_the_dialog_opens_again(
    page: Page, harness: PageHarness
) -> None:
    """A taken name, a dead table, faulty fields; what has no field is below the form."""
    dialog = await creating(page, harness)
    send = dialog.get_by_role("button", name="Open the room")
    assert await serious_faults(page) == []
    for kind, label in (("room-exists", "Name"), ("agent-unreachable", "Table agent")):
        harness.problems["/v1/rooms"] = refusal(kind, f"choose another roomId ({kind})")
        await send.click()
        await expect(dialog.get_by_label(label)).to_have_attribute("aria-invalid", "true")
        await expect(dialog.get_by_text(f"choose another “Name” ({kind})")).to_be_visible()
    errors = [
        {"pointer": "#/config/bigBlind", "detail": "must be at least smallBlind, 5"},
        {"pointer": "#/requestId", "detail": "is unknown"},
    ]
    problem = refusal("invalid-request", "many things", 422)
    harness.problems["/v1/rooms"] = {**problem, "errors": errors}
    await dialog.get_by_label("Begin with").select_option("heads-up")
    field = dialog.get_by_label("Big blind")
    await field.fill("three")
    await send.click()
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_be_focused()
    await expect(field).to_have_accessible_description("must be at least “Small blind”, 5")
    await expect(dialog.get_by_role("alert")).to_have_text("many things")
    sent = json.loads(harness.bodies[-1])
    assert (sent["config"]["bigBlind"], sent["config"]["smallBlind"]) == ("three", 1)
    assert (sent["config"]["maxSeats"], sent["config"]["maxTimeouts"]) == (2, 3)
    assert not {"preset", "roomId"} & set(sent)
    errors = [{"pointer": "#/config/timeBankMs", "detail": "must be at most 3600000"}]
    harness.problems["/v1/rooms"] = {**problem, "errors": errors}
    await send.click()
    await expect(dialog.get_by_text("must be at most 3,600,000")).to_be_visible()
    await dialog.get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="Open a room").first.click()
    await expect(dialog.locator("[aria-invalid]")).to_have_count(0)
    await expect(dialog.get_by_text("3,600,000")).to_be_hidden()
    await page.set_viewport_size(PHONE)
    assert await fits(page)
