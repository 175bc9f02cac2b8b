import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import type { App } from "../app.ts";
import { boundArrivingBodies } from "./arriving.ts";

test("a client that hangs up before its body is read leaves nothing behind", async () => {
  const app = fastify() as unknown as App;
  onTestFinished(() => app.close());
  const asked = Promise.withResolvers<IncomingMessage>();
  const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
  const passed = Promise.withResolvers<void>();
  app.addHook("onRequest", async ({ raw }) => {
    asked.resolve(raw);
    await admitted;
  });
  boundArrivingBodies(app);
  app.addHook("preParsing", async (_request, _reply, payload) => {
    passed.resolve();
    return payload;
  });
  app.post("/", async () => "");
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;

  const client = connect(port, "127.0.0.1");
  client.write(
    "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 20000\r\n\r\n",
  );
  const request = await asked.promise;
  const gone = once(request, "close");
  client.destroy();
  await gone.catch(() => undefined);
  const before = request.listenerCount("data");
  admit();
  await passed.promise;
  expect(request.listenerCount("data")).toBe(before);
});
