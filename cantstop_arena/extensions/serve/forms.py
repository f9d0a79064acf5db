"""Forms as browsers send them: fields, and one uploaded file."""

import asyncio
from collections.abc import Mapping
from email.parser import BytesParser
from email.policy import HTTP
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

MAX_FORM_BYTES = 10_000
_MAX_FIELDS = 200
_BODY_SECONDS = 60.0


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
    body = b""
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
    return body


async def read_upload(request: Request, limit: int) -> Upload:
    """The one file of a form with `multipart/form-data`. Raises FormError."""
    body = await read_body(request, limit + MAX_FORM_BYTES, 413)
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data"):
        raise FormError("Choose one file.")
    header = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    message = BytesParser(policy=HTTP).parsebytes(header + body)
    parts = message.iter_parts() if message.is_multipart() else ()
    files = [part for part in parts if part.get_filename()]
    if len(files) != 1:
        raise FormError("Choose one file.")
    content = files[0].get_payload(decode=True)
    if not isinstance(content, bytes) or not content:
        raise FormError("That file is empty.")
    if len(content) > limit:
        raise FormError(f"That is too large: at most {limit:,} bytes are accepted.", 413)
    return Upload(str(files[0].get_filename()), content)
