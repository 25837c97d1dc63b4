"""Bots of authors who know the README alone: its two bots, and what `casino new-bot` writes."""
