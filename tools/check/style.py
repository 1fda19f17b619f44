# SPDX-License-Identifier: Apache-2.0
"""The configuration `style`: every rule over every file is one test; then clang-format and clang-tidy.

A rule is a function `rule(path, text, texts) -> findings`: a path, its text, and all texts by path, for rules that
look beyond one file. To add one, write it beside its like, enter it in that file's RULES, and give it a bad and a
good sample in style_samples.py, by which `./check self` proves that it can fail.
"""

from check import generated, style_cxx, style_documents, style_headers, style_text, tidy, tree
from check.commands import StepFailed
from check.execution import Run
from check.results import Test, failed, verdict

RULES = style_text.RULES | style_cxx.RULES | style_documents.RULES | style_headers.RULES | generated.RULES


def findings(rule, texts: dict[str, str]) -> list[str]:
    return [finding for path, text in texts.items() for finding in rule(path, text, texts)]


def run(run: Run) -> list[Test]:
    run.progress("rules")
    texts = tree.texts()
    tests = []
    for name, rule in RULES.items():
        found = "\n".join(findings(rule, texts))
        run.log.write(f"rule: {name}\n{found}\n" if found else f"rule: {name}: holds\n")
        tests.append(verdict(f"style: {name}", found))
    run.progress("clang-format")
    tests.append(tidy.layout(run))
    run.progress("clang-tidy")
    try:
        tests += tidy.part_headers(run)
    except StepFailed as reason:
        # What the rules found is worth knowing also where nothing can be configured.
        tests.append(failed("style: build", str(reason)))
    return tests
