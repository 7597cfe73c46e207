"""``python -m tests.rest_standin``: the process. It prints one line, its URL, when it is ready.

It cannot outlive the tests that started it with ``--until-stdin-closes``: the end of stdin ends it, and an
open stream does not hold it up.
"""

from __future__ import annotations

import argparse
import socket

import uvicorn

from tests.rest_standin._app import make_app


def main() -> None:
    """Parse the arguments, bind, serve until SIGTERM, SIGINT or the end of stdin."""
    parser = argparse.ArgumentParser(prog="python -m tests.rest_standin", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 (the default) chooses a free one")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when stdin ends")
    arguments = parser.parse_args()
    # asyncio sets TCP_NODELAY only on sockets that name their protocol; without it each answer takes 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", arguments.port))
        listener.listen(2048)
        host, port = listener.getsockname()
        app = make_app(
            on_start=lambda: print(f"http://{host}:{port}", flush=True),
            until_stdin_closes=arguments.until_stdin_closes,
        )
        config = uvicorn.Config(
            app,
            http="httptools",
            loop="asyncio",
            ws="none",
            log_level="critical",
            access_log=False,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=0,
        )
        uvicorn.Server(config).run(sockets=[listener])


main()
