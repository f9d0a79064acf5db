"""Worker processes, and what their parent makes of what they do."""
