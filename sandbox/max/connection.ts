import type { WebSocket } from "ws";
import { opcode } from "./opcode.ts";
import type { Refusal } from "./refusal.ts";
import { binaryCodec } from "./wire/binary-codec.ts";
import type { IdWrapping } from "./wire/body.ts";
import { BadPayload, BrokenFrame, type Codec, command, type Frame, type FrameHeader } from "./wire/frame.ts";
import { jsonCodec } from "./wire/json-codec.ts";

/** The events of a connection. Requests are reported in order. */
export interface ConnectionEvents<Session> {
  onRequest(connection: ClientConnection<Session>, frame: Frame): void;
  /** The payload of a request could not be parsed. */
  onUnreadable(connection: ClientConnection<Session>, header: FrameHeader, reason: string): void;
  /** The client's response to a push or ping. */
  onAnswer(connection: ClientConnection<Session>, frame: Frame): void;
  onClosed(connection: ClientConnection<Session>): void;
  /** The client violated the protocol; the connection is closed. */
  onViolation(connection: ClientConnection<Session>, reason: string): void;
}

/** What the client declared in SESSION_INIT. */
export interface Handshake {
  readonly deviceId: string;
  readonly client: string;
}

/** WebSocket status: the data does not have the form of the first frame, or is invalid. */
const badData = 1007;

/** A client's web socket: its frame format, the numbering of pushes, and freezing on request. */
export class ClientConnection<Session> {
  readonly #socket: WebSocket;
  readonly #events: ConnectionEvents<Session>;
  readonly #wrapping: () => IdWrapping;
  #codec: Codec | undefined;
  /** Pushes are numbered separately from the client's requests. */
  #pushSeq = 0;
  #isFrozen = false;
  #isClosing = false;
  readonly #received: { data: Buffer; isBinary: boolean }[] = [];
  readonly #unsent: (Buffer | string)[] = [];
  handshake: Handshake | undefined;
  /** When the client last sent anything, and when it last sent a request of its own, by the machine's clock. */
  lastHeardMs = Date.now();
  lastRequestMs = Date.now();
  /** The session that is logged in. */
  session: Session | undefined;

  constructor(socket: WebSocket, events: ConnectionEvents<Session>, wrapping: () => IdWrapping) {
    this.#socket = socket;
    this.#events = events;
    this.#wrapping = wrapping;
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary));
    socket.on("close", () => events.onClosed(this));
    socket.on("error", () => socket.terminate());
  }

  get codecName(): string {
    return this.#codec?.name ?? "none";
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN && !this.#isClosing;
  }

  answer({ seq, opcode: operation }: FrameHeader, payload: unknown): void {
    this.send({ cmd: command.answer, seq, opcode: operation, payload });
  }

  /** Answers with command 2 and nothing else. */
  answerEmpty({ seq, opcode: operation }: FrameHeader): void {
    this.send({ cmd: command.notFound, seq, opcode: operation, payload: undefined });
  }

  refuse({ seq, opcode: operation }: FrameHeader, { payload }: Refusal): void {
    this.send({ cmd: command.error, seq, opcode: operation, payload });
  }

  /** Sends a frame that the client did not request, and returns its number. */
  push(operation: number, payload: unknown): number {
    const seq = this.#pushSeq;
    this.#pushSeq = (seq + 1) & 0xffff;
    this.send({ cmd: command.request, seq, opcode: operation, payload });
    return seq;
  }

  ping(): void {
    this.push(opcode.ping, {});
  }

  send(frame: Frame): void {
    if (this.#codec) this.sendRaw(this.#codec.encode(frame));
  }

  /** The bytes of a frame. Throws before the client's first frame. */
  encode(frame: Frame): Buffer | string {
    if (!this.#codec) throw new Error("the client has not sent anything yet");
    return this.#codec.encode(frame);
  }

  /** Sends bytes unchanged; after `thaw` if frozen. No effect if the connection is closed. */
  sendRaw(data: Buffer | string): void {
    if (!this.isOpen) return;
    if (this.#isFrozen) this.#unsent.push(data);
    else this.#socket.send(data);
  }

  /** Closes the connection and reads nothing more from the client. */
  close(code = 1000, reason = ""): void {
    this.thaw();
    this.#isClosing = true;
    this.#socket.close(code, reason);
  }

  /** Breaks the connection, without a closing handshake. */
  drop(): void {
    this.#isClosing = true;
    this.#socket.terminate();
  }

  /** Stops reading and sending; the socket stays open. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Resumes, with what was received and queued meanwhile. */
  thaw(): void {
    this.#isFrozen = false;
    for (const data of this.#unsent.splice(0)) this.sendRaw(data);
    for (const { data, isBinary } of this.#received.splice(0)) this.#receive(data, isBinary);
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isClosing) return;
    this.lastHeardMs = Date.now();
    if (this.#isFrozen) this.#received.push({ data, isBinary });
    else this.#take(data, isBinary);
  }

  #take(data: Buffer, isBinary: boolean): void {
    this.#codec ??= isBinary ? binaryCodec(this.#wrapping) : jsonCodec;
    try {
      if (isBinary !== (this.#codec.name === "binary")) throw new BrokenFrame("frames of both forms");
      this.#handle(this.#codec.decode(data));
    } catch (error) {
      if (error instanceof BadPayload) this.#takeUnreadable(error);
      else if (error instanceof BrokenFrame) this.#violate(error.message);
      else throw error;
    }
  }

  #handle(frame: Frame): void {
    if (frame.cmd === command.request) this.#events.onRequest(this, frame);
    else if (frame.cmd === command.answer) this.#events.onAnswer(this, frame);
    else this.#violate(`command ${frame.cmd} from a client`);
  }

  #takeUnreadable({ header, message }: BadPayload): void {
    if (header.cmd === command.request) this.#events.onUnreadable(this, header, message);
    else this.#violate(message);
  }

  #violate(reason: string): void {
    this.#events.onViolation(this, reason);
    this.close(badData, reason.slice(0, 100));
  }
}
