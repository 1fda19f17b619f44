# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import sys
import tempfile
import unittest

from harness.program import Benchmark, BenchmarkFailed, BenchmarkProgram

_RIGHT = {"context": {"compiler": "clang 19.1.7", "build": "optimised", "left_out": "steel: not found; tin: too soft"},
          "benchmarks": [{"name": "turn/brass/100", "iterations": 1, "real_time": 2.0, "label": "00000000000000ff",
                          "turn_ns": 12.5, "worst_turn_ns": 80.0}]}
_BENCHMARK = Benchmark("gear", "turn", "brass", 100, "turn/brass/100")


class Programs(unittest.TestCase):
    def program(self, prints: str, status: int = 0) -> BenchmarkProgram:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "gear_bench"
        path.write_text(f"#!{sys.executable}\nimport sys\nsys.stdout.write({prints!r})\nsys.exit({status})\n",
                        encoding="utf-8")
        path.chmod(0o755)
        return BenchmarkProgram("gear", path)

    def refusal(self, document, status: int = 0) -> str:
        prints = document if isinstance(document, str) else json.dumps(document)
        with self.assertRaises(BenchmarkFailed) as refused:
            self.program(prints, status).measure(_BENCHMARK)
        return str(refused.exception)

    def spoiled(self, **changes) -> dict:
        document = json.loads(json.dumps(_RIGHT))
        document["benchmarks"][0] |= changes
        return document

    def test_figures_checksum_and_who_is_absent_are_read(self):
        outcome = self.program(json.dumps(_RIGHT)).measure(_BENCHMARK)

        self.assertEqual(outcome.figures, (("turn", "ns", 12.5), ("worst_turn", "ns", 80.0)))
        self.assertEqual(outcome.checksum, "00000000000000ff")
        self.assertEqual(outcome.left_out, {"steel": "not found", "tin": "too soft"})

    def test_benchmarks_are_listed(self):
        listed = self.program("turn/brass/100/iterations:1/manual_time\nstop/brass/20\n").benchmarks()

        self.assertEqual([(each.workload, each.contestant, each.n) for each in listed],
                         [("turn", "brass", 100), ("stop", "brass", 20)])

    def test_a_name_that_is_not_in_three_parts_is_refused(self):
        with self.assertRaises(BenchmarkFailed):
            self.program("turn/100\n").benchmarks()

    def test_an_error_that_the_program_reports_is_passed_on(self):
        document = self.spoiled(error_occurred=True, error_message="the checksum of the work is 1, right is 2")

        self.assertIn("right is 2", self.refusal(document, status=1))

    def test_work_that_was_skipped_has_a_reason_and_no_figures(self):
        document = json.loads(json.dumps(_RIGHT))
        document["benchmarks"] = [{"name": "turn/brass/100", "skipped": True, "skip_message": "not done after 20 s"}]

        outcome = self.program(json.dumps(document)).measure(_BENCHMARK)

        self.assertEqual((outcome.skipped, outcome.figures), ("not done after 20 s", ()))
        self.assertEqual(outcome.left_out, {"steel": "not found", "tin": "too soft"})

    def test_a_program_that_dies_is_refused_with_its_status(self):
        self.assertIn("ended with 3", self.refusal("", status=3))
        self.assertIn("ended with 1", self.refusal('{ "context": {}, "benchmarks": [', status=1))

    def test_a_build_without_optimisation_is_refused(self):
        document = json.loads(json.dumps(_RIGHT))
        for build in ("not optimised", "checked", None):
            document["context"]["build"] = build
            with self.subTest(build):
                self.assertIn("release", self.refusal(document))

    def test_a_figure_without_a_unit_is_refused(self):
        self.assertIn("_ns", self.refusal(self.spoiled(speed=1.0)))

    def test_a_result_without_a_checksum_is_refused(self):
        self.assertIn("checksum", self.refusal(self.spoiled(label="")))

    def test_what_is_no_document_is_refused(self):
        self.assertIn("did not report one result", self.refusal("{ nothing }"))
        self.assertIn("did not report one result", self.refusal({"context": {}, "benchmarks": []}))

    def test_a_program_that_is_not_there_is_refused(self):
        with self.assertRaises(BenchmarkFailed) as refused:
            BenchmarkProgram("gear", pathlib.Path("no-such-program")).benchmarks()

        self.assertIn("was it built", str(refused.exception))
