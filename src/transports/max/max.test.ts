import { describeTransport } from "../../core/transport/conformance.ts";
import { defineTransport } from "../../core/transport/connector.ts";
import { definition } from "./definition.ts";
import { Refusal, toTransportError } from "./errors.ts";
import { fileToken } from "./inbound/file-token.ts";
import { KEPT } from "./kept.test-kit.ts";
import type { Push } from "./line/client.ts";
import { openSession } from "./session.ts";
import { DIALOG, GROUP, receiverFor, sample, sampleNames, settingsFor } from "./testing.ts";

// Runs in this process; sessions in workers are tested by `test/system/isolation.test.ts`.
describeTransport(defineTransport(definition, { open: (link) => openSession(link) }), {
  credentials: {},
  settings: (url) => settingsFor(url),
  message: { id: "m1", to: { chatType: "max", chatId: DIALOG }, content: { type: "text", text: "hi" } },
  ref: { chatType: "max", chatId: DIALOG, externalId: "115000000000000001" },
  group: { chatId: GROUP, person: { id: DIALOG } },
  file: { token: fileToken({ kind: "file", id: "55", chatId: DIALOG, messageId: "115000000000000005" }) },
  socketFlood: () => toTransportError(new Refusal("too.many.requests", "Too many requests")),
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [/^payload$/, /^payload\.(chatId|message|message\.id|messageIds|mark|chat|chat\.id)$/],
    // The group change, whose message it is, and the number of files.
    decisive: [
      /^opcode$/,
      /^payload\.message\.(status|sender|attaches(\[\](\._type|\.event|\.title|\.userIds?(\[\])?)?)?)$/,
      /^payload\.message(\.link|\.link\.message)+(\.attaches(\[\](\._type)?)?)?$/,
      /^payload\.(userId|messageIds\[\]|chatId|chat\.(id|type|title))$/,
    ],
  },
  unknown: [
    { opcode: 140, payload: { chatId: 163, startTime: 1_790_000_000_000 } },
    { opcode: 128, payload: { chatId: 163, message: { id: 5, sender: 100200399, text: "", attaches: [] } } },
  ],
  replay: async (push, link) => {
    const { receiver } = receiverFor(link);
    await receiver.take(push as Push);
  },
});
