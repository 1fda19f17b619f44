# SPDX-License-Identifier: Apache-2.0
import dataclasses
import pathlib
import re
import unittest
import xml.etree.ElementTree

import report
from harness.summary import WorkDiffers
from report import svg, table
from report.page import report as render
from tests.colours import contrast, distance, schemes, seen_by_the_colour_blind
from tests.samples import PART, row, rows

_STYLE = pathlib.Path(report.__file__).with_name("style.css").read_text(encoding="utf-8")


class Pages(unittest.TestCase):
    def page(self, measured=None, left_out=None):
        return render([PART], rows() if measured is None else measured, left_out=left_out or {}, raw=["gear.csv"])

    def test_every_plot_is_well_formed_and_described(self):
        drawings = re.findall(r"<svg.*?</svg>", self.page().html)

        described = [xml.etree.ElementTree.fromstring(drawing).find("{*}title") for drawing in drawings
                     if "xmlns" in drawing]
        self.assertEqual(len(described), 3)
        self.assertIn("Brass", described[0].text)

    def test_the_medians_of_the_plots_stand_in_the_tables(self):
        html = self.page().html

        for median in ("102", "252", "1,002", "2,502", "42.0", "402"):
            self.assertIn(f"<b>{median}</b> ± 1", html)

    def test_the_page_is_one_file_without_script_or_network(self):
        html = self.page().html

        self.assertNotIn("<script", html)
        self.assertEqual(re.findall(r'(?:src|href)="(?!gear\.csv")[^"]*"|url\(|@import', html), [])
        self.assertEqual(set(re.findall(r"https?://[^\"' ]+", html)), {"http://www.w3.org/2000/svg"})
        self.assertIn("prefers-color-scheme: dark", html)

    def test_the_footer_says_on_what_and_under_which_load(self):
        html = self.page().html

        for fact in ("A CPU, 2 processors", "A system", "clang 19.1.7", "0.50 to 1.25", "0123456789ab",
                     "2026-01-02 03:04:05", "gear.csv"):
            self.assertIn(fact, html)

    def test_a_missing_contestant_is_named_with_its_reason(self):
        without = [each for each in rows() if each.contestant != "steel"]

        html = self.page(without, {"steel": "it was not found"}).html

        self.assertIn("Not measured in this run: <b>Steel &amp; co</b>: it was not found.", html)
        self.assertIn("Brass", html)

    def test_what_was_skipped_is_named_with_its_reason(self):
        html = self.page(left_out={"turn/steel/10000": "skipped: it hangs", "fall/steel/1": "of another part"}).html

        self.assertIn("Not measured in this run: <b>turn/steel/10000</b>: skipped: it hangs.", html)
        self.assertNotIn("of another part", html)

    def test_a_missing_workload_is_named(self):
        html = self.page([each for each in rows() if each.workload != "stop"]).html

        self.assertIn("Not measured in this run: A stop.", html)

    def test_a_figure_without_any_measurement_is_named_and_the_rest_drawn(self):
        html = self.page([each for each in rows() if each.n != 10_000]).html

        self.assertIn("Side by side</h3><p class=absent>Not measured in this run: A turn.", html)
        self.assertIn("Growing", html)

    def test_one_repetition_has_no_spread(self):
        html = self.page([each for each in rows() if each.repetition == 1]).html

        self.assertIn("1 repetition,", html)
        self.assertNotIn("</b> ±", html)

    def test_who_is_unknown_to_the_part_is_shown_by_name(self):
        html = self.page([*rows(), row(contestant="tin", checksum=f"{10_000:016x}")]).html

        self.assertIn("tin", html)

    def test_names_are_escaped(self):
        self.assertNotIn("Steel & co", self.page().html)

    def test_different_work_is_refused(self):
        with self.assertRaises(WorkDiffers):
            self.page([*rows(), row(contestant="tin", checksum="0000000000000001")])

    def test_figures_that_differ_by_orders_of_magnitude_get_a_log_axis(self):
        far = [*rows(), row(contestant="tin", value=90_000.0, checksum=f"{10_000:016x}")]

        self.assertIn("log scale", self.page(far).html)

    def with_a_long_name(self, measured):
        long = dataclasses.replace(PART.contestants[0], label="a_very_long_name_of_ours")
        part = dataclasses.replace(PART, contestants=(long, PART.contestants[1]))
        return render([part], measured, left_out={}, raw=[]).html

    def test_the_numbers_of_an_axis_do_not_stand_on_each_other(self):
        far = [row(value=700.0), row(contestant="steel", value=25_000.0)]

        plot = re.search(r"<svg[^>]*xmlns.*?</svg>", self.with_a_long_name(far))[0]
        numbers = [(float(x), words) for x, words
                   in re.findall(r'<text x="([\d.]+)" [^>]*class="tick"[^>]*>([\d,.]+)<', plot)]
        self.assertGreater(len(numbers), 2)
        for (left, one), (right, next_one) in zip(numbers, numbers[1:]):
            self.assertGreater(right - left, (svg.width_of(one, 12) + svg.width_of(next_one, 12)) / 2)

    def test_the_name_of_one_of_ours_has_room_in_bold(self):
        page = self.with_a_long_name(rows())

        end = re.search(r'<text x="([\d.]+)" [^>]*>a_very_long_name_of_ours<', page)[1]
        self.assertGreater(float(end), svg.width_of("a_very_long_name_of_ours", 13, bold=True))


