# SPDX-License-Identifier: Apache-2.0
import dataclasses
import unittest

from harness.part import Figure, Panel
from report.page import report as render
from tests.samples import PART, row

_FIGURE = Figure("scaling", "Growing", "", (Panel("turn", "turn", "A turn"), Panel("stop", "stop", "A stop")), "teeth",
                 limit=2)


class Limits(unittest.TestCase):
    def limits(self, *courses: tuple[str, str, tuple[float, ...]]) -> dict[str, list[str]]:
        """The cells by contestant; a course is workload, contestant, what it takes at 1, 2, 4 and so on."""
        measured = [row(workload=workload, quantity=workload, contestant=contestant, n=2 ** place, value=value,
                        checksum=f"{place:016x}")
                    for workload, contestant, values in courses for place, value in enumerate(values)]
        page = render([dataclasses.replace(PART, figures=(_FIGURE,))], measured, left_out={}, raw=[])
        tables = [each for each in page.tables if each.title.startswith("The most teeth")]
        return {name: [cell.number for cell in cells] for table in tables for name, _, cells in table.rows}

    def test_the_last_n_before_it_takes_so_many_times_what_it_took_first(self):
        self.assertEqual(self.limits(("turn", "brass", (10.0, 15.0, 19.9, 20.0, 50.0)))["Brass"][0], "4")

    def test_what_never_takes_so_much_goes_on_beyond_what_was_measured(self):
        self.assertEqual(self.limits(("turn", "brass", (10.0, 15.0, 19.9)))["Brass"][0], "4 or more")

    def test_what_becomes_quicker_again_counts_for_nothing(self):
        self.assertEqual(self.limits(("turn", "brass", (10.0, 25.0, 11.0)))["Brass"][0], "1")

    def test_of_all_panels_the_least_counts(self):
        limits = self.limits(("turn", "brass", (10.0, 11.0, 40.0)), ("stop", "brass", (5.0, 20.0, 20.0)),
                             ("turn", "steel", (1.0, 1.0, 1.0)), ("stop", "steel", (5.0, 6.0, 30.0)))

        self.assertEqual(limits["Brass"], ["2", "1", "1"])
        self.assertEqual(limits["Steel & co"], ["4 or more", "2", "2"])

    def test_where_a_panel_is_missing_nothing_is_said_of_all(self):
        limits = self.limits(("turn", "brass", (10.0, 11.0)), ("stop", "brass", (5.0, 6.0)),
                             ("turn", "steel", (10.0, 11.0)))

        self.assertEqual(limits["Steel & co"], ["2 or more", "–", "–"])

    def test_one_population_has_no_limit(self):
        self.assertEqual(self.limits(("turn", "brass", (10.0,))), {})


class Bars(unittest.TestCase):
    def page(self, bar: int) -> str:
        figure = Figure("compare", "Side by side", "", (Panel("turn", "turn", "A turn", 10_000, bar),))
        measured = [row(value=100.0), row(contestant="steel", value=250.0)]
        return render([dataclasses.replace(PART, figures=(figure,))], measured, left_out={}, raw=[]).html

    def test_who_stays_within_is_said_and_the_bar_is_drawn(self):
        html = self.page(100)

        self.assertIn("Within the bar of 100 ns: Brass.", html)
        self.assertEqual(html.count('class="asked"'), 1)

    def test_it_may_be_that_nobody_does(self):
        self.assertIn("Within the bar of 99.0 ns: nobody.", self.page(99))

    def test_it_may_be_so_much_above_one_of_them(self):
        figure = Figure("compare", "Side by side", "",
                        (Panel("turn", "turn", "A turn", 10_000, bar_of="brass", bar_percent=5),))
        measured = [row(value=100.0), row(contestant="steel", value=104.0)]
        pages = [render([dataclasses.replace(PART, figures=(figure,))], these, left_out={}, raw=[]).html
                 for these in (measured, measured[1:])]

        self.assertIn("Within the bar of 105 ns: Brass, Steel &amp; co.", pages[0])
        self.assertNotIn("Within the bar", pages[1])

    def test_without_a_bar_nothing_is_said(self):
        html = self.page(0)

        self.assertNotIn("Within the bar", html)
        self.assertNotIn('class="asked"', html)
