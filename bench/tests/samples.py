# SPDX-License-Identifier: Apache-2.0
"""A small part and its figures, for the tests to take and to spoil."""

import dataclasses

from harness.measurement import Measurement
from harness.part import Contestant, Figure, Panel, Part

ROW = Measurement(date="2026-01-02T03:04:05Z", commit="0123456789ab", cpu="A CPU, 2 processors", system="A system",
                  compiler="clang 19.1.7", load_before=0.5, load_after=1.25, part="gear", workload="turn",
                  contestant="brass", n=10_000, repetition=1, quantity="turn", unit="ns", value=100.0,
                  checksum="00000000000000ff")

PART = Part(
    name="gear", title="Gears", program="gear/bench/gear_bench", words="What `turning` costs.",
    not_said=("All the rest.",),
    contestants=(Contestant("brass", "Brass", "the usual one", ours=True),
                 Contestant("steel", "Steel & co", "the other")),
    figures=(
        Figure("compare", "Side by side", "", (Panel("turn", "turn", "A turn", 10_000),)),
        Figure("scaling", "Growing", "Over n.",
               (Panel("turn", "turn", "A turn"), Panel("stop", "stop", "A stop")), "teeth"),
    ))


def row(**changes) -> Measurement:
    return dataclasses.replace(ROW, **changes)


def rows() -> list[Measurement]:
    """Two contestants, two workloads, two populations, three repetitions."""
    return [row(workload=workload, quantity=workload, contestant=contestant, n=n, repetition=repetition,
                value=base * n / 10_000 + repetition, checksum=f"{n:016x}")
            for workload, contestant, base in (("turn", "brass", 100.0), ("turn", "steel", 250.0),
                                               ("stop", "brass", 40.0), ("stop", "steel", 41.0))
            for n in (10_000, 100_000) for repetition in (1, 2, 3)]
