"""One row a person, made of several by public recipes."""
