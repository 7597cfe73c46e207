"""The scripted bridge and its clients, as the tests of the client have them."""

from tests.client.conftest import client, control, launch, shared_bridge

__all__ = ["client", "control", "launch", "shared_bridge"]
