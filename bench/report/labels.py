# SPDX-License-Identifier: Apache-2.0
"""Labels that don't cover each other: moved apart no further than they must, in their order."""


def apart(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` from each other, each as near to the wanted one as that allows, within low and high.

    Where all of them don't fit they are spread evenly over the room there is.
    """
    if not wanted:
        return []
    if gap * (len(wanted) - 1) >= high - low:
        gap = (high - low) / max(1, len(wanted) - 1)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    # Blocks of labels that touch; each stands where the mean of its members' wishes is.
    blocks: list[tuple[float, list[int]]] = []  # begin of the block, its members
    for index in order:
        begin, members = min(max(wanted[index], low), high), [index]
        while blocks and blocks[-1][0] + gap * len(blocks[-1][1]) > begin:
            members = blocks.pop()[1] + members
            wish = sum(wanted[member] - gap * place for place, member in enumerate(members)) / len(members)
            begin = min(max(wish, low), high - gap * (len(members) - 1))
        blocks.append((begin, members))
    places = [0.0] * len(wanted)
    for begin, members in blocks:
        for place, member in enumerate(members):
            places[member] = round(begin + gap * place, 1)
    return places
