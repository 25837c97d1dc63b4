"""`casino up`: a casino of processes, its report and its scores."""
