import { unzipSync } from "node:zlib";
import type Long from "long";
import { TlReader } from "../tl/reader.ts";
import { currentSchema } from "../tl/schema.ts";
import { ids, TlError } from "../tl/value.ts";
import { type ServiceMessage, takeService } from "./service.ts";
import type { Session } from "./session.ts";

/** A client's message, extracted from its envelope or container. */
export interface IncomingMessage {
  readonly id: Long;
  readonly seqNo: number;
  readonly body: Buffer;
}

/** Executes a call and responds to it. */
export type TakeCall = (session: Session, id: Long, reader: TlReader) => Promise<void>;

/** The maximum number of messages in a container. */
const maxContainer = 1020;

/** Processes a message once: a container, a service message or a call. */
export async function receiveMessage(
  session: Session,
  message: IncomingMessage,
  takeCall: TakeCall,
): Promise<void> {
  const reader = new TlReader(session.schema, unzip(message.body));
  const kind = reader.peek();
  const known = session.received.find(message.id);
  // If a container is repeated, each of its messages is.
  if (kind === ids.container) return unpack(session, message, takeCall);
  if (known) return repeatAnswer(session, message.id);
  const isContent = !silent.has(session.schema.byId(kind)?.name ?? "");
  const fault = session.received.fault(message.id, message.seqNo, isContent);
  if (fault !== undefined) return refuse(session, message, fault);
  session.received.add(message.id, message.seqNo);
  if (session.schema.byId(kind)?.name.startsWith("mt_") === true)
    return takeService(session, message.id, reader.object() as ServiceMessage);
  await takeCall(session, message.id, reader);
}

/** Service messages that need no confirmation, and therefore have an even sequence number. */
const silent = new Set(["mt_msgs_ack", "mt_http_wait"]);

async function unpack(session: Session, message: IncomingMessage, takeCall: TakeCall): Promise<void> {
  if (message.seqNo % 2 === 1) return refuse(session, message, 34);
  session.received.add(message.id, message.seqNo);
  const reader = new TlReader(session.schema, message.body, 4);
  const count = reader.int();
  if (count > maxContainer) return refuse(session, message, 64);
  for (let index = 0; index < count; index++) {
    const [id, seqNo, length] = [reader.long(), reader.int(), reader.int()];
    const body = reader.raw(length);
    if (id.greaterThanOrEqual(message.id)) return refuse(session, message, 64);
    await receiveMessage(session, { id, seqNo, body }, takeCall);
  }
}

/** A repeated message: its response or confirmation is sent again. It is not executed again. */
function repeatAnswer(session: Session, id: Long): void {
  session.world.note("repeated", { key: session.key, detail: id.toString() });
  session.reply({ _: "mt_msgs_ack", msgIds: [id] });
  const answer = session.received.find(id)?.answer;
  if (answer) session.repeatAnswer(answer);
}

function refuse(session: Session, { id, seqNo }: IncomingMessage, errorCode: number): void {
  session.world.note("bad_message", { key: session.key, detail: String(errorCode) });
  session.reply({ _: "mt_bad_msg_notification", badMsgId: id, badMsgSeqno: seqNo, errorCode });
}

/** Servers accept the headers of gzip and of zlib; mtcute sends the latter. */
function unzip(body: Buffer): Buffer {
  if (body.length < 4 || body.readUInt32LE(0) !== ids.gzip) return body;
  const packed = new TlReader(currentSchema, body, 4).bytes();
  try {
    return unzipSync(packed, { maxOutputLength: 16 * 1024 * 1024 });
  } catch {
    throw new TlError("fetch");
  }
}
