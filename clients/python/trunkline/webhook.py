"""Signatures of webhooks, by Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from typing import Mapping

TOLERANCE_SECONDS = 300


def is_genuine(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> bool:
    """
    Whether the service has sent this request. `secret` is that of `GET /v3/webhooks/secret` (`whsec_…`), `headers` have
    names in any case, `body` are the bytes as they arrived. Deduplicate by the header `webhook-id`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    try:
        age = abs((time.time() if now is None else now) - int(timestamp))
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (ValueError, binascii.Error):
        return False
    # Anybody can sign with an empty key.
    if age > TOLERANCE_SECONDS or not message_id or not key:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = given.get("webhook-signature", "").encode().split(b" ")
    return any([hmac.compare_digest(each, expected) for each in signatures])
