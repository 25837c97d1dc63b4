"""The sixteen colours of a frame, as clients of ARC-AGI-3 show them."""

WHITE, LIGHT, SILVER, GRAY, DARK, BLACK, MAGENTA, PINK = range(8)
RED, BLUE, SKY, YELLOW, ORANGE, MAROON, GREEN, PURPLE = range(8, 16)

HEX = (
    "#ffffff",
    "#cccccc",
    "#999999",
    "#666666",
    "#333333",
    "#000000",
    "#e53aa3",
    "#ff7bcc",
    "#f93c31",
    "#1e93ff",
    "#88d8f1",
    "#ffdc00",
    "#ff851b",
    "#921231",
    "#4fcc30",
    "#a356d6",
)
"""The sRGB value of each colour."""
