"""What reports consist of: what results come to, tables and their formats, charts, documents."""
