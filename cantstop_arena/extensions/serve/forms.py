"""Forms as browsers send them: fields, and one uploaded file."""

import asyncio
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

MAX_FORM_BYTES = 10_000
_MAX_FIELDS = 200
_BODY_SECONDS = 60.0
_MAX_PART_HEADER = 2_000  # bytes; those of a browser have 150 and the file's name
_BOUNDARY = re.compile(r'multipart/form-data; *boundary="?([\w\'()+,./:=?-]{1,70})"?', re.ASCII)
_FILE_NAME = re.compile(r'; *filename="([^"\r\n]+)"')


class FormError(Exception):
    """A form cannot be accepted; the message is a sentence, `status` that of the answer."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status


class Upload(NamedTuple):
    """An uploaded file: the name that the browser gives, and the content."""

    name: str
    content: bytes


class Form:
    """The fields of a form, each with all its values."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self.fields = fields

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def get(self, name: str, default: str = "") -> str:
        """The first value of a field."""
        return self.fields.get(name, [default])[0]

    def all(self, name: str) -> list[str]:
        """All values of a field."""
        return self.fields.get(name, [])

    def number(self, name: str, numbers: range, default: int | None = None) -> int:
        """A whole number. Raises FormError when there is none, or it is not in the range."""
        text = self.get(name)
        if not text and default is not None:
            return default
        is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20
        if is_number and int(text) in numbers:
            return int(text)
        raise FormError(
            f"{name.capitalize()} must be a whole number from {numbers[0]:,} to {numbers[-1]:,}."
        )


async def read_form(request: Request) -> Form:
    """The form of a request. Raises FormError when it is too large, or cannot be read."""
    body = await read_body(request, MAX_FORM_BYTES, 422)
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise FormError("This form cannot be read.") from None
    if any("\0" in value for values in fields.values() for value in values):
        raise FormError("This form cannot be read.")
    return Form(fields)


async def read_body(request: Request, limit: int, status: int) -> bytes:
    """The body of a request. Raises FormError where it is larger than the limit, or too slow."""
    body = bytearray()  # adding to bytes would copy all that is there for each byte that comes
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    sentence = f"That is too large: at most {limit:,} bytes are accepted."
                    raise FormError(sentence, status)
    except ClientDisconnect:
        raise FormError("The request was cut off.", 400) from None
    except TimeoutError:
        raise FormError(f"The request was not whole within {_BODY_SECONDS:.0f} s.", 408) from None
    return bytes(body)


async def read_upload(request: Request, limit: int) -> Upload:
    """The file of a form with one field, in `multipart/form-data`. Raises FormError.

    The grammar is that of browsers (RFC 7578): one part with a name of a file. Parsers of mail
    accept more, and take seconds for some of it.
    """
    body = await read_body(request, limit + MAX_FORM_BYTES, 413)
    kind = _BOUNDARY.fullmatch(request.headers.get("content-type", ""))
    if not kind:
        raise FormError("Choose one file.")
    line = f"--{kind[1]}".encode()
    header, blank_line, content = body[:_MAX_PART_HEADER].partition(b"\r\n\r\n")
    content = body[len(header) + len(blank_line) :].removesuffix(b"\r\n")
    end = b"\r\n" + line + b"--"
    name = _FILE_NAME.search(header.decode("utf-8", "replace"))
    is_one_part = blank_line and header.startswith(line + b"\r\n") and content.endswith(end)
    content = content.removesuffix(end)
    if not is_one_part or not name or b"\r\n" + line in content:
        raise FormError("Choose one file.")
    if not content:
        raise FormError("That file is empty.")
    if len(content) > limit:
        raise FormError(f"That is too large: at most {limit:,} bytes are accepted.", 413)
    return Upload(name[1], content)
