import type { MessageBody } from "../../core/transport/events.ts";

/**
 * Returns the bodies of one message that has several attachments. The first attachment carries the text, before its own,
 * such as a place's name. If its kind cannot carry text, the text becomes a separate body before it. A message with
 * neither text nor attachments is `unsupported`.
 */
export function withText(
  text: string | undefined,
  [first, ...rest]: readonly MessageBody[],
): readonly [MessageBody, ...MessageBody[]] {
  if (first === undefined)
    return [text === undefined ? { type: "unsupported", what: "message" } : { type: "text", text }];
  return text === undefined ? [first, ...rest] : [...attachText(text, first), ...rest];
}

function attachText(text: string, body: MessageBody): readonly [MessageBody, ...MessageBody[]] {
  switch (body.type) {
    case "media":
    case "geo":
      return [{ ...body, text: body.text === "" ? text : `${text}\n${body.text}` }];
    case "text":
      return [{ type: "text", text: `${text}\n${body.text}` }];
    default:
      return [{ type: "text", text }, body];
  }
}
