"""Templates as Jinja has compiled them, kept on disk: that takes a tenth of a start with a page."""

import sys
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from cantstop_arena.errors import ArenaError
from cantstop_arena.runtime.machinecode.files import (
    cache_root,
    key_of,
    path_of,
    private_folder,
    seal,
    unsealed,
)


class CompiledTemplates(BytecodeCache):
    """Where Jinja looks for them; like machine code they come from whole files alone."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what is kept, if anything is."""
        with suppress(ArenaError):
            packed = unsealed(*self._place(bucket))
            if packed is not None:
                bucket.bytecode_from_string(packed)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, where that is possible."""
        with suppress(ArenaError):
            seal(*self._place(bucket), bucket.bytecode_to_string())

    def _place(self, bucket: Bucket) -> tuple[Path, bytes]:
        how = bucket.environment
        options = how.autoescape, how.trim_blocks, how.lstrip_blocks, how.keep_trailing_newline
        made_by = sys.version, jinja2.__version__
        key = key_of(made_by, options, bucket.key, bucket.checksum)
        return path_of(private_folder(cache_root(), "templates"), "template", key), key
