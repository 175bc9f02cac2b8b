import type { Socket } from "node:net";
import type Long from "long";
import { Line } from "../transport/line.ts";
import type { World } from "../world/world.ts";
import { isSaltGood, makeAuthKey, randomLong, saltsFrom } from "./auth-key.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import { Handshake, plainPacket, readPlain } from "./handshake.ts";
import { faultOfMessageId, MessageIds } from "./message-id.ts";
import { receiveMessage, type TakeCall } from "./receive.ts";
import type { Session } from "./session.ts";

/** The transport error for a key that the data centre does not know. */
const unknownKey = -404;

/** One TCP connection of a client to a data centre. */
export class Connection {
  readonly #world: World;
  readonly #dc: number;
  readonly #takeCall: TakeCall;
  readonly #line: Line;
  readonly #handshake: Handshake;
  readonly #messageIds = new MessageIds();
  #idle: NodeJS.Timeout | undefined;
  /** The sessions that use it; usually one. */
  readonly sessions = new Set<Session>();

  constructor(
    socket: Socket,
    setup: { readonly world: World; readonly dc: number; readonly takeCall: TakeCall },
  ) {
    this.#world = setup.world;
    this.#dc = setup.dc;
    this.#takeCall = setup.takeCall;
    this.#line = new Line(socket, {
      onPacket: (packet) => this.#take(packet),
      onClosed: () => this.#closed(),
      onViolation: ({ message }) => this.#world.note("violation", { dc: this.#dc, detail: message }),
    });
    this.#handshake = new Handshake({
      dc: this.#dc,
      now: () => this.#world.clock.now(),
      takeForgery: (kind) => this.#world.takeForgery(kind),
      accept: (key) => this.#accept(key),
    });
    this.#world.connections.add(this);
    this.#world.note("opened", { dc: this.#dc });
  }

  get isOpen(): boolean {
    return this.#line.isOpen;
  }

  get dc(): number {
    return this.#dc;
  }

  send(packet: Uint8Array): void {
    this.#line.send(packet);
  }

  drop(): void {
    this.#line.drop();
  }

  freeze(): void {
    this.#line.freeze();
  }

  thaw(): void {
    this.#line.thaw();
  }

  /** Drops the connection unless this is called again in time. */
  expectPingWithin(seconds: number): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.drop(), seconds * 1000).unref();
  }

  async #take(packet: Buffer): Promise<void> {
    if (packet.length < 20) return this.#sendError(unknownKey);
    const keyId = packet.subarray(0, 8);
    if (keyId.equals(Buffer.alloc(8))) return this.#shakeHands(packet);
    const key = this.#world.keys.get(keyId.toString("hex"));
    if (!key || key.dc !== this.#dc) return this.#sendError(unknownKey);
    const envelope = openEnvelope(key.key, packet);
    const fault = faultOfMessageId(envelope.messageId, this.#world.clock.nowMs());
    const session = this.#openSession(key.id, envelope);
    if (fault !== undefined) return this.#notify(session, envelope, fault);
    const isSalted = isSaltGood(key, envelope.salt, this.#world.clock.now());
    if (!isSalted || this.#world.takeForgery("bad_server_salt")) return this.#offerSalt(session, envelope);
    await receiveMessage(session, { ...envelope, id: envelope.messageId }, this.#takeCall);
  }

  #shakeHands(packet: Buffer): void {
    const answer = this.#handshake.answer(readPlain(packet));
    this.#line.send(plainPacket(this.#messageIds.next(this.#world.clock.nowMs(), true), answer));
  }

  #accept({ key, firstSalt }: { readonly key: Buffer; readonly firstSalt: Long }): boolean {
    const made = makeAuthKey({ key, firstSalt, dc: this.#dc, createdAt: this.#world.clock.now() });
    if (this.#world.keys.has(made.id)) return false;
    this.#world.keys.set(made.id, made);
    this.#world.note("key_made", { key: made, detail: this.#line.framing });
    this.#world.changed();
    return true;
  }

  #openSession(keyId: string, { sessionId, messageId }: Envelope): Session {
    const { session, isNew } = this.#world.openSession(keyId, sessionId);
    if (!this.sessions.has(session)) this.#world.note("connected", { key: session.key });
    this.sessions.add(session);
    session.attach(this);
    if (isNew) this.#world.announceSession(session, messageId);
    return session;
  }

  #notify(session: Session, { messageId, seqNo }: Envelope, errorCode: number): void {
    this.#world.note("bad_message", { key: session.key, detail: String(errorCode) });
    session.reply({
      _: "mt_bad_msg_notification",
      badMsgId: messageId,
      badMsgSeqno: seqNo,
      errorCode,
    });
  }

  #offerSalt(session: Session, { messageId, seqNo }: Envelope): void {
    const newServerSalt = saltsFrom(session.key, this.#world.clock.now(), 1)[0]?.salt ?? randomLong();
    this.#world.note("bad_salt", { key: session.key });
    session.reply({
      _: "mt_bad_server_salt",
      badMsgId: messageId,
      badMsgSeqno: seqNo,
      errorCode: 48,
      newServerSalt,
    });
  }

  #sendError(code: number): void {
    const packet = Buffer.alloc(4);
    packet.writeInt32LE(code);
    this.#world.note("unknown_key", { dc: this.#dc });
    this.#line.send(packet);
  }

  #closed(): void {
    clearTimeout(this.#idle);
    this.#world.connections.delete(this);
    for (const session of this.sessions) {
      session.detach(this);
      this.#world.note("closed", { key: session.key });
    }
  }
}
