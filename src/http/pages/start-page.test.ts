import fastify from "fastify";
import { expect, test } from "vitest";
import type { App } from "../app.ts";
import { startPageRoute } from "./start-page.ts";

test("the phone of the sandbox is named where there is one", async () => {
  const [withPhone, without] = ["http://127.0.0.1:1/phone", undefined].map((phone) => {
    const app = fastify() as unknown as App;
    startPageRoute(app, phone);
    return app.inject("/");
  });
  expect((await withPhone)?.body).toContain('<a href="http://127.0.0.1:1/phone">');
  expect((await without)?.body).not.toContain("sandbox");
});
