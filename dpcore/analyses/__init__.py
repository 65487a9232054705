"""One file a shape: what is asked, its schema, measurement, value, answer and error."""
