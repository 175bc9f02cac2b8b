import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Exchange } from "../http/exchange.ts";

/** The build directory: beside the sandbox in a checkout, above the compiled one in a package. */
const BUILT = new URL(
  import.meta.url.endsWith(".ts") ? "../../web/dist/" : "../../../web/dist/",
  import.meta.url,
);
/** File names contain a hash of the content. */
const ASSET = /^\/assets\/[\w.-]+\.(js|css|svg)$/;
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const HEADERS = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
};
/** A checkout builds its pages while the service starts; the browser retries automatically. */
const UNBUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>The phone is being built</title><p>The phone is being built. This page loads again by itself. Without the service, <code>npm run pages</code> builds it.</p></html>`;

export function isPageFile(path: string): boolean {
  return path === "/phone" || ASSET.test(path);
}

/** Serves the phone at `/phone` and its assets at `/assets`. */
export async function servePage(exchange: Exchange): Promise<void> {
  const isPage = exchange.path === "/phone";
  const name = isPage ? "phone.html" : exchange.path.slice(1);
  const content = await readFile(fileURLToPath(new URL(name, BUILT))).catch(() => undefined);
  const status = content !== undefined ? 200 : isPage ? 503 : 404;
  exchange.response.writeHead(status, {
    ...HEADERS,
    "Content-Type": isPage
      ? "text/html; charset=utf-8"
      : (TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? ""),
    "Cache-Control": isPage || content === undefined ? "no-store" : "public, max-age=31536000, immutable",
  });
  exchange.response.end(exchange.method === "HEAD" ? undefined : (content ?? (isPage ? UNBUILT : "")));
}
