import { createHash } from "node:crypto";

/** A person with WhatsApp on their phone. */
export interface Person {
  /** The admin API's id; default: the digits of the number. */
  readonly id: string;
  /** Digits only. Change it only with `World.putPerson`, which indexes people by it. */
  phone: string;
  name: string;
  /** Without the `@`. */
  username: string | undefined;
  /** A user with a username, whom businesses know only by the business-scoped id. */
  hidesNumber: boolean;
  /** Incremented with each new business-scoped id. */
  idGeneration: number;
}

/** `US.13491208655302741918`: one business's id of the person, independent of their number. */
export function userIdOf(person: Person, businessId: string): string {
  const digest = createHash("sha256").update(`${businessId} ${person.id} ${person.idGeneration}`).digest();
  return `${countryOf(person.phone)}.${digest.readBigUInt64BE() | (1n << 63n)}`;
}

const countries: readonly (readonly [prefix: string, country: string])[] = [
  ["1", "US"],
  ["7", "RU"],
  ["380", "UA"],
  ["44", "GB"],
  ["48", "PL"],
  ["49", "DE"],
  ["55", "BR"],
  ["90", "TR"],
  ["91", "IN"],
];

function countryOf(phone: string): string {
  return countries.find(([prefix]) => phone.startsWith(prefix))?.[1] ?? "US";
}

/** Whether a text has the format of a business-scoped user id. */
export function isUserId(text: string): boolean {
  return /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{8,128}$/.test(text);
}
