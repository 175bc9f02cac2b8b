import { SessionConnection } from "@mtcute/core";

/** How long after its last ping Telegram may close a connection; the library asks for this while nothing is pending. */
const DELAY_MS = 135_000;

/** What is changed of the library's connections, whose types hide it. */
interface Delays {
  readonly _randomDelay: number;
  _pingDisconnectDelay(): number;
}

/**
 * While a request is pending, the library pings every 2 s and asks Telegram to close the connection 7 s after a ping.
 * Once it is answered, the next ping follows only after the ping interval, so that Telegram closes the connection before
 * (mtcute 0.30.3, `network/session-connection.js`). Asks for the same long delay always. A dead connection is still
 * noticed by its silence: 7 s after the last answer while a request is pending. Concerns all clients of the process.
 */
export function keepConnections(): void {
  const delays = SessionConnection.prototype as unknown as Delays;
  delays._pingDisconnectDelay = function () {
    return DELAY_MS + this._randomDelay;
  };
}
