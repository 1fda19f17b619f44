# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

from budget import counts, record, verdict
from budget.counts import BYTES, INSTRUCTIONS, Counts, NotCounted, Row

ARM, HELD = Row("wheel", "arm", INSTRUCTIONS), Row("wheel", "timer", BYTES)
_PRINTED = "compiler clang 19\nbuild optimised\ninstructions wheel arm 100\nbytes wheel timer 24.5\n"


def of(arm: float, held: float = 30.0, compiler: str = "clang 19") -> Counts:
    return Counts(compiler, {ARM: arm, HELD: held})


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Counting(Folder):
    def dump(self, number: int, total: int) -> None:
        text = f"# callgrind format\nfn=(1) f\n1 7\ntotals: {total}\n"
        (self.folder / f"dump.{number}").write_text(text, encoding="utf-8")

    def test_a_row_is_the_total_of_its_dump_divided_by_its_operations(self):
        self.dump(1, 4_250)

        counted = counts.read(_PRINTED, self.folder, _PRINTED)

        self.assertEqual(counted, Counts("clang 19", {ARM: 42.5, HELD: 24.5}))

    def test_bytes_are_those_of_the_run_without_callgrind(self):
        self.dump(1, 4_250)

        counted = counts.read(_PRINTED.replace("24.5", "9000.0"), self.folder, _PRINTED)

        self.assertEqual(counted.values[HELD], 24.5)

    def test_what_could_not_be_counted_is_refused_with_the_reason(self):
        self.dump(1, 4_250)
        refused = {
            "checksum": _PRINTED + "wrong wheel arm\n",
            "checked": _PRINTED.replace("optimised", "checked"),
            "no rows": "Illegal instruction",
            "dump.2": _PRINTED + "instructions wheel cancel 100\n",
            "more dumps": _PRINTED.replace("instructions", "remarks"),
        }

        for told, printed in refused.items():
            with self.subTest(told), self.assertRaises(NotCounted) as raised:
                counts.read(printed, self.folder, printed)
            self.assertIn(told, str(raised.exception))

    def test_a_run_without_callgrind_is_no_count(self):
        self.dump(1, 0)

        with self.assertRaises(NotCounted):
            counts.read(_PRINTED, self.folder, _PRINTED)


class Recorded(Folder):
    def test_what_is_written_is_read_again(self):
        path = self.folder / "gear.toml"

        record.write(path, of(42.25, 24.5))

        self.assertEqual(record.read(path), of(42.25, 24.5))

    def test_each_mistake_is_refused_with_what_is_valid(self):
        path = self.folder / "gear.toml"
        mistakes = {"compiler": "[wheel]\narm_instructions = 3\n", "_bytes": 'compiler = "c"\n[wheel]\narm_ns = 3\n',
                    "positive": 'compiler = "c"\n[wheel]\narm_instructions = 0\n', "table": 'compiler = "c"\nwheel = 3\n',
                    "TOML": "compiler = \n"}

        for told, text in mistakes.items():
            path.write_text(text, encoding="utf-8")
            with self.subTest(told), self.assertRaises(record.BadRecord) as refused:
                record.read(path)
            self.assertIn(told, str(refused.exception))

    def test_every_part_with_a_budget_program_has_a_record(self):
        root = record.FOLDER.parents[1]

        for program in root.glob("*/bench/*_budget.cpp"):
            self.assertTrue(record.read(record.path_of(program.parts[-3])).values)


class Verdicts(unittest.TestCase):
    def only(self, counted: Counts, recorded: Counts, row: Row = ARM) -> verdict.Verdict:
        (found,) = (each for each in verdict.compare(counted, recorded) if each.row == row)
        return found

    def test_as_recorded_is_nothing_to_tell(self):
        self.assertEqual(verdict.compare(of(100), of(100)), [verdict.Verdict(ARM), verdict.Verdict(HELD)])

    def test_within_the_bound_passes_and_beyond_fails_with_row_amount_and_remedy(self):
        self.assertEqual(self.only(of(105), of(100)), verdict.Verdict(ARM))

        failure = self.only(of(105.1), of(100)).failure

        for told in ("wheel arm", "105.10", "100.00", "+5.1%", "./check budget --record"):
            self.assertIn(told, failure)

    def test_bytes_may_grow_more(self):
        self.assertEqual(self.only(of(1, 115), of(1, 100), HELD), verdict.Verdict(HELD))
        self.assertIn("+16.0%", self.only(of(1, 116), of(1, 100), HELD).failure)

    def test_a_gain_is_a_hint(self):
        found = self.only(of(94), of(100))

        self.assertFalse(found.failure)
        self.assertIn("-6.0%", found.hint)

    def test_another_compiler_skips_instructions_and_compares_bytes(self):
        found = verdict.compare(of(200, 200), of(100, 100, compiler="clang 20"))

        self.assertEqual([bool(each.skip) for each in found], [True, False])
        self.assertIn("clang 20", found[0].skip)
        self.assertTrue(found[1].failure)

    def test_rows_that_came_or_went_fail(self):
        self.assertIn("no budget yet", self.only(of(1), Counts("clang 19", {HELD: 30.0})).failure)
        self.assertIn("was not counted", self.only(Counts("clang 19", {HELD: 30.0}), of(1)).failure)
