"""`casino replay FILE`: the command serves the page, and the page shows the file's hands."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from casino_histories.writing.ohh import ohh_text
from playwright.async_api import Browser, expect
from support.casino.live import ENVIRONMENT
from support.chromium import page_at
from support.histories.random_hands import random_hand

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = [random_hand(number) for number in range(3)]
ENDED_BY_CTRL_C = 130


@pytest.fixture
async def link(tmp_path: Path) -> AsyncIterator[str]:
    """Start the command on a file, and return the link that it prints; end it by Ctrl-C."""
    file = tmp_path / "some hands.ohh"
    file.write_text("\n".join(map(ohh_text, HANDS)))
    command = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "casino", "replay", str(file)),
        env=ENVIRONMENT,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert command.stdout is not None
    assert (await command.stdout.readline()).decode() == f"3 hands of {file}\n"
    yield (await command.stdout.readline()).decode().split()[-1]
    command.send_signal(signal.SIGINT)
    assert await asyncio.wait_for(command.wait(), 30) == ENDED_BY_CTRL_C


async def test_the_hands_of_a_file_are_replayed(browser: Browser, link: str) -> None:
    """With everybody's cards from the first step, to the result, and then the next hand."""
    origin = f"http://{urlsplit(link).netloc}"
    assert link == f"{origin}/rooms/some%20hands/hands/1"
    async with page_at(browser, origin) as (page, _):
        await page.goto(link)
        for number, hand in enumerate(HANDS[:2], 1):
            await expect(page.locator(".step-told")).to_contain_text("begins")
            cards = page.locator(".table .hole .card:not(.back)")
            await expect(cards).to_have_count(2 * len(hand.seats))
            await page.keyboard.press("End")
            await expect(page.locator(".step-told")).to_contain_text(f"hand {number}: Player")
            await page.keyboard.press("ArrowUp")
        await expect(page.locator(".results tbody tr:not(.more)")).to_have_count(
            len({seat.player_id for hand in HANDS for seat in hand.seats})
        )
