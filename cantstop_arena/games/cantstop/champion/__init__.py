"""The strongest player: one turn solved exactly, and small nets that know what its end is worth."""
