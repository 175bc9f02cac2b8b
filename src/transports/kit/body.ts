import type { MessageBody } from "../../core/transport/events.ts";

/**
 * The bodies of one message with several attachments, its text with the first. A kind that cannot hold the text gets it
 * as a message of its own before it; a message without anything is `unsupported`.
 */
export function withText(
  text: string | undefined,
  [first, ...rest]: readonly MessageBody[],
): readonly [MessageBody, ...MessageBody[]] {
  if (first === undefined)
    return [text === undefined ? { type: "unsupported", what: "message" } : { type: "text", text }];
  return text === undefined ? [first, ...rest] : [...holding(text, first), ...rest];
}

function holding(text: string, body: MessageBody): readonly [MessageBody, ...MessageBody[]] {
  switch (body.type) {
    case "media":
    case "geo":
      return [{ ...body, text }];
    case "text":
      return [{ type: "text", text: `${text}\n${body.text}` }];
    default:
      return [{ type: "text", text }, body];
  }
}
