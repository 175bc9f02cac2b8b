import type { HttpExchange } from "../../platform/network/http-client.ts";
import type { ChannelLink } from "./connector.ts";

/**
 * Logs an exchange in the channel's log. Failed ones always, with the response; successful ones only during a
 * recording, and without the response, which may contain texts. The query of a URL is always removed: it may contain
 * texts and one-time keys.
 */
export function logExchange(log: ChannelLink["log"], exchange: HttpExchange): void {
  const { status, method, durationMs, failure } = exchange;
  const url = exchange.url.split("?", 1)[0] ?? "";
  if (status !== null && status < 400)
    log("debug", "the messenger responded", { method, url, status, durationMs });
  else
    log("warn", "the messenger refused a request or did not respond", {
      ...exchange,
      url,
      ...(failure === undefined ? {} : { failure: failure.replaceAll(exchange.url, url) }),
    });
}
