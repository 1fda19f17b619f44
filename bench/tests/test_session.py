# SPDX-License-Identifier: Apache-2.0
import dataclasses
import io
import unittest

from harness import session
from harness.program import Benchmark, BenchmarkFailed, Outcome
from harness.progress import Progress, duration
from harness.summary import WorkDiffers
from tests.samples import PART


class FakeProgram:
    """Costs nothing and notes who was asked."""

    def __init__(self):
        self.asked: list[Benchmark] = []

    def benchmarks(self):
        return [Benchmark("gear", workload, contestant, n, f"{workload}/{contestant}/{n}")
                for workload in ("stop", "turn") for contestant in ("brass", "steel") for n in (10_000, 100_000)]

    def measure(self, benchmark):
        self.asked.append(benchmark)
        return Outcome(((benchmark.workload, "ns", 5.0),), "00000000000000ff", "clang 19.1.7", {"tin": "too soft"})


class Sessions(unittest.TestCase):
    def run_session(self, program, *, only="", quick=False, seconds=5.0, part=PART):
        self.printed = io.StringIO()
        return session.run([(part, program)], seconds=seconds, only=only, quick=quick, progress=Progress(self.printed))

    def test_everything_is_measured_and_equally_often(self):
        done = self.run_session(FakeProgram())

        counts = {(row.workload, row.contestant, row.n): 0 for row in done.rows}
        for row in done.rows:
            counts[row.workload, row.contestant, row.n] += 1
        self.assertEqual(len(counts), 8)
        self.assertEqual(len(set(counts.values())), 1)
        self.assertGreater(len(done.rows), 8)

    def test_a_part_may_have_several_programs_whose_contestants_are_compared(self):
        class Others(FakeProgram):
            def benchmarks(self):
                return [Benchmark("gear", "turn", "rust", 10_000, "turn/rust/10000")]

        ours, others = FakeProgram(), Others()
        done = session.run([(PART, ours), (PART, others)], seconds=5.0, only="/10000$", quick=False,
                           progress=Progress(io.StringIO()))

        repetitions = {contestant: sum((row.workload, row.contestant) == ("turn", contestant) for row in done.rows)
                       for contestant in ("brass", "steel", "rust")}
        self.assertEqual(len(set(repetitions.values())), 1, repetitions)
        self.assertEqual({benchmark.contestant for benchmark in others.asked}, {"rust"})
        self.assertNotIn("rust", {benchmark.contestant for benchmark in ours.asked})

    def test_what_a_part_calls_seldom_takes_a_long_run_or_to_be_asked_for(self):
        part = dataclasses.replace(PART, seldom="turn/brass/100000$")

        def measured(**asked):
            done = self.run_session(FakeProgram(), part=part, **asked)
            return {(row.workload, row.contestant, row.n) for row in done.rows}

        self.assertEqual(len(measured()), 7)
        self.assertEqual(len(measured(seconds=480.0)), 8)
        self.assertEqual(measured(only="turn/brass/100000$"), {("turn", "brass", 100_000)})

    def test_repetitions_are_counted_from_one(self):
        done = self.run_session(FakeProgram(), only="turn/brass/10000$")

        self.assertEqual([row.repetition for row in done.rows], list(range(1, len(done.rows) + 1)))

    def test_contestants_are_interleaved(self):
        program = FakeProgram()

        self.run_session(program)

        firsts = [program.asked[begin:begin + 8] for begin in range(0, 64, 8)]
        self.assertTrue(all(len({benchmark.contestant for benchmark in block}) == 2 for block in firsts))

    def test_without_time_everything_still_runs_once_and_that_is_said(self):
        done = self.run_session(FakeProgram(), seconds=0)

        self.assertEqual(len(done.rows), 8)
        self.assertIn("without a spread", self.printed.getvalue())

    def test_only_narrows_and_nothing_found_is_refused(self):
        self.assertEqual({row.workload for row in self.run_session(FakeProgram(), only="^stop/").rows}, {"stop"})
        with self.assertRaises(BenchmarkFailed):
            self.run_session(FakeProgram(), only="fall")

    def test_who_was_left_out_is_known(self):
        self.assertEqual(self.run_session(FakeProgram(), seconds=0).left_out, {"tin": "too soft"})

    def test_what_is_skipped_is_said_and_not_asked_again_and_the_rest_goes_on(self):
        class Hanging(FakeProgram):
            def measure(self, benchmark):
                outcome = super().measure(benchmark)
                hangs = (benchmark.workload, benchmark.contestant, benchmark.n) == ("turn", "steel", 10_000)
                return dataclasses.replace(outcome, figures=(), skipped="it hangs") if hangs else outcome

        program = Hanging()

        done = self.run_session(program)

        self.assertEqual(done.left_out["turn/steel/10000"], "skipped in repetition 1: it hangs")
        self.assertIn("skipped: turn steel 10,000: it hangs\n", self.printed.getvalue())
        self.assertEqual(sum(each.name == "turn/steel/10000" for each in program.asked), 1)
        self.assertEqual(len({(row.workload, row.contestant, row.n) for row in done.rows}), 7)
        self.assertGreater(len(done.rows), 7)

    def test_a_failure_ends_the_run(self):
        class Failing(FakeProgram):
            def measure(self, benchmark):
                raise BenchmarkFailed("the checksum of the work is wrong")

        with self.assertRaises(BenchmarkFailed):
            self.run_session(Failing())

    def test_different_work_ends_the_run_after_the_first_round(self):
        class Cheating(FakeProgram):
            def measure(self, benchmark):
                outcome = super().measure(benchmark)
                return dataclasses.replace(outcome, checksum="0" * 16) if benchmark.contestant == "steel" else outcome

        program = Cheating()

        with self.assertRaises(WorkDiffers):
            self.run_session(program)

        self.assertEqual(len(program.asked), 8)


class ProgressLines(unittest.TestCase):
    def test_a_log_gets_a_line_now_and_then(self):
        now, printed = [0.0], io.StringIO()
        progress = Progress(printed, clock=lambda: now[0])

        for second in range(40):
            now[0] = float(second)
            progress.show(f"step {second}", "turn", seconds_left=40 - second)

        self.assertEqual(printed.getvalue(), "step 0, 0:40 left, now turn\nstep 15, 0:25 left, now turn\n"
                                             "step 30, 0:10 left, now turn\n")

    def test_a_terminal_gets_one_line_that_changes(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        printed = Terminal()
        progress = Progress(printed)

        progress.show("step 1")
        progress.show("step 2")
        progress.clear()

        self.assertNotIn("\n", printed.getvalue())
        self.assertTrue(printed.getvalue().endswith("\r\x1b[K"))

    def test_durations_are_minutes_and_seconds(self):
        self.assertEqual([duration(seconds) for seconds in (-1, 0, 59.6, 187)], ["0:00", "0:00", "1:00", "3:07"])
