import { useEffect } from "preact/hooks";
import type { WireMessage } from "../model.ts";
import { ask } from "../session.ts";
import { bubbleWords } from "../texts/texts.ts";
import { takeMessage } from "../thread/thread.ts";
import { Labelled } from "./parts.tsx";

/**
 * The stream reports when the file has arrived. The page also polls, because a node that was killed cannot report it.
 */
const LOOK_MS = 60_000;

/** A file that the service is still downloading from the messenger. */
export function Coming({ wire }: { readonly wire: WireMessage }) {
  useEffect(() => {
    const timer = setInterval(() => void look(wire), LOOK_MS);
    return () => clearInterval(timer);
  }, [wire.id]);
  return <Labelled icon="clock">{bubbleWords.value.fileComing}</Labelled>;
}

async function look({ id, chat_id: chat }: WireMessage): Promise<void> {
  const query = { around: id, limit: 2 };
  const page = await ask("listMessages", { path: { id: chat }, query }).catch(() => null);
  const now = page?.messages.find((message) => message.id === id);
  if (now !== undefined) takeMessage(now);
}
