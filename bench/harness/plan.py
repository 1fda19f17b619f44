# SPDX-License-Identifier: Apache-2.0
"""How often each benchmark runs within the time there is, and in what order.

A first round runs everything once and shows what each run costs. From that follows how many more repetitions fit. The
contestants of one workload at one n are a group and get equally many, so that their medians can be compared. Within
the rest of the time the repetitions of each benchmark are spread evenly, at random places: a stretch in which the
machine was busy then meets all of them alike.
"""

import random
from collections.abc import Hashable, Mapping, Sequence

REPETITIONS_MAX = 15
_RESERVE = 1.03  # runs cost a little more than they did


def further_repetitions(costs: Sequence[float], most: Sequence[int], seconds: float) -> list[int]:
    """For each group, in order of importance: how many repetitions beyond the first fit into `seconds`.

    A repetition of group i costs costs[i], and it gets at most most[i] in all. Always the group with the fewest gets
    the next one; of several such the most important. One that no longer fits is done; cheaper ones go on.
    """
    further = [0] * len(costs)
    open_groups = {number for number in range(len(costs)) if most[number] > 1}
    left = seconds
    while open_groups:
        number = min(open_groups, key=lambda group: (further[group], group))
        cost = costs[number] * _RESERVE
        if cost > left:
            open_groups.remove(number)
            continue
        left -= cost
        further[number] += 1
        if further[number] + 1 >= most[number]:
            open_groups.remove(number)
    return further


def spread(counts: Mapping[Hashable, int], source: random.Random) -> list:
    """Each key as often as its count says: one at a random place in each of that many equal stretches of the run."""
    places = [((stretch + source.random()) / count, key)
              for key, count in counts.items() for stretch in range(count)]
    return [key for _, key in sorted(places, key=lambda place: place[0])]
