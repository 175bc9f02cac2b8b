import { useEffect } from "preact/hooks";
import type { WireMessage } from "../model.ts";
import { ask } from "../session.ts";
import { bubbleWords } from "../texts/texts.ts";
import { takeMessage } from "../thread.ts";
import { Labelled } from "./parts.tsx";

/** The stream tells when the file is there. What a node could not tell any more, because it was killed, is asked for. */
const LOOK_MS = 60_000;

/** A file that the service still fetches from the messenger. */
export function Coming({ wire }: { readonly wire: WireMessage }) {
  useEffect(() => {
    const timer = setInterval(() => void look(wire), LOOK_MS);
    return () => clearInterval(timer);
  }, [wire.id]);
  return <Labelled icon="clock">{bubbleWords.value.fileComing}</Labelled>;
}

async function look({ id, chat_id: chat }: WireMessage): Promise<void> {
  const query = { around: id, limit: "2" };
  const page = await ask("listMessages", { path: { id: chat }, query }).catch(() => null);
  const now = page?.messages.find((message) => message.id === id);
  if (now !== undefined) takeMessage(now);
}
