"""Uses the client for Python as test/system/clients.test.ts asks, and prints what happened."""

import json
import os
import sys

from trunkline import Client, TrunklineError, is_genuine

given = json.load(sys.stdin)
client = Client(given["url"], access_token=os.environ["ACCESS_TOKEN"], api_key=os.environ["API_KEY"])
channels = client.list_channels()["data"]
message = {"channel_id": channels[0]["channel_id"], "recipient": given["recipient"], "text": given["text"]}
sent = client.send_message(message)
try:
    client.send_message({**message, "recipient": {"chat_type": "sms", "chat_id": "1"}})
    refusal = None
except TrunklineError as error:
    refusal = [error.status, error.code, error.data is not None, error.request_id is not None]
try:
    late = client.list_pipelines()
except TrunklineError as error:
    late = [error.status, error.code]
webhook = given["webhook"]
body = webhook["body"].encode()
print(json.dumps({
    "transports": [channel["transport"] for channel in channels],
    "accepted": len(sent["data"]["request_id"]) == 36,
    "refusal": refusal,
    "late": late,
    "chats": [chat["chat_id"] for chat in client.pages(client.list_chats, limit=1)],
    "messages": len(list(client.pages(client.list_messages, "telegram", given["recipient"]["chat_id"], limit=1))),
    "contacts": [contact["id"] for contact in client.pages(client.list_contacts)],
    "changed": client.change_webhooks({"subscriptions": {"messagesAndStatuses": True}}),
    "genuine": [
        is_genuine(webhook["secret"], webhook["headers"], body),
        is_genuine(webhook["secret"], webhook["headers"], body + b" "),
        is_genuine(webhook["other"], webhook["headers"], body),
        is_genuine(webhook["secret"], {**webhook["headers"], "webhook-timestamp": "1"}, body),
        is_genuine("whsec_", webhook["forged"], body),
    ],
}))
