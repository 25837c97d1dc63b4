"""Exports of a match: its hands, replayed from the blocks, as neutral hand histories."""
