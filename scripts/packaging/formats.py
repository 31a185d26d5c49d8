"""Archives whose bytes depend on nothing but their files: in order, owned by root, all with one time."""

import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A file in an archive, or a symbolic link if `link` is set."""

    path: str
    content: bytes = b""
    is_executable: bool = False
    link: str | None = None

    @property
    def mode(self) -> int:
        return 0o755 if self.is_executable else 0o644

    def below(self, folder: str) -> "Entry":
        """The same file in a folder."""
        return Entry(f"{folder}/{self.path}", self.content, self.is_executable, self.link)


def folders(entries: Iterable[Entry]) -> list[str]:
    """All folders above the files."""
    found: set[str] = set()
    for entry in entries:
        parts = entry.path.split("/")[:-1]
        found.update("/".join(parts[: length + 1]) for length in range(len(parts)))
    return sorted(found - {"."})


def tar(entries: Iterable[Entry], time: int, *, with_folders: bool = True) -> bytes:
    """An uncompressed tar archive."""
    entries = sorted(entries, key=lambda entry: entry.path)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for folder in folders(entries) if with_folders else []:
            archive.addfile(member(f"{folder}/", time, tarfile.DIRTYPE, 0o755))
        for entry in entries:
            if entry.link is not None:
                info = member(entry.path, time, tarfile.SYMTYPE, 0o777)
                info.linkname = entry.link
                archive.addfile(info)
                continue
            info = member(entry.path, time, tarfile.REGTYPE, entry.mode)
            info.size = len(entry.content)
            archive.addfile(info, io.BytesIO(entry.content))
    return buffer.getvalue()


def member(path: str, time: int, kind: bytes, mode: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.mtime, info.type, info.mode = time, kind, mode
    info.uname = info.gname = "root"
    return info


def gzipped(content: bytes, *, is_fast: bool) -> bytes:
    return gzip.compress(content, compresslevel=1 if is_fast else 9, mtime=0)


def xz(content: bytes, *, is_fast: bool) -> bytes:
    return lzma.compress(content, preset=0 if is_fast else 6)


def zip_archive(entries: Iterable[Entry], time: int, *, is_fast: bool) -> bytes:
    """A zip archive, in the given order: the list of a wheel's files comes last."""
    # A zip file knows no time before 1980, and only even seconds.
    import time as clock

    moment = clock.gmtime(max(time, 315532800))[:6]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1 if is_fast else 9) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.path, moment)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.content)
    return buffer.getvalue()


def ar(files: Iterable[tuple[str, bytes]], time: int) -> bytes:
    """The archive that a Debian package is."""
    parts = [b"!<arch>\n"]
    for name, content in files:
        header = f"{name:<16}{time:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        parts += [header.encode(), content, b"\n" * (len(content) % 2)]
    return b"".join(parts)
