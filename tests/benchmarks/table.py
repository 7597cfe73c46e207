"""The committed results as the Markdown table of ``docs/performance.md``."""

from __future__ import annotations

import json
from typing import Any

from tests.benchmarks.report import RESULTS

__all__ = ["table"]

CHANNEL = (
    ("event", "one stream, CPU for a message", "≤ 0.40"),
    ("sync_event", "the same through the blocking shim", "≤ 0.60"),
    ("paced_event", "100 paced streams, CPU for a message", "≤ 0.40"),
    ("call", "unary call, CPU, one after the other", "≤ 0.40"),
    ("call_50_at_once", "unary call, CPU, 50 at a time", "≤ 0.06"),
    ("sync_call", "unary call, CPU, through the blocking shim", "≤ 0.80"),
)
LAUNCH = (
    ("launch_to_first_ping_ms", "launch to the first ping, warm process", "≤ 1.0"),
    ("cold_process_to_first_ping_ms", "cold process to the first ping", "≤ 1.0"),
    ("close_ms", "close", "≤ 0.25"),
    ("cloud_run_ms", "a cloud run of 2,000 pieces through the bridge", ""),
    ("cloud_run_cpu_us_per_message", "the same, CPU of the client for a message", ""),
)


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


def _ratio(found: dict[str, float]) -> str:
    return f"{found['median']:.2f} ({found['low']:.2f} to {found['high']:.2f})"


def _channel() -> list[list[str]]:
    found, rows = _read("channel"), list[list[str]]()
    for key, name, target in CHANNEL:
        sides = [found[side].get(key) for side in ("ours", "official", "floor")]
        shown = [f"{value} µs" if value else "" for value in sides]
        rows.append([name, *shown, _ratio(found["ours_to_official"][key]), target])
    return rows


def _crowd() -> list[list[str]]:
    found, rows = _read("crowd"), list[list[str]]()
    for streams in (300, 1000):
        row, name = found[f"{streams}_streams"], f"{streams:,} paced streams"
        ours, theirs = row["ours"], row["official"]
        walls = [f"{ours['wall_s']} s", f"{theirs['wall_s']} s", f"{found['ideal_s']} s"]
        if theirs.get("stopped"):
            walls[1] = f"more than {walls[1]}"
        big = streams == 1000
        rows.append([f"{name}, all in", *walls, _ratio(row["wall_ours_to_official"]), "≤ 0.10" * big])
        for key, what in (("longest_stall_ms", "longest stall"), ("slowest_ping_ms", "slowest ping")):
            shown = [f"{side[key]:,.0f} ms" if key in side else "" for side in (ours, theirs)]
            rows.append([f"{name}, {what}", *shown, "", "", "≤ 100 ms" * big])
    return rows


def _tools() -> list[list[str]]:
    found, sides = _read("callbacks"), ("ours", "official", "floor")
    times = [f"{1e6 / found[side]['calls_per_second']:.0f} µs" for side in sides]
    cpu = [f"{found[side]['cpu_us_per_call']} µs" for side in sides]
    return [
        ["tool call, raw driver, time for one", *times, _ratio(found["time_ours_to_official"]), "≤ 0.10"],
        ["tool call, raw driver, CPU", *cpu, "", "≤ 0.45"],
    ]


def _imports() -> list[list[str]]:
    found, rows = _read("imports"), list[list[str]]()
    for key, name in (
        ("import_and_options", "import and one of the options"),
        ("import_and_client", "import with `AsyncClient`"),
    ):
        row = found[key]
        rows.append(
            [name, f"{row['ours_ms']} ms", f"{row['theirs_ms']} ms", "", _ratio(row["ratio"]), "≤ 1.0"]
        )
    return rows


def _launch() -> list[list[str]]:
    found, rows = _read("launch"), list[list[str]]()
    for key, name, target in LAUNCH:
        row, unit = found[key], "µs" if "_us_" in key else "ms"
        floor = f"{found['ready_line_by_hand_ms']} ms" if key == LAUNCH[0][0] else ""
        shown = [f"{row['ours']} {unit}", f"{row['official']} {unit}", floor]
        rows.append([name, *shown, _ratio(row["ratio"]), target])
    return rows


def table() -> str:
    """One row for each thing measured: ours, cursor-sdk, the floor, the ratio and its target."""
    head = ["", "ours", "`cursor-sdk`", "floor", "ratio (95 % interval)", "target"]
    rows = [head, ["---"] * len(head), *_channel(), *_crowd(), *_tools(), *_imports(), *_launch()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
