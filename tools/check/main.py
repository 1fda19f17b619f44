# SPDX-License-Identifier: Apache-2.0
"""usage: ./check [-j N] [NAME...]

  ./check          every daily configuration; about 40 minutes on two idle cores, and 25 is the aim
  ./check quick    the inner loop: every test of one build, incremental
  ./check NAME...  these configurations
  ./check deep     all of them, also those that are too long for every day
  ./check list     the configurations
  ./check budget --record  makes what is counted now the budget

What is missing is installed first, after it was announced (on Debian 12, as root; elsewhere it is listed).
The last line counts tests. Logs and builds are in build/. Exit status: 0 all green, 1 something failed or
nothing was tested, 2 the run could not begin.
"""

import argparse
import dataclasses
import sys

from check import build_lock, commands, requirements, tree
from check.configurations import BY_NAME, CONFIGURATIONS, DAILY, GROUPS
from check.execution import Configuration, execute, say


def main(arguments: list[str]) -> int:
    # A reader that went away (a pipe to `head`) or a terminal of another encoding must not end a run.
    sys.stdout.reconfigure(errors="replace")
    commands.raise_interrupts()
    try:
        return _obey(arguments)
    except KeyboardInterrupt:
        return 130


def _obey(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("./check", usage=argparse.SUPPRESS, description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", metavar="N", type=int, default=tree.processors(),
                        help="programs to run at once; by default as many as there are processors")
    parser.add_argument("--record", action="store_true", help="of a budget: what is counted now is recorded")
    parser.add_argument("names", metavar="NAME", nargs="*", help="a configuration, deep or list")
    options = parser.parse_args(arguments)
    names, jobs = options.names, options.j
    if jobs < 1:
        return _refuse("-j takes the number of programs to run at once, 1 or more, as in `./check -j 2 quick`")
    if names == ["list"]:
        for configuration in CONFIGURATIONS:
            say(f"{configuration.name:<10} {'' if configuration.daily else '(deep) '}{configuration.description}")
        return 0
    unknown = [name for name in names if name not in BY_NAME and name not in GROUPS]
    if unknown:
        return _refuse(f"./check knows no configuration \"{unknown[0]}\"; it knows: "
                       f"{' '.join([*BY_NAME, *GROUPS, 'list'])}")
    chosen = _choose(names)
    if options.record:
        if not names or any(configuration.record is None for configuration in chosen):
            return _refuse("--record is for what has a budget: ./check budget --record")
        chosen = [dataclasses.replace(configuration, run=configuration.record) for configuration in chosen]
    try:
        with build_lock.hold("./check"):
            requirements.ensure({need for configuration in chosen for need in configuration.needs}, say)
            return execute(chosen, jobs, whole=not names or "deep" in names)
    except (build_lock.Busy, requirements.Unmet) as reason:
        return _refuse(str(reason))


def _choose(names: list[str]) -> list[Configuration]:
    """The configurations named, each once, in the order of the table."""
    if not names:
        return list(DAILY)
    wanted = {configuration.name for name in names for configuration in GROUPS.get(name) or (BY_NAME[name],)}
    return [configuration for configuration in CONFIGURATIONS if configuration.name in wanted]


def _refuse(text: str) -> int:
    print(text, file=sys.stderr, flush=True)
    return 2
