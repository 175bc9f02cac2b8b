import { signal } from "@preact/signals";
import type { Frame } from "../../sandbox/phone/shape.ts";
import { online } from "../kit/offline.tsx";
import { addressOf } from "./api.ts";

/** Whether the shown traffic is live. */
export const isLive = signal(true);

/** Follows one messenger until it is stopped; the browser reconnects automatically. */
export function followLive(
  messenger: string,
  people: ReadonlySet<string>,
  take: { readonly frames: (items: readonly Frame[]) => void; readonly changed: () => void },
): () => void {
  const query = new URLSearchParams([...people].map((person) => ["person", person]));
  const source = new EventSource(`${addressOf(messenger, "live")}?${query}`);
  source.onopen = () => {
    isLive.value = true;
    online.value = true;
    take.changed();
  };
  source.onerror = () => {
    isLive.value = false;
  };
  source.addEventListener("frames", (event: MessageEvent<string>) => {
    take.frames((JSON.parse(event.data) as { readonly items: readonly Frame[] }).items);
  });
  source.addEventListener("changed", take.changed);
  return () => source.close();
}
