import { expect, onTestFinished, test, vi } from "vitest";
import { SEND_TIMEOUT_MS } from "../../../core/transport/connector.ts";
import { BoundedMap } from "../bounded-map.ts";
import { Refusal } from "../errors.ts";
import { type Ask, People } from "../people/people.ts";
import { DIALOG, linkTo, ME } from "../testing.ts";
import { TIMING } from "../timing.ts";
import { OP } from "../wire/opcodes.ts";
import { ReadyFiles } from "./ready-files.ts";
import { type Line, sendMessage } from "./sender.ts";
import { SentLog } from "./sent-log.ts";

const MESSAGE = {
  id: "m1",
  to: { chatType: "max", chatId: DIALOG },
  content: { type: "text", text: "Hello" },
} as const;
const NOT_READY = new Refusal("attachment.not.ready", "errors.process.attachment.file.not.processed");

/** A connection with these responses and the timing of production. */
function lineThat(ask: Ask): Line {
  const link = linkTo("http://127.0.0.1:9");
  onTestFinished(() => link.dispose());
  return {
    ...{ link, ask, timing: TIMING, signal: link.signal },
    people: new People(ME, ask),
    sent: new SentLog(link.vault),
    ready: new ReadyFiles(),
    unread: new BoundedMap(1),
    phones: new BoundedMap(1),
  };
}

test("MAX has less time to process a file than the send", () => {
  expect(TIMING.readyMs + TIMING.readyAgainMs).toBeLessThan(SEND_TIMEOUT_MS);
});

test("the time counts from the start of the send", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const line = lineThat(async (opcode) => {
    if (opcode === OP.send) throw NOT_READY;
    vi.advanceTimersByTime(TIMING.readyMs + 1);
    return {};
  });
  await expect(sendMessage(line, MESSAGE, new AbortController().signal)).rejects.toMatchObject({
    code: "CONTENT_CONVERSION_ERROR",
    retry: "never",
  });
});

test("a send that is aborted while it waits for a refused file may be repeated", async () => {
  const limit = new AbortController();
  const line = lineThat(async (opcode) => {
    if (opcode !== OP.send) return {};
    setImmediate(() => limit.abort());
    throw NOT_READY;
  });
  await expect(sendMessage(line, MESSAGE, limit.signal)).rejects.toMatchObject({
    name: "TransportError",
    retry: "later",
  });
});
