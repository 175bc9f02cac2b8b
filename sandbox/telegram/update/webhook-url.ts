import { badRequest } from "../call/api-error.ts";

const ports: readonly string[] = ["", "443", "80", "88", "8443"];

/**
 * https://core.telegram.org/bots/api#setwebhook: https, on one of four ports. For the sandbox, loopback addresses are
 * an exception: any port, and plain http.
 */
export function checkWebhookUrl(text: string): void {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) throw badRequest("invalid webhook URL specified");
  const { protocol, hostname, port } = new URL(withScheme);
  if (protocol !== "http:" && protocol !== "https:") throw badRequest("invalid webhook URL specified");
  if (isLoopback(hostname)) return;
  if (protocol === "http:") throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  if (!ports.includes(port)) {
    throw badRequest("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443");
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
