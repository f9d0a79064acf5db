"""The tournament file: it is read with every problem reported at once."""
