import { AdminError } from "../http/fields.ts";
import type { Given } from "./phone.ts";

/** The body of a message for any emulator: they use the same fields, with a few exceptions, and ignore the others. */
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

/** The message that an action refers to. */
export function targetOf({ message }: Given): string {
  if (message === undefined) throw new AdminError(400, "invalid_field", "message must be the id of one");
  return message;
}
