import { proto } from "baileys/WAProto/index.js";
import type { WebSocket } from "ws";
import type { ServerIdentity } from "./noise/identity.ts";
import { type Established, NoiseResponder } from "./noise/responder.ts";
import type { Companion } from "./person/person.ts";
import { FrameReader, frame, intro } from "./wire/frames.ts";
import { decodeNode, encodeNode, type Node } from "./wire/node.ts";

/** What happens on a connection. Stanzas come one at a time, in order. */
export interface ConnectionEvents {
  /** The handshake is done; the client says who it is. */
  onHello(connection: Connection, payload: proto.ClientPayload): void;
  onStanza(connection: Connection, stanza: Node): void | Promise<void>;
  onClosed(connection: Connection): void;
  /** The client broke the protocol; the connection is closed. */
  onViolation(connection: Connection, error: Error): void;
}

/** One web socket of a client: frames, handshake, encryption, and being silent when told to. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #events: ConnectionEvents;
  readonly #identity: ServerIdentity;
  readonly #reader = new FrameReader();
  readonly #noise: NoiseResponder;
  #stage: "hello" | "finish" | "open" = "hello";
  #established: Established | undefined;
  #work: Promise<void> = Promise.resolve();
  #thaw: PromiseWithResolvers<void> | undefined;
  #unsent: Node[] = [];
  #closing = false;
  /** Whose connection it is, once it has logged in. */
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

  /** What the client sent before the first frame, if it was told to. */
  get routing(): Buffer | undefined {
    return this.#reader.routing;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN && !this.#closing;
  }

  /** Encrypts and sends; while frozen, later. Does nothing when the line is gone. */
  send(stanza: Node): void {
    if (!this.#established || !this.isOpen) return;
    if (this.#thaw) this.#unsent.push(stanza);
    else this.#socket.send(frame(this.#established.outgoing.seal(encodeNode(stanza))));
  }

  /** Sends a last stanza and closes, as the server does. Nothing is read from the client any more. */
  end(last?: Node): void {
    this.thaw();
    if (last) this.send(last);
    this.#closing = true;
    this.#socket.close();
  }

  /** The line breaks: no closing handshake. */
  drop(): void {
    this.#closing = true;
    this.#socket.terminate();
  }

  /** From now on nothing is read or sent, though the socket stays open. */
  freeze(): void {
    this.#thaw ??= Promise.withResolvers();
  }

  /** What came and what was to be sent meanwhile goes on. */
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
    if (this.#stage === "hello") {
      if (!clientHello?.ephemeral) throw new Error("a client hello was expected");
      const serverHello = this.#noise.hello(clientHello.ephemeral, this.#identity.chain);
      const answer = proto.HandshakeMessage.encode({ serverHello }).finish();
      this.#socket.send(frame(Buffer.from(answer)));
      this.#stage = "finish";
      return;
    }
    if (!clientFinish?.static || !clientFinish.payload) throw new Error("a client finish was expected");
    this.#established = this.#noise.finish(clientFinish.static, clientFinish.payload);
    this.#stage = "open";
    this.#events.onHello(this, proto.ClientPayload.decode(this.#established.payload));
  }

  #refuse(error: unknown): void {
    if (!this.#closing)
      this.#events.onViolation(this, error instanceof Error ? error : new Error(String(error)));
    this.drop();
  }
}
