"""The tournament file, read with every problem at once."""
