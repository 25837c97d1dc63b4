"""Attackers, hostile peers and the arena they meet in."""
