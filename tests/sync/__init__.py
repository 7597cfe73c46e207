"""The blocking shim."""
