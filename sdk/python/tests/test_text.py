"""JSON with exact numbers: what is read, what is written, and what is refused."""

from __future__ import annotations

import unittest
from decimal import Decimal
from typing import Any

from tenon_plugin import _text

LONG = Decimal("0.1000000000000000000000001")


class Written(unittest.TestCase):
    def test_the_same_value_is_written_again(self) -> None:
        value = {"price": LONG, "list": [LONG, 1.5]}
        text = b'{"price":%b,"list":[%b,1.5]}' % (str(LONG).encode(), str(LONG).encode())
        for _ in range(3):
            self.assertEqual(_text.dumps(value), text)

    def test_the_same_value_is_written_again_after_an_error(self) -> None:
        inner = [1]
        with self.assertRaises(_text.JsonError):
            _text.dumps([inner, {"inner": [inner, object()]}])
        self.assertEqual(_text.dumps([inner, inner]), b"[[1],[1]]")

    def test_what_has_no_form_is_refused_in_words(self) -> None:
        for number in (float("nan"), float("inf"), Decimal("nan"), Decimal("-inf")):
            for value in (number, [1, number], {"a": [LONG, number]}):
                with self.assertRaises(_text.JsonError):
                    _text.dumps(value)

    def test_what_contains_itself_is_refused(self) -> None:
        for start in (1, LONG):
            value: list[Any] = [start]
            value.append(value)
            with self.assertRaisesRegex(_text.JsonError, "contains itself"):
                _text.dumps(value)


class Read(unittest.TestCase):
    def test_numbers_keep_their_digits(self) -> None:
        for text in ("0.1000000000000000000000001", "12345678901234567890123", "1E+400", "-0.5"):
            self.assertEqual(_text.dumps(_text.loads(text)), text.encode())

    def test_an_exponent_that_no_number_has_is_an_error_of_the_text(self) -> None:
        for text in ("1e99999999999999999999", "[-1E-99999999999999999999]"):
            with self.assertRaisesRegex(_text.JsonError, "exponent"):
                _text.loads(text)


if __name__ == "__main__":
    unittest.main()
