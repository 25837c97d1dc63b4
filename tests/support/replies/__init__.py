"""Replies as bytes, well framed or not: a server of them, and what a client makes of each."""
