import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import type { ViberMessage } from "./update.ts";

/** The body of a message (developers.viber.com, "Receive message from user"). Unknown types are `unsupported`. */
export function toBody(message: ViberMessage): MessageBody {
  const { type = message.text === undefined ? "message" : "text", text, media } = message;
  switch (type) {
    case "text":
      return text === undefined ? { type: "unsupported", what: type } : { type: "text", text };
    case "picture":
      return mediaBody("image", message);
    case "sticker":
      return mediaBody("image", message);
    case "video":
      return mediaBody("video", message);
    case "file":
      return mediaBody("document", message);
    case "url":
      return media === undefined ? { type: "unsupported", what: type } : { type: "text", text: media };
    case "contact":
      return contactBody(message);
    case "location":
      return placeBody(message);
    default:
      return { type: "unsupported", what: type };
  }
}

/** Falls back to the text if the file is missing. */
function mediaBody(kind: "image" | "video" | "document", message: ViberMessage): MessageBody {
  const { media, text = "", file_name: name, size } = message;
  if (media === undefined) return text === "" ? { type: "unsupported", what: kind } : { type: "text", text };
  const file: FileRef = {
    token: media,
    ...(name !== undefined && { name }),
    ...(size !== undefined && size > 0 && { size }),
  };
  return { type: "media", media: kind, file, text };
}

function contactBody({ contact = {} }: ViberMessage): MessageBody {
  const { name, phone_number: phone } = contact;
  if (phone === undefined)
    return name === undefined ? { type: "unsupported", what: "contact" } : { type: "text", text: name };
  const lines = [`N:;${escaped(name ?? "")};;;`, `FN:${escaped(name ?? phone)}`, `TEL:${escaped(phone)}`];
  return {
    type: "vcard",
    vcard: ["BEGIN:VCARD", "VERSION:3.0", ...lines, "END:VCARD"].join("\r\n"),
  };
}

/** RFC 2426, section 5. */
function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}

function placeBody({ location }: ViberMessage): MessageBody {
  const { lat: latitude, lon: longitude } = location ?? {};
  if (latitude === undefined || longitude === undefined) return { type: "unsupported", what: "location" };
  return { type: "geo", latitude, longitude, text: "" };
}
