import type { Attempt } from "../callback/queue.ts";
import type { Fields } from "../http/fields.ts";
import { hubSignatures } from "./signature.ts";

/** `{secret?}`: signed with another secret, or not at all. */
export function forgeSignature(
  { text, headers }: Attempt,
  body: Fields,
): { headers: Record<string, string> } {
  const unsigned = Object.entries(headers).filter(([name]) => !name.startsWith("X-Hub-"));
  const secret = body.text("secret");
  return {
    headers: { ...Object.fromEntries(unsigned), ...(secret !== undefined && hubSignatures(secret, text)) },
  };
}
