import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeServerIdentity } from "../../../sandbox/whatsapp/tls/certificate.ts";
import { createHttpClient } from "./http-client.ts";
import { trustingDispatcher } from "./trust.ts";

const fileWith = (text: string): string => {
  const directory = mkdtempSync(join(tmpdir(), "trust-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "ca.pem");
  writeFileSync(file, text);
  return file;
};
const redact = (text: string): string => text;

test("a server is trusted only if its authority is given", async () => {
  const { key, certificate, authority } = makeServerIdentity(["127.0.0.1"]);
  const other = makeServerIdentity(["127.0.0.1"]);
  const server = createServer({ key, cert: certificate }, (_request, response) => response.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const trusting = createHttpClient({
    redact,
    dispatcher: trustingDispatcher(fileWith(`# Our own\n${authority}`))(),
  });
  expect(Buffer.from(await (await trusting({ method: "GET", url })).bytes()).toString()).toBe("hello");

  const stranger = createHttpClient({ redact, dispatcher: trustingDispatcher(fileWith(other.authority))() });
  await expect(stranger({ method: "GET", url })).rejects.toMatchObject({ sent: false });
  await expect(createHttpClient({ redact })({ method: "GET", url })).rejects.toMatchObject({ sent: false });
});

test.each([
  ["no certificate", "nothing", "contains no certificate"],
  ["a broken one", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", ""],
])("rejects a file with %s", (_, text, message) => {
  expect(() => trustingDispatcher(fileWith(text))).toThrow(message);
});

test("rejects a missing file", () => {
  expect(() => trustingDispatcher("/nowhere/ca.pem")).toThrow("ENOENT");
});
