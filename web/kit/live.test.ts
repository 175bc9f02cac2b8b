import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openLive, SILENCE_MS } from "./live.ts";
import { online } from "./offline.tsx";

beforeEach(() => {
  const events = new EventTarget();
  vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
  vi.stubGlobal("document", events);
});
afterEach(() => {
  vi.unstubAllGlobals();
  online.value = true;
});

test("whatever the stream brings ends the notice of a request that failed meanwhile", async () => {
  const { readable, writable } = new TransformStream<string, string>();
  const response = new Response(readable.pipeThrough(new TextEncoderStream()));
  vi.stubGlobal("fetch", () => Promise.resolve(response));
  const live = openLive({ from: "0", token: () => "token", on: () => undefined });
  const writer = writable.getWriter();
  for (const piece of ["event: ready\ndata: {}\n\n", ": beat\n\n", "id: 1\nevent: chat\ndata: {}\n\n"]) {
    online.value = false;
    await writer.write(piece);
    await expect.poll(() => online.value).toBe(true);
    expect(live.state.value).toBe("live");
  }
  live.close();
});

test("a page without a place says so, and asks again later", async () => {
  vi.useFakeTimers();
  const { readable, writable } = new TransformStream<string, string>();
  void writable.getWriter().write("event: ready\ndata: {}\n\n");
  const answers = [
    new Response("{}", { status: 429 }),
    new Response("{}", { status: 429 }),
    new Response(readable.pipeThrough(new TextEncoderStream())),
  ];
  const asked = vi.fn(() => Promise.resolve(answers.shift()));
  vi.stubGlobal("fetch", asked);
  const live = openLive({ from: "0", token: () => "token", on: () => undefined });
  try {
    await vi.advanceTimersByTimeAsync(0);
    expect(live.state.value).toBe("crowded");
    await vi.advanceTimersByTimeAsync(7_000);
    expect(asked).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(asked).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(live.state.value).toBe("live");
  } finally {
    live.close();
    vi.useRealTimers();
  }
});

describe("a connection on which nothing comes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** Each request gets a stream of its own; `requests` are the positions from which they resume. */
  function service() {
    const requests: string[] = [];
    const writers: WritableStreamDefaultWriter<string>[] = [];
    vi.stubGlobal("fetch", (_: string, { headers, signal }: RequestInit & { signal: AbortSignal }) => {
      requests.push(new Headers(headers).get("last-event-id") ?? "");
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      writers.push(writer);
      const stop = () => void writer.abort(signal.reason).catch(() => undefined);
      signal.addEventListener("abort", stop);
      return Promise.resolve(new Response(readable.pipeThrough(new TextEncoderStream())));
    });
    return { requests, write: (text: string) => writers.at(-1)?.write(text) };
  }
  /** Without moving the clock. */
  async function untilSeen(seen: () => boolean): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    while (!seen()) {
      const turn = new Promise((resolve) => port2.addEventListener("message", resolve, { once: true }));
      port2.start();
      port1.postMessage(null);
      await turn;
    }
    port1.close();
  }

  test("is reported and replaced by another one at once, which resumes at the last event", async () => {
    const { requests, write } = service();
    const seen: string[] = [];
    const live = openLive({ from: "4", token: () => "token", on: ({ type }) => seen.push(type) });
    await write("id: 4\nevent: ready\ndata: {}\n\nid: 7\nevent: chat\ndata: {}\n\n");
    await untilSeen(() => seen.length === 2);
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect([live.state.value, requests]).toEqual(["live", ["4"]]);
    await vi.advanceTimersByTimeAsync(1);
    await untilSeen(() => requests.length === 2);
    expect([live.state.value, requests]).toEqual(["offline", ["4", "7"]]);
    await write(
      "id: 7\nevent: ready\ndata: {}\n\nid: 7\nevent: chat\ndata: {}\n\nid: 8\nevent: chat\ndata: {}\n\n",
    );
    await untilSeen(() => seen.length === 4);
    // The event that it knew already is not repeated.
    expect([live.state.value, seen]).toEqual(["live", ["ready", "chat", "ready", "chat"]]);
    live.close();
  });

  test("is kept while heartbeats come", async () => {
    const { requests, write } = service();
    const live = openLive({ from: "4", token: () => "token", on: () => undefined });
    await write("id: 4\nevent: ready\ndata: {}\n\n");
    await untilSeen(() => live.state.value === "live");
    for (let beat = 0; beat < 5; beat++) {
      await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
      online.value = false;
      await write(": beat\n\n");
      await untilSeen(() => online.value);
    }
    expect([live.state.value, requests]).toEqual(["live", ["4"]]);
    live.close();
  });
});
