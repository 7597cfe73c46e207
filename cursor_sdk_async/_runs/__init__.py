"""The run engine: frames to state, pure; and the one stream that several readers share."""
