"""Blocks of journal records: build, store, search and delete them."""
