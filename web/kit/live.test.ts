import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLive } from "./live.ts";
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
  const live = openLive({ token: () => "token", on: () => undefined });
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
  const live = openLive({ token: () => "token", on: () => undefined });
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
