import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import fastify from "fastify";
import { expect, test } from "vitest";
import type { App } from "./app.ts";
import { compressAnswers, takesGzip } from "./compression.ts";

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ["", false],
  ["identity", false],
  ["gzip", true],
  ["br, GZIP;q=0.5", true],
  ["gzip;q=0", false],
  ["gzip; q=0.000, *", false],
  ["*", true],
  ["*;q=0", false],
  ["x-gzip", true],
  ["gzipped", false],
])("Accept-Encoding %j", (header, expected) => expect(takesGzip(header)).toBe(expected));

const LIST = { data: Array.from({ length: 200 }, (_, index) => `line ${index}`) };

function answering(): App {
  const app = fastify() as unknown as App;
  compressAnswers(app);
  app.route({ method: ["GET", "POST"], url: "/list", handler: async () => LIST });
  app.get("/short", async () => ({ data: [] }));
  app.get("/secret", { config: { secretAnswer: true } }, async () => LIST);
  app.get("/text", async () => LIST.data.join(" "));
  app.get("/stream", async (_request, reply) =>
    reply.type("application/json").send(Readable.from([JSON.stringify(LIST)])),
  );
  return app;
}

test.each<["GET" | "POST" | "HEAD", string, string, boolean]>([
  ["GET", "/list", "gzip, br", true],
  ["GET", "/list", "identity", false],
  ["HEAD", "/list", "gzip", false],
  ["POST", "/list", "gzip", false],
  ["GET", "/short", "gzip", false],
  ["GET", "/secret", "gzip", false],
  ["GET", "/text", "gzip", false],
  ["GET", "/stream", "gzip", false],
])("%s %s for %s: compressed %s", async (method, url, encoding, expected) => {
  const app = answering();
  const answer = await app.inject({ method, url, headers: { "accept-encoding": encoding } });
  const plain = await app.inject({ method, url });
  expect(answer.headers["content-encoding"] === "gzip").toBe(expected);
  const content = expected ? gunzipSync(answer.rawPayload) : answer.rawPayload;
  expect(content.toString()).toBe(plain.payload);
  if (expected) {
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
    expect(answer.headers["content-length"]).toBe(String(answer.rawPayload.length));
  }
  // Caches keep both forms apart.
  if (url === "/list" && method === "GET") expect(plain.headers["vary"]).toBe("accept-encoding");
  await app.close();
});
