"""Tests on the real bridge of the ``cursor-sdk`` wheel, offline. All are marked ``real_bridge``.

Fixtures (``conftest.py``), one each for a session, that is for a worker:

- ``rest_standin``: the public REST API on loopback, see :mod:`tests.rest_standin`; reset before each test;
- ``bridge_launcher``: the wheel's launcher; a test that wants it is skipped where there is no wheel;
- ``real_bridge_environment``: what the bridge's environment must say: ``CURSOR_BACKEND_URL`` (the stand-in),
  ``CURSOR_API_KEY`` (a key that it accepts), ``HOME`` and ``TMPDIR`` (empty directories, short-lived);
- ``raw_bridge``: a running bridge with a client of standard library only, to check the stand-in by itself;

and for each test ``real_workspace``, an empty directory. A test of our client needs no more than::

    async def test_something(real_workspace, real_bridge_environment, rest_standin):
        async with AsyncClient.launch_bridge(workspace=real_workspace, env=real_bridge_environment) as client:
            ...
"""
