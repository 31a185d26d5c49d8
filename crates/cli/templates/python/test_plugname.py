"""Tests of the code. `./test` runs them, and then calls the program as hosts do."""

import importlib
import tempfile
import unittest
from pathlib import Path

code = importlib.import_module("plugname")


class Tests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
#: function

    def test_somebody_is_greeted(self) -> None:
        self.assertEqual(code.greet("World"), "hello, World")
        self.assertEqual(code.greet("World", greeting="hi"), "hi, World")
#: end
#: action

    def test_a_line_is_appended(self) -> None:
        file = str(self.folder / "log")
        self.assertEqual(code.append(file, "one").lines, 1)
        self.assertEqual(code.append(file, "two").lines, 2)
#: end
#: resource

    def test_a_note_is_written_and_removed(self) -> None:
        note, path = code.Note(), str(self.folder / "note")
        created = note.create(code.Note.Props(path=path, text="two words"))
        self.assertEqual((created.id, created.state.words), (path, 2))
        found = note.read(path, None)
        self.assertEqual(found.props.text, "two words")
        note.delete(code.tenon.Existing(path))
        self.assertIsNone(note.read(path, None))
#: end
#: storage

    def test_a_state_is_kept(self) -> None:
        store, tenon = code.Store(str(self.folder)), code.tenon
        self.assertIsNone(store.read("default"))
        store.lock("default", tenon.Lock("1", "{}"))
        with self.assertRaises(tenon.Failure):
            store.lock("default", tenon.Lock("2", "{}"))
        store.write("default", b"{}", "1")
        store.unlock("default", "1")
        self.assertEqual((store.read("default"), store.list("")), (b"{}", ["default"]))
#: end
#: hook

    def test_a_deletion_is_a_warning(self) -> None:
        planned = code.tenon.Change({"address": "a.b", "planned_action": "Delete"})
        self.assertEqual(code.warn_about_deletion(planned).status, "warning")
        kept = code.tenon.Change({"address": "a.b", "planned_action": "NoOp"})
        self.assertIsNone(code.warn_about_deletion(kept))
#: end


if __name__ == "__main__":
    unittest.main()
