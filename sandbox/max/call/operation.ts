import { type FieldErrors, StrictFields } from "../../http/strict-fields.ts";
import { badPayload } from "../refusal.ts";
import type { Account, Connection, Session } from "../world/account.ts";
import type { World } from "../world/world.ts";

/** A request that is allowed after SESSION_INIT, without a login. */
export interface GuestCall {
  readonly world: World;
  readonly connection: Connection;
  readonly fields: StrictFields;
}

/** A request of a logged-in client. */
export interface MemberCall extends GuestCall {
  readonly session: Session;
  readonly account: Account;
}

/** An operation: its name, the fields of its payload, and its handler, which throws a `Refusal`. */
export interface Operation<Call> {
  readonly name: string;
  readonly fields: readonly string[];
  /** Returns the payload of the response; `noPayload` for command 2. */
  readonly run: (call: Call) => unknown;
}

export type Operations<Call> = Readonly<Record<number, Operation<Call>>>;

/** The response is command 2 without a payload. */
export const noPayload = Symbol("no payload");

const errors: FieldErrors = {
  unknown: (name) => new UnknownField(`unknown field ${name}`),
  missing: (name) => badPayload(`field ${name} is missing`),
  wrongType: (name, expected) => badPayload(`field ${name} must be ${expected}`),
};

/** Distinguished from other refusals only in the journal. */
export class UnknownField extends Error {}

/** Reads the fields of an object in a payload; fields not in `known` are refused. */
export function strictFields(value: unknown, known: readonly string[], path = ""): StrictFields {
  return new StrictFields(value ?? {}, known, errors, path);
}

/** The number of a person, chat or file. */
export function needNumber(fields: StrictFields, name: string): number {
  const value = fields.integer(name);
  if (value === undefined) throw fields.missing(name);
  return value;
}

/** The number of a message: an integer, or its digits as text. */
export function needMessageId(fields: StrictFields, name: string): bigint {
  const value = fields.raw(name);
  if (value === undefined) throw fields.missing(name);
  return toMessageId(value, name);
}

export function needMessageIds(fields: StrictFields, name: string): bigint[] {
  const values = fields.list(name);
  if (!values || values.length === 0) throw fields.missing(name);
  return values.map((value) => toMessageId(value, name));
}

function toMessageId(value: unknown, name: string): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && /^\d{1,19}$/.test(value)) return BigInt(value);
  throw badPayload(`field ${name} must be the number of a message`);
}

export function needNumbers(fields: StrictFields, name: string): number[] {
  const values = fields.list(name);
  if (!values) throw fields.missing(name);
  return values.map((value) => {
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    throw badPayload(`field ${name} must hold numbers`);
  });
}
