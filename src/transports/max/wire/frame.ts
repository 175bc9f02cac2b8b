/** `request`: either side asks or tells. The others answer the request with the same `seq`. */
export const CMD = { request: 0, answer: 1, notFound: 2, error: 3 } as const;

export interface Frame {
  /** One of `CMD`, or what a later version has. */
  readonly cmd: number;
  /** 0 to 65,535. */
  readonly seq: number;
  readonly opcode: number;
  /**
   * As JSON has it. Read, whole numbers that JavaScript cannot hold are texts. Written, a bigint is a whole number,
   * however long.
   */
  readonly payload: unknown;
}

export type Header = Omit<Frame, "payload">;

/** What travels in one message of the web socket. */
export type Packet = Uint8Array | string;

/** How frames are written; the messages in them are the same. */
export interface Codec {
  encode(frame: Frame): Packet;
  /** Throws `BadFrame`. */
  decode(packet: Packet): Frame;
}

/** Not a frame; with `header` where its payload alone cannot be read. */
export class BadFrame extends Error {
  override readonly name = "BadFrame";
  readonly header: Header | undefined;
  constructor(message: string, options: { header?: Header; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.header = options.header;
  }
}

/** No answer of MAX is longer; a frame's length has 24 bits. */
export const MAX_PACKET_BYTES = 16 * 1024 * 1024;
