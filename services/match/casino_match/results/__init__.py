"""From blocks to the result of a match. Pure."""
