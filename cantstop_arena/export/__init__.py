"""Games and decisions of tournaments as data: rows for other programs."""
