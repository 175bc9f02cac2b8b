import { useEffect } from "preact/hooks";
import { pause } from "../../kit/api/client.ts";
import type { WireMessage } from "../model.ts";
import { ask } from "../session.ts";
import { bubbleWords } from "../texts/texts.ts";
import { takeMessage } from "../thread.ts";
import { Labelled } from "./parts.tsx";

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;

/** A file that the service still fetches from the messenger. The stream does not tell when it is there. */
export function Coming({ wire }: { readonly wire: WireMessage }) {
  useEffect(() => {
    const gone = new AbortController();
    void untilThere(wire, gone.signal);
    return () => gone.abort();
  }, [wire.id]);
  return <Labelled icon="clock">{bubbleWords.value.fileComing}</Labelled>;
}

async function untilThere({ id, chat_id: chat }: WireMessage, gone: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(LONGEST_MS, waitMs * 1.5)) {
    await pause(waitMs, gone);
    if (gone.aborted) return;
    const query = { around: id, limit: "2" };
    const page = await ask("listMessages", { path: { id: chat }, query }, gone).catch(() => null);
    const now = page?.messages.find((message) => message.id === id);
    if (now === undefined || now.file?.state === "waiting") continue;
    takeMessage(now);
    return;
  }
}