class Tables(unittest.TestCase):
    def test_a_terminal_gets_aligned_columns(self):
        shown = render([PART], rows(), left_out={}, raw=[])

        lines = table.as_text(shown.tables[1], 100).splitlines()

        self.assertEqual(lines, ["A turn, ns",
                                 "  teeth         10,000     100,000",
                                 "  Brass        102 ± 1   1,002 ± 1",
                                 "  Steel & co   252 ± 1   2,502 ± 1"])

    def test_a_figure_that_sets_all_beside_one_tells_the_percentage_of_each_other(self):
        figure = dataclasses.replace(PART.figures[0], beside="brass")

        shown = render([dataclasses.replace(PART, figures=(figure,))], rows(), left_out={}, raw=[])

        self.assertEqual(table.as_text(shown.tables[0], 100).splitlines(),
                         ["Side by side", "                   A turn, ns", "  Brass               102 ± 1",
                          "  Steel & co   252 ± 1 (247%)"])
        self.assertIn("<small>247%; 251–253</small>", shown.html)

    def test_on_a_narrow_terminal_heads_become_numbers(self):
        shown = render([PART], rows(), left_out={}, raw=[])

        self.assertIn("  [1] 10,000", table.as_text(shown.tables[1], 30).splitlines())

    def test_the_first_figure_of_a_part_is_told_in_words(self):
        shown = render([PART], rows(), left_out={}, raw=[])

        self.assertEqual(shown.readings, ["A turn: Brass 102 ns; Steel & co 2.5 times as much."])

    def test_one_figure_for_all_is_said_once(self):
        same = [dataclasses.replace(each, value=100.0) for each in rows()]

        shown = render([PART], same, left_out={}, raw=[])

        self.assertEqual(shown.readings, ["A turn: 100 ns for all."])

    def test_of_nothing_there_is_no_multiple(self):
        none = [dataclasses.replace(each, value=0.0) if each.contestant == "brass" else each for each in rows()]

        shown = render([PART], none, left_out={}, raw=[])

        self.assertEqual(shown.readings, ["A turn: Brass 0 ns; Steel & co 252 ns."])


class Colours(unittest.TestCase):
    def test_names_and_lines_stand_out_from_their_background(self):
        for scheme, colours in schemes(_STYLE).items():
            for name in ("ink", "soft", *(f"k{look}" for look in range(8))):
                for ground in ("ground", "raised"):
                    with self.subTest(f"{scheme}: {name} on {ground}"):
                        self.assertGreaterEqual(contrast(colours[name], colours[ground]), 4.5)

    def test_the_first_four_contestants_differ_for_the_colour_blind(self):
        for scheme, colours in schemes(_STYLE).items():
            for kind in ("protanopia", "deuteranopia", "tritanopia"):
                seen = [seen_by_the_colour_blind(colours[f"k{look}"], kind) for look in range(4)]
                for first in range(4):
                    for second in range(first):
                        with self.subTest(f"{scheme}, {kind}: k{second} and k{first}"):
                            self.assertGreaterEqual(distance(seen[first], seen[second]), 20)


