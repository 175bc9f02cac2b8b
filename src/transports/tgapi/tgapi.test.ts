import { describeTransport } from "../../core/transport/conformance.ts";
import { type ChannelLink, defineTransport } from "../../core/transport/connector.ts";
import { definition } from "./definition.ts";
import { toTransportError } from "./errors.ts";
import { deliverLetter } from "./inbound/receiver.ts";
import { KEPT } from "./kept.test-kit.ts";
import { openSession } from "./session.ts";
import { ANN, FAST, GROUP, SELF, sample, sampleNames, settingsFor, textMessage } from "./testing.ts";

/** Deletions, read receipts and promotions have no time of their own; the time of receipt is used. */
const NOW = new Date();

async function replay(letter: unknown, link: ChannelLink): Promise<void> {
  await deliverLetter(link, letter, { selfId: SELF, now: NOW });
}

// Runs in this process; sessions in workers are tested by `test/system/isolation.test.ts`.
describeTransport(defineTransport(definition, { open: (link) => openSession(link, FAST) }), {
  credentials: {},
  settings: (url) => ({ ...settingsFor(`tcp://${new URL(url).host}/?dc=2`) }),
  message: textMessage(),
  ref: { chatType: "telegram", chatId: ANN, externalId: "101" },
  group: { chatId: GROUP, person: { id: ANN } },
  file: {
    token: JSON.stringify({
      of: "document",
      id: "5370998877001122334",
      hash: "1",
      reference: "AQAD",
      dc: 2,
      size: "",
      place: { chatId: ANN, messageId: "110" },
    }),
  },
  socketFlood: () => toTransportError({ code: 420, text: "FLOOD_WAIT_12" }, { sent: true }),
  samples: sampleNames().map(sample),
  kept: { names: sampleNames(), ...KEPT },
  mutants: {
    essential: [
      /^update(\._|\.message)?$/,
      /^update\.message\.(id|peerId|fromId)$/,
      /^update\.message\.(peerId|fromId)\.(userId|chatId|channelId)$/,
      /^update\.(messages(\[\])?|maxId|channelId|chatId|userId|isAdmin|peer|peer\.userId)$/,
      /^update\.(msgId|reactions|reactions\.recentReactions\[\]\.(peerId|peerId\.userId))$/,
      /^update\.message\.action\.(title|users(\[\])?|userId|channelId|photo|photo\.id)$/,
    ],
    decisive: [
      /^update\._$/,
      /^update\.message\.(_|post|out|peerId\.channelId)$/,
      // Without content there is no message and no edit; files inside others are messages of their own.
      /^update\.message\.(message|media|richMessage)$/,
      /^update\.message\.media\.(_|photo|poll|extendedMedia|video|story|attachedMedia)\b/,
      /^update\.message\.action\.(message|missed|answer|text|photo)\b/,
      /^update\.message\.action(\._|\.reason|\.reason\._)?$/,
      // The deletion of a message without a stored chat is ignored.
      /^(known|known\[\]|known\[\]\.(broadcast|_|id))$/,
      /^places(\.\d+)?$/,
      /^update\.reactions\.(recentReactions|min|results)\b/,
      /^update\.messages\[\]$/,
      /^update\.message\.action\.users\[\]$/,
    ],
  },
  unknown: [
    { update: { _: "updateMessageHologram", text: "A lamp" }, known: [] },
    {
      update: {
        _: "updateNewMessage",
        message: {
          _: "messageService",
          id: 1,
          peerId: { _: "peerUser", userId: Number(ANN) },
          date: 1_790_000_000,
          action: { _: "messageActionHologram" },
        },
      },
      known: [],
    },
  ],
  replay,
});
