# SPDX-License-Identifier: Apache-2.0
import dataclasses
import pathlib
import tempfile
import unittest

from check import tree
from demo import claims
from harness import part
from harness.part import Figure, Panel
from report import bars
from tests.samples import PART, row

_RECORDS = tree.ROOT / "bench" / "record"


def _part(bar: float, **asked):
    panel = Panel("turn", "turn", "A turn", 10_000, bar, **asked)
    return dataclasses.replace(PART, figures=(Figure("compare", "Side by side", "", (panel,)),))


def _rows(brass: float, steel: float = 250.0, date: str = "2026-01-02T03:04:05Z"):
    return [row(value=brass, date=date), row(contestant="steel", value=steel, date=date)]


class Bars(unittest.TestCase):
    def test_what_of_ours_is_above_its_bar_is_missed(self):
        found = bars.outcomes([_part(99)], _rows(100.0))

        self.assertEqual(bars.in_words(found), ["bars: 0 of 1 are met by pinion's own, 1 missed",
                                                "  missed: gear: A turn, Brass: 100 ns, and the bar is 99.0 ns"])

    def test_what_is_at_its_bar_meets_it(self):
        self.assertEqual(bars.in_words(bars.outcomes([_part(100)], _rows(100.0))),
                         ["bars: 1 of 1 are met by pinion's own, 0 missed"])

    def test_a_bar_may_be_a_peer_and_some_percent(self):
        found = [bars.outcomes([_part(0, bar_of="steel", bar_percent=5)], _rows(brass, 100.0))[0].is_met
                 for brass in (105.0, 106.0)]

        self.assertEqual(found, [True, False])

    def test_without_bars_nothing_is_said(self):
        self.assertEqual(bars.in_words(bars.outcomes([_part(0)], _rows(100.0))), [])


class Claims(unittest.TestCase):
    def claim(self, folder: str, record: str, rows):
        claims.add(pathlib.Path(folder), record, bars.outcomes([_part(100)], rows))

    def test_a_record_claims_what_it_meets(self):
        with tempfile.TemporaryDirectory() as folder:
            self.claim(folder, "one", _rows(100.0))
            self.claim(folder, "two", _rows(101.0))

            self.assertEqual(claims.read(pathlib.Path(folder)),
                             {"one": {bars.Place("gear", "turn", "turn", 10_000, "brass")}})

    def test_a_lowered_bar_a_removed_one_and_a_missing_record_break_a_claim(self):
        with tempfile.TemporaryDirectory() as folder:
            self.claim(folder, "one", _rows(100.0))
            claimed = claims.read(pathlib.Path(folder))

        taken = {"one": _rows(100.0)}
        self.assertEqual(claims.broken(claimed, [_part(100)], taken), [])
        self.assertIn("one misses a bar that it claims to meet", claims.broken(claimed, [_part(99)], taken)[0])
        self.assertIn("is not drawn", claims.broken(claimed, [_part(0)], taken)[0])
        self.assertIn("there is no such record", claims.broken(claimed, [_part(100)], {})[0])

    def test_a_later_record_that_misses_the_bar_breaks_the_claim_of_an_earlier_one(self):
        with tempfile.TemporaryDirectory() as folder:
            self.claim(folder, "one", _rows(100.0))
            claimed = claims.read(pathlib.Path(folder))

        wrong = claims.broken(claimed, [_part(100)], {"one": _rows(100.0), "two": _rows(101.0)})
        self.assertEqual(wrong, ["two misses a bar that one claims to meet: gear: A turn, Brass: 101 ns, and the bar is "
                                 "100 ns"])

    def test_what_committed_records_claim_is_true(self):
        wrong = claims.broken(claims.read(_RECORDS), part.discover(tree.ROOT), claims.records(_RECORDS))

        self.assertEqual(wrong, [])
