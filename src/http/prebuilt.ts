import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { takesGzip } from "./compression.ts";

const compress = promisify(gzip);

/** A response that is the same for everyone, compressed once. */
export interface Prebuilt {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  /** Of the content, in either coding: weak, since their bytes differ. */
  readonly etag: string;
}

export async function prebuild(type: string, content: string | Buffer): Promise<Prebuilt> {
  const plain = Buffer.from(content);
  const etag = `W/"${hash("sha256", plain, "base64url").slice(0, 22)}"`;
  return { type, plain, gzip: await compress(plain, { level: 9 }), etag };
}

/** Sends it compressed if the client takes that, or 304 if the client has it. `reply` has all other headers. */
export function sendPrebuilt(request: FastifyRequest, reply: FastifyReply, built: Prebuilt): FastifyReply {
  reply.headers({ "content-type": built.type, vary: "accept-encoding", etag: built.etag });
  if (isFresh(request.headers["if-none-match"], built.etag)) return reply.code(304).send();
  if (!takesGzip(request.headers["accept-encoding"])) return reply.send(built.plain);
  return reply.header("content-encoding", "gzip").send(built.gzip);
}

/** Whether a client has the content with this ETag, by its `If-None-Match` (RFC 9110, 13.1.2: compared weakly). Pure. */
export function isFresh(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const value = (tag: string): string => tag.trim().replace(/^W\//, "");
  return header.split(",").some((each) => each.trim() === "*" || value(each) === value(etag));
}
