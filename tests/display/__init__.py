"""Seeing runs and lists."""
