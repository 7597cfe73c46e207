from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Literal

from cursor_sdk_async import CustomToolContext, ToolError, tool


@dataclass
class Issue:
    number: int
    title: str
    labels: list[str]


ISSUES = [Issue(7, "Crash at start", ["bug"]), Issue(9, "Dark mode", ["wish"])]


@tool(timeout=10)
def find_issues(
    text: Annotated[str, "Words that must be in the title."],
    label: Literal["bug", "wish"] | None = None,
    limit: int = 10,
    context: CustomToolContext | None = None,
) -> list[Issue]:
    """Find issues of this project.

    Args:
        label: Only issues with this label.
    """
    if not text.strip():
        raise ToolError("text is empty; give at least one word.")
    found = [each for each in ISSUES if text.lower() in each.title.lower()]
    return [each for each in found if label in (None, *each.labels)][:limit]


# It is still the function ...
print(find_issues("crash"))

# ... and this is what the model is told, and what a call of the model does.
print(json.dumps(find_issues.input_schema, indent=2))
print(find_issues.execute({"text": "mode", "limit": 5.0}, CustomToolContext()))
try:
    find_issues.execute({"txt": "mode", "limit": 1.5}, CustomToolContext())
except ToolError as error:
    print(error.message)
