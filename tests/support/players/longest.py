"""The longest contents that are allowed: names, models, talk, and amounts of twelve digits."""

from typing import Any

NAMES = (
    "W" * 40,
    "漢字かな交じり文の名前です" * 3 + "終",
    "🂡🎲👩‍👩‍👧‍👦" * 4,
    "مرحبا بالعالم هذا اسم طويل جدا للاعب هنا",
    "<b>bold</b> & <img src=x onerror=alert()>",
    "a name of several words, as people write",
    "i" * 40,
    "Ünbreakable-" * 3 + "Åéñø",
    "ab",
    "\u2067\u05e2\u05d1\u05e8\u05d9\u05ea\u2069 and English by turns, to the end",
)
LONG_ID = "a-room-with-a-long-name-" * 5 + "abcdefgh"
LONG_WORDS = f"I have read about hands like yours {'w' * 80} and they did not end well. "
MODEL = "provider-of-models/" + "a-model-with-a-long-name-" * 4
CHIP = 617_283_945
"""Each chip becomes so many: 200 are 123,456,789,000."""
_AMOUNTS = {"stack", "amount", "pot", "smallBlind", "bigBlind", "net", "nets", "bought", "ante"}
_AMOUNTS |= {"startingStack", "minBuyIn", "maxBuyIn", "house", "low", "high"}


def lengthened(value: Any, key: str = "") -> Any:
    """Return a message with the longest contents."""
    if isinstance(value, list):
        return [lengthened(item, key) for item in value]
    if isinstance(value, dict):
        longer = {name: lengthened(item, name) for name, item in value.items()}
        if "displayName" in longer:
            longer["displayName"] = NAMES[int(longer["playerId"].lstrip("p"))]
            longer["profile"] = {"model": MODEL, "framework": "f" * 128}
        if "told" in longer:
            longer["told"] = [f"{NAMES[0]} and: {sentence}" for sentence in longer["told"]]
        if longer.get("eventType") == "action_taken":
            longer["payload"] |= {"message": LONG_WORDS * 4, "latencyMs": 123_456}
        return longer
    is_amount = key in _AMOUNTS and isinstance(value, int | float)
    return value * CHIP if is_amount else value
