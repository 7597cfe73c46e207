"""The table of RPCs says of each where it goes, what it carries and whether it may be sent again."""

from __future__ import annotations

import pytest

from cursor_sdk_async._connect._methods import METHODS, Method, find_method
from tests.contract.catalogue import SERVICES, local_name

READS = {
    "SdkBridgeControlService/Ping",
    "SdkBridgeControlService/GetVersion",
    "SdkAgentService/GetAgent",
    "SdkAgentService/ListAgents",
    "SdkAgentService/GetRun",
    "SdkAgentService/ListRuns",
    "SdkAgentService/WaitLiveRun",
    "SdkAgentService/GetRunConversation",
    "SdkAgentService/ListAgentMessages",
    "SdkAgentService/ListArtifacts",
    "SdkAgentService/GetUsage",
    "SdkCursorService/Me",
    "SdkCursorService/ListModels",
    "SdkCursorService/ListRepositories",
}


@pytest.mark.promise("CON-01")
def test_the_table_lists_every_rpc_of_the_contract() -> None:
    declared = {
        f"{service.name}/{method.name}": (
            local_name(method.input_type),
            local_name(method.output_type),
            method.server_streaming,
        )
        for service in SERVICES.values()
        for method in service.method
    }
    table = {key: (row.request_name, row.answer_name, row.streams) for key, row in METHODS.items()}
    assert table == declared


@pytest.mark.promise("CON-06")
def test_only_reads_are_safe_to_retry() -> None:
    assert {key for key, method in METHODS.items() if method.safe_to_retry} == READS
    assert not [key for key, method in METHODS.items() if method.streams and method.safe_to_retry]


@pytest.mark.promise("CON-06")
def test_calls_that_wait_for_the_end_of_a_run_are_marked_long() -> None:
    waiting = {key for key, method in METHODS.items() if method.long}
    assert waiting == {"SdkAgentService/WaitLiveRun", "SdkAgentService/GetRunConversation"}


@pytest.mark.promise("CON-01")
def test_an_rpc_knows_its_path_and_its_classes() -> None:
    send = METHODS["SdkAgentService/Send"]
    assert send.path == "/sdk.v1.SdkAgentService/Send"
    assert (send.kind, send.side) == ("server_stream", "bridge")
    assert (send.request.__name__, send.answer.__name__) == ("SendRequest", "RunStreamMessage")


@pytest.mark.promise("CON-01")
def test_callback_services_are_served_by_the_adapter() -> None:
    adapter = {key for key, method in METHODS.items() if method.side == "adapter"}
    assert adapter == {
        "SdkCustomToolCallbackService/CallCustomTool",
        "SdkStoreCallbackService/CallStore",
    }


@pytest.mark.promise("CON-01")
def test_an_rpc_is_found_with_and_without_the_package_name() -> None:
    short = find_method("SdkBridgeControlService", "Ping")
    assert isinstance(short, Method)
    assert find_method("sdk.v1.SdkBridgeControlService", "Ping") is short
    assert find_method("SdkBridgeControlService", "Pong") is None
