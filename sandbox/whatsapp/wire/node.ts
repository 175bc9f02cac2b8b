import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from "baileys/lib/WABinary/index.js";

/** A stanza or a part of one, like an XML element. */
export type Node = BinaryNode;

/** The address of the server itself: a JID without a user. */
export const serverName = "@s.whatsapp.net";

/** Creates a node; undefined attributes are omitted. */
export function node(
  tag: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  content?: Node[] | Uint8Array | string,
): Node {
  const attrs: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) attrs[name] = value;
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}

export function children(parent: Node | undefined, tag?: string): Node[] {
  const content = Array.isArray(parent?.content) ? parent.content : [];
  return tag === undefined ? content : content.filter((each) => each.tag === tag);
}

export function child(parent: Node | undefined, tag: string): Node | undefined {
  return children(parent, tag)[0];
}

/** The bytes of a node with binary or text content; undefined if it has none. */
export function bytesOf(of: Node | undefined): Buffer | undefined {
  const content = of?.content;
  return content === undefined || Array.isArray(content) ? undefined : Buffer.from(content);
}

/** The bytes of a required child, for example `needBytes(skey, "value", 32)`. */
export function needBytes(parent: Node | undefined, tag: string, size?: number): Buffer {
  const bytes = bytesOf(child(parent, tag));
  if (!bytes || (size !== undefined && bytes.length !== size)) throw new MalformedStanza(tag);
  return bytes;
}

/** A big-endian number of up to 6 bytes. */
export function needNumber(parent: Node | undefined, tag: string): number {
  const bytes = needBytes(parent, tag);
  return bytes.readUIntBE(0, bytes.length);
}

export function bigEndian(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

/** A part of a stanza is missing or has the wrong size; the response is 400. */
export class MalformedStanza extends Error {
  constructor(part: string) {
    super(`${part} is missing or malformed`);
  }
}

export const encodeNode = (value: Node): Buffer => encodeBinaryNode(value);
export const decodeNode = (bytes: Buffer): Promise<Node> => decodeBinaryNode(bytes);

/** Unix seconds, as in stanzas. */
export function seconds(atMs: number): string {
  return String(Math.floor(atMs / 1000));
}
