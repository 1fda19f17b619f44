# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

from harness import measurement
from harness.measurement import MalformedRecord
from tests.samples import row, rows


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "deep" / "figures.csv"

    def refusal(self, text: str | bytes) -> str:
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with self.assertRaises(MalformedRecord) as refused:
            measurement.read(self.path)
        return str(refused.exception)

    def written(self, **changes) -> list[str]:
        measurement.write(self.path, [row(**changes)])
        return self.path.read_text(encoding="utf-8").splitlines()

    def test_what_is_written_is_read_back(self):
        measurement.write(self.path, rows())

        self.assertEqual(measurement.read(self.path), rows())

    def test_commas_and_quotes_in_a_cpu_s_name_survive(self):
        self.written(cpu='An "A, B" CPU')

        self.assertEqual(measurement.read(self.path)[0].cpu, 'An "A, B" CPU')

    def test_nothing_is_left_beside_the_file(self):
        measurement.write(self.path, rows())

        self.assertEqual([entry.name for entry in self.path.parent.iterdir()], ["figures.csv"])

    def test_a_value_that_is_no_number_is_refused_with_its_line(self):
        header, line = self.written(value=123.0)

        for spoiled in ("fast", "nan", "inf", "-1.0", ""):
            with self.subTest(spoiled):
                said = self.refusal(f"{header}\n{line}\n{line.replace('123.0', spoiled)}\n")
                self.assertIn(":3: value", said)

    def test_a_line_that_was_cut_off_is_refused(self):
        header, line = self.written()

        self.assertIn(":2: ", self.refusal(f"{header}\n{line[:40]}"))

    def test_other_columns_are_refused_with_the_right_ones(self):
        self.assertIn("date,commit,cpu", self.refusal("name,median\nx,1\n"))

    def test_an_empty_file_is_refused(self):
        self.assertIn(":1: ", self.refusal(""))

    def test_a_header_without_rows_is_refused(self):
        self.assertIn("no measurement", self.refusal(self.written()[0] + "\n"))

    def test_an_unknown_unit_is_refused_with_the_known_ones(self):
        header, line = self.written()

        self.assertIn("ns bytes count", self.refusal(f"{header}\n{line.replace(',ns,', ',furlongs,')}\n"))

    def test_a_checksum_that_is_none_is_refused(self):
        header, line = self.written()

        self.assertIn("checksum", self.refusal(f"{header}\n{line.replace('00000000000000ff', 'ff')}\n"))

    def test_what_is_not_text_is_refused(self):
        self.assertIn("not CSV", self.refusal(b"\xff\xfe"))

    def test_a_file_that_is_not_there_is_refused_by_name(self):
        with self.assertRaises(MalformedRecord) as refused:
            measurement.read(self.path)

        self.assertIn("figures.csv", str(refused.exception))
