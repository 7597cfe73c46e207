"""Promises about the contract: what is generated from ``protos/``, and how far it is trusted."""

from __future__ import annotations

from tests.requirements._promise import Promise

PROMISES = (
    Promise(
        "CON-01",
        "The contract is whole: 5 services, 29 RPCs, 114 messages, 289 fields, 8 enums with 54 values.",
        "docs/protocol.md: Services and RPCs",
    ),
    Promise(
        "CON-02",
        "Any message survives the way through our classes and back, in the binary form.",
        "docs/protocol.md: Binary mapping",
    ),
    Promise(
        "CON-03",
        "Any message has the same JSON form in our classes as in the official protobuf package.",
        "docs/protocol.md: JSON mapping",
    ),
    Promise(
        "CON-04",
        "What the generated classes do otherwise than the official protobuf package is known and listed.",
        "docs/protocol.md: Trust in the generated classes",
    ),
    Promise(
        "CON-05",
        "Our text of the contract agrees with the one that comes with the bridge, name by name and number by "
        "number.",
        "docs/protocol.md: Compatibility",
    ),
    Promise(
        "CON-06",
        "Only calls that read are ever sent again by a retry policy, and never a stream.",
        "docs/protocol.md: Retries",
    ),
    Promise(
        "CON-07",
        "The generated files are exactly what the contract gives.",
        "docs/protocol.md: Services and RPCs",
    ),
    Promise(
        "CON-08",
        "Values and fields of a newer contract are kept, not lost, when a message passes through.",
        "docs/protocol.md: Compatibility",
    ),
)
