# SPDX-License-Identifier: BSD-3-Clause
"""Every example in the docstrings of the package, and that all that is public has a docstring and type hints."""
import doctest
import importlib
import inspect
import os
import pkgutil
import shutil
import subprocess
import unittest

import brink

MODULES = [brink] + [importlib.import_module("brink." + m.name) for m in pkgutil.iter_modules(brink.__path__)
                     if m.name not in ("ode", "lib")]


class Examples(unittest.TestCase):
    def test_examples_say_what_happens(self):
        attempted = 0
        for module in MODULES:
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            attempted += result.attempted
        self.assertGreaterEqual(attempted, 30)

    @unittest.skipUnless(shutil.which("mypy") and "LD_PRELOAD" not in os.environ, "no mypy (Debian: mypy)")
    def test_type_hints_hold(self):
        told = subprocess.run(["mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir", os.devnull,
                               os.path.dirname(brink.__file__)], stdout=subprocess.PIPE, text=True)
        self.assertEqual(told.returncode, 0, told.stdout)

    def test_all_that_is_public_is_documented(self):
        for name in brink.__all__:
            thing = getattr(brink, name)
            if callable(thing):
                self.assertTrue((thing.__doc__ or "").strip(), name)
            if inspect.isfunction(thing):
                hints = inspect.signature(thing)
                self.assertIsNot(hints.return_annotation, inspect.Signature.empty, name)
                for parameter in hints.parameters.values():
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, "%s(%s)" % (name, parameter.name))


if __name__ == "__main__":
    unittest.main()
