"""The decisions of a seat: its view, the legal targets and takes."""
