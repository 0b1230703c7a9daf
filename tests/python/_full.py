"""Tests of the full run: those that take minutes, and of whose claims the other tests check the part that each of them names."""

import os

import pytest

FULL = bool(os.environ.get("DCSVM_ALL_TESTS"))
full_run = pytest.mark.skipif(not FULL, reason="of the full run: set DCSVM_ALL_TESTS=1")
