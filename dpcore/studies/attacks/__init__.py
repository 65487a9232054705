"""Attacks on released numbers, each on a careless release and on a private one."""
