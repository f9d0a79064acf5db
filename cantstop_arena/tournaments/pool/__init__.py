"""Worker processes, and how their parent handles the blocks and faults that they report."""
