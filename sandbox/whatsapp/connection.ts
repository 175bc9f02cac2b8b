import { proto } from "baileys/WAProto/index.js";
import type { WebSocket } from "ws";
import type { ServerIdentity } from "./noise/identity.ts";
import { type Established, NoiseResponder, type ServerHello } from "./noise/responder.ts";
import type { Companion } from "./person/person.ts";
import { FrameReader, frame, intro } from "./wire/frames.ts";
import { decodeNode, encodeNode, type Node } from "./wire/node.ts";

/** The events of a connection. Stanzas are reported one by one, in order. */
export interface ConnectionEvents {
  /** The handshake is complete; the client identifies itself. */
  onHello(connection: Connection, payload: proto.ClientPayload): void;
  onStanza(connection: Connection, stanza: Node): void | Promise<void>;
  onClosed(connection: Connection): void;
  /** The client violated the protocol; the connection is closed. */
  onViolation(connection: Connection, error: Error): void;
}

/** A client's web socket: frames, handshake, encryption, and freezing on request. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #events: ConnectionEvents;
  readonly #identity: ServerIdentity;
  readonly #reader = new FrameReader();
  readonly #noise: NoiseResponder;
  #stage: "hello" | "finish" | "open" = "hello";
  #established: Established | undefined;
  #isResumed = false;
  #work: Promise<void> = Promise.resolve();
  #thaw: PromiseWithResolvers<void> | undefined;
  #unsent: Node[] = [];
  #closing = false;
  /** The device that is logged in. */
  companion: Companion | undefined;

  constructor(socket: WebSocket, identity: ServerIdentity, events: ConnectionEvents) {
    this.#socket = socket;
    this.#identity = identity;
    this.#events = events;
    this.#noise = new NoiseResponder({ static: identity.static, prologue: intro });
    socket.on("message", (data: Buffer) => this.#queue(Buffer.from(data)));
    socket.on("close", () => events.onClosed(this));
    socket.on("error", () => socket.terminate());
  }

  /** The client's static key, proved by the handshake. */
  get clientStatic(): Buffer {
    if (!this.#established) throw new Error("the handshake is not done");
    return this.#established.clientStatic;
  }

  /** The routing data before the client's first frame, if it was told to send it. */
  get routing(): Buffer | undefined {
    return this.#reader.routing;
  }

  /** The handshake was IK: the client knew the server's static key. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN && !this.#closing;
  }

  /** Encrypts and sends; after `thaw` if frozen. No effect if the connection is closed. */
  send(stanza: Node): void {
    if (!this.#established || !this.isOpen) return;
    if (this.#thaw) this.#unsent.push(stanza);
    else this.#socket.send(frame(this.#established.outgoing.seal(encodeNode(stanza))));
  }

  /** Sends a last stanza and closes, as the server does. Reads nothing more from the client. */
  end(last?: Node): void {
    this.thaw();
    if (last) this.send(last);
    this.#closing = true;
    this.#socket.close();
  }

  /** Breaks the connection, without a closing handshake. */
  drop(): void {
    this.#closing = true;
    this.#socket.terminate();
  }

  /** Stops reading and sending; the socket stays open. */
  freeze(): void {
    this.#thaw ??= Promise.withResolvers();
  }

  /** Resumes, with what was received and queued meanwhile. */
  thaw(): void {
    const thaw = this.#thaw;
    this.#thaw = undefined;
    for (const stanza of this.#unsent.splice(0)) this.send(stanza);
    thaw?.resolve();
  }

  #queue(data: Buffer): void {
    this.#work = this.#work.then(() => this.#take(data)).catch((error: unknown) => this.#refuse(error));
  }

  async #take(data: Buffer): Promise<void> {
    await this.#thaw?.promise;
    for (const each of this.#reader.push(data)) {
      if (this.#closing) return;
      if (this.#stage === "open") await this.#takeStanza(each);
      else this.#shake(each);
    }
  }

  async #takeStanza(sealed: Buffer): Promise<void> {
    if (!this.#established) return;
    await this.#events.onStanza(this, await decodeNode(this.#established.incoming.open(sealed)));
  }

  #shake(content: Buffer): void {
    const { clientHello, clientFinish } = proto.HandshakeMessage.decode(content);
    if (this.#stage === "hello") this.#greet(clientHello ?? {});
    else this.#finish(clientFinish ?? {});
  }

  /** Answers XX, or IK if the client knows the server's static key; XXfallback if it knows an earlier one. */
  #greet({ ephemeral, static: sealedStatic, payload }: proto.HandshakeMessage.IClientHello): void {
    if (!ephemeral) throw new Error("a client hello was expected");
    const { chain } = this.#identity;
    this.#stage = "finish";
    if (!sealedStatic || !payload) {
      this.#sendHello(this.#noise.hello(ephemeral, chain));
      return;
    }
    const resumed = this.#noise.resume({ ephemeral, static: sealedStatic, payload }, chain);
    this.#sendHello(resumed?.hello ?? this.#noise.fallback(ephemeral, chain));
    if (!resumed) return;
    this.#isResumed = true;
    this.#open(resumed.established);
  }

  #finish({ static: sealedStatic, payload }: proto.HandshakeMessage.IClientFinish): void {
    if (!sealedStatic || !payload) throw new Error("a client finish was expected");
    this.#open(this.#noise.finish(sealedStatic, payload));
  }

  #sendHello(serverHello: ServerHello): void {
    this.#socket.send(frame(Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())));
  }

  #open(established: Established): void {
    this.#established = established;
    this.#stage = "open";
    this.#events.onHello(this, proto.ClientPayload.decode(established.payload));
  }

  #refuse(error: unknown): void {
    if (!this.#closing)
      this.#events.onViolation(this, error instanceof Error ? error : new Error(String(error)));
    this.drop();
  }
}
