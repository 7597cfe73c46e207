"""The contract suite: what the client promises, shown by the same tests on two worlds.

``scripted`` is the bridge of :mod:`cursor_sdk_async.testing`, ``real`` the bridge of the ``cursor-sdk`` wheel
before a stand-in of the public API (marked ``real_bridge``). Where the worlds differ, the real one is right.
A test takes ``world`` (:class:`tests.suite.world.World`) and, mostly, ``client``, which is attached to it.
The prompt decides what a run does: see :mod:`tests.suite.world`.
"""
