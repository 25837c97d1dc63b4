"""Bots of authors who know README and docs/bots.md, and what `casino new-bot` writes."""
