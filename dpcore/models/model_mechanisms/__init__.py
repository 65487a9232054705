"""The laws of released models, a file each: what a mechanism does and guarantees."""
