import { expect, test } from "vitest";
import { createTestLink } from "../../../core/transport/conformance.ts";
import type { HistoryMessage } from "../../../core/transport/events.ts";
import { followHistory, noteEnd } from "../linking/history.ts";
import { PHONE_ID, settingsFor } from "../testing.ts";
import { readCallback } from "./changes.ts";

const HOUR_MS = 3_600_000;
const BUSINESS = "15550783881";
const ANN = "16505551234";
const metadata = { display_phone_number: BUSINESS, phone_number_id: PHONE_ID };

/** A call with a change of the history. */
const call = (content: object): unknown => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: "1",
      changes: [{ field: "history", value: { messaging_product: "whatsapp", metadata, ...content } }],
    },
  ],
});
const entry = (id: string, seconds: number, more: object = {}): object => ({
  from: ANN,
  id,
  timestamp: String(1_749_416_000 + seconds),
  type: "text",
  text: { body: id },
  history_context: { status: "PENDING" },
  ...more,
});
const chunk = (progress: number, messages: readonly object[]): object => ({
  history: [{ metadata: { phase: 0, chunk_order: 1, progress }, threads: [{ id: ANN, messages }] }],
});

function imported(content: object): HistoryMessage[] {
  return readCallback(call(content)).flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === "history" ? event.messages : [])),
  );
}

test("a chunk has the messages of both sides, oldest first, with their status", () => {
  const own = { from: BUSINESS, history_context: { from_me: true, status: "READ" } };
  const messages = [entry("c", 3, own), entry("b", 2), entry("a", 1)];
  expect(imported(chunk(55, messages))).toMatchObject([
    { externalId: "a", direction: "in", chatId: ANN, contact: { phone: ANN }, status: "sent" },
    { externalId: "b" },
    { externalId: "c", direction: "echo", chatId: ANN, status: "read", body: { type: "text", text: "c" } },
  ]);
  const [change] = readCallback(call(chunk(55, messages)));
  expect(change?.events.at(-1)).toEqual({ kind: "history", messages: [], progress: 55 });
  expect(change?.endsHistory).toBeUndefined();
});

test("a file is awaited until its own change brings it", () => {
  const body = { type: "unsupported", what: "file", isAwaited: true };
  const hidden = entry("photo", 1, { type: "media_placeholder", text: undefined });
  expect(imported(chunk(10, [hidden]))).toMatchObject([{ externalId: "photo", body }]);
  const told = entry("photo", 1, {
    type: "image",
    text: undefined,
    image: { id: "17", mime_type: "image/jpeg" },
  });
  expect(imported({ messages: [told] })).toMatchObject([
    { externalId: "photo", body: { type: "media", media: "image", file: { token: "17" } } },
  ]);
});

test("what cannot be read is left out; a declined history ends", () => {
  const messages = [{ ...entry("x", 1), id: undefined }, entry("y", 2)];
  const [change] = readCallback(call(chunk(100, messages)));
  expect(change).toMatchObject({ endsHistory: true, notes: [expect.stringContaining("id of the message")] });
  expect(imported(chunk(100, messages))).toMatchObject([{ externalId: "y" }]);
  const declined = { history: [{ errors: [{ code: 2593109, title: "turned off" }] }] };
  expect(readCallback(call(declined))[0]).toMatchObject({ endsHistory: true });
});

test("the history and then the contacts are requested once; the import ends an hour after the last chunk, or after a day of silence", async () => {
  const open = () => {
    const credentials = { phone_number_id: PHONE_ID, waba_id: "1", access_token: "t" };
    const history = { since: new Date(0) };
    return createTestLink({ credentials, settings: settingsFor("http://127.0.0.1:9"), history });
  };
  const asked: string[] = [];
  const graph = {
    call: async (_: string, path: string, { body }: { readonly body: { readonly sync_type: string } }) =>
      void asked.push(`${path} ${body.sync_type}`),
  } as never;
  const follow = (link: ReturnType<typeof open>, now: number) =>
    followHistory(graph, link, new AbortController().signal, now);
  const isDone = ({ events }: ReturnType<typeof open>) => events.some((each) => "isDone" in each);
  const [ending, silent] = [open(), open()];
  for (const now of [1, 2]) await follow(ending, now);
  expect(asked).toEqual([`${PHONE_ID}/smb_app_data history`]);
  await noteEnd(ending, 2);
  await follow(ending, HOUR_MS);
  expect(isDone(ending)).toBe(false);
  await follow(ending, HOUR_MS + 2);
  expect(isDone(ending)).toBe(true);
  const contacts = `${PHONE_ID}/smb_app_data smb_app_state_sync`;
  expect(asked.splice(0)).toEqual([`${PHONE_ID}/smb_app_data history`, contacts]);
  await follow(silent, 1);
  await follow(silent, 20 * HOUR_MS);
  expect(asked).toEqual([`${PHONE_ID}/smb_app_data history`]);
  for (const now of [20 * HOUR_MS + 1, 24 * HOUR_MS]) await follow(silent, now);
  expect(asked).toEqual([`${PHONE_ID}/smb_app_data history`, contacts]);
  expect(isDone(silent)).toBe(false);
  await follow(silent, 24 * HOUR_MS + 1);
  expect(isDone(silent)).toBe(true);
  await Promise.all([ending.dispose(), silent.dispose()]);
});
