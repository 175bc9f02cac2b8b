import { children, MalformedStanza, type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion, notDone, notFound } from "./call.ts";

/** The privacy settings of the account, and the tokens that allow writing to others. */
export function answerPrivacy(call: IqCall): Node[] | undefined {
  const { person } = needCompanion(call);
  const { stanza, first } = call;
  if (first?.tag === "tokens") return [node("tokens")];
  if (first?.tag !== "privacy") throw notDone();
  if (stanza.attrs["type"] === "set") {
    for (const { attrs } of children(first, "category")) {
      const { name, value } = attrs;
      if (name === undefined || value === undefined) throw new MalformedStanza("category");
      person.privacy.set(name, value);
    }
    return undefined;
  }
  return [
    node(
      "privacy",
      {},
      [...person.privacy].map(([name, value]) => node("category", { name, value })),
    ),
  ];
}

export function answerBlocklist(call: IqCall): Node[] | undefined {
  const { person } = needCompanion(call);
  const { stanza, first, world } = call;
  if (stanza.attrs["type"] === "set") {
    const target = world.findByJid(first?.attrs["jid"]);
    if (!target) throw notFound();
    if (first?.attrs["action"] === "block") person.blocked.add(target.phone);
    else person.blocked.delete(target.phone);
    world.changed();
  }
  const items = [...person.blocked].flatMap((phone) => world.people.get(phone) ?? []);
  return [
    node(
      "list",
      {},
      items.map(({ lidJid }) => node("item", { jid: lidJid })),
    ),
  ];
}
