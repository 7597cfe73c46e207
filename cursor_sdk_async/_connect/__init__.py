"""The wire room: Connect over HTTP/1.1, two lanes, two codecs."""
