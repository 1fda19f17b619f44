# SPDX-License-Identifier: Apache-2.0
import unittest

from report import svg
from report.labels import apart
from report.scale import LogScale, Scale, is_logarithmic, linear_domain, log_domain
from report.units import Scaled, digits, ratio, short_count, tick


class Scales(unittest.TestCase):
    def test_a_linear_scale_maps_its_ends_and_its_middle(self):
        scale = Scale(0, 10, 100, 200)

        self.assertEqual([scale.place(value) for value in (0, 5, 10)], [100, 150, 200])

    def test_a_scale_may_run_downwards_as_y_does(self):
        self.assertEqual(Scale(0, 10, 200, 100).place(10), 100)

    def test_equal_factors_are_equal_distances_on_a_logarithmic_scale(self):
        scale = LogScale(1, 1_000, 0, 300)

        self.assertEqual([scale.place(value) for value in (1, 10, 100, 1_000)], [0, 100, 200, 300])

    def test_what_has_no_place_on_a_logarithmic_scale_stands_at_its_end(self):
        self.assertEqual(LogScale(1, 1_000, 0, 300).place(0), 0)

    def test_impossible_scales_are_refused(self):
        for make in (lambda: Scale(1, 1, 0, 9), lambda: LogScale(0, 10, 0, 9), lambda: LogScale(10, 1, 0, 9)):
            with self.assertRaises(ValueError):
                make()

    def test_linear_ticks_are_round_and_within(self):
        self.assertEqual(Scale(0, 3_000, 0, 1).ticks(), [0, 1_000, 2_000, 3_000])
        self.assertEqual(Scale(0, 140, 0, 1).ticks(), [0, 50, 100])

    def test_logarithmic_ticks_are_decades_or_finer(self):
        self.assertEqual(LogScale(1, 10_000, 0, 1).ticks(), [1, 10, 100, 1_000, 10_000])
        self.assertEqual(LogScale(20, 500, 0, 1).ticks(), [20, 50, 100, 200, 500])

    def test_domains_hold_their_values_between_round_numbers(self):
        self.assertEqual(log_domain([45.0, 2_480.0]), (20, 5_000))
        self.assertEqual(log_domain([50.0]), (50, 100))
        self.assertEqual(linear_domain([2_913.0]), (0, 3_000))
        self.assertEqual(linear_domain([0.0]), (0, 1))

    def test_an_axis_is_logarithmic_only_where_values_differ_much(self):
        self.assertFalse(is_logarithmic([100, 1_900]))
        self.assertTrue(is_logarithmic([100, 2_000]))
        self.assertFalse(is_logarithmic([0, 2_000]))


class Labels(unittest.TestCase):
    def test_labels_that_are_apart_stay(self):
        self.assertEqual(apart([100.0, 20.0, 60.0], 15, 0, 200), [100, 20, 60])

    def test_labels_that_touch_part_evenly_and_keep_their_order(self):
        self.assertEqual(apart([50.0, 52.0], 10, 0, 200), [46, 56])
        self.assertEqual(apart([52.0, 50.0], 10, 0, 200), [56, 46])

    def test_labels_stay_within_their_room(self):
        places = apart([1.0, 2.0, 3.0], 10, 0, 200)

        self.assertEqual(places, [0, 10, 20])
        self.assertEqual(apart([199.0, 200.0], 10, 0, 200), [190, 200])

    def test_any_labels_keep_the_gap(self):
        for seed in range(50):
            wanted = [float((seed * 37 + number * number * 53) % 200) for number in range(8)]
            places = sorted(apart(wanted, 17, 0, 220))
            self.assertTrue(all(b - a >= 16.7 for a, b in zip(places, places[1:])), (wanted, places))
            self.assertTrue(0 <= places[0] and places[-1] <= 220)

    def test_where_there_is_no_room_they_are_spread_evenly(self):
        self.assertEqual(apart([5.0, 5.0, 5.0], 30, 0, 40), [0, 20, 40])

    def test_none_is_none(self):
        self.assertEqual(apart([], 10, 0, 20), [])


class Numbers(unittest.TestCase):
    def test_three_digits_or_all_before_the_point(self):
        self.assertEqual([digits(value) for value in (0, 0.01234, 7.196, 9.999, 61.3, 99.96, 513.4, 2_913.2)],
                         ["0", "0.0123", "7.20", "10.0", "61.3", "100", "513", "2,913"])

    def test_the_unit_fits_the_size(self):
        self.assertEqual(Scaled("ns", [500.0, 3_000.0]).text(2_480.0), "2,480 ns")
        self.assertEqual(Scaled("ns", [61_000.0]).text(61_000.0), "61.0 µs")
        self.assertEqual(Scaled("ns", [4.2e6]).text(4.2e6), "4.20 ms")
        self.assertEqual(Scaled("bytes", [96.3]).text(96.3), "96.3 bytes")
        self.assertEqual(Scaled("count", [0.0]).text(0.0), "0")

    def test_a_spread_is_no_finer_than_its_median(self):
        unit = Scaled("ns", [2_000.0])

        self.assertEqual(unit.spread(12.34, beside=2_313.0), "12")
        self.assertEqual(unit.spread(0.44, beside=61.3), "0.4")

    def test_ticks_counts_and_ratios_read_well(self):
        self.assertEqual([tick(value) for value in (0, 0.5, 2.5, 1_000, 1e6)],
                         ["0", "0.5", "2.5", "1,000", "1,000,000"])
        self.assertEqual([short_count(n) for n in (500, 10_000, 65_536, 300_000, 1_000_000, 1_280_000)],
                         ["500", "10K", "65,536", "300K", "1M", "1.28M"])
        self.assertEqual([ratio(value) for value in (1.01, 2.84, 12.4)],
                         ["hardly more than once", "2.8 times", "12 times"])


class Elements(unittest.TestCase):
    def test_text_and_attributes_are_escaped(self):
        self.assertEqual(svg.text(1, 2, "a < b & c", class_='x"y'),
                         '<text x="1" y="2" class="x&quot;y">a &lt; b &amp; c</text>')

    def test_a_whisker_shorter_than_a_pixel_is_not_drawn(self):
        self.assertEqual(svg.whisker(10, 5, 10.5, 5, 0), "")
        self.assertIn("<path", svg.whisker(10, 5, 20, 5, 0))

    def test_bold_text_needs_more_room(self):
        self.assertGreater(svg.width_of("bounded_inbox", 13, bold=True), svg.width_of("bounded_inbox", 13))

    def test_looks_differ_in_shape_colour_and_dashes(self):
        self.assertEqual(len({svg.marker(0, 0, look) for look in range(svg.LOOKS)}), svg.LOOKS)
        self.assertEqual(len({svg.course([(0, 0), (1, 1)], look, False) for look in range(svg.LOOKS)}), svg.LOOKS)

    def test_where_colours_come_again_shapes_and_dashes_do_not(self):
        for look in range(svg.LOOKS):
            with self.subTest(look):
                again = look + svg.LOOKS
                self.assertEqual(svg.colour(look), svg.colour(again))
                self.assertNotEqual(svg.marker(0, 0, look), svg.marker(0, 0, again))
                self.assertNotEqual(svg.course([(0, 0), (1, 1)], look, False), svg.course([(0, 0), (1, 1)], again, False))
