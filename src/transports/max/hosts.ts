import { TransportError } from "../../core/transport/errors.ts";

/** Where MAX keeps files, as far as public clients have seen. */
const OWN_HOST = /(^|\.)(oneme\.ru|max\.ru|okcdn\.ru|mycdn\.me)$/;

/**
 * The addresses of files come with messages. Only MAX's own hosts are asked, or, where the web socket leads to an
 * emulator, the machine that it is on. Throws `TransportError`.
 */
export function mayUse(url: string, wsUrl: string): void {
  const named = URL.canParse(url) ? new URL(url) : null;
  const home = new URL(wsUrl).hostname;
  const isWeb = named?.protocol === "https:" || (named?.protocol === "http:" && !OWN_HOST.test(home));
  const isOwn =
    named !== null && (OWN_HOST.test(home) ? OWN_HOST.test(named.hostname) : named.hostname === home);
  if (!isWeb || !isOwn) throw new TransportError("GENERAL_ERROR", "MAX does not say where the file is");
}
