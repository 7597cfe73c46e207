"""What the bridge calls back into: the listener, the tool service, and who is registered."""
