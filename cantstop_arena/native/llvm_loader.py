"""LLVM as assembler, and as loader of object files."""

import ctypes
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import llvmlite.binding as llvm

_OWN_PREFIX = "arena_"  # of this project's symbols


def processor() -> tuple[str, str, str]:
    """LLVM's target triple, name and feature list of this processor."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def assemble(text: str) -> bytes:
    """The object file of a module in LLVM assembly language."""
    code: bytes = _machine(opt=1).emit_object(llvm.parse_assembly(text))
    return code


class Image:
    """Object files loaded into memory, which is freed with this object."""

    def __init__(
        self,
        files: Sequence[bytes],
        symbols: Mapping[str, int],
        objects: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        """Link files with each other, with `symbols` (addresses by name) and with this process.

        `objects` are what the files' own variables of Python objects point to, by name.
        Raises RuntimeError when an object file cannot be loaded.
        """
        self._files = tuple(files)  # LLVM may read their bytes later
        self._objects = dict(objects)
        for name, address in symbols.items():
            # LLVM has one table of names per process; numba's entries must not be replaced.
            if name.startswith(_OWN_PREFIX) or not llvm.address_of_symbol(name):
                llvm.add_symbol(name, address)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        for file in self._files:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(file))
        self._engine.finalize_object()
        for name, value in self._objects.items():
            variable = self._engine.get_global_value_address(name)
            ctypes.c_void_p.from_address(variable).value = id(value)

    def address(self, name: str) -> int:
        """The address of a function. Raises RuntimeError when there is none."""
        address: int = self._engine.get_function_address(name)
        if not address:
            raise RuntimeError(f"an object file lacks {name}")
        return address


def _machine(opt: int = 2) -> Any:
    """The target machine that numba compiles for (`numba.core.codegen`)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    relocation = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(opt=opt, reloc=relocation, jit=True)
