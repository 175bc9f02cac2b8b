import { createHash, X509Certificate } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type Page, chromium as playwright } from "playwright-core";
import { onTestFinished } from "vitest";
import { makeServerIdentity } from "../../../sandbox/whatsapp/tls/certificate.ts";
import type { Setup } from "./extension.ts";
import { storePasskey } from "./passkey.ts";

/**
 * Starts a Chromium with the built extension, allowed on `service`. Requests of tabs that an extension opens cannot be
 * intercepted, so a server of our own is WhatsApp's site there.
 */
export async function openGenuine(
  executablePath: string,
  service: string,
  directory: string,
  { passkey, confirms }: Setup,
): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const profile = await mkdtemp(join(tmpdir(), "trunkline-profile-"));
  onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }));
  const extension = join(profile, "extension");
  await allow(directory, extension, service);
  let opened = Promise.withResolvers<Page>();
  const site = await startSite(async () => {
    await storePasskey(await opened.promise, passkey, { confirms: confirms() });
    opened = Promise.withResolvers<Page>();
  });
  const context = await playwright.launchPersistentContext(profile, {
    executablePath,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      "--headless=new",
      "--no-sandbox",
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
      `--host-resolver-rules=MAP web.whatsapp.com:443 127.0.0.1:${site.port}`,
      `--ignore-certificate-errors-spki-list=${site.keyHash}`,
    ],
    locale: "en-US",
  });
  onTestFinished(() => context.close());
  const [background = await context.waitForEvent("serviceworker")] = context.serviceWorkers();
  const registered = "chrome.scripting.getRegisteredContentScripts().then(({ length }) => length)";
  while ((await background.evaluate(registered)) === 0) await new Promise((resolve) => setImmediate(resolve));
  const [page = await context.newPage()] = context.pages();
  context.on("page", (tab) => opened.resolve(tab));
  return { context, page };
}

/** Nobody can press the button of the browser's own question, so a copy has the permission in its manifest. */
async function allow(directory: string, copy: string, service: string): Promise<void> {
  await cp(directory, copy, { recursive: true });
  const file = join(copy, "manifest.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as { host_permissions: string[] };
  manifest.host_permissions.push(`${service}/*`);
  await writeFile(file, JSON.stringify(manifest));
}

/** An empty page for each request, complete once `shown` has resolved. */
async function startSite(shown: () => Promise<void>): Promise<{ port: number; keyHash: string }> {
  const { key, certificate, authority } = makeServerIdentity(["web.whatsapp.com"]);
  const server = createServer({ key, cert: certificate + authority }, async ({ url }, response) => {
    if (url !== "/") return void response.writeHead(204).end();
    response.setHeader("content-type", "text/html");
    response.write(`<!doctype html><title>WhatsApp</title>${" ".repeat(4_096)}`);
    await shown();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const publicKey = new X509Certificate(certificate).publicKey.export({ format: "der", type: "spki" });
  return {
    port: (server.address() as AddressInfo).port,
    keyHash: createHash("sha256").update(publicKey).digest("base64"),
  };
}
