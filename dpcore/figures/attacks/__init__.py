"""What attacks found, on a careless release and on a private one."""
