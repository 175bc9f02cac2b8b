import type { proto, WAMessage } from "baileys";
import { expect, test } from "vitest";
import { sealEdit, sealVote, secretOf } from "../../../../sandbox/whatsapp/chat/sealed-edit.ts";
import { createTestLink } from "../../../core/transport/conformance.ts";
import { readContent, readEdit } from "../inbound/body.ts";
import { Journal } from "../inbound/journal.ts";
import { Receiver } from "../inbound/receiver.ts";
import { RecentMessages } from "../inbound/recent.ts";
import { People } from "../people/people.ts";
import { openEdit } from "./sealed-edit.ts";

const [BOB, HIDDEN, EVE] = ["79990000002@s.whatsapp.net", "5@lid", "79990000003@s.whatsapp.net"];
const secret = secretOf("M1");
const sealed = (author = BOB) =>
  sealEdit({ conversation: "better" }, { id: "M1" }, author).secretEncryptedMessage ?? {};

test.each([
  [BOB, [BOB]],
  [HIDDEN, [BOB, HIDDEN]],
])("sealed by %s, opened by one of %j", (author, names) => {
  expect(openEdit(sealed(author), secret, names)?.conversation).toBe("better");
});

test.each([
  ["by another author", sealed(EVE), secret],
  ["with another secret", sealed(), secretOf("M2")],
  ["of another message", { ...sealed(), targetMessageKey: { id: "M2" } }, secret],
  // Field 999 of the invalid wire type 7.
  [
    "that is not a message",
    sealEdit(new Uint8Array([0xbf, 0x3e]), { id: "M1" }, BOB).secretEncryptedMessage ?? {},
    secret,
  ],
  ["that is truncated", { ...sealed(), encPayload: new Uint8Array(16) }, secret],
  ["that is empty", {}, secret],
])("rejects an edit %s", (_, edit, key) => {
  expect(openEdit(edit, key, [BOB, HIDDEN])).toBeNull();
});

test("the new text is in the edit itself, or in its protocol message", () => {
  const body = { type: "text", text: "better" };
  const editedMessage = { conversation: "better" };
  expect(readEdit(editedMessage)).toEqual(body);
  expect(readEdit({ protocolMessage: { type: 14, key: { id: "M1" }, editedMessage } })).toEqual(body);
});

test("ignores other encrypted changes", () => {
  const edit = sealed();
  expect(readContent({ secretEncryptedMessage: edit })).toMatchObject({
    kind: "sealed edit",
    externalId: "M1",
  });
  expect(readContent({ secretEncryptedMessage: { ...edit, secretEncType: 1 } })).toEqual({ kind: "nothing" });
  const ofNothing = { ...edit, targetMessageKey: { id: "M1\0" } };
  expect(readContent({ secretEncryptedMessage: ofNothing })).toEqual({ kind: "nothing" });
});

function inGroup() {
  const link = createTestLink({ credentials: {}, settings: {} });
  const receiver = new Receiver({
    link,
    people: new People({ vault: link.vault, emit: link.emit, numberOf: async () => null }),
    journal: new Journal(link.vault),
    recent: new RecentMessages(link.vault),
    history: { keep: async () => undefined },
    undecryptableMs: 60_000,
    groupName: async () => "Team",
    me: () => ({ id: "79990000001:1@s.whatsapp.net", lid: "9:1@lid" }),
  });
  const written = (participant: string, id: string, message: proto.IMessage, fromMe = false): WAMessage => ({
    key: { remoteJid: "1203@g.us", fromMe, id, participant },
    messageTimestamp: 1_700_000_000,
    message,
  });
  return { receiver, link, written };
}

const sealedVote = (options: readonly string[], creator: string, voter: string): proto.IMessage =>
  sealVote(options, { id: "P1", fromMe: false }, { creator, voter });
const poll = {
  pollCreationMessageV3: {
    name: "When?",
    options: ["Mon", "Tue", "Wed"].map((optionName) => ({ optionName })),
  },
  messageContextInfo: { messageSecret: secretOf("P1") },
};
const OWN = "79990000001@s.whatsapp.net";

test.each<[string, string | null, proto.IMessage, string[], string[]]>([
  ["on our poll", OWN, sealedVote(["Mon", "Wed"], OWN, HIDDEN), ["☑ Mon\n☑ Wed"], []],
  ["on a customer's poll", HIDDEN, sealedVote(["Tue"], HIDDEN, HIDDEN), ["☑ Tue"], []],
  ["that is withdrawn", OWN, sealedVote([], OWN, HIDDEN), [], []],
  ["in another's name", OWN, sealedVote(["Mon"], OWN, EVE), [], ["pollUpdateMessage"]],
  ["on a poll that is not known", null, sealedVote(["Mon"], OWN, HIDDEN), [], ["pollUpdateMessage"]],
])("a vote %s", async (_, creator, vote, expected, unknown) => {
  const { receiver, link, written } = inGroup();
  const asked =
    creator === null
      ? []
      : [creator === OWN ? { ...written(OWN, "P1", poll, true) } : written(creator, "P1", poll)];
  receiver.take([...asked, written(HIDDEN, "V1", vote)]);
  await receiver.settle();
  receiver.close();
  const votes = link.events.flatMap((event) =>
    event.kind === "message" && event.message.externalId === "V1" ? [event.message] : [],
  );
  expect(votes.map(({ body }) => body.type === "text" && body.text)).toEqual(expected);
  for (const { quoted } of votes) expect(quoted).toMatchObject({ externalId: "P1" });
  expect(link.unknown.map(({ kind }) => kind)).toEqual(unknown);
});

test("in a group, nobody can edit another member's message", async () => {
  const { receiver, link, written } = inGroup();
  receiver.take([
    written(HIDDEN, "M1", { conversation: "typo", messageContextInfo: { messageSecret: secret } }),
    written("6@lid", "M2", { secretEncryptedMessage: sealed("6@lid") }),
    written("6@lid", "M4", {
      protocolMessage: { type: 14, key: { id: "M1" }, editedMessage: { conversation: "worse" } },
    }),
    written(HIDDEN, "M3", { secretEncryptedMessage: sealed(HIDDEN) }),
  ]);
  await receiver.settle();
  await link.waitFor(({ kind }) => kind === "edited");
  receiver.close();
  expect(link.events.map(({ kind }) => kind)).toEqual(["message", "edited"]);
});
