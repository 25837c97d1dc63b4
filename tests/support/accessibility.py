"""What axe-core finds on a page; its script comes with a package of the tests."""

from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.async_api import Page

_SCRIPT = Path(axe_playwright_python.__file__).parent / "axe.min.js"
_STILL = """async () => {
  const isRunning = (one) => one instanceof CSSAnimation && one.playState === "running";
  for (;;) {
    const running = document.getAnimations().filter(isRunning);
    if (running.length === 0) return;
    await Promise.allSettled(running.map((one) => one.finished));
  }
}"""
"""A card that comes in is pale at first; what counts is how it lies there. An animation that is
cut short, as when its card is replaced, is followed by that of the next card."""
_SERIOUS = {"serious", "critical"}


async def serious_faults(page: Page) -> list[str]:
    """Return the serious and critical faults of a page as lines, each with its elements."""
    # Evaluated by the debugger, so that the page's policy need not allow it.
    await page.evaluate(_SCRIPT.read_text())
    await page.evaluate(_STILL)
    found: dict[str, Any] = await page.evaluate("axe.run(document)")
    return [
        f"{fault['id']}: {node['target']} {node.get('failureSummary', '')}"
        for fault in found["violations"]
        if fault["impact"] in _SERIOUS
        for node in fault["nodes"]
    ]
