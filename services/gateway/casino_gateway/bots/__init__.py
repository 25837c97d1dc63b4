"""Bots that dial out: agents without a port of their own, called over the connection they open."""
