"""The engine room: finding, starting, watching and stopping the bridge process."""
