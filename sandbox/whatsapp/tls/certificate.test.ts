import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { makeServerIdentity } from "./certificate.ts";

test("a certificate for its hosts, signed by its authority", () => {
  const { certificate, authority } = makeServerIdentity(["127.0.0.1", "localhost"]);
  const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
  expect(own.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(own.checkHost("localhost")).toBe("localhost");
  expect(own.checkHost("other")).toBeUndefined();
  expect(issuer.ca).toBe(true);
  expect(own.ca).toBe(false);
  expect(own.checkIssued(issuer) && own.verify(issuer.publicKey)).toBe(true);
});

test("a client that trusts the authority connects, another does not", async () => {
  const { key, certificate, authority } = makeServerIdentity(["127.0.0.1", "localhost"]);
  const server = createServer({ key, cert: certificate }, (_, response) => response.end("ok"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = (ca?: string) =>
    new Promise((resolve) => {
      const request = get({ host: "127.0.0.1", port, agent: false, ...(ca && { ca }) }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on("error", ({ message }) => resolve(message));
    });
  try {
    expect(await ask(authority)).toBe(200);
    expect(await ask()).toMatch(/unable to verify|self-signed/);
    expect(await ask(makeServerIdentity(["127.0.0.1"]).authority)).toMatch(
      /unable to verify|self-signed|signature/,
    );
  } finally {
    server.close();
  }
});
