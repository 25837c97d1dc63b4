"""Starter projects for bots, one in each language: `casino new-bot`."""
