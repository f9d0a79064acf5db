"""Object files as Linux has them, linked into memory: LLVM takes long to import.

What a linker does with relocatable files (System V ABI, chapter 4; its AMD64 supplement, 4.4): lay
out sections, look up symbols, write addresses. numba compiles for the large code model, in which
all addresses have 64 bits; of all kinds of relocation it leaves one. A file with anything else in
it is Unfamiliar, and LLVM's to load.
"""

import ctypes
import mmap
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

FITS = sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 1 << 32
"""Whether files for this machine are of this kind."""

_HEADER = Struct("<16sHHIQQQIHHHHHH")
_SECTION = Struct("<IIQQQQIIQQ")
_SYMBOL = Struct("<IBBHQQ")
_RELOCATION = Struct("<QQq")
_ADDRESS = Struct("<Q")

_CLASS = b"\x7fELF\x02\x01\x01"  # 64 bits, the lowest byte first, version 1
_RELOCATABLE, _X86_64 = 1, 62
_BYTES, _SYMBOLS, _RELOCATIONS, _NO_BYTES, _UNWINDING = 1, 2, 4, 8, 0x70000001
_WRITABLE, _IN_MEMORY = 1, 2
_LOCAL, _NOWHERE = 0, 0
_R_X86_64_64 = 1  # the address of the symbol, and the addend


class Unfamiliar(RuntimeError):
    """An object file has something in it that is not linked here."""


class _Section(NamedTuple):
    """A section header, by the names of the ABI."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class Image:
    """Object files in memory, as long as this is kept."""

    def __init__(self, files: Sequence[bytes], symbols: Mapping[str, int]) -> None:
        """Link files with each other, with `symbols`, and with what this process has anyway.

        Raises Unfamiliar for whatever is beyond the docstring of this module.
        """
        self._symbols = dict(symbols)
        self._process = ctypes.CDLL(None)
        size, parts = 0, []
        for file in files:
            part = _File(file, size)
            size = part.end
            parts.append(part)
        self._memory = mmap.mmap(-1, max(size, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        for part in parts:
            self._symbols.update((name, self._base + at) for name, at in part.exported())
        for part in parts:
            self._write(part)
        self._make_executable()

    def address(self, name: str) -> int:
        """Where a symbol is. Raises Unfamiliar where there is none."""
        if name not in self._symbols:
            try:
                function = self._process[name]
            except AttributeError:
                raise Unfamiliar(f"there is no {name}") from None
            self._symbols[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
        return self._symbols[name]

    def _write(self, part: "_File") -> None:
        for at, content in part.contents():
            self._memory[at : at + len(content)] = content
        for at, name, inside, addend in part.relocations():
            target = self.address(name) if inside is None else self._base + inside
            _ADDRESS.pack_into(self._memory, at, (target + addend) % (1 << 64))

    def _make_executable(self) -> None:
        """From here on memory is read and run; some systems forbid even that."""
        protect = self._process.mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if protect(self._base, len(self._memory), mmap.PROT_READ | mmap.PROT_EXEC):
            raise Unfamiliar("memory cannot be made executable")


class _File:
    """One object file, whose sections lie in memory from `start` to `end`."""

    def __init__(self, content: bytes, start: int) -> None:
        self._content = content
        self._offsets: dict[int, int] = {}  # of a section, by its number
        self._sections = list(self._headers())
        self.end = start
        for number, section in enumerate(self._sections):
            if section.flags & _IN_MEMORY and section.size and section.type != _UNWINDING:
                self._position(number, section)
        (table,) = (section for section in self._sections if section.type == _SYMBOLS)
        self._names = self._sections[table.link].offset
        self._symbols = list(_SYMBOL.iter_unpack(self._bytes(table)))

    def _headers(self) -> Iterator[_Section]:
        kind, form, machine, _, _, _, at, *_, size, count, _ = _HEADER.unpack_from(self._content)
        if not kind.startswith(_CLASS) or (form, machine) != (_RELOCATABLE, _X86_64):
            raise Unfamiliar("this is no object file of this machine")
        for number in range(count):
            yield _Section(*_SECTION.unpack_from(self._content, at + number * size))

    def _position(self, number: int, section: _Section) -> None:
        if section.flags & _WRITABLE or section.type not in (_BYTES, _NO_BYTES):
            raise Unfamiliar("an object file has variables")
        if section.alignment > mmap.PAGESIZE:
            raise Unfamiliar("a section wants more than a page")
        step = max(1, section.alignment)
        self._offsets[number] = -(-self.end // step) * step
        self.end = self._offsets[number] + section.size

    def _bytes(self, section: _Section) -> bytes:
        return self._content[section.offset : section.offset + section.size]

    def _name(self, at: int) -> str:
        start = self._names + at
        return self._content[start : self._content.index(b"\0", start)].decode()

    def exported(self) -> Iterator[tuple[str, int]]:
        """The names that other files may mean, with their places."""
        for name, info, _, section, value, _ in self._symbols:
            if info >> 4 != _LOCAL and section in self._offsets:
                yield self._name(name), self._offsets[section] + value

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """What is to be written where."""
        for number, index in self._offsets.items():
            if self._sections[number].type == _BYTES:
                yield index, self._bytes(self._sections[number])

    def relocations(self) -> Iterator[tuple[int, str, int | None, int]]:
        """Where an address is to be written: of a symbol, or of a place in here; and the addend."""
        for table in self._sections:
            if table.type != _RELOCATIONS or table.info not in self._offsets:
                continue
            for offset, info, addend in _RELOCATION.iter_unpack(self._bytes(table)):
                name, _, _, section, value, _ = self._symbols[info >> 32]
                if info & 0xFFFFFFFF != _R_X86_64_64:
                    raise Unfamiliar(f"relocation {info & 0xFFFFFFFF}")
                inside = None
                if section != _NOWHERE:
                    if section not in self._offsets:
                        raise Unfamiliar("an address of what is not in memory")
                    inside = self._offsets[section] + value
                yield self._offsets[table.info] + offset, self._name(name), inside, addend
