"""The ledger of a tournament: blocks stored as they are played, read again, and added up."""
