import { TransportError } from "../../../core/transport/errors.ts";

/** The hosts of MAX's files, as seen in public clients. */
const OWN_HOST = /(^|\.)(oneme\.ru|max\.ru|okcdn\.ru|mycdn\.me)$/;

/**
 * Checks the URL of a file, which comes with a message: it must be on MAX's own hosts or, if the WebSocket leads to
 * an emulator, on the emulator's machine. Throws `TransportError`.
 */
export function mayUse(url: string, wsUrl: string): void {
  const named = URL.canParse(url) ? new URL(url) : null;
  const home = new URL(wsUrl).hostname;
  const isWeb = named?.protocol === "https:" || (named?.protocol === "http:" && !OWN_HOST.test(home));
  const isOwn =
    named !== null && (OWN_HOST.test(home) ? OWN_HOST.test(named.hostname) : named.hostname === home);
  if (!isWeb || !isOwn) throw new TransportError("GENERAL_ERROR", "MAX returned an invalid URL for the file");
}
