import { isRecord } from "../../http/fields.ts";
import type { Fault } from "../fault.ts";
import { opcode } from "../opcode.ts";
import { badPayload, internal, noHandshake, notLoggedIn, Refusal, unknownOpcode } from "../refusal.ts";
import type { Frame } from "../wire/frame.ts";
import type { Connection } from "../world/account.ts";
import type { World } from "../world/world.ts";
import { chatOperations } from "./chats.ts";
import { fileOperations } from "./files.ts";
import { forgeAnswer } from "./forgery.ts";
import { groupOperations } from "./groups.ts";
import { beginSession, handshakeFields, loginOperations } from "./login.ts";
import { messageOperations } from "./messages.ts";
import {
  type GuestCall,
  type MemberCall,
  noPayload,
  type Operations,
  strictFields,
  UnknownField,
} from "./operation.ts";
import { accountOperations } from "./own-account.ts";
import { peopleOperations } from "./people.ts";
import { writingOperations } from "./writing.ts";

const guestOperations: Operations<GuestCall> = {
  [opcode.ping]: { name: "PING", fields: ["interactive"], run: ping },
  [opcode.sessionInit]: { name: "SESSION_INIT", fields: handshakeFields, run: beginSession },
  ...loginOperations,
};

const memberOperations: Operations<MemberCall> = {
  ...accountOperations,
  ...peopleOperations,
  ...chatOperations,
  ...groupOperations,
  ...messageOperations,
  ...writingOperations,
  ...fileOperations,
};

function ping({ fields }: GuestCall): unknown {
  fields.flag("interactive");
  return undefined;
}

/** Serves and records a request, applying faults. */
export function handleRequest(world: World, connection: Connection, frame: Frame): void {
  const fault = takeFault(world, connection, frame);
  const serve = () => {
    if (fault?.drop === "before") return connection.drop();
    if (fault?.silent === "before") return record(world, connection, { frame });
    const outcome = run(world, connection, { frame, fault });
    record(world, connection, { frame, outcome });
    if (fault?.drop === "after") return connection.drop();
    if (fault?.silent === "after") return;
    answer(connection, { frame, outcome, fault });
  };
  const serveSafely = () => {
    try {
      serve();
    } catch (error) {
      noteBug(world, connection, error);
      connection.drop();
    }
  };
  if (fault?.hangMs === undefined) serveSafely();
  else setTimeout(serveSafely, fault.hangMs).unref();
}

function takeFault(world: World, { session }: Connection, { opcode: operation, payload }: Frame) {
  if (!world.faults.armed) return undefined;
  const chatId = isRecord(payload) && typeof payload["chatId"] === "number" ? payload["chatId"] : undefined;
  return world.faults.take({ opcode: operation, phone: session?.account.phone, chatId });
}

/** The outcome of a request: a payload, or the reason of the refusal. */
export interface Outcome {
  readonly payload?: unknown;
  readonly refusal?: Refusal;
  readonly unknown?: boolean;
}

function run(
  world: World,
  connection: Connection,
  { frame, fault }: { frame: Frame; fault: Fault | undefined },
): Outcome {
  if (fault?.error !== undefined) return { refusal: new Refusal(fault.error, fault.message ?? fault.error) };
  try {
    return { payload: serve(world, connection, frame) };
  } catch (error) {
    if (error instanceof UnknownField) return { refusal: badPayload(error.message), unknown: true };
    if (error instanceof Refusal) return { refusal: error, unknown: error.code === "proto.opcode" };
    noteBug(world, connection, error);
    return { refusal: internal(String(error)) };
  }
}

/** A bug of the emulator itself, which must not end its process. */
function noteBug(world: World, { session }: Connection, error: unknown): void {
  world.note("bug", session, error instanceof Error ? error.stack : String(error));
}

function serve(world: World, connection: Connection, { opcode: operation, payload }: Frame): unknown {
  const guest = guestOperations[operation];
  const member = memberOperations[operation];
  if (!connection.handshake && operation !== opcode.sessionInit) throw noHandshake();
  if (!guest && !member) throw unknownOpcode(operation);
  const fields = strictFields(payload, (guest ?? member)?.fields ?? []);
  if (guest) return guest.run({ world, connection, fields });
  const { session } = connection;
  if (!session) throw notLoggedIn();
  session.lastMs = world.nowMs();
  session.account.lastSeenMs = world.nowMs();
  return member?.run({ world, connection, fields, session, account: session.account });
}

function answer(
  connection: Connection,
  served: { frame: Frame; outcome: Outcome; fault: Fault | undefined },
): void {
  const { frame, outcome, fault } = served;
  const { payload, refusal } = outcome;
  if (fault?.forge !== undefined)
    forgeAnswer(connection, { frame, payload: payload ?? {}, forgery: fault.forge });
  else if (refusal) connection.refuse(frame, refusal);
  else if (payload === noPayload) connection.answerEmpty(frame);
  else connection.answer(frame, payload);
  // Nothing is served before the handshake; clients that try are disconnected.
  if (refusal?.code === "proto.state") connection.close(1008, refusal.message);
}

function record(
  world: World,
  connection: Connection,
  { frame, outcome }: { frame: Frame; outcome?: Outcome },
): void {
  const { session } = connection;
  const operation = guestOperations[frame.opcode] ?? memberOperations[frame.opcode];
  world.calls.append({
    at: world.stamp(),
    phone: session?.account.phone ?? null,
    session: session?.number ?? null,
    codec: connection.codecName,
    opcode: frame.opcode,
    name: operation?.name ?? "unknown",
    frame_seq: frame.seq,
    payload: plain(frame.payload),
    error: outcome?.refusal?.code ?? null,
    unknown: outcome?.unknown ?? false,
  });
}

/** The payload as JSON. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}
