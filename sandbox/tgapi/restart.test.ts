import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requestJson, withSandbox } from "../test-kit.ts";
import { ann, bob, type Client, until, withTgapi } from "./test-kit.ts";

test("logins, messages, files and addresses survive a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tgapi-test-"));
  const kept: { client?: Client; ports?: number[] } = {};
  try {
    await withTgapi(
      async ({ admin, login, tgapi }) => {
        const client = await login(ann);
        await admin(`POST /people/${bob}/messages`, { to: ann, text: "before" });
        await until("message", () => client.texts[0]);
        await client.tg.destroy();
        await admin(`POST /people/${bob}/messages`, { to: ann, kind: "document", text: "away" });
        Object.assign(kept, { client, ports: tgapi.dataCentres.map(({ port }) => port) });
      },
      { dataDir },
    );
    await withTgapi(
      async ({ admin, open, tgapi }) => {
        expect(tgapi.dataCentres.map(({ port }) => port)).toEqual(kept.ports);
        if (!kept.client) throw new Error("nothing was kept");
        const { tg, texts } = open({ storage: kept.client.storage });
        await tg.connect();
        await tg.startUpdatesLoop();
        await until("missed message", () => texts[0]);
        expect(texts).toEqual(["away"]);
        const id = Number(
          (await admin(`GET /people/${ann}/chats/${bob}/messages`))["items"]?.[1]?.["message_id"],
        );
        const path = `GET /people/${ann}/chats/${bob}/messages/${id}/file`;
        expect((await admin(path))["mime_type"]).toBe("application/pdf");
      },
      { dataDir },
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test("runs in a separate process, which the sandbox starts and lists", async () => {
  await withSandbox(async ({ url }) => {
    const { tgapi } = (await requestJson("GET", url)).body;
    expect(tgapi?.["data_centres"]).toMatchObject([{ id: 2 }, { id: 4 }]);
    expect(String(tgapi?.["public_key"])).toContain("BEGIN RSA PUBLIC KEY");
    const people = await requestJson("GET", `${url}/admin/tgapi/people`);
    expect(people.body["items"]).toMatchObject([{ first_name: "Ann" }, { first_name: "Bob" }]);
    expect((await requestJson("GET", `${url}/tgapi`)).status).toBe(404);
  });
});
