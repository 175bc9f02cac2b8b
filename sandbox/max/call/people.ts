import { opcode } from "../opcode.ts";
import { badPayload, notFound } from "../refusal.ts";
import { contactShape } from "../shape.ts";
import { countAgainst } from "./login.ts";
import { type MemberCall, needNumber, needNumbers, noPayload, type Operations } from "./operation.ts";

const mostContacts = 100;

/** Other people. */
export const peopleOperations: Operations<MemberCall> = {
  [opcode.contactInfo]: { name: "CONTACT_INFO", fields: ["contactIds"], run: contactInfo },
  [opcode.contactUpdate]: {
    name: "CONTACT_UPDATE",
    fields: ["contactId", "action", "firstName", "lastName"],
    run: updateContact,
  },
  [opcode.contactPresence]: { name: "CONTACT_PRESENCE", fields: ["contactIds"], run: presence },
  [opcode.contactInfoByPhone]: { name: "CONTACT_INFO_BY_PHONE", fields: ["phone"], run: byPhone },
};

/** Unknown people are omitted. */
function contactInfo({ world, fields }: MemberCall): unknown {
  const ids = needNumbers(fields, "contactIds");
  if (ids.length > mostContacts) throw badPayload(`at most ${mostContacts} contactIds`);
  return {
    contacts: ids.flatMap((id) => world.accounts.get(id) ?? []).map((each) => contactShape(world, each)),
  };
}

function byPhone({ world, account, fields }: MemberCall): unknown {
  const phone = fields.needText("phone");
  if (!/^\+?\d{5,15}$/.test(phone)) throw badPayload("field phone must be a phone number");
  countAgainst(world, `lookup:${account.id}`, { perMinute: world.flood?.lookupsPerMinute });
  const found = world.findByPhone(phone);
  if (found) return { contact: contactShape(world, found) };
  if (world.settings.notFoundAs === "empty") return noPayload;
  throw notFound("contact");
}

/** `BLOCK` and `UNBLOCK` set whose messages are refused. */
function updateContact({ world, account, fields }: MemberCall): unknown {
  const contact = world.accounts.get(needNumber(fields, "contactId"));
  if (!contact) throw notFound("contact");
  const action = fields.oneOf("action", ["ADD", "REMOVE", "UPDATE", "BLOCK", "UNBLOCK"]);
  if (action === undefined) throw fields.missing("action");
  if (action === "ADD") account.contacts.add(contact.id);
  if (action === "REMOVE") account.contacts.delete(contact.id);
  if (action === "BLOCK") account.blocks.add(contact.id);
  if (action === "UNBLOCK") account.blocks.delete(contact.id);
  world.changed();
  return { contact: contactShape(world, contact) };
}

function presence({ world, fields }: MemberCall): unknown {
  const people = needNumbers(fields, "contactIds").flatMap((id) => world.accounts.get(id) ?? []);
  const shapes = people.map(({ id, lastSeenMs }) => [String(id), { seen: Math.floor(lastSeenMs / 1000) }]);
  return { presence: Object.fromEntries(shapes), time: world.nowMs() };
}
