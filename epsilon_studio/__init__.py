"""The command that starts Epsilon Studio, and the hosts that it serves."""
