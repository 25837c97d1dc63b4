"""Hostile replies of agents, and the agents that send them."""
