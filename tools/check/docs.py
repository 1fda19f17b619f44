# SPDX-License-Identifier: Apache-2.0
"""The configuration `docs`: builds the documentation site into build/site and finds what is wrong with it.

Broken links are errors, and so are public declarations without a contract, exported names that the reference does not
know, and uses in headers' opening comments that do not compile. That each of these would be found is proved on samples
first.
"""

import itertools
import pathlib
import tempfile

from check import cmake_build, tree
from check.execution import Run
from check.results import Test, failed, passed, skipped, verdict
from documentation import build, declarations, header_samples, proofs

# A checked build, whose headers have all that any build's have.
PRESET = "modules"


def run(run: Run) -> list[Test]:
    run.progress("samples")
    tests = []
    for name, proof in proofs.PROOFS.items():
        with tempfile.TemporaryDirectory(prefix="pinion-docs-") as folder:
            tests.append(verdict(f"docs: proof: {name}", _complaint(proof, pathlib.Path(folder))))
    cmake_build.configure(run, PRESET)
    run.progress("building the site")
    built = build.build(run.log, tree.BUILD / PRESET / "include")
    tests.append(passed(f"docs: {tree.relative(build.SITE)}/index.html was built"))
    tests.append(verdict("docs: every link leads somewhere", "\n".join(built.broken)))
    remedy = ["the remedy: say above each, in `///`, what a caller may rely on"] if built.undocumented else []
    tests.append(verdict("docs: every public declaration has a contract", "\n".join([*remedy, *built.undocumented])))
    tests += [verdict(f"docs: every export of {module} has an entry", "\n".join(found))
              for module, found in built.unlisted.items()]
    return tests + _header_samples(run)


def _header_samples(run: Run) -> list[Test]:
    """One test for each use that a header opens with."""
    run.progress("samples in headers")
    samples = sorted(header_samples.read(tree.files()), key=lambda sample: sample.part)
    folders = [*sorted({tree.ROOT / sample.origin.removesuffix(sample.header) for sample in samples}),
               tree.BUILD / PRESET / "include"]
    excused, tests = header_samples.excused(), []
    with tempfile.TemporaryDirectory(prefix="pinion-samples-") as folder:
        for part, group in itertools.groupby(samples, key=lambda sample: sample.part):
            of_part = list(group)
            errors = header_samples.compile_part(run.log, part, of_part, folders, pathlib.Path(folder))
            tests += [_sample(sample, errors.get(sample), excused.pop(str(sample), None)) for sample in of_part]
        tests.append(_faults_are_found(run, folders, pathlib.Path(folder)))
    gone = ", ".join(excused)
    return [*tests, verdict("docs: what is not compiled is there", f"{tree.relative(header_samples.NOT_COMPILED)} names "
                            f"samples that are not there: {gone}" if gone else None)]


def _faults_are_found(run: Run, folders: list[pathlib.Path], folder: pathlib.Path) -> Test:
    uses = [("const instant then = now + ceil(5s);  // as …", "if (then > now) …", "use(…);", "int use(int of) {", "  return of;",
             "}"), ("const instant then = now + 5s;",), ("co_await now;",)]
    samples = [header_samples.Sample("base", "pinion/base/time.hpp", "", number, lines)
               for number, lines in enumerate(uses, 1)]
    found = header_samples.compile_part(run.log, "base", samples, folders, folder)
    numbers = [sample.number for sample in found]
    return verdict("docs: proof: a use that does not compile is found, and only that",
                   None if numbers == [2, 3] else f"found faulty: {numbers} instead of [2, 3]")


def _sample(sample: header_samples.Sample, error: str | None, excuse: str | None) -> Test:
    name = f"docs: use {sample.number} in {sample.origin} compiles"
    if error is None and excuse:
        return failed(name, f"it does; take it out of {tree.relative(header_samples.NOT_COMPILED)}")
    if error and excuse:
        return skipped(name, f"{tree.relative(header_samples.NOT_COMPILED)} says why a use in a header is not compiled")
    return verdict(name, error)


def _complaint(proof, folder: pathlib.Path) -> str | None:
    try:
        return proof(folder)
    except declarations.NotParsed as reason:
        return f"the sample does not compile: {reason}"
