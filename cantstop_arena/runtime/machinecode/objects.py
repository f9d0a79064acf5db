"""Machine code as object files, which llvmlite alone can load: numba takes long to import.

A function of numba's is called as its own compiled code calls it (`numba.core.callconv`): with the
addresses of its answer and of what it raises, then its arguments; it returns a status.
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import llvmlite.binding as llvm
import msgspec

from cantstop_arena.runtime.machinecode.files import key_of, path_of, seal, throw_away, unsealed
from cantstop_arena.runtime.machinecode.toolchain import toolchain

# Called for an array that numba has made when nobody holds it any more. Where numba is not
# imported, all arrays are NumPy's, and it never is.
_NEVER_CALLED = "NRT_MemInfo_call_dtor"
_ENVIRONMENT = "_ZN08NumbaEnv"
_OF_NUMBA = ("numba_", "NRT_", "Py", "_Py")


@dataclass(frozen=True)
class Compiled:
    """A function as numba has compiled it: an object file, and its name in there.

    It `needs_numba` where it calls what numba brings along, to say what is wrong with a number, for
    one; then these are the names of the `environments` that it looks for.
    """

    object: bytes
    symbol: str
    returns: str
    needs_numba: bool
    environments: tuple[str, ...] = ()


class Loaded:
    """Compiled functions in memory, as long as this is kept."""

    def __init__(self, functions: Sequence[Compiled]) -> None:
        """Raises RuntimeError where an object file is of no use."""
        self._functions = tuple(functions)  # LLVM may look into their bytes as long as it has them
        _get_ready(any(function.needs_numba for function in functions))
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        for function in functions:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(function.object))
        self._engine.finalize_object()
        self._give_environment([name for function in functions for name in function.environments])
        symbols = [function.symbol for function in functions]
        self.addresses: tuple[int, ...] = tuple(map(self._engine.get_function_address, symbols))
        self.returns = tuple(function.returns for function in functions)
        if not all(self.addresses):
            raise RuntimeError("an object file lacks its function")

    def _give_environment(self, names: Sequence[str]) -> None:
        """Where code insists on an environment, its names lead to an empty one."""
        if names:
            from numba import _dynfunc

            self._environment = getattr(_dynfunc, "Environment")(globals={})  # noqa: B009 - untyped
        for name in names:
            address = self._engine.get_global_value_address(name)
            ctypes.c_void_p.from_address(address).value = id(self._environment)


_LOADED: WeakValueDictionary[bytes, Loaded] = WeakValueDictionary()


def load(
    folder: Path | None, name: str, stamp: str, compile_all: Callable[[], Sequence[Any]]
) -> Loaded:
    """Functions as they are kept on disk, or else as numba compiles them (its CompileResults).

    `stamp` stands for all that they are compiled from; without a folder nothing is kept.
    """
    key = key_of(toolchain(), _processor(), stamp, name)
    if folder and (found := _LOADED.get(key) or _found(path_of(folder, name, key), key)):
        _LOADED[key] = found
        return found
    results = compile_all()
    functions = [_taken_from(result) for result in results]
    if folder and not any(result.library.has_dynamic_globals for result in results):
        seal(path_of(folder, name, key), key, msgspec.msgpack.encode(functions))
    return Loaded(functions)


def _processor() -> tuple[str, ...]:
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def _found(path: Path, key: bytes) -> Loaded | None:
    packed = unsealed(path, key)
    if packed is None:
        return None
    try:
        return Loaded(msgspec.msgpack.decode(packed, type=list[Compiled]))
    except (msgspec.MsgspecError, RuntimeError):  # whole, and still of no use to this process
        throw_away(path)
        return None


def _taken_from(result: Any) -> Compiled:
    """What numba has compiled without wrappers for Python."""
    _, _, (code, *_) = result.library.serialize_using_object_code()
    module = result.library._final_module
    called = {function.name for function in module.functions if function.is_declaration}
    needs_numba = any(name.startswith(_OF_NUMBA) for name in called - {_NEVER_CALLED})
    environments = (
        one.name for one in module.global_variables if one.name.startswith(_ENVIRONMENT)
    )
    symbol, returns = result.fndesc.llvm_func_name, str(result.signature.return_type)
    return Compiled(code, symbol, returns, needs_numba, (*environments,) if needs_numba else ())


def _get_ready(needs_numba: bool) -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if needs_numba:
        from numba.core.registry import cpu_target

        cpu_target.target_context.refresh()  # tells LLVM where numba's own functions are
    elif not llvm.address_of_symbol(_NEVER_CALLED):
        abort = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value
        llvm.add_symbol(_NEVER_CALLED, abort)
