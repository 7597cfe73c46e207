"""Runs of scripted agents to look at."""

from __future__ import annotations

from tests.client.conftest import client, control, launch, shared_bridge

__all__ = ["client", "control", "launch", "shared_bridge"]
