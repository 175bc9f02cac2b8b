import Long from "long";
import type { Clock } from "../../clock.ts";
import type { Schema } from "../tl/schema.ts";
import { ids, type ServerObject } from "../tl/value.ts";
import { encode, TlWriter } from "../tl/writer.ts";
import type { Forgery } from "../world/forgery.ts";
import { type AuthKey, randomLong, saltsFrom } from "./auth-key.ts";
import { sealEnvelope } from "./envelope.ts";
import { MessageIds } from "./message-id.ts";
import { Outbox, type Outgoing } from "./outbox.ts";
import { IncomingSequence } from "./sequence.ts";

/** A message of the server, ready for a packet or a container. */
interface Part {
  readonly id: Long;
  readonly seqNo: number;
  readonly body: Buffer;
}

/** The dependencies of sessions. */
export interface SessionWorld {
  readonly clock: Clock;
  readonly settings: { readonly queuedUpdates: number };
  readonly changed: () => void;
  schemaOf(layer: number | undefined): Schema;
  takeForgery(kind: Forgery): boolean;
  forgetSession(keyId: string, id: Long): boolean;
  forgetKey(key: AuthKey): void;
  note(event: string, about: { readonly key: AuthKey; readonly detail?: string }): void;
}

/** The connection of a session. */
export interface SessionConnection {
  readonly isOpen: boolean;
  send(packet: Uint8Array): void;
  drop(): void;
  expectPingWithin(seconds: number): void;
}

/** Maximum messages in a container, and bytes after which it is sent at once. */
const maxParts = 100;
const maxPacketBytes = 256 * 1024;

/** An MTProto session: survives its connections, and repeats unconfirmed messages on the next one. */
export class Session {
  readonly world: SessionWorld;
  readonly key: AuthKey;
  readonly id: Long;
  readonly received = new IncomingSequence();
  readonly outbox = new Outbox();
  readonly #messageIds = new MessageIds();
  #contentMessages = 0;
  #batch: Part[] = [];
  connection: SessionConnection | undefined;
  /** False until it makes a call that is not wrapped in `invokeWithoutUpdates`. */
  wantsUpdates = false;
  /** When it last had a connection. */
  seenAtMs: number;

  constructor(world: SessionWorld, key: AuthKey, id: Long) {
    this.world = world;
    this.key = key;
    this.id = id;
    this.seenAtMs = world.clock.nowMs();
  }

  get schema(): Schema {
    return this.world.schemaOf(this.key.layer);
  }

  get isOnline(): boolean {
    return this.connection?.isOpen === true;
  }

  /** Takes over a connection and sends what the last one did not deliver. */
  attach(connection: SessionConnection): void {
    this.seenAtMs = this.world.clock.nowMs();
    if (this.connection === connection) return;
    this.connection = connection;
    const tooMany = this.outbox.waitingUpdates > this.world.settings.queuedUpdates;
    if (tooMany) this.outbox.forgetUpdates();
    const { due, lost } = this.outbox.takeDue(this.seenAtMs);
    for (const each of due) this.#transmit(each);
    if (tooMany || lost) this.push({ _: "updatesTooLong" });
  }

  detach(connection: SessionConnection): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    this.seenAtMs = this.world.clock.nowMs();
  }

  /** Sends an update, or keeps it for the next connection. */
  push(update: ServerObject): void {
    this.#deliver({ body: encode(this.schema, update), kind: "update" });
  }

  /** Sends a service message that the client must confirm. */
  tell(message: ServerObject): void {
    this.#deliver({ body: encode(this.schema, message), kind: "service" });
  }

  /** Sends the result of a call. */
  answer(requestId: Long, result: Buffer): void {
    const body = new TlWriter(this.schema).uint(ids.rpcResult).long(requestId).raw(result).finish();
    const request = this.received.find(requestId);
    if (request) request.answer = body;
    this.#deliver({ body, kind: "answer" });
  }

  /** Repeats the result of a call for a client that repeated the call. */
  repeatAnswer(body: Buffer): void {
    this.#deliver({ body, kind: "answer" });
  }

  /** Sends an object that needs no confirmation, such as a pong; dropped without a connection. */
  reply(message: ServerObject): void {
    const id = this.#messageIds.next(this.world.clock.nowMs(), true);
    this.#write({ id, seqNo: this.#contentMessages * 2, body: encode(this.schema, message) });
  }

  /** Sends a message again that the client reports as missing. */
  repeat(id: Long): void {
    const message = this.outbox.find(id);
    if (message) this.#transmit(message);
  }

  #deliver(message: Outgoing): void {
    if (this.isOnline) this.#transmit(message);
    else this.outbox.hold(message);
  }

  #transmit(message: Outgoing): void {
    const nowMs = this.world.clock.nowMs();
    const isFirst = message.sent === undefined;
    message.sent ??= {
      id: this.#messageIds.next(nowMs, message.kind === "answer"),
      seqNo: this.#contentMessages++ * 2 + 1,
      atMs: nowMs,
    };
    this.outbox.transmitted(message);
    const { id, seqNo } = message.sent;
    this.#write({ id, seqNo, body: message.body });
    if (isFirst && message.kind === "update" && this.world.takeForgery("replay"))
      this.#write({ id, seqNo, body: message.body });
  }

  /** Messages written in the same turn of the event loop are sent in one packet. */
  #write(part: Part): void {
    if (this.#batch.length === 0) setImmediate(() => this.#flush());
    this.#batch.push(part);
    const bytes = this.#batch.reduce((sum, { body }) => sum + body.length, 0);
    if (this.#batch.length >= maxParts || bytes > maxPacketBytes) this.#flush();
  }

  #flush(): void {
    const parts = this.#batch;
    this.#batch = [];
    const [only] = parts;
    if (only && parts.length === 1) this.#seal(only);
    else if (only) this.#seal(this.#container(parts));
  }

  /** Several messages in one, which has no content of its own, so its number is even. */
  #container(parts: readonly Part[]): Part {
    const writer = new TlWriter(this.schema).uint(ids.container).int(parts.length);
    for (const { id, seqNo, body } of parts) writer.long(id).int(seqNo).int(body.length).raw(body);
    const id = this.#messageIds.next(this.world.clock.nowMs(), false);
    return { id, seqNo: this.#contentMessages * 2, body: writer.finish() };
  }

  #seal({ id, seqNo, body }: Part): void {
    const { world, key } = this;
    const good = saltsFrom(key, world.clock.now(), 1)[0]?.salt ?? Long.ZERO;
    const age = world.takeForgery("old_msg_id") ? new Long(0, 900) : Long.ZERO;
    const envelope = {
      salt: world.takeForgery("server_salt") ? randomLong() : good,
      sessionId: world.takeForgery("session_id") ? randomLong() : this.id,
      messageId: id.subtract(age),
      seqNo,
      body,
    };
    this.connection?.send(sealEnvelope(key.key, key.id, envelope, world.takeForgery("msg_key")));
  }
}
