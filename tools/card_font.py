"""Rasterise the letters and suits of preview cards: `python tools/card_font.py FILE`.

The lobby draws cards without a drawing library: it copies glyphs, which this tool has drawn once
with the system's Chromium in DejaVu Sans (Debian: `fonts-dejavu-core`, `chromium`). The suits are
the paths of the page's own cards.
"""

import base64
import json
import lzma
import re
import sys
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

ROOT: Final = Path(__file__).resolve().parent.parent
CARDS: Final = ROOT / "services/lobby/casino_lobby/web/cards.js"

LETTERS: Final = "".join(
    chr(code)
    for first, last in ((0x20, 0x7E), (0xA1, 0xAC), (0xAE, 0x17F), (0x386, 0x3CE), (0x400, 0x45F))
    for code in range(first, last + 1)
    if code not in {0x387, 0x38B, 0x38D, 0x3A2}
) + "".join(map(chr, (0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x201E, 0x2026, 0x2022)))
SIGNS: Final = chr(0x2212) + "€"
"""Latin, Greek and Cyrillic; whatever else a name has is drawn as a box."""
BOX: Final = "□"

TYPEFACES: Final = {
    "small": ("26px 'DejaVu Sans'", LETTERS + SIGNS + BOX),
    "text": ("bold 34px 'DejaVu Sans'", LETTERS + SIGNS + BOX),
    "title": ("bold 54px 'DejaVu Sans'", LETTERS + SIGNS + BOX),
    "rank": ("bold 62px 'DejaVu Sans'", "0123456789AJKQ?"),
    "minor": ("bold 44px 'DejaVu Sans'", "0123456789AJKQ?"),
}
PIPS: Final = {"pip": 58, "minor-pip": 40}
"""The heights of the suits, in pixels."""

DRAW: Final = """
({ font, letters, pips, size }) => {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const take = (width, height) => {
    const { data } = context.getImageData(0, 0, width, height);
    let text = "";
    for (let i = 3; i < data.length; i += 4) text += String.fromCharCode(data[i]);
    return btoa(text);
  };
  if (pips) {
    canvas.width = canvas.height = size;
    return Object.entries(pips).map(([name, path]) => {
      context.resetTransform();
      context.clearRect(0, 0, size, size);
      context.scale(size / 24, size / 24);
      context.fill(new Path2D(path));
      return { name, advance: size, left: 0, width: size, height: size, data: take(size, size) };
    });
  }
  context.font = font;
  const all = context.measureText("ÅÇgj|");
  const ascent = Math.ceil(all.actualBoundingBoxAscent) + 2;
  const height = ascent + Math.ceil(all.actualBoundingBoxDescent) + 2;
  return [...letters].map((name) => {
    context.font = font;
    const { width: advance, actualBoundingBoxLeft: l, actualBoundingBoxRight: r } =
      context.measureText(name);
    const left = Math.ceil(l) + 1;
    const width = Math.max(1, left + Math.ceil(r) + 1);
    canvas.width = width;
    canvas.height = height;
    context.font = font;
    context.textBaseline = "alphabetic";
    context.fillText(name, left, ascent);
    return { name, advance: Math.round(advance), left, width, height, data: take(width, height) };
  });
}
"""


def main() -> None:
    """Write the file: a line of JSON, then the levels of all pixels, compressed."""
    paths = dict(re.findall(r'\[\s*"(\w+)",\s*"(M[^"]+)",?\s*\]', CARDS.read_text("utf-8")))
    typefaces: dict[str, dict[str, Any]] = {}
    pixels = bytearray()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page()
        for typeface, (font, letters) in TYPEFACES.items():
            drawn = page.evaluate(DRAW, {"font": font, "letters": letters})
            typefaces[typeface] = _typeface(drawn, pixels)
        for typeface, size in PIPS.items():
            typefaces[typeface] = _typeface(
                page.evaluate(DRAW, {"pips": paths, "size": size}), pixels
            )
        browser.close()
    head = json.dumps(typefaces, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    Path(sys.argv[1]).write_bytes(lzma.compress(head + pixels, preset=9))


def _typeface(drawn: list[dict[str, Any]], pixels: bytearray) -> dict[str, Any]:
    """Return a height, and glyphs as advance, left, width; add their levels, 0 to 15."""
    glyphs = {}
    for glyph in drawn:
        glyphs[glyph["name"]] = [glyph["advance"], glyph["left"], glyph["width"]]
        pixels += bytes((alpha + 8) // 17 for alpha in base64.b64decode(glyph["data"]))
    return {"height": drawn[0]["height"], "glyphs": glyphs}


if __name__ == "__main__":
    main()
