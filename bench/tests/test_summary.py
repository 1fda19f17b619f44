# SPDX-License-Identifier: Apache-2.0
import unittest

from harness.summary import Key, WorkDiffers, summarise, summary_of
from tests.samples import row, rows


class SummaryOfValues(unittest.TestCase):
    def test_median_and_mad_of_an_odd_number(self):
        summary = summary_of([9.0, 1.0, 2.0, 4.0, 6.0], "ns")

        self.assertEqual((summary.median, summary.mad), (4.0, 2.0))
        self.assertEqual((summary.least, summary.greatest, summary.repetitions), (1.0, 9.0, 5))

    def test_median_and_mad_of_an_even_number(self):
        summary = summary_of([1.0, 2.0, 4.0, 100.0], "ns")

        self.assertEqual((summary.median, summary.mad), (3.0, 1.5))

    def test_one_outlier_moves_neither(self):
        calm, disturbed = summary_of([5.0, 6.0, 7.0, 8.0, 9.0], "ns"), summary_of([5.0, 6.0, 7.0, 8.0, 900.0], "ns")

        self.assertEqual((calm.median, calm.mad), (disturbed.median, disturbed.mad))

    def test_one_value_has_no_spread(self):
        self.assertEqual((summary_of([3.0], "ns").median, summary_of([3.0], "ns").mad), (3.0, 0.0))


class Summarise(unittest.TestCase):
    def test_repetitions_of_one_figure_come_together_and_others_stay_apart(self):
        summaries = summarise(rows())

        self.assertEqual(len(summaries), 8)
        self.assertEqual(summaries[Key("gear", "turn", "turn", "brass", 10_000)].median, 102.0)
        self.assertEqual(summaries[Key("gear", "turn", "turn", "steel", 100_000)].repetitions, 3)

    def test_contestants_that_did_different_work_are_refused_by_name(self):
        bad = [row(), row(contestant="steel", checksum="00000000000000fe")]

        with self.assertRaises(WorkDiffers) as refused:
            summarise(bad)

        for words in ("turn", "10,000", "brass", "steel", "00000000000000ff", "00000000000000fe"):
            self.assertIn(words, str(refused.exception))

    def test_repetitions_that_did_different_work_are_refused(self):
        with self.assertRaises(WorkDiffers):
            summarise([row(), row(repetition=2, checksum="0000000000000001")])

    def test_another_population_or_workload_may_have_another_checksum(self):
        other = "0000000000000001"

        summaries = summarise([row(), row(n=20_000, checksum=other), row(workload="stop", checksum=other)])

        self.assertEqual(len(summaries), 3)

    def test_a_figure_in_two_units_is_refused(self):
        with self.assertRaises(WorkDiffers):
            summarise([row(), row(repetition=2, unit="bytes")])
