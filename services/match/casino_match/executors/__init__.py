"""Where blocks are played: in this process, in several, or on many machines."""
