import { describe, expect, it } from "vitest";
import { kindsOfV3, type Subscriptions, V2_EVENTS, V3_KINDS } from "./kinds.ts";

const OFF: Subscriptions = {
  messagesAndStatuses: false,
  contactsAndDealsCreation: false,
  channelsUpdates: false,
  templateStatus: false,
  reactions: false,
};
const EXPORT = "messages_dump.status_update";

describe("kinds for the v3 address", () => {
  it.each<[string, Partial<Subscriptions>, readonly string[], readonly string[]]>([
    ["exports come whenever there is an address", {}, [], [EXPORT]],
    ["exports go where they are subscribed to", {}, [EXPORT], []],
    ["messages and statuses", { messagesAndStatuses: true }, [], ["messages", "statuses", EXPORT]],
    ["creation", { contactsAndDealsCreation: true }, [EXPORT], ["createContact", "createDeal"]],
    ["reactions", { reactions: true }, [EXPORT], ["reactions"]],
    ["templates", { templateStatus: true }, [EXPORT], ["templateStatus"]],
    [
      "channels with what v2 clients subscribe to",
      { channelsUpdates: true },
      [],
      ["channelsUpdates", "channel.status_update", "channel.qr_update", EXPORT],
    ],
    [
      "channels without the QR codes, which somebody is subscribed to",
      { channelsUpdates: true },
      ["channel.qr_update", "message.add"],
      ["channelsUpdates", "channel.status_update", EXPORT],
    ],
  ])("%s", (_, switches, subscribed, kinds) => {
    expect(kindsOfV3("https://crm.example/", { ...OFF, ...switches }, new Set(subscribed))).toEqual(kinds);
  });

  it("no kinds without an address", () => {
    expect(kindsOfV3("", { ...OFF, messagesAndStatuses: true }, new Set())).toEqual([]);
  });
});

it("no v3 kind looks like a v2 event", () => {
  expect(V2_EVENTS.filter((event) => !event.includes("."))).toEqual([]);
  expect(V3_KINDS.filter((kind) => kind.includes("."))).toEqual([]);
});
