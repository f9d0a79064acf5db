"""The tournament file. Reading it reports all problems at once."""
