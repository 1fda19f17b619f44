# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

from check import tree
from harness import part
from harness.part import BadPart

_GOOD = """
name = "gear"
title = "Gears"
program = "gear/bench/gear_bench"
words = "w"
not_said = ["n"]
[[contestant]]
name = "brass"
label = "Brass"
words = "w"
[[figure]]
kind = "scaling"
title = "t"
words = "w"
[[figure.panel]]
workload = "turn"
quantity = "turn"
title = "t"
"""


class ReportToml(unittest.TestCase):
    def read(self, text: str):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.toml"
            path.write_text(text, encoding="utf-8")
            return part.read(path)

    def test_every_part_of_the_tree_can_be_read(self):
        names = [each.name for each in part.discover(tree.ROOT)]

        self.assertIn("timer", names)
        self.assertIn("executor", names, "the second page of a part")

    def test_a_good_one_is_read(self):
        gear = self.read(_GOOD)

        self.assertEqual(gear.workloads(), ["turn"])
        self.assertEqual(gear.contestants[0].label, "Brass")

    def test_each_mistake_is_refused_with_what_is_valid(self):
        mistakes = {
            'title = "Gears"\n': ("", "title"),
            'words = "w"\nnot_said': ('wrods = "w"\nnot_said', "wrods"),
            'kind = "scaling"': ('kind = "pie"', "compare scaling"),
            '"scaling"': ('"compare"', "at which n"),
            '[[figure.panel]]\nworkload = "turn"\nquantity = "turn"\ntitle = "t"\n': ("", "[[panel]]"),
            'label = "Brass"': ("label = 7", "label"),
            'not_said = ["n"]': ('not_said = ["n"]\nrepetitions_max = {trun = 1}', "trun"),
            'program = "gear/bench/gear_bench"': ('program = "p"\nquick = "("', "quick"),
            'kind = "scaling"\ntitle = "t"': ('kind = "scaling"\nlimit = 1\ntitle = "t"', "2 or more"),
            'kind = "scaling"\n': ('kind = "compare"\nlimit = 2\n', "has a limit"),
            'quantity = "turn"\n': ('quantity = "turn"\nbar = 9\n', "has a bar"),
            'quantity = "turn"': ('quantity = "turn"\nbar = "nine"', "float"),
            'workload = "turn"\n': ('workload = "turn"\nbar_percent = 5\n', "nor half of it"),
            'kind = "scaling"\ntitle = "t"\nwords = "w"\n[[figure.panel]]': (
                'kind = "compare"\ntitle = "t"\nwords = "w"\n[[figure.panel]]\nn = 1\nbar_of = "tin"', "tin"),
            'kind = "scaling"\ntitle': ('kind = "scaling"\nbeside = "brass"\ntitle', "has a beside"),
            'kind = "scaling"\ntitle = "t"\nwords = "w"\n[[figure.panel]]\n': (
                'kind = "compare"\nbeside = "tin"\ntitle = "t"\nwords = "w"\n[[figure.panel]]\nn = 1\n', "beside names"),
            "[[contestant]]": ('[[contestant]]\nname = "brass"\nlabel = "b"\nwords = "w"\n[[contestant]]', "twice"),
            'name = "gear"': ("name = ", "TOML"),
        }

        for right, (wrong, told) in mistakes.items():
            with self.subTest(told), self.assertRaises(BadPart) as refused:
                self.assertIn(right, _GOOD)
                self.read(_GOOD.replace(right, wrong, 1))
            self.assertIn(told, str(refused.exception))
            self.assertIn("report.toml", str(refused.exception))
