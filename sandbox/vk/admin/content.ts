import { Fields, invalid, missing } from "../../http/fields.ts";
import type { Content } from "../chat/conversation.ts";
import { type Attachment, quotable } from "../shape.ts";
import { type ContentPlace, makers } from "./attachment-kind.ts";

/** Parses a message. `kind` defaults to text; `attachments` lists several. */
export async function readContent(place: ContentPlace, body: Fields): Promise<Content> {
  const kind = body.text("kind") ?? "text";
  const listed = body.list("attachments");
  const text = body.text("text") ?? "";
  const given = listed ? await readList(place, listed) : await readKind(place, kind, body);
  const attachments = given.length > 0 ? given : pastedLinks(text);
  if (kind === "text" && attachments.length === 0 && text === "") body.needText("text");
  return {
    text,
    attachments,
    ...(kind === "geo" && readGeo(body)),
    ...readQuoted(place, body),
    ...readExtras(body),
  };
}

/** VK's apps attach a preview of the address that a person pastes into a text. */
function pastedLinks(text: string): Attachment[] {
  const url = /https?:\/\/\S+/.exec(text)?.[0];
  if (url === undefined) return [];
  return [{ type: "link", link: { url, title: "A page", description: "About the page", caption: "page" } }];
}

async function readKind(place: ContentPlace, kind: string, body: Fields): Promise<Attachment[]> {
  if (kind === "text" || kind === "geo") return [];
  const make = makers[kind];
  if (make) return [await make(place, body)];
  throw invalid("kind", `text, geo, ${Object.keys(makers).join(", ")}`);
}

async function readList(place: ContentPlace, list: readonly unknown[]): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const item of list) {
    const fields = new Fields(typeof item === "string" ? { kind: item } : { ...(item as object) });
    attachments.push(...(await readKind(place, fields.needText("kind"), fields)));
  }
  return attachments;
}

/** `payload` is an object or its JSON; `ref` and `ref_source` are how the person came to the conversation. */
function readExtras(body: Fields): Content {
  const payload = body.raw("payload");
  const text = payload === undefined || typeof payload === "string" ? payload : JSON.stringify(payload);
  const ref = body.text("ref");
  const source = body.text("ref_source");
  return {
    ...(text !== undefined && { payload: text }),
    ...(ref !== undefined && { ref }),
    ...(source !== undefined && { ref_source: source }),
  };
}

export function readGeo(body: Fields): Content {
  const latitude = body.number("latitude") ?? 55.7539;
  const longitude = body.number("longitude") ?? 37.6208;
  const place = { city: "Moscow", title: "Moscow, Russia" };
  return { geo: { type: "point", coordinates: { latitude, longitude }, place } };
}

/** `reply_to` and `forward` name messages by their number in the conversation. */
function readQuoted({ dialog }: ContentPlace, body: Fields): Content {
  const find = (cmid: number) => {
    const message = dialog.get(cmid);
    if (!message) throw missing("message", cmid);
    return quotable(message);
  };
  const replyTo = body.integer("reply_to");
  const forward = body.list("forward")?.map((cmid) => find(Number(cmid)));
  return {
    ...(replyTo !== undefined && { reply_message: find(replyTo) }),
    ...(forward && { fwd_messages: forward }),
  };
}
