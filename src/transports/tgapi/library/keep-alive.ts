import { SessionConnection } from "@mtcute/core";

/** How long after its last ping Telegram may close a connection. The library asks for this while nothing is pending. */
const DELAY_MS = 135_000;
/** How long the answer to a ping is awaited. With the pings' interval, a dead connection is noticed within a minute. */
const PONG_MS = 15_000;

/** What is changed of the library's connections, whose types hide it. */
interface Delays {
  readonly _randomDelay: number;
  readonly params: { readonly isMainConnection: boolean };
  readonly _session: { readonly lastPingMsgId: { isZero(): boolean } };
  _pingDisconnectDelay(): number;
}

/**
 * While a request is pending, the library pings every 2 s and asks Telegram to close the connection 7 s after a ping.
 * Once it is answered, the next ping follows only after the ping interval, so that Telegram closes the connection before
 * (mtcute 0.30.3, `network/session-connection.js`). Asks for the same long delay always. The library takes the delay also
 * as the time in which a ping must be answered, which is short where no files delay the answer. Concerns all clients of the
 * process.
 */
export function keepConnections(): void {
  const delays = SessionConnection.prototype as unknown as Delays;
  delays._pingDisconnectDelay = function () {
    const isAwaited = !this._session.lastPingMsgId.isZero();
    return isAwaited && this.params.isMainConnection ? PONG_MS : DELAY_MS + this._randomDelay;
  };
}
