import { expect, onTestFinished, test } from "vitest";
import { BoundedMap } from "./bounded-map.ts";
import { Connected } from "./connected.ts";
import { Marker } from "./inbound/marker.ts";
import type { Push } from "./line/client.ts";
import { SentLog } from "./outbound/sent-log.ts";
import { ANN, DIALOG, FAST, linkTo, ME } from "./testing.ts";
import { OP } from "./wire/opcodes.ts";

const START = 1_790_000_000_000;
const LOGIN = { chats: [{ id: DIALOG, type: "DIALOG" }], time: START };
/** The number of pushes that may wait to be stored. */
const ROOM = 500;
const TYPING: Push = { opcode: 129, payload: { chatId: DIALOG, userId: ANN } };

/** A logged-in connection whose requests have empty responses. `closed` resolves with why it was closed. */
function connect() {
  const link = linkTo("http://127.0.0.1:9");
  const { promise: closed, resolve: close } = Promise.withResolvers<string>();
  const client = { ended: closed, call: async () => ({}), close: (why = "") => close(why) };
  const marker = new Marker(link);
  const [sent, phones] = [new SentLog(link.vault), new BoundedMap<string, string | null>(1)];
  const about = { link, client, marker, sent, phones, timing: FAST, self: ME, signal: link.signal };
  const connected = new Connected({ ...about, revoked: () => undefined });
  onTestFinished(async () => {
    link.abort();
    await connected.settle();
    await link.dispose();
  });
  return { link, connected, marker, closed };
}

function messageAt(time: number): Push {
  const message = { id: String(time), time, sender: ANN, text: "Hello", attaches: [] };
  return { opcode: OP.newMessage, payload: { chatId: DIALOG, message } };
}

test("after a push was dropped, later messages do not advance the marker past it", async () => {
  const { link, connected, marker, closed } = connect();
  for (let index = 1; index <= ROOM + 1; index++) connected.take(messageAt(START + index));
  const [storing, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  link.onEmit(() => {
    storing.resolve();
    return release.promise;
  });
  await connected.catchUp(LOGIN);
  await storing.promise;
  connected.take(messageAt(START + 10 * 60_000));
  release.resolve();
  expect(await closed).toBe("too many pushes");
  expect(marker.time).toBe(START + ROOM);
});

test("ignored pushes take no room from messages", async () => {
  const { link, connected } = connect();
  for (let index = 0; index <= ROOM; index++) connected.take(TYPING);
  connected.take(messageAt(START + 1));
  await connected.catchUp(LOGIN);
  const { kind } = await link.waitFor((event) => event.kind === "message");
  expect(kind).toBe("message");
});
