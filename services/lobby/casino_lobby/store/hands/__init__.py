"""Completed hands: their keys, queries of them, the index in memory, scores of older ones."""
