import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:https";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startWhatsapp } from "./server.ts";

test("closing also ends a connection that has not started its TLS handshake", async () => {
  const whatsapp = await startWhatsapp();
  const { hostname, port } = new URL(whatsapp.url);
  const silent = connect(Number(port), hostname);
  const ended = once(silent, "close");
  silent.on("error", () => undefined);
  try {
    await once(silent, "connect");
    // The server accepts in order: once a later request has got its response, the silent connection is accepted too.
    expect(await statusOf(whatsapp.url.replace("wss:", "https:"), whatsapp.caFile)).toBe(404);
    await Promise.all([whatsapp.close(), ended]);
    expect(silent.destroyed).toBe(true);
  } finally {
    silent.destroy();
    await whatsapp.close();
  }
});

function statusOf(url: string, caFile: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { ca: readFileSync(caFile), agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}
