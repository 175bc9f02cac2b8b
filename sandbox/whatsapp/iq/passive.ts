import { sendWaiting } from "../stanza/waiting.ts";
import type { Node } from "../wire/node.ts";
import { type IqCall, needCompanion } from "./call.ts";

/** A device that has logged in as passive is ready for waiting stanzas. */
export function answerPassive(call: IqCall): Node[] | undefined {
  const { world, first } = call;
  const companion = needCompanion(call);
  if (first?.tag === "active") call.afterwards(() => sendWaiting(world, companion));
  return undefined;
}
