"""The ledger of a tournament: blocks are stored as they are played, read again, and added up."""
