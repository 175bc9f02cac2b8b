import { expect, test } from "vitest";
import type { OwnedChannel } from "../session/held-channel.ts";
import { PacingGate } from "./pacing-gate.ts";

const STORED = { changes: {}, activeSince: 0, cooldownUntil: 0, pausedUntil: 0, stopped: false };

function build() {
  let now = 1_000;
  const core = { clock: { monotonicMs: () => now } };
  const gate = new PacingGate({
    core: core as never,
    lease: () => undefined as never,
    on: true,
    onSooner: () => undefined,
  });
  const channel = (channelId: string): OwnedChannel => {
    const pacing = { channel: { perSecond: 1, burst: 1 }, chat: { perSecond: 1, burst: 1 }, jitterMs: 0 };
    return { channelId, epoch: 1, pacing: STORED, transport: { definition: { pacing } } } as OwnedChannel;
  };
  const send = (channelId: string) =>
    gate.pass(channel(channelId), { chat: "chat", chatType: "whatsapp", isFirstContact: false } as never);
  return {
    gate,
    send,
    available: (id: string) => gate.available(channel(id)),
    later: (ms: number) => (now += ms),
  };
}

test("channels that the node has lost are forgotten once their rates allow everything again", async () => {
  const { gate, send, available, later } = build();
  for (let id = 0; id < 100; id++) expect(available(`c${id}`)).toBe(1);
  for (const id of ["own", "lost"]) expect(await send(id)).toBeNull();
  const keep = () => gate.keep(({ channelId }) => channelId === "own");
  keep();
  expect([gate.channels, available("lost")]).toEqual([2, 0]);
  later(1_000);
  keep();
  expect(gate.channels).toBe(1);
});
