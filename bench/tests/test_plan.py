# SPDX-License-Identifier: Apache-2.0
import random
import unittest

from harness import plan


class FurtherRepetitions(unittest.TestCase):
    def test_all_get_equally_many_where_there_is_time(self):
        self.assertEqual(plan.further_repetitions([1, 2, 3], [4, 4, 4], 1_000), [3, 3, 3])

    def test_never_more_than_fits(self):
        costs = [1.0, 5.0, 20.0]

        for seconds in (0.5, 6, 26, 30, 60, 100):
            further = plan.further_repetitions(costs, [15] * 3, seconds)
            with self.subTest(seconds):
                self.assertLessEqual(sum(cost * count for cost, count in zip(costs, further)), seconds)

    def test_what_no_longer_fits_lets_cheaper_ones_go_on(self):
        self.assertEqual(plan.further_repetitions([1, 100], [4, 4], 10), [3, 0])

    def test_of_equals_the_most_important_comes_first(self):
        self.assertEqual(plan.further_repetitions([10, 10], [9, 9], 11), [1, 0])

    def test_a_group_may_be_content_with_fewer(self):
        self.assertEqual(plan.further_repetitions([1, 1], [9, 1], 1_000), [8, 0])

    def test_without_time_there_is_none(self):
        self.assertEqual(plan.further_repetitions([1, 1], [9, 9], -5), [0, 0])


class Spread(unittest.TestCase):
    def test_each_comes_as_often_as_it_is_to(self):
        order = plan.spread({"a": 5, "b": 1, "c": 3}, random.Random(3))

        self.assertEqual({key: order.count(key) for key in "abc"}, {"a": 5, "b": 1, "c": 3})

    def test_two_contestants_alternate_and_neither_is_always_first(self):
        order = plan.spread({"a": 50, "b": 50}, random.Random(3))

        firsts = [order.index("a", 2 * turn) < order.index("b", 2 * turn) for turn in range(25)]
        longest = max(len(run) for key in "ab" for run in "".join(order).split(key))
        self.assertLessEqual(longest, 2)
        self.assertTrue(any(firsts) and not all(firsts))

    def test_the_same_seed_gives_the_same_order(self):
        counts = {"a": 7, "b": 7}

        self.assertEqual(plan.spread(counts, random.Random(1)), plan.spread(counts, random.Random(1)))
