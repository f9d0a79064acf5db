"""What a tournament's results say: standings, crosstable and summary, printed and written."""
