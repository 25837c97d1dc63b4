"""What axe-core finds on a page; its script comes with a package of the tests."""

from pathlib import Path
from typing import Any, Final, Literal

import axe_playwright_python
from playwright.async_api import Page

from support.chromium import settled

_SCRIPT = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
_SERIOUS = {"serious", "critical"}
_FAULTS: Final = {"resultTypes": ["violations"]}
_RULES: Final[dict[Literal["light", "dark"], dict[str, Any]]] = {
    "light": _FAULTS,
    "dark": {**_FAULTS, "runOnly": "color-contrast"},
}
"""All rules in one theme; in the other one only colours differ."""


async def serious_faults(page: Page) -> list[str]:
    """Return the serious and critical faults of a page in both themes, each with its elements."""
    # Evaluated by the debugger, so that the page's policy need not allow it.
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_SCRIPT)
    await settled(page)  # a card that comes in is pale at first
    faults = []
    for scheme, rules in _RULES.items():
        await page.emulate_media(color_scheme=scheme)
        found: dict[str, Any] = await page.evaluate("rules => axe.run(document, rules)", rules)
        faults += [
            f"{scheme}: {fault['id']}: {node['target']} {node.get('failureSummary', '')}"
            for fault in found["violations"]
            if fault["impact"] in _SERIOUS
            for node in fault["nodes"]
        ]
    return faults
