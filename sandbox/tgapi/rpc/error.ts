/** The error of a call: a code such as 400, and a text such as `PEER_ID_INVALID`. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

/** 400, the usual code of a caller's error. */
export function bad(text: string): RpcError {
  return new RpcError(400, text);
}
