import type { Forgery } from "../fault.ts";
import { headerBytes, writeFrame } from "../wire/binary-codec.ts";
import { command, type Frame } from "../wire/frame.ts";
import type { Connection } from "../world/account.ts";

interface Forged {
  readonly frame: Frame;
  readonly payload: unknown;
  readonly forgery: Forgery;
}

/** Responds to a request with one defect. */
export function forgeAnswer(connection: Connection, { frame, payload, forgery }: Forged): void {
  const answer = { cmd: command.answer, seq: frame.seq, opcode: frame.opcode, payload };
  const send = (changes: Partial<Frame>) => connection.send({ ...answer, ...changes });
  if (forgery === "seq") send({ seq: (frame.seq + 1000) & 0xffff });
  else if (forgery === "opcode") send({ opcode: frame.opcode + 1 });
  else if (forgery === "payload") send({ payload: { unexpected: true } });
  else if (forgery === "twice") for (let time = 0; time < 2; time++) send({});
  else connection.sendRaw(spoil(connection.encode(answer), forgery, frame));
}

function spoil(encoded: Buffer | string, forgery: Forgery, frame: Frame): Buffer | string {
  if (typeof encoded === "string") return forgery === "garbage" ? "\u0000{]" : encoded.slice(0, -2);
  if (forgery === "truncated") return encoded.subarray(0, Math.max(headerBytes, encoded.length - 3));
  const header = { cmd: command.answer, seq: frame.seq, opcode: frame.opcode };
  if (forgery === "bomb") return writeFrame({ ...header, flags: 254, body: bomb() });
  if (forgery === "garbage") return writeFrame({ ...header, flags: 0, body: Buffer.from("c1c1c1c1", "hex") });
  const longer = Buffer.from(encoded);
  longer.writeUInt32BE(longer.readUInt32BE(6) + 100, 6);
  return longer;
}

/** A block of 64 KB that declares 16 MB of the same byte. */
function bomb(): Buffer {
  return Buffer.concat([
    Buffer.from([0x1f, 0x41, 0x01, 0x00]),
    Buffer.alloc(64 * 1024, 0xff),
    Buffer.from([0, 0]),
  ]);
}
