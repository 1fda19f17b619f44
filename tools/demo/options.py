# SPDX-License-Identifier: Apache-2.0
"""usage: ./demo [OPTION...]

  ./demo                   installs what is missing, builds, shows an executor at work, measures, and writes out/report.html;
                           5 minutes at most
  ./demo --quick           fewer sizes and repetitions, about a minute
  ./demo --minutes N       measure for N minutes instead of 3.4; more repetitions, surer medians
  ./demo --only REGEX      measure only what REGEX finds in workload/contestant/n, as in --only 'churn|/10000$'
  ./demo --live N          show a server under load for N seconds instead of 6; 0 for not at all, which --only takes for granted
  ./demo --peers           beside peers in Rust, too (bench/peers), which takes cargo
  ./demo --more FOLDER     beside contestants from outside the tree, too (bench/README.md)
  ./demo --record [NAME]   keep the raw figures as bench/record/DATE-NAME.csv, too
  ./demo --from CSV        no measuring: the report of figures that were recorded
  ./demo --out FOLDER      write there instead of out/

It ends with the bars that the page draws and pinion misses. The report is one file; the raw figures lie beside it as CSV. Exit status: 0 done, 1 the build or a benchmark failed, or
contestants did different work, 2 the run could not begin.
"""

import argparse
import dataclasses
import pathlib
import re

MINUTES, MINUTES_QUICK, MINUTES_PEERS = 3.4, 0.9, 2.5  # the last: how much longer with peers
_LIVE_SECONDS, _LIVE_SECONDS_MAX = 6, 60
_OPTIONS = ("--quick", "--minutes", "--only", "--live", "--peers", "--more", "--record", "--from", "--out", "--help")


class Refused(Exception):
    """A command line that asks for what there is not; str() is one sentence with what there is."""


@dataclasses.dataclass(frozen=True)
class Options:
    quick: bool
    minutes: float
    only: str
    live: int  # seconds of a server under load
    peers: bool
    more: pathlib.Path | None  # a folder of contestants
    record: str | None  # the name of the record; empty: name it for me
    recorded: pathlib.Path | None  # report on this file
    out: pathlib.Path
    help: bool


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(f"./demo: {message}; the options are {' '.join(_OPTIONS)}")


def parse(arguments: list[str], root: pathlib.Path) -> Options:
    parser = _Parser("./demo", add_help=False, allow_abbrev=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--live", type=int)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--more", type=pathlib.Path)
    parser.add_argument("--record", nargs="?", const="")
    parser.add_argument("--from", dest="recorded", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=root / "out")
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise Refused(f"./demo knows no \"{unknown[0]}\"; the options are {' '.join(_OPTIONS)}")
    if given.minutes is not None and not 0 < given.minutes <= 24 * 60:
        raise Refused("./demo: --minutes takes how long to measure, more than 0 and at most a day, as in --minutes 15")
    if given.live is not None and not 0 <= given.live <= _LIVE_SECONDS_MAX:
        raise Refused(f"./demo: --live takes how many seconds to show a server, from 0 to {_LIVE_SECONDS_MAX}")
    try:
        re.compile(given.only)
    except re.error as error:
        raise Refused(f"./demo: --only takes a regular expression, and \"{given.only}\" is none: {error}") from None
    if given.record and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", given.record):
        raise Refused(f"./demo: --record takes a name of small letters, digits and hyphens, and \"{given.record}\" has "
                      "others")
    measuring = [name for name, value in (("--quick", given.quick), ("--minutes", given.minutes),
                                          ("--only", given.only), ("--live", given.live is not None),
                                          ("--peers", given.peers), ("--more", given.more),
                                          ("--record", given.record is not None)) if value]
    if given.recorded and measuring:
        raise Refused(f"./demo: --from reports on figures that exist, so {measuring[0]} has no meaning beside it")
    if given.more and not given.more.is_dir():
        raise Refused(f"./demo: --more takes a folder, and there is none at {given.more}")
    usual = (MINUTES_QUICK if given.quick else MINUTES) + (MINUTES_PEERS if given.peers else 0)
    minutes = given.minutes if given.minutes is not None else usual
    live = given.live if given.live is not None else 0 if given.only else _LIVE_SECONDS
    return Options(given.quick, minutes, given.only, live, given.peers, given.more and given.more.resolve(),
                   given.record, given.recorded, given.out, given.help)
