"""Promises about custom tools."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "TOL-01",
        "The schema of a tool is valid JSON Schema, its references resolve, and what it allows is what the tool takes.",
        "RC-51",
    ),
    Promise("TOL-02", "Postponed annotations, also of local types, give the same tool.", "RC-51"),
    Promise(
        "TOL-03",
        "What cannot be a tool is refused when it is made; the error names function, parameter and remedy.",
        "RC-51",
    ),
    Promise(
        "TOL-04",
        "Arguments arrive as the declared types; a whole 1.0 is an int, 1.5 is not, and NaN is no number.",
        "RC-36",
    ),
    Promise(
        "TOL-05",
        "Wrong arguments give a ToolError that names each of them and the nearest right one, without addresses, traceback or long values.",
        "RC-47",
    ),
    Promise(
        "TOL-06", "A tool can be called like its function, and type checkers see its signature.", "RC-59"
    ),
    Promise(
        "TOL-07",
        "A parameter for the context of the call gets it, and is not in the schema.",
        "docs/tools.md",
    ),
    Promise(
        "TOL-08",
        "Partials, bound methods, static methods and objects that can be called become tools, too.",
        "RC-51",
    ),
    Promise(
        "TOL-09",
        "An answer that is a model, a data class or a TypedDict arrives as JSON, and its schema is told.",
        "docs/tools.md",
    ),
    Promise(
        "TOL-10",
        "Descriptions come from Annotated, Field, and docstrings in Google, NumPy and Sphinx style.",
        "docs/tools.md",
    ),
    Promise(
        "TOL-12",
        "The tools of a folder are known without running its files; each runs once, off the loop, when first called.",
        "docs/tools.md",
    ),
    Promise(
        "TOL-13",
        "A folder of tools with a mistake is refused with the file's name; a file that cannot be imported is an error for the model.",
        "docs/tools.md",
    ),
    Promise("TOL-11", "Importing the decorator imports nothing heavy.", "RC-58"),
)
