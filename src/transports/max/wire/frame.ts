/** `request`: a request or push, from either side. The others are responses to the request with the same `seq`. */
export const CMD = { request: 0, answer: 1, notFound: 2, error: 3 } as const;

export interface Frame {
  /** One of `CMD`, or a value of a later version. */
  readonly cmd: number;
  /** 0 to 65,535. */
  readonly seq: number;
  readonly opcode: number;
  /**
   * A JSON value. When decoded, integers that a JavaScript number cannot hold exactly are strings. When encoded, a
   * bigint becomes an integer of any length.
   */
  readonly payload: unknown;
}

export type Header = Omit<Frame, "payload">;

/** The data of one WebSocket message. */
export type Packet = Uint8Array | string;

/** An encoding of frames. The messages are the same in all encodings. */
export interface Codec {
  encode(frame: Frame): Packet;
  /** Throws `BadFrame`. */
  decode(packet: Packet): Frame;
}

/** Not a valid frame; `header` is present if only the payload is unreadable. */
export class BadFrame extends Error {
  override readonly name = "BadFrame";
  readonly header: Header | undefined;
  constructor(message: string, options: { header?: Header; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.header = options.header;
  }
}

/** The maximum size of a frame; its length has 24 bits. */
export const MAX_PACKET_BYTES = 16 * 1024 * 1024;
