import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { OutboundFile } from "../../../src/core/transport/connector.ts";
import type { Capabilities } from "../../../src/core/transport/definition.ts";
import { encodedRecording, recordingOf } from "../../../src/platform/media/test-kit.ts";
import { call } from "../kit/call.ts";
import { createMessenger, startSending } from "../kit/sending.ts";
import { addAccount, addChannel, startNode } from "../kit/service.ts";

/** Files as the messenger gets them. */

/** A conversion makes way for everything else on the machine. */
vi.setConfig({ testTimeout: 240_000 });
afterAll(() => vi.resetConfig());

const WIDE = { perSecond: 1_000, burst: 1_000 };
const MEDIA = Object.fromEntries(
  ["audio", "video", "document"].map((kind) => [kind, { maxBytes: 1_000_000 }]),
);

/** Serves the file and sends it; resolves with what the messenger gets, and its bytes. */
async function sentFile(
  served: { readonly name: string; readonly type: string; readonly bytes: Buffer },
  capabilities: Partial<Capabilities>,
  asVoice?: boolean,
): Promise<{ file: OutboundFile; bytes: Buffer }> {
  const host = createServer((_, response) => {
    response.setHeader("content-type", served.type);
    response.end(served.bytes);
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void host.close());
  const pacing = { channel: WIDE, chat: WIDE, jitterMs: 0 };
  const messenger = createMessenger(pacing, { media: MEDIA, ...capabilities });
  const got: { file: OutboundFile; bytes: Buffer }[] = [];
  const node = await startNode({ transports: [messenger.transport] });
  onTestFinished(() => node.stop());
  const account = await addAccount(node.db);
  const channelId = await addChannel(node, account, { transport: "whatsapp" });
  messenger.read = async (file) => void got.push({ file, bytes: await buffer(file.open()) });
  onTestFinished(await startSending(node, { allowNetworks: ["127.0.0.0/8"] }));
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/${served.name}`;
  const attachment = { url, ...(asVoice === undefined ? {} : { voice: asVoice }) };
  const recipient = { chat_type: "whatsapp", chat_id: "79001110001" };
  const body = { channel_id: channelId, recipient, attachment };
  expect(await call(node, "POST", "/v2/messages", { token: account.access, body })).toMatchObject({
    status: 200,
  });
  return vi.waitUntil(() => got[0], { interval: 20, timeout: 180_000 });
}

test("a recording of a browser arrives as a voice note, with its duration and waveform", async () => {
  const bytes = await encodedRecording(3, "webm");
  const { file, bytes: arrived } = await sentFile(
    { name: "reply.webm", type: "audio/webm", bytes },
    { voiceNotes: "described" },
  );
  expect(file).toMatchObject({
    name: "reply.ogg",
    mimeType: "audio/ogg",
    kind: "audio",
    size: arrived.length,
    // Nobody may fetch the recording in its place.
    urlIsPublic: false,
    voiceNote: { seconds: 3, waveform: expect.any(Uint8Array) },
  });
  expect(arrived.subarray(0, 4).toString()).toBe("OggS");
});

test.each<[string, Partial<Capabilities>, boolean | undefined, string]>([
  ["by request", { voiceNotes: "plain" }, true, "audio/ogg"],
  ["unless it is asked for", { voiceNotes: "plain" }, undefined, "audio/mpeg"],
  ["unless the messenger has none", {}, true, "audio/mpeg"],
])("a song becomes a voice note %s", async (_, capabilities, asVoice, expected) => {
  const bytes = await encodedRecording(1, "mp3");
  const { file } = await sentFile({ name: "a.mp3", type: "audio/mpeg", bytes }, capabilities, asVoice);
  expect(file.mimeType).toBe(expected);
});

test("a recording that cannot be converted is sent as it is", async () => {
  const bytes = recordingOf(1).subarray(20);
  const served = { name: "broken.wav", type: "audio/wav", bytes };
  const { file, bytes: arrived } = await sentFile(served, { voiceNotes: "described" });
  expect(file).toMatchObject({ name: "broken.wav", mimeType: "audio/wav" });
  expect(arrived).toEqual(bytes);
});
