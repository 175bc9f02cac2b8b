import { gzipSync } from "node:zlib";
import type Long from "long";
import type { Numbered } from "../../journal.ts";
import type { Session } from "../mtproto/session.ts";
import type { TlReader } from "../tl/reader.ts";
import { ids, TlError, type TlObject } from "../tl/value.ts";
import { TlWriter } from "../tl/writer.ts";
import type { CallRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { checkAccess } from "./access.ts";
import { Call } from "./call.ts";
import { RpcError } from "./error.ts";
import type { Fault } from "./fault.ts";
import { methods } from "./table.ts";
import { targetOf } from "./target.ts";
import { unwrapCall } from "./unwrap.ts";

/** Longer responses are compressed if that makes them smaller. */
const gzipFromBytes = 4096;

type AnyMethod = (request: TlObject, call: Call) => unknown;

/** Executes the calls of clients and responds to them. */
export class Calls {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Responds to a call, also with its error. */
  async take(session: Session, id: Long, reader: TlReader): Promise<void> {
    const call = new Call(this.#world, session);
    let request: TlObject;
    try {
      request = unwrapCall(session, reader);
    } catch (error) {
      this.#note(call, "unknown", error);
      return this.#refuse(session, id, error);
    }
    const fault = this.#takeFault(call, request);
    if (fault?.kind === "drop_before") {
      session.received.forget(id);
      return this.#drop(session, fault);
    }
    const record = this.#note(call, request._, undefined);
    try {
      if (fault?.kind === "error") throw new RpcError(fault.errorCode, fault.errorText);
      const result = await this.#run(call, request);
      // The response is kept for the next connection, unless the session is dropped.
      if (fault?.kind === "drop") this.#drop(session, fault);
      if (fault?.kind === "silence") return session.reply({ _: "mt_msgs_ack", msgIds: [id] });
      session.answer(id, result);
    } catch (error) {
      record.error = textOf(error);
      record.unknown = record.error === "METHOD_NOT_EMULATED";
      this.#refuse(session, id, error);
    }
  }

  async #run(call: Call, request: TlObject): Promise<Buffer> {
    checkAccess(call, request._);
    const method = (methods as Readonly<Record<string, AnyMethod | undefined>>)[request._];
    if (!method) throw new RpcError(400, "METHOD_NOT_EMULATED");
    call.key.activeAt = this.#world.clock.now();
    return serialize(call.session, request._, await method(request, call));
  }

  #takeFault(call: Call, request: TlObject): Fault | undefined {
    if (!this.#world.faults.armed) return undefined;
    const phone = call.loggedIn?.phone;
    return this.#world.faults.take({ phone, method: request._, to: targetOf(call, request) });
  }

  #drop(session: Session, { forget }: Fault): void {
    const { connection } = session;
    if (forget) this.#world.forgetSession(session.key.id, session.id);
    connection?.drop();
  }

  #note({ key, loggedIn, session }: Call, method: string, error: unknown): Numbered<CallRecord> {
    return this.#world.rpcs.append({
      at: this.#world.stamp(),
      phone: loggedIn?.phone ?? null,
      dc: key.dc,
      session: key.hash.toString(),
      layer: session.schema.layer,
      method,
      error: error === undefined ? null : textOf(error),
      unknown: false,
    });
  }

  #refuse(session: Session, id: Long, error: unknown): void {
    const errorCode = error instanceof RpcError ? error.code : error instanceof TlError ? 400 : 500;
    const writer = new TlWriter(session.schema);
    writer.object({ _: "mt_rpc_error", errorCode, errorMessage: textOf(error) } as TlObject);
    session.answer(id, writer.finish());
  }
}

function serialize(session: Session, name: string, result: unknown): Buffer {
  const method = session.schema.byName(name);
  if (!method) throw new Error(`no method ${name}`);
  const writer = new TlWriter(session.schema);
  if (method.answersVector) writer.vector(method.type, result as readonly unknown[]);
  else writer.value(method.type, result);
  const plain = writer.finish();
  if (plain.length < gzipFromBytes || name.startsWith("upload.")) return plain;
  return new TlWriter(session.schema).uint(ids.gzip).bytes(gzipSync(plain)).finish();
}

/** The text of an `rpc_error`. A bug of the emulator appears as an error of the server. */
function textOf(error: unknown): string {
  if (error instanceof RpcError) return error.message;
  if (!(error instanceof TlError))
    return `INTERNAL_${error instanceof Error ? error.message : String(error)}`;
  if (error.kind === "fetch") return "INPUT_FETCH_ERROR";
  return `INPUT_${error.kind.toUpperCase()}_INVALID_${error.id}`;
}
