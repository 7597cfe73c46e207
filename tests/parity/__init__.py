"""The public surface beside that of the official package."""
