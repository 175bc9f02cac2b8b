"""Requests, repetitions and errors. The methods of operations are in `generated.py`."""

from __future__ import annotations

import base64
import http.client
import json
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple

FIRST_PAUSE_SECONDS = 0.5
# Whoever has to wait longer gets the refusal at once.
LONGEST_WAIT_SECONDS = 60


class TrunklineError(Exception):
    """What the service refused."""

    def __init__(self, status: int, body: Mapping[str, Any], request_id: Optional[str]) -> None:
        super().__init__(body.get("description") or f"The service answered {status}")
        self.status = status
        #: Code of the error, such as `VALIDATION_ERROR`. A newer service may have more codes.
        self.code: str = body.get("error") or "UNKNOWN"
        #: More to know, such as invalid fields.
        self.data = body.get("data")
        #: To find the request in the service's log.
        self.request_id = request_id


def segment(text: str) -> str:
    """A part of a path."""
    return urllib.parse.quote(str(text), safe="")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Http:
    def __init__(
        self,
        base_url: str,
        *,
        access_token: Optional[str] = None,
        api_key: Optional[str] = None,
        partner: Optional[Tuple[str, str]] = None,
        retries: int = 2,
        timeout: float = 60.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        `base_url`: the service, such as `https://gateway.example`. `access_token` is for `/v2`, `api_key` for `/v3`,
        `partner` (e-mail and password) for a partner's accounts and tokens. `retries`: how often a request is repeated
        when no answer came, or when one asks to wait. `timeout` in seconds, of each attempt.
        """
        self._base_url = base_url.rstrip("/")
        self._credentials = {"accessToken": access_token, "apiKey": api_key}
        self._partner = partner
        self._retries = retries
        self._timeout = timeout
        handlers: list = [_NoRedirects()]
        if ssl_context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=ssl_context))
        self._opener = urllib.request.build_opener(*handlers)

    def pages(self, method: Callable[..., Any], *path: str, **query: Any) -> Iterator[Any]:
        """
        The items of all pages of a list, read as they are needed: `client.pages(client.list_chats, limit=100)`.
        """
        while True:
            page = method(*path, **query)
            yield from page["data"]
            following = next_page(page, query)
            if following is None:
                return
            query = following

    def _call(
        self,
        method: str,
        path: str,
        credential: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        headers = {"Accept": "application/json", **self._authorization(credential)}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        elif method in ("POST", "PUT", "PATCH"):
            data = b""
        if method == "POST":
            # Repeating the request has no second effect.
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        attempt = 0
        while True:
            wait: Optional[float] = None
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    return _read(response.headers, response.read())
            except urllib.error.HTTPError as error:
                with error:
                    content = error.read()
                wait = _seconds(error.headers.get("Retry-After"))
                is_last = attempt >= self._retries or (wait or 0) > LONGEST_WAIT_SECONDS
                if is_last or error.code not in (429, 503):
                    raise _refusal(error, content) from None
            except (urllib.error.URLError, http.client.HTTPException, OSError):
                if attempt >= self._retries:
                    raise
            time.sleep(wait if wait is not None else FIRST_PAUSE_SECONDS * 2**attempt * random.uniform(0.8, 1.2))
            attempt += 1

    def _authorization(self, credential: str) -> Dict[str, str]:
        if credential == "none":
            return {}
        if credential == "partner":
            if self._partner is None:
                raise ValueError("This operation needs the client's option partner")
            pair = base64.b64encode(":".join(self._partner).encode()).decode()
            return {"Authorization": f"Basic {pair}"}
        token = self._credentials[credential]
        if token is None:
            option = {"accessToken": "access_token", "apiKey": "api_key"}[credential]
            raise ValueError(f"This operation needs the client's option {option}")
        return {"Authorization": f"Bearer {token}"}


def next_page(page: Mapping[str, Any], query: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    """The arguments for the page after this one; None if it is the last."""
    if "next" in page:
        return None if page["next"] is None else {**query, "cursor": page["next"]}
    meta = page.get("meta") or {}
    if "next" in meta:
        is_forward = query.get("after") is not None and query.get("before") is None
        return None if meta["next"] is None else {**query, "after" if is_forward else "before": meta["next"]}
    if not page["data"]:
        return None
    return {**query, "offset": int(query.get("offset") or 0) + len(page["data"])}


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _seconds(value: Optional[str]) -> Optional[float]:
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None


def _is_json(headers: Any) -> bool:
    return (headers.get("Content-Type") or "").startswith("application/json")


def _read(headers: Any, content: bytes) -> Any:
    return json.loads(content) if _is_json(headers) else content.decode()


def _refusal(error: urllib.error.HTTPError, content: bytes) -> TrunklineError:
    body: Any = {}
    if _is_json(error.headers):
        try:
            body = json.loads(content)
        except ValueError:
            pass
    return TrunklineError(error.code, body if isinstance(body, dict) else {}, error.headers.get("X-Request-Id"))
