# SPDX-License-Identifier: Apache-2.0
"""The configuration `docs`: builds the documentation site into build/site and finds what is wrong with it.

Broken links are errors, and so are public declarations without a contract and exported names that the reference does
not know. That each of these would be found is proved on samples first.
"""

import pathlib
import tempfile

from check import cmake_build, tree
from check.execution import Run
from check.results import Test, passed, verdict
from documentation import build, declarations, proofs

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
    return tests


def _complaint(proof, folder: pathlib.Path) -> str | None:
    try:
        return proof(folder)
    except declarations.NotParsed as reason:
        return f"the sample does not compile: {reason}"
