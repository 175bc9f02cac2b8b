import { randomBytes } from "node:crypto";

/** The side that wrote the message. */
export type IdSide = "in" | "out";

/** `wamid.HBgL…`: contains the person's number and the side that wrote it, like Meta's ids. */
export function newMessageId(phone: string, side: IdSide): string {
  const unique = randomBytes(9).toString("hex").toUpperCase();
  const bytes = Buffer.concat([
    Buffer.from([0x1c, 0x18, phone.length]),
    Buffer.from(phone),
    Buffer.from([0x15, 0x02, 0x00, side === "out" ? 0x11 : 0x12, 0x18, unique.length]),
    Buffer.from(unique),
    Buffer.from([0]),
  ]);
  return `wamid.${bytes.toString("base64")}`;
}
