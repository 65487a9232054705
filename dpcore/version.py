"""The version of the program, which records and documents name."""

VERSION = "0.1.0"
