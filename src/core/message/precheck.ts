import type { MessageError } from "../event/facts.ts";
import type { Capabilities, TransportDefinition } from "../transport/definition.ts";
import { MAX_FILE_BYTES } from "./content.ts";
import type { SendJob } from "./send-lanes.ts";

/** What the transport's definition alone can refuse, without a network call. Pure; null when nothing is wrong. */
export function precheck({ capabilities, label }: TransportDefinition, job: SendJob): MessageError | null {
  const { recipient } = job.content;
  const { maxLength } = capabilities.text;
  if (job.text !== null && job.text.length > maxLength) {
    return { code: "TOO_LONG_TEXT", description: `${label} takes texts of at most ${maxLength} characters` };
  }
  if (isWindowOver(capabilities, job))
    return {
      code: "24_HOURS_EXCEEDED",
      description: "The person has not written for too long; only a template can be sent",
    };
  if ((job.content.attachment?.size ?? 0) > MAX_FILE_BYTES)
    return { code: "TOO_BIG_CONTENT", description: "The file is larger than 50 MB" };
  if (recipient === undefined) return null;
  const reachable =
    (recipient.username !== undefined && capabilities.addressBy.includes("username")) ||
    (recipient.phone !== undefined && capabilities.addressBy.includes("phone"));
  if (reachable) return null;
  return {
    code: "BAD_CONTACT",
    description: "This person is not known here: nobody with this username or phone has written yet",
  };
}

/** Who was never heard of here may have been elsewhere: that is the messenger's to say. */
function isWindowOver({ replyWindowMs }: Capabilities, { content, quietMs }: SendJob): boolean {
  if (replyWindowMs === undefined || quietMs === null) return false;
  return content.template === undefined && quietMs > replyWindowMs;
}
