import { invalidNameMessage, normalChatId, normalPhone } from "../chat/names.ts";
import { AppError } from "../errors.ts";
import { type GroupCapabilities, type TransportDefinition, traitsOf } from "../transport/definition.ts";
import type { GroupPersonName } from "../transport/groups.ts";

/** A person as a client names them: exactly one of these. */
export interface GivenPerson {
  readonly chatId?: string | undefined;
  readonly phone?: string | undefined;
  readonly username?: string | undefined;
}

interface Fault {
  readonly field: string;
  readonly message: string;
}

/**
 * The people of a request in normal form. Throws VALIDATION_ERROR with every faulty one, and GROUP_TOO_MANY_PARTICIPANTS.
 * Pure.
 */
export function namesOf(
  definition: TransportDefinition,
  { limits }: GroupCapabilities,
  people: readonly GivenPerson[],
  field: string,
): GroupPersonName[] {
  const { max } = limits.people;
  if (people.length > max) throw new AppError("GROUP_TOO_MANY_PARTICIPANTS", { data: { max } });
  const seen = new Set<string>();
  const faults: Fault[] = [];
  const names = people.flatMap((person, index) => {
    const name = nameOf(definition, person);
    const at = `${field}.${index}`;
    if ("message" in name)
      faults.push({ field: name.field === null ? at : `${at}.${name.field}`, message: name.message });
    else if (seen.has(JSON.stringify(name))) faults.push({ field: at, message: "is named twice" });
    else {
      seen.add(JSON.stringify(name));
      return [name];
    }
    return [];
  });
  if (faults.length > 0) throw new AppError("VALIDATION_ERROR", { data: { fields: faults } });
  return names;
}

type NameFault = { readonly field: string | null; readonly message: string };

function nameOf(definition: TransportDefinition, person: GivenPerson): GroupPersonName | NameFault {
  const { chatId, phone, username } = person;
  const { addressBy, groups } = definition.capabilities;
  const given = [chatId, phone, username].filter((each) => each !== undefined);
  if (given.length !== 1) return { field: null, message: "needs one of chat_id, phone and username" };
  const refused = (field: string): NameFault => ({
    field,
    message: "people of this transport have no such name",
  });
  if (chatId !== undefined) {
    const groupType = groups?.chatType ?? "";
    const id = normalChatId(traitsOf(groupType)?.personType ?? groupType, chatId);
    return id === null ? { field: "chat_id", message: invalidNameMessage("chatId") } : { id };
  }
  if (phone !== undefined) {
    if (!addressBy.includes("phone")) return refused("phone");
    const digits = normalPhone(phone);
    return digits === null ? { field: "phone", message: invalidNameMessage("phone") } : { phone: digits };
  }
  if (!addressBy.includes("username")) return refused("username");
  const bare = (username ?? "").replace(/^@/, "");
  return bare === "" ? { field: "username", message: invalidNameMessage("username") } : { username: bare };
}

/** The inverse, for answers. Pure. */
export function givenNameOf(person: GroupPersonName): GivenPerson {
  return "id" in person ? { chatId: person.id } : person;
}
