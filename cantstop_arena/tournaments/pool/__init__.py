"""Worker processes, and what their parent does with the blocks and faults that they report."""
