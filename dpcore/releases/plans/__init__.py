"""How requests about statistics are carried out: a file a way."""
