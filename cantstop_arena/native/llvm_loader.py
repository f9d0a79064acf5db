"""What LLVM does for machine code: it assembles, and loads what `elf` does not know."""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import llvmlite.binding as llvm

OWN = "arena_"  # names that begin so are this project's


def processor() -> tuple[str, str, str]:
    """What LLVM calls this processor, and all it can do."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def assemble(text: str) -> bytes:
    """An object file of a module in LLVM's own language."""
    code: bytes = _machine(opt=1).emit_object(llvm.parse_assembly(text))
    return code


class ObjectImage:
    """Object files in memory, as long as this is kept. The like of `elf.Image`."""

    def __init__(
        self,
        files: Sequence[bytes],
        symbols: Mapping[str, int],
        environments: Sequence[str] = (),
        needs_numba: bool = False,
    ) -> None:
        """Raises RuntimeError where an object file is of no use."""
        self._files = tuple(files)  # LLVM may look into their bytes as long as it has them
        if needs_numba:
            from numba.core.registry import cpu_target

            cpu_target.target_context.refresh()  # tells LLVM where numba's own functions are
        for name, address in symbols.items():
            # LLVM has one set of names for all: those of numba are to stay what they are.
            if name.startswith(OWN) or not llvm.address_of_symbol(name):
                llvm.add_symbol(name, address)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        for file in self._files:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(file))
        self._engine.finalize_object()
        self._give_environment(environments)

    def address(self, name: str) -> int:
        """Where a function is. Raises RuntimeError where there is none."""
        address: int = self._engine.get_function_address(name)
        if not address:
            raise RuntimeError(f"an object file lacks {name}")
        return address

    def _give_environment(self, names: Sequence[str]) -> None:
        """Where code insists on an environment, its names lead to an empty one."""
        if names:
            from numba import _dynfunc

            self._environment = getattr(_dynfunc, "Environment")(globals={})  # noqa: B009 - untyped
        for name in names:
            address = self._engine.get_global_value_address(name)
            ctypes.c_void_p.from_address(address).value = id(self._environment)


def _machine(opt: int = 2) -> Any:
    """What numba makes its code for (`numba.core.codegen`)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    relocated = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(opt=opt, reloc=relocated, jit=True)
