"""A linker in memory for ELF object files on Linux, as LLVM takes long to import.

It does what a linker does with relocatable files (System V ABI, chapter 4; its AMD64 supplement,
4.4): lay out sections, look up symbols, write addresses. numba compiles for the large code model,
in which all addresses have 64 bits, so that one type of relocation remains. A file with anything
else raises Unfamiliar, and LLVM loads it.
"""

import ctypes
import mmap
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

FITS = sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 1 << 32
"""Whether this machine's object files are of this format: 64-bit ELF for x86-64 on Linux."""

_HEADER = Struct("<16sHHIQQQIHHHHHH")
_SECTION = Struct("<IIQQQQIIQQ")
_SYMBOL = Struct("<IBBHQQ")
_RELOCATION = Struct("<QQq")
_ADDRESS = Struct("<Q")

_IDENTIFICATION = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian, version 1
_RELOCATABLE, _X86_64 = 1, 62
_BYTES, _SYMBOLS, _RELOCATIONS, _NO_BYTES, _UNWIND_TABLE = 1, 2, 4, 8, 0x70000001
_WRITABLE, _IN_MEMORY = 1, 2
_LOCAL, _UNDEFINED = 0, 0
_R_X86_64_64 = 1  # the address of the symbol plus the addend


class Unfamiliar(RuntimeError):
    """An object file has a feature that this linker does not support."""


class _Section(NamedTuple):
    """A section header, with the names of the ABI."""

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
    """Object files linked into memory, which is freed with this object."""

    def __init__(self, files: Sequence[bytes], symbols: Mapping[str, int]) -> None:
        """Link files with each other, with `symbols` (addresses by name) and with this process.

        Raises Unfamiliar for anything that this linker does not support.
        """
        self._symbols = dict(symbols)
        self._process = ctypes.CDLL(None)
        size, object_files = 0, []
        for content in files:
            object_file = _ObjectFile(content, size)
            size = object_file.end
            object_files.append(object_file)
        self._memory = mmap.mmap(-1, max(size, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        for object_file in object_files:
            self._symbols.update(
                (name, self._base + offset) for name, offset in object_file.exported()
            )
        for object_file in object_files:
            self._write(object_file)
        self._make_executable()

    def address(self, name: str) -> int:
        """The address of a symbol. Raises Unfamiliar when there is none."""
        if name not in self._symbols:
            try:
                function = self._process[name]
            except AttributeError:
                raise Unfamiliar(f"there is no {name}") from None
            self._symbols[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
        return self._symbols[name]

    def _write(self, object_file: "_ObjectFile") -> None:
        for offset, content in object_file.contents():
            self._memory[offset : offset + len(content)] = content
        for offset, name, local_offset, addend in object_file.relocations():
            target = self.address(name) if local_offset is None else self._base + local_offset
            _ADDRESS.pack_into(self._memory, offset, (target + addend) % (1 << 64))

    def _make_executable(self) -> None:
        """Make the memory readable and executable.

        Raises Unfamiliar where the system forbids it.
        """
        protect = self._process.mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if protect(self._base, len(self._memory), mmap.PROT_READ | mmap.PROT_EXEC):
            raise Unfamiliar("memory cannot be made executable")


class _ObjectFile:
    """One object file, whose sections lie at offsets from `start` to `end` in memory."""

    def __init__(self, content: bytes, start: int) -> None:
        self._content = content
        self._offsets: dict[int, int] = {}  # in memory, by the number of the section
        self._sections = list(self._headers())
        self.end = start
        for number, section in enumerate(self._sections):
            if section.flags & _IN_MEMORY and section.size and section.type != _UNWIND_TABLE:
                self._assign_offset(number, section)
        (table,) = (section for section in self._sections if section.type == _SYMBOLS)
        self._names = self._sections[table.link].offset
        self._symbols = list(_SYMBOL.iter_unpack(self._bytes(table)))

    def _headers(self) -> Iterator[_Section]:
        identification, file_type, machine, _, _, _, table_offset, *_, size, count, _ = (
            _HEADER.unpack_from(self._content)
        )
        is_linkable = (file_type, machine) == (_RELOCATABLE, _X86_64)
        if not identification.startswith(_IDENTIFICATION) or not is_linkable:
            raise Unfamiliar("this is no object file of this machine")
        for number in range(count):
            yield _Section(*_SECTION.unpack_from(self._content, table_offset + number * size))

    def _assign_offset(self, number: int, section: _Section) -> None:
        if section.flags & _WRITABLE or section.type not in (_BYTES, _NO_BYTES):
            raise Unfamiliar("an object file has variables")
        if section.alignment > mmap.PAGESIZE:
            raise Unfamiliar("a section wants more than a page")
        alignment = max(1, section.alignment)
        self._offsets[number] = -(-self.end // alignment) * alignment
        self.end = self._offsets[number] + section.size

    def _bytes(self, section: _Section) -> bytes:
        return self._content[section.offset : section.offset + section.size]

    def _name(self, offset: int) -> str:
        start = self._names + offset
        return self._content[start : self._content.index(b"\0", start)].decode()

    def exported(self) -> Iterator[tuple[str, int]]:
        """The symbols that other files can refer to, with their offsets in memory."""
        for name, info, _, section, value, _ in self._symbols:
            if info >> 4 != _LOCAL and section in self._offsets:
                yield self._name(name), self._offsets[section] + value

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """The content of each section with its offset in memory."""
        for number, offset in self._offsets.items():
            if self._sections[number].type == _BYTES:
                yield offset, self._bytes(self._sections[number])

    def relocations(self) -> Iterator[tuple[int, str, int | None, int]]:
        """Offset of the address to write, symbol, its offset (None if external) and addend."""
        for table in self._sections:
            if table.type != _RELOCATIONS or table.info not in self._offsets:
                continue
            for offset, info, addend in _RELOCATION.iter_unpack(self._bytes(table)):
                name, _, _, section, value, _ = self._symbols[info >> 32]
                if info & 0xFFFFFFFF != _R_X86_64_64:
                    raise Unfamiliar(f"relocation {info & 0xFFFFFFFF}")
                local_offset = None
                if section != _UNDEFINED:
                    if section not in self._offsets:
                        raise Unfamiliar("an address of what is not in memory")
                    local_offset = self._offsets[section] + value
                yield self._offsets[table.info] + offset, self._name(name), local_offset, addend
