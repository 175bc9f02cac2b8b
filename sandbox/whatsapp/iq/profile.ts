import { bytesOf, type Node, node } from "../wire/node.ts";
import { type IqCall, IqError, needCompanion, notDone, notFound } from "./call.ts";

/** The longest "about" text of WhatsApp's own clients, in characters. */
const longestAbout = 139;

/** A device sets the "about" text of its account; others read it with `usync`. */
export function answerAbout(call: IqCall): undefined {
  const { person } = needCompanion(call);
  const { stanza, first, world } = call;
  if (stanza.attrs["type"] !== "set" || first?.tag !== "status") throw notDone();
  const text = bytesOf(first)?.toString() ?? "";
  if ([...text].length > longestAbout) throw new IqError(406, "not-acceptable");
  person.about = { text, atMs: world.nowMs() };
  world.changed();
}

/** Nobody has a business account: a query of profiles finds none, that of a verified name fails. */
export function answerBusiness(call: IqCall): Node[] {
  needCompanion(call);
  const { stanza, first } = call;
  if (stanza.attrs["type"] !== "get") throw notDone();
  if (first?.tag === "business_profile") return [node("business_profile", { v: first.attrs["v"] }, [])];
  if (first?.tag === "verified_name") throw notFound();
  throw notDone();
}

/** There are no channels ("newsletters"): an account has no reactions in any, and queries of one fail. */
export function answerNewsletter(call: IqCall): Node[] {
  needCompanion(call);
  if (call.stanza.attrs["to"]?.endsWith("@newsletter")) throw notFound();
  if (call.first?.tag !== "my_addons") throw notDone();
  return [node("my_addons", {}, [])];
}
