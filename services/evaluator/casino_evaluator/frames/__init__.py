"""Frames of 64 x 64 colours: what the candidate may see, drawn, and what its clicks mean."""
