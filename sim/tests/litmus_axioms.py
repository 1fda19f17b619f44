#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What C++20 allows small programs to do, worked out from the axioms; writes the tables that the explorer is held to.

    sim/tests/litmus_axioms.py known  > sim/tests/litmus_known.csv
    sim/tests/litmus_axioms.py random > sim/tests/litmus_random.csv

A program is threads, parted by ` | `, of operations: `Wx1:rel` stores 1 to x, `Rx:acq` loads x, `Ux1:ar` exchanges, `Cx01:ar`
is a strong compare_exchange of 0 for 1 (its failure has the same order without release), `F:sc` is a fence. Words begin at 0. An
outcome is what was read, in the order of the text, a stroke, and what each word holds at the end, in the alphabet's order.

Every reads-from and every modification order is tried, and judged by the text of the standard: [intro.races] for synchronizes
with, happens before and strongly happens before; [atomics.order] for the order S. Nothing here executes anything, and nothing is
shared with the explorer. Outcomes that need a cycle of sequenced-before and reads-from are listed apart: they are allowed, and
the explorer can't find them.
"""

import itertools
import random
import sys

ORDERS = {"rlx": (0, 0, 0), "acq": (1, 0, 0), "rel": (0, 1, 0), "ar": (1, 1, 0), "sc": (1, 1, 1)}


class Event:
    def __init__(self, thread, text):
        operation, _, order = text.partition(":")
        self.thread, self.kind, self.order = thread, operation[0], order
        self.word = operation[1] if len(operation) > 1 else None
        self.expected = int(operation[2]) if self.kind == "C" else None
        self.written = int(operation[-1]) if self.kind in "WUC" else None
        acquire, release, total = ORDERS[order]
        self.acquire = bool(acquire) and self.kind != "W"
        self.release = bool(release) and self.kind != "R"
        self.total = bool(total)
        self.reads = self.kind in "RUC"
        self.succeeds = True  # of C; set for each execution

    @property
    def writes(self):
        return self.kind in "WU" or (self.kind == "C" and self.succeeds)

    @property
    def releases(self):
        return self.release and (self.kind != "C" or self.succeeds)


def closure(edges, count):
    """Bit masks: whom each reaches."""
    reach = list(edges)
    for middle in range(count):
        for index in range(count):
            if reach[index] >> middle & 1:
                reach[index] |= reach[middle]
    return reach


def outcomes(program):
    """(findable, not findable) outcomes of a program."""
    events = [Event(-1, f"W{word}0:rlx") for word in sorted({c for c in program if c in "xyzw"})]
    words = [event.word for event in events]
    initial = len(events)
    for number, thread in enumerate(program.split(" | ")):
        events += [Event(number, text) for text in thread.split()]
    readers = [index for index, event in enumerate(events) if event.reads]
    writers = {word: [i for i, e in enumerate(events) if e.word == word and e.kind in "WUC"] for word in words}
    found, hidden = set(), set()
    for sources in itertools.product(*[[w for w in writers[events[r].word] if w != r] for r in readers]):
        origin = dict(zip(readers, sources))
        for reader, source in origin.items():
            event = events[reader]
            event.succeeds = event.kind != "C" or events[source].written == event.expected
        if any(not events[source].writes for source in sources):
            continue
        orders = []
        for number, word in enumerate(words):
            others = [w for w in writers[word] if w >= initial and events[w].writes]
            orders.append([(number, *rest) for rest in itertools.permutations(others)])
        for modification in itertools.product(*orders):
            place = {w: rank for order in modification for rank, w in enumerate(order)}
            if any(events[r].writes and place[r] != place[s] + 1 for r, s in origin.items()):
                continue
            verdict = consistent(events, initial, origin, place)
            if verdict is None:
                continue
            text = "".join(str(events[s].written) for s in sources) + "/" + "".join(
                str(events[order[-1]].written) for order in modification)
            (hidden if verdict else found).add(text)
    return sorted(found), sorted(hidden - found)


def consistent(events, initial, origin, place):
    """None if it is not; else whether sequenced-before and reads-from have a cycle."""
    count = len(events)
    everyone = range(count)

    def before(a, b):  # sequenced, or the initial values
        return (a < initial <= b) or (a >= initial and events[a].thread == events[b].thread and a < b)

    sequenced = [sum(1 << b for b in everyone if before(a, b)) for a in everyone]
    head = {}  # of each write: those whose release sequence it is in
    for write in sorted(place, key=place.get):
        head[write] = {write} | (head[origin[write]] if write in origin else set())
    synchronizes = [0] * count
    for reader, source in origin.items():
        starts = set()
        for write in head[source]:
            if events[write].releases:
                starts.add(write)
            starts |= {f for f in everyone if events[f].kind == "F" and events[f].release and before(f, write)}
        ends = {reader} if events[reader].acquire else set()
        ends |= {f for f in everyone if events[f].kind == "F" and events[f].acquire and before(reader, f)}
        for start, end in itertools.product(starts, ends):
            if start != end:
                synchronizes[start] |= 1 << end
    happens = closure([sequenced[i] | synchronizes[i] for i in everyone], count)
    if any(happens[i] >> i & 1 for i in everyone):
        return None

    # Coherence: a place for each access, such that one is coherence-ordered before another if its place is lower.
    def rank(index):
        event = events[index]
        return 2 * place[index] if event.writes else 2 * place[origin[index]] + 1

    accesses = [i for i in everyone if events[i].kind != "F"]
    eco = [(a, b) for a in accesses for b in accesses
           if a != b and events[a].word == events[b].word and rank(a) < rank(b)]
    if any(happens[b] >> a & 1 for a, b in eco):
        return None
    # A read never takes what happens after it, and of two writes the one that happened before is earlier: both are in eco.

    strong = list(sequenced)
    for a, b in itertools.product(everyone, everyone):
        if synchronizes[a] >> b & 1 and events[a].total and events[b].total and "F" not in events[a].kind + events[b].kind:
            strong[a] |= 1 << b
        if any(before(a, x) and (happens[x] >> y & 1 or x == y) and before(y, b) for x in everyone for y in everyone):
            strong[a] |= 1 << b
    strong = closure(strong, count)
    total = [i for i in everyone if events[i].total]
    edges = [0] * count
    for a, b in itertools.product(total, total):
        if a != b and strong[a] >> b & 1:
            edges[a] |= 1 << b
    fences = [i for i in total if events[i].kind == "F"]
    for a, b in eco:
        froms = [f for f in fences if happens[f] >> a & 1] + ([a] if events[a].total else [])
        tos = [f for f in fences if happens[b] >> f & 1] + ([b] if events[b].total else [])
        for x, y in itertools.product(froms, tos):
            edges[x] |= 1 << y
    reach = closure(edges, count)
    if any(reach[i] >> i & 1 for i in everyone):
        return None

    cyclic = list(sequenced)
    for reader, source in origin.items():
        cyclic[source] |= 1 << reader
    cyclic = closure(cyclic, count)
    return any(cyclic[i] >> i & 1 for i in everyone)


def fenced(first, second, fence):
    return f"{first} F:{fence} {second}" if fence else f"{first} {second}"


def known():
    """The shapes that have names, with every combination of orders and fences that makes a difference."""
    stores, loads, fences = ("rlx", "rel", "sc"), ("rlx", "acq", "sc"), ("", "acq", "rel", "ar", "sc")
    for w, r, f, g in itertools.product(stores, loads, fences, fences):
        if f <= g:
            yield "SB", f"{fenced(f'Wx1:{w}', f'Ry:{r}', f)} | {fenced(f'Wy1:{w}', f'Rx:{r}', g)}"
    for w, r, f, g in itertools.product(stores, loads, fences, fences):
        yield "MP", f"{fenced('Wx1:rlx', f'Wy1:{w}', f)} | {fenced(f'Ry:{r}', 'Rx:rlx', g)}"
    for w, r, f in itertools.product(stores, loads, fences):
        yield "LB", f"{fenced(f'Rx:{r}', f'Wy1:{w}', f)} | {fenced(f'Ry:{r}', f'Wx1:{w}', f)}"
    for w, r, f in itertools.product(stores, loads, ("", "acq", "sc")):
        yield "IRIW", f"Wx1:{w} | Wy1:{w} | {fenced(f'Rx:{r}', f'Ry:{r}', f)} | {fenced(f'Ry:{r}', f'Rx:{r}', f)}"
    for w, r in itertools.product(stores, loads):
        yield "CoRR", f"Wx1:{w} | Wx2:{w} | Rx:{r} Rx:{r} | Rx:{r} Rx:{r}"
        yield "CoRR1", f"Wx1:{w} | Rx:{r} Rx:{r}"
        yield "CoWR", f"Wx1:{w} Rx:{r} | Wx2:{w} Rx:{r}"
        yield "CoRW", f"Rx:{r} Wx1:{w} | Wx2:{w}"
    for w in stores:
        yield "CoWW", f"Wx1:{w} Wx2:{w} | Rx:rlx Rx:rlx"
    for w, f, g in itertools.product(stores, fences, fences):
        if f <= g:
            yield "2+2W", f"{fenced(f'Wx1:{w}', f'Wy2:{w}', f)} | {fenced(f'Wy1:{w}', f'Wx2:{w}', g)}"
    for w, r, f in itertools.product(stores, loads, fences):
        yield "R", f"{fenced(f'Wx1:{w}', f'Wy1:{w}', f)} | {fenced(f'Wy2:{w}', f'Rx:{r}', f)}"
        yield "S", f"{fenced(f'Wx2:{w}', f'Wy1:{w}', f)} | {fenced(f'Ry:{r}', f'Wx1:{w}', f)}"
        yield "WRC", f"Wx1:{w} | {fenced(f'Rx:{r}', f'Wy1:{w}', f)} | {fenced(f'Ry:{r}', f'Rx:{r}', f)}"
        yield "RWC", f"Wx1:{w} | {fenced(f'Rx:{r}', f'Ry:{r}', f)} | {fenced(f'Wy1:{w}', f'Rx:{r}', f)}"
        yield "ISA2", f"{fenced('Wx1:rlx', f'Wy1:{w}', f)} | {fenced(f'Ry:{r}', f'Wz1:{w}', f)} | {fenced(f'Rz:{r}', 'Rx:rlx', f)}"
    for u, f in itertools.product(("rlx", "acq", "rel", "ar", "sc"), ("", "sc")):
        yield "SB+rmw", f"{fenced(f'Ux1:{u}', 'Ry:rlx', f)} | {fenced(f'Uy1:{u}', 'Rx:rlx', f)}"
        yield "SB+rmw+r", f"Ux1:{u} Ry:sc | Uy1:{u} Rx:sc"
        for w in stores:
            yield "2+2W+rmw", f"{fenced(f'Wx1:{w}', f'Wy2:{w}', f)} | {fenced(f'Uy1:{u}', f'Ux2:{u}', f)}"
            yield "2+2W+rmw+w", f"{fenced(f'Wx1:{w}', f'Wy1:{w}', f)} | Wy3:rlx | {fenced(f'Uy2:{u}', f'Ux2:{u}', f)}"
        yield "SB+failing", f"Wx1:{'sc' if u == 'sc' else 'rel'} Cy51:{u} | Wy1:{'sc' if u == 'sc' else 'rel'} Cx51:{u}"
        yield "2rmw", f"Ux1:{u} | Ux2:{u} | Rx:rlx Rx:rlx"
        yield "MP+sequence", f"Wy1:rlx Wx1:rel | Ux2:{u} | {fenced('Rx:acq', 'Ry:rlx', f)}"
        yield "MP+own store", f"Wy1:rlx Wx1:rel Wx2:rlx | {fenced('Rx:acq', 'Ry:rlx', f)}"
        yield "lock", f"Cx01:{u} Wy1:rlx | Cx01:{u} Wy2:rlx"
        yield "arm", f"Cx02:{u} Ry:rlx | Wy1:rlx Ux1:{u}"
        yield "arm+fence", f"{fenced('Wx1:rlx', f'Cy01:{u}', f)} | {fenced('Wy2:rlx', f'Cx01:{u}', f)}"
    # Where S goes against happens-before, which C++20 allows and C++11 did not.
    yield "Z6.U", "Wx1:sc Wy1:rel | Uy2:sc Ry:rlx | Wy3:sc Rx:sc"
    yield "Z6.U", "Wx1:sc Wy1:rel | Ry:sc | Wy3:sc Rx:sc"
    yield "sc of C++20", "Wx1:sc Wy1:rel | Ry:acq Rx:sc | Wx2:sc Ry:sc"
    yield "IRIW+acq+sc", "Wx1:sc | Wy1:sc | Rx:acq Ry:sc | Ry:acq Rx:sc"


def random_programs(count, seed):
    draw = random.Random(seed)
    for number in range(count):
        threads = draw.choice((2, 2, 3, 3, 4))
        words = "xyz"[:draw.choice((1, 2, 2, 3))]
        most = {2: 4, 3: 3, 4: 2}[threads]
        only = draw.choice((("rlx", "sc"), ("rlx", "acq", "rel", "sc"), ("rlx", "acq", "rel"), ("sc", "rel", "acq")))
        program = []
        for _ in range(threads):
            thread = []
            for _ in range(draw.randint(1, most)):
                kind = draw.choice("WWWRRRUCF")
                order = draw.choice(only)
                if kind == "W" and order == "acq":
                    order = "rel"
                if kind == "R" and order == "rel":
                    order = "acq"
                if kind in "UCF" and order != "rlx" and draw.random() < 0.3:
                    order = "ar"
                if kind == "F" and order == "rlx":
                    order = "sc"
                value = draw.randint(1, 3)
                word = draw.choice(words)
                thread.append({"W": f"W{word}{value}", "R": f"R{word}", "U": f"U{word}{value}",
                               "C": f"C{word}{draw.randint(0, 2)}{value}", "F": "F"}[kind] + f":{order}")
            program.append(" ".join(thread))
        text = " | ".join(program)
        if any(word in text for word in words):
            yield f"random {number}", text


def main():
    which = sys.argv[1]
    programs = known() if which == "known" else random_programs(int(sys.argv[2]) if len(sys.argv) > 2 else 400,
                                                                int(sys.argv[3]) if len(sys.argv) > 3 else 7)
    print("# SPDX-License-Identifier: Apache-2.0")
    print("name,program,outcomes,allowed but not found")
    seen = set()
    for name, program in programs:
        if program in seen:
            continue
        seen.add(program)
        found, hidden = outcomes(program)
        print(f"{name},{program},{' '.join(found)},{' '.join(hidden)}")


if __name__ == "__main__":
    main()
