import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXAMPLES } from "../src/core/event/examples.ts";
import { composeWhole } from "../src/core/webhook/batch.ts";
import { V2_EVENTS, V3_KINDS } from "../src/core/webhook/kinds.ts";

const PAGE = new URL("../docs/webhooks.md", import.meta.url);
const AT = new Date("2030-01-02T03:04:05.678Z");

/** When each kind of event is sent. */
const WHEN: Readonly<Record<string, string>> = {
  messages:
    "a customer writes, somebody writes from the phone, a message is edited or deleted (switch `messagesAndStatuses`)",
  statuses: "the status of an outgoing message changes (switch `messagesAndStatuses`)",
  createContact:
    "a new client is to become a contact; answer with the entity (switch `contactsAndDealsCreation`)",
  createDeal: "a new client is to become a deal; answer with the entity (switch `contactsAndDealsCreation`)",
  channelsUpdates: "a channel's status or tier changes, or its QR code is drawn (switch `channelsUpdates`)",
  templateStatus: "a template passed or failed its moderation (switch `templateStatus`)",
  "message.add": "a message is written by a customer, or from the phone",
  "message.status_update": "the status of an outgoing message changes",
  "message.edit": "a message is edited, wherever",
  "message.delete": "a message is deleted, wherever",
  "channel.create": "a channel is created",
  "channel.delete": "a channel is deleted",
  "channel.status_update": "a channel's status changes",
  "channel.qr_update": "a QR code is to be scanned",
  "channel.waba_tier_update": "a business channel may start more or fewer conversations",
  "waba_template.status_update": "a template passed or failed its moderation",
  "crm_entities.contact_add":
    "a new client is to become a contact; answer with the entity, as `POST /v2/contacts` spells it. Takes the place of `createContact`",
  "crm_entities.deal_add":
    "a new client is to become a deal; answer with the entity, as `POST /v2/deals` spells it. Takes the place of `createDeal`",
  "group_chat.update":
    "a group gets another name or picture; `changes` names which, `changed_by` is `null` where the messenger does not say who it was",
  "group_chat.memberships_update":
    "people come into a group or leave it, or their role changes: `action` is `added` (by themselves, where `changed_by` is the same person), `removed`, `left`, `promoted` (to administrator) or `demoted`. The channel's own account is told of like others; its `id` is the channel's `messenger_id`",
  "messages_dump.status_update": "an export ends",
};

const kinds = [...V3_KINDS, ...V2_EVENTS];
const section = kinds.map(entry).join("\n\n");

function entry(kind: string): string {
  const example = EXAMPLES.get(kind);
  if (example === undefined) return `### \`${kind}\`\n\nCan be subscribed to; nothing sends it yet.`;
  return `### \`${kind}\`\n\nSent when ${WHEN[kind]}.\n\n\`\`\`json\n${JSON.stringify(bodyOf(kind), null, 2)}\n\`\`\``;
}

function bodyOf(kind: string): unknown {
  const example = EXAMPLES.get(kind);
  if (example === undefined) throw new Error(`There is no example of ${kind}`);
  const event = {
    ...example,
    id: 1,
    body: JSON.stringify(example.body),
    seconds: Math.floor(AT.getTime() / 1000),
  };
  return JSON.parse(composeWhole([event], [1])?.body ?? "null");
}

/** `npm run docs` writes what this test compares. */
test("the page lists every event as it is sent", () => {
  const page = readFileSync(PAGE, "utf8");
  const current = page.replace(
    /<!-- events -->.*<!-- \/events -->/s,
    () => `<!-- events -->\n\n${section}\n\n<!-- /events -->`,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, current);
  expect(readFileSync(PAGE, "utf8")).toBe(current);
});

test("every event that is sent says when", () => {
  expect(Object.keys(WHEN).toSorted()).toEqual([...EXAMPLES.keys()].toSorted());
  expect([...EXAMPLES.keys()].filter((kind) => !kinds.includes(kind))).toEqual([]);
});
