import { AdminError } from "../http/fields.ts";
import type { Given } from "./phone.ts";

/**
 * The body of a message for any emulator: they read the same fields, a few under names of their own, and take no notice of
 * those that are not theirs.
 */
export function messageBody(given: Given): Readonly<Record<string, unknown>> {
  const { kind = "text", text, name, phone, title, ...rest } = given;
  return {
    kind,
    text,
    ...(kind !== "text" && { caption: text }),
    name: name ?? title,
    first_name: name,
    phone,
    phone_number: phone,
    title,
    ...rest,
  };
}

/** The message that an act is about. */
export function targetOf({ message }: Given): string {
  if (message === undefined) throw new AdminError(400, "invalid_field", "message must be the id of one");
  return message;
}
