# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import pathlib
import tempfile
import unittest

from demo import main, options
from demo.options import Refused
from harness import measurement
from tests.samples import row

_ROOT = pathlib.Path("root")


class Options(unittest.TestCase):
    def refusal(self, *arguments: str) -> str:
        with self.assertRaises(Refused) as refused:
            options.parse(list(arguments), _ROOT)
        return str(refused.exception)

    def test_without_any_it_measures_all_within_its_time(self):
        wanted = options.parse([], _ROOT)

        self.assertEqual((wanted.minutes, wanted.only, wanted.record), (options.MINUTES, "", None))
        self.assertEqual(wanted.out, _ROOT / "out")

    def test_quick_takes_less_time_unless_told(self):
        self.assertEqual(options.parse(["--quick"], _ROOT).minutes, options.MINUTES_QUICK)
        self.assertEqual(options.parse(["--quick", "--minutes", "2"], _ROOT).minutes, 2)

    def test_the_server_is_shown_unless_told_or_only_some_are_measured(self):
        shown = [options.parse(words, _ROOT).live for words in ([], ["--only", "churn"], ["--only", "churn", "--live", "1"],
                                                                ["--live", "0"])]
        self.assertEqual(shown, [6, 0, 1, 0])

    def test_a_record_may_have_a_name(self):
        self.assertEqual([options.parse(words, _ROOT).record for words in (["--record"], ["--record", "two-words"])],
                         ["", "two-words"])

    def test_what_there_is_not_is_refused_in_one_sentence_with_what_there_is(self):
        for arguments in (["--quik"], ["--rec"], ["extra"], ["--minutes"], ["--minutes", "soon"]):
            with self.subTest(arguments):
                said = self.refusal(*arguments)
                self.assertIn("--quick --minutes --only --live --peers --more --record --from --out --help", said)
                self.assertNotIn("\n", said)

    def test_impossible_values_are_refused(self):
        for arguments, told in ((["--minutes", "0"], "more than 0"), (["--minutes", "nan"], "more than 0"),
                                (["--only", "("], "regular expression"), (["--live", "61"], "from 0 to 60"), (["--record", "A/b"], "small letters"),
                                (["--more", "no-such-folder"], "no-such-folder"),
                                (["--from", "x.csv", "--quick"], "--quick")):
            with self.subTest(arguments):
                self.assertIn(told, self.refusal(*arguments))

    def test_the_exit_status_tells_a_refusal(self):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            self.assertEqual(main.main(["--quik"]), 2)
            self.assertEqual(main.main(["--from", "no-such-file.csv"]), 2)
        self.assertNotIn("Traceback", printed.getvalue())

    def test_a_place_that_can_t_be_written_is_one_sentence(self):
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "file").touch()
            record = folder / "gear.csv"
            measurement.write(record, [row(part="timer", workload="conn300k", quantity="request", n=300_000)])
            with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
                status = main.main(["--from", str(record), "--out", str(folder / "file" / "out")])

        self.assertEqual(status, 2)
        self.assertIn("can't go on", printed.getvalue())

    def test_a_record_of_parts_that_there_are_not_is_refused(self):
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as name:
            record = pathlib.Path(name) / "gear.csv"
            measurement.write(record, [row()])
            with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
                status = main.main(["--from", str(record), "--out", name])

        self.assertEqual(status, 2)
        self.assertIn("gear", printed.getvalue())

    def test_help_names_every_option(self):
        self.assertEqual([name for name in ("--quick", "--minutes", "--only", "--record", "--from", "--out")
                          if name not in options.__doc__], [])
