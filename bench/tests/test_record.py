# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

from check import tree
from demo import record
from harness import measurement
from harness.summary import require_same_work
from tests.samples import rows

_RECORDS = tree.ROOT / "bench" / "record"


class CommittedRecords(unittest.TestCase):
    def test_each_can_be_read_is_of_equal_work_and_stands_in_the_table(self):
        table = (_RECORDS / "README.md").read_text(encoding="utf-8")

        for path in sorted(_RECORDS.glob("*.csv")):
            with self.subTest(path.name):
                require_same_work(measurement.read(path))
                self.assertIn(f"({path.name})", table)

    def test_the_table_of_columns_names_them_all(self):
        text = (_RECORDS / "README.md").read_text(encoding="utf-8")

        self.assertEqual([name for name in measurement.COLUMNS if f"`{name}`" not in text], [])


class Keeping(unittest.TestCase):
    def test_a_second_run_of_a_day_overwrites_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            paths = [record.keep(rows(), "gear", folder) for _ in range(3)]

            self.assertEqual([path.name for path in paths],
                             ["2026-01-02-gear.csv", "2026-01-02-gear-2.csv", "2026-01-02-gear-3.csv"])

    def test_its_row_names_file_machine_repetitions_and_load(self):
        row = record.row_of(pathlib.Path("2026-01-02-gear.csv"), rows())

        for words in ("[2026-01-02-gear](2026-01-02-gear.csv)", "brass, steel", "A CPU, 2 processors", "| 3 |",
                      "0.50 to 1.25"):
            self.assertIn(words, row)
