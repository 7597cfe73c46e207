"""One sample of everything that a stream may carry, in the JSON form of the wire."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

#: No time limits: the machine may be busy, and the first example is slow anyhow.
PROPERTY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
IDS = {"agent_id": "agent-1", "run_id": "run-1"}
COUNTS = {
    "inputTokens": 10,
    "outputTokens": 2,
    "cacheReadTokens": 3,
    "cacheWriteTokens": 4,
    "totalTokens": 12,
}

MESSAGES: list[dict[str, Any]] = [
    {"type": "system", **IDS, "subtype": "init", "model": {"id": "m"}, "tools": ["shell"]},
    {"type": "user", **IDS, "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]}},
    {
        "type": "assistant",
        **IDS,
        "message": {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "hello"},
                {"type": "tool_use", "id": "t1", "name": "shell", "input": {"command": "ls"}},
                {"type": "hologram", "shape": "cube"},
            ],
        },
    },
    {"type": "thinking", **IDS, "text": "hmm", "thinking_duration_ms": 7},
    {
        "type": "tool_call",
        **IDS,
        "call_id": "c",
        "name": "shell",
        "status": "running",
        "args": {"command": "ls"},
    },
    {
        "type": "tool_call",
        **IDS,
        "call_id": "c",
        "name": "shell",
        "status": "completed",
        "result": {"status": "success"},
        "truncated": {"result": True},
    },
    {"type": "status", **IDS, "status": "ERROR", "message": "no more"},
    {"type": "task", **IDS, "status": "done", "text": "tidied up"},
    {"type": "request", **IDS, "request_id": "req-1"},
    {"type": "usage", **IDS, "usage": COUNTS},
]

UPDATES: list[dict[str, Any]] = [
    {"type": "text-delta", "text": "a"},
    {"type": "thinking-delta", "text": "b"},
    {"type": "thinking-completed", "thinkingDurationMs": 5},
    {"type": "tool-call-started", "callId": "c", "toolCall": {"type": "shell"}, "modelCallId": "m"},
    {"type": "tool-call-completed", "callId": "c", "toolCall": {"type": "shell"}, "modelCallId": "m"},
    {"type": "partial-tool-call", "callId": "c", "toolCall": {"type": "shell"}, "modelCallId": "m"},
    {"type": "token-delta", "tokens": 3},
    {"type": "step-started", "stepId": 1},
    {"type": "step-completed", "stepId": 1, "stepDurationMs": 9},
    {"type": "turn-ended", "usage": COUNTS},
    {"type": "user-message-appended", "userMessage": {"text": "hi"}},
    {"type": "summary", "summary": "short"},
    {"type": "summary-started"},
    {"type": "summary-completed"},
    {"type": "shell-output-delta", "event": {"case": "stdout"}},
]

STEPS: list[dict[str, Any]] = [
    {"type": "assistantMessage", "message": {"text": "hello"}},
    {"type": "toolCall", "message": {"type": "shell", "args": {"command": "ls"}}},
    {"type": "thinkingMessage", "message": {"text": "hmm", "thinkingDurationMs": 4}},
]

TURNS: list[dict[str, Any]] = [
    {"type": "agentConversationTurn", "turn": {"userMessage": {"text": "hi"}, "steps": STEPS}},
    {
        "type": "shellConversationTurn",
        "turn": {
            "shellCommand": {"command": "ls", "workingDirectory": "/tmp"},
            "shellOutput": {"stdout": "a", "stderr": "", "exitCode": 2},
        },
    },
    {"type": "agentConversationTurn"},
    {"type": "shellConversationTurn", "turn": None},
]

RESULT: dict[str, Any] = {
    "runId": "run-1",
    "agentId": "agent-1",
    "status": "RUN_LIFECYCLE_STATUS_FINISHED",
    "result": "done",
    "model": {"id": "m", "params": [{"id": "effort", "value": "high"}]},
    "durationMs": "1234",
    "git": {"branches": [{"repoUrl": "github.com/o/n", "branch": "b", "prUrl": "p"}]},
    "createdAt": "2026-04-13T18:30:00Z",
    "usage": {"inputTokens": "5", "totalTokens": "5"},
}
