/** The command of a frame; `notFound` is a response of the server, or an event. */
export const command = { request: 0, answer: 1, notFound: 2, error: 3 } as const;

/** One frame of either form. */
export interface Frame {
  readonly cmd: number;
  readonly seq: number;
  readonly opcode: number;
  /** Undefined if the frame has none. */
  readonly payload: unknown;
}

export type FrameHeader = Omit<Frame, "payload">;

/** The frame format of a connection. Both ends use that of the client's first frame. */
export interface Codec {
  readonly name: "binary" | "json";
  encode(frame: Frame): Buffer | string;
  /** Throws `BrokenFrame` or `BadPayload`. */
  decode(data: Buffer): Frame;
}

/** The frame cannot be attributed to a request: the connection ends. */
export class BrokenFrame extends Error {}

/** The frame can be answered, but its payload cannot be parsed. */
export class BadPayload extends Error {
  readonly header: FrameHeader;

  constructor(header: FrameHeader, message: string) {
    super(message);
    this.header = header;
  }
}
