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
