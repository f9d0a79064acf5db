"""LLVM as assembler, and as loader of object files."""

import ctypes
from collections.abc import Mapping, Sequence
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
        environments: Sequence[str] = (),
        needs_numba: bool = False,
    ) -> None:
        """Link files with each other, with `symbols` (addresses by name) and with this process.

        `environments` are the names of numba's environments that the code looks up.
        Raises RuntimeError when an object file cannot be loaded.
        """
        self._files = tuple(files)  # LLVM may read their bytes later
        if needs_numba:
            from numba.core.registry import cpu_target

            cpu_target.target_context.refresh()  # registers numba's own functions with LLVM
        for name, address in symbols.items():
            # LLVM has one table of names per process; numba's entries must not be replaced.
            if name.startswith(_OWN_PREFIX) or not llvm.address_of_symbol(name):
                llvm.add_symbol(name, address)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        for file in self._files:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(file))
        self._engine.finalize_object()
        self._set_environment(environments)

    def address(self, name: str) -> int:
        """The address of a function. Raises RuntimeError when there is none."""
        address: int = self._engine.get_function_address(name)
        if not address:
            raise RuntimeError(f"an object file lacks {name}")
        return address

    def _set_environment(self, names: Sequence[str]) -> None:
        """Let the names of environments point to an empty one."""
        if names:
            from numba import _dynfunc

            self._environment = getattr(_dynfunc, "Environment")(globals={})  # noqa: B009 - untyped
        for name in names:
            address = self._engine.get_global_value_address(name)
            ctypes.c_void_p.from_address(address).value = id(self._environment)


def _machine(opt: int = 2) -> Any:
    """The target machine that numba compiles for (`numba.core.codegen`)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    relocation = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(opt=opt, reloc=relocation, jit=True)
