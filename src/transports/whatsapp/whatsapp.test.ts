import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BinaryNode, WAMessage } from "baileys";
import { describeTransport } from "../../core/transport/conformance.ts";
import { type ChannelLink, defineTransport } from "../../core/transport/connector.ts";
import { definition } from "./definition.ts";
import { toTransportError } from "./errors.ts";
import { Journal } from "./inbound/journal.ts";
import { Receiver } from "./inbound/receiver.ts";
import { RecentMessages } from "./inbound/recent.ts";
import { KEPT } from "./kept.test-kit.ts";
import { BufferJSON } from "./library.ts";
import { People } from "./people/people.ts";
import { openSession } from "./session.ts";

const DIRECTORY = join(import.meta.dirname, "samples");
/** Messages as decoded by the library, and raw notifications; byte arrays are marked. */
const FILES = readdirSync(DIRECTORY).toSorted();
const SAMPLES = FILES.map((name) =>
  JSON.parse(readFileSync(join(DIRECTORY, name), "utf8"), BufferJSON.reviver),
);

function isNode(sample: unknown): sample is BinaryNode {
  return typeof sample === "object" && sample !== null && "tag" in sample;
}

/** Passes a message to the receiver as the library does. */
async function replay(sample: unknown, link: ChannelLink): Promise<void> {
  const emitted: Promise<void>[] = [];
  const people = new People({ vault: link.vault, emit: link.emit, numberOf: async () => null });
  const receiver = new Receiver({
    people,
    link: {
      ...link,
      emit: (event) => {
        const stored = link.emit(event);
        emitted.push(stored);
        return stored;
      },
    },
    journal: new Journal(link.vault),
    recent: new RecentMessages(link.vault),
    history: { keep: async () => undefined },
    undecryptableMs: 60_000,
    groupName: async () => "Team",
    me: () => ({ id: "79990000001:1@s.whatsapp.net", lid: "9:1@lid" }),
  });
  if (isNode(sample)) {
    await receiver.keep(sample);
    receiver.takeKept(sample);
  } else receiver.take([sample as WAMessage]);
  await receiver.settle();
  await Promise.all(emitted);
  receiver.close();
}

const ref = { chatType: "whatsapp", chatId: "79990000002", externalId: "3EB0A1" } as const;

// Runs in this process; sessions in workers are tested by `test/system/isolation.test.ts`.
describeTransport(defineTransport(definition, { open: (link) => openSession(link) }), {
  credentials: {},
  settings: (url) => ({ wsUrl: `${url.replace(/^http/, "ws")}/ws/chat`, ca: "", rootKey: "" }),
  message: {
    id: "m1",
    to: { chatType: "whatsapp", chatId: ref.chatId },
    content: { type: "text", text: "hi" },
  },
  ref,
  group: { chatId: "120363000000000001", person: { phone: ref.chatId } },
  file: {
    token: JSON.stringify({ type: "image", key: Buffer.alloc(32).toString("base64"), path: "/v/x", url: "" }),
  },
  socketFlood: () =>
    toTransportError(Object.assign(new Error("rate-overlimit"), { data: 429 }), { sent: true }),
  samples: SAMPLES,
  unknown: [{ protocolMessage: { type: 99, key: { id: "A1" } } }, { extendedTextMessage: {} }].map(
    (message) => ({ key: { remoteJid: "79990000002@s.whatsapp.net", id: "3A1" }, message }),
  ),
  kept: { names: FILES.map((name) => name.replace(".json", "")), ...KEPT },
  mutants: {
    essential: [/^key$/, /^key\.(id|remoteJid|participant)$/],
    // An empty message contains only keys; the present part determines its type.
    decisive: [
      /^(tag|attrs|attrs\.(from|type))$/,
      /^content(\[\](\.(tag|attrs|attrs\.subject|content(\[\](\.(tag|attrs|attrs\.jid))?)?))?)?$/,
      // The cards of a carousel with a picture are messages of their own.
      /interactiveMessage\.(body(\.text)?|carouselMessage(\.cards(\[\](\.header(\.imageMessage)?)?)?)?)$/,
      /^message(\.\w+Message(V\d)?(\.message|\.type|\.key(\.id)?|\.editedMessage)?|\.conversation)*$/,
    ],
  },
  replay,
});
