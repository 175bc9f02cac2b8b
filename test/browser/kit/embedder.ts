import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page } from "playwright-core";

/**
 * A CRM's page on a different site from the service, with a frame for our page. It records the messages of the frame.
 */
export interface Embedder {
  /** At `localhost`, while the service is at 127.0.0.1. */
  readonly origin: string;
  /** The same page at another origin. */
  readonly otherOrigin: string;
  close(): void;
}

const PAGE = `<!doctype html><title>CRM</title><iframe title="Chats" width="1000" height="700"></iframe><script>
  const told = [];
  addEventListener("message", ({ origin, data }) => told.push({ origin, ...data }));
  const frame = document.querySelector("iframe");
  const show = (url) => { frame.src = url; };
  const renew = (ticket) => frame.contentWindow.postMessage({ type: "trunkline.ticket", ticket }, new URL(frame.src).origin);
</script>`;

export async function startEmbedder(): Promise<Embedder> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    otherOrigin: `http://crm.localhost:${port}`,
    close: () => void server.close(),
  };
}

/** Frames of other sites can neither store nor read data, like in browsers that block third-party cookies. */
export async function blockForeignCookies(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCookieControls", {
    enableThirdPartyCookieRestriction: true,
    disableThirdPartyCookieMetadata: true,
    disableThirdPartyCookieHeuristics: true,
  } as never);
}

/** Shows an address in the page's frame. */
export async function show(page: Page, url: string): Promise<Frame> {
  await page.evaluate(`show(${JSON.stringify(url)})`);
  const frame = page.frames().at(-1);
  if (frame === undefined) throw new Error("The page has no frame");
  return frame;
}

/** The messages that the frame has posted to the page. */
export function toldBy(page: Page): Promise<readonly { readonly type: string; readonly origin: string }[]> {
  return page.evaluate("told");
}
