"""Result tables: each table's columns and rows, and the formats in which tables are written."""
