"""The sections of the pages of tournaments and comparisons, a module each."""
