"""The games and decisions of tournaments as table rows for other programs."""
