# SPDX-License-Identifier: Apache-2.0
"""python3 -m unittest discover -s bench/tests -t bench, with tools/ on PYTHONPATH; `./check bench` does that."""
