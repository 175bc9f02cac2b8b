import type { Person } from "../person/person.ts";
import { parseJid, phoneJid } from "../wire/jid.ts";
import { bytesOf, child, children, MalformedStanza, type Node, node, seconds } from "../wire/node.ts";
import type { World } from "../world.ts";
import { type IqCall, needCompanion } from "./call.ts";

type Part = (person: Person | undefined, world: World) => Node | undefined;

/** The parts that can be queried about a person. */
const parts: Readonly<Record<string, Part>> = {
  contact: (person) => node("contact", { type: person ? "in" : "out" }),
  lid: (person) => person && node("lid", { val: person.lidJid }),
  devices: (person, world) => person && node("devices", {}, [deviceList(person, world)]),
  status: (person) =>
    person && node("status", { t: seconds(person.about.atMs) }, Buffer.from(person.about.text)),
  disappearing_mode: (person) => person && node("disappearing_mode", { duration: "0", t: "0" }),
};

/** Whether people have an account, with their addresses and devices. */
export function answerUsync(call: IqCall): Node[] {
  needCompanion(call);
  const { first, world } = call;
  if (first?.tag !== "usync") throw new MalformedStanza("usync");
  const asked = children(child(first, "query")).map(({ tag }) => tag);
  const users = children(child(first, "list"), "user").map((user) => describeUser(world, user, asked));
  return [node("usync", first.attrs, [node("result"), node("list", {}, users)])];
}

function describeUser(world: World, user: Node, asked: readonly string[]): Node {
  const number = bytesOf(child(user, "contact"))?.toString().replace(/^\+/, "");
  const person = number === undefined ? world.findByJid(user.attrs["jid"]) : world.find(number);
  const jid = number === undefined ? bareJid(user.attrs["jid"]) : (person?.jid ?? phoneJid(number));
  const content = asked.map((what) => {
    const part = parts[what];
    return part ? part(person, world) : node(what, {}, [node("error", { code: "501" })]);
  });
  return node(
    "user",
    { jid },
    content.filter((each) => each !== undefined),
  );
}

/** The phone and all linked devices; the latter with the key index, without which clients do not write to them. */
function deviceList(person: Person, world: World): Node {
  const companions = [...person.companions.values()];
  return node("device-list", { hash: "2:sandbox", ts: seconds(world.nowMs()) }, [
    node("device", { id: "0" }),
    ...companions.map(({ device, keyIndex }) =>
      node("device", { id: String(device), "key-index": String(keyIndex) }),
    ),
  ]);
}

function bareJid(jid: string | undefined): string {
  const parsed = parseJid(jid);
  if (!parsed) throw new MalformedStanza("jid");
  return `${parsed.user}@${parsed.server}`;
}
