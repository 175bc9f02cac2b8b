import { withSnakeKeys } from "../../platform/foreign/snake-case.ts";
import { CREATION_KINDS } from "./creation-kinds.ts";
import type { Event } from "./event.ts";
import type { CreationFact } from "./facts.ts";

/** `createContact` or `createDeal` of a v3 webhook, or the equivalent v2 event. Pure. */
export function creationEvent(fact: CreationFact): Event {
  const { accountId, channelId, chat, creationId, request, client, version } = fact;
  const kind = CREATION_KINDS["contacts" in request ? "deal" : "contact"][version];
  const body =
    version === "v3" ? request : withSnakeKeys(client === null ? request : { ...request, recipient: client });
  return { accountId, kind, channelId, chat: creationId, subject: chat, body };
}
