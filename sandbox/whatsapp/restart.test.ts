import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ClientState } from "./test-kit.ts";
import { withWhatsapp } from "./test-kit.ts";

const [ann, bob] = ["79990000001", "79990000002"] as const;

test("links, sessions, conversations, groups, files, pending stanzas and the server's keys survive a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "whatsapp-test-"));
  const kept: { state?: ClientState; rootKey?: string; group?: string } = {};
  try {
    await withWhatsapp(
      async ({ admin, link, whatsapp }) => {
        await admin("POST /people", { phone: bob, name: "Bob", aliases: ["7999000002"] });
        const client = await link(ann);
        await client.socket.sendMessage(`${bob}@s.whatsapp.net`, { text: "before" });
        await admin(`GET /people/${bob}/inbox?count=1`);
        await client.socket.updateProfileStatus("Back on Monday");
        kept.group = String((await admin("POST /groups", { creator: bob, participants: [ann] }))["id"]);
        client.close();
        await admin("GET /events?event=closed&count=1");
        await admin(`POST /people/${bob}/messages`, { to: ann, kind: "image" });
        kept.state = client.state;
        kept.rootKey = whatsapp.rootKey;
      },
      { dataDir },
    );
    await withWhatsapp(
      async ({ admin, open, whatsapp }) => {
        expect(whatsapp.rootKey).toBe(kept.rootKey);
        if (!kept.state) throw new Error("nothing was kept");
        const client = open(kept.state);
        await client.ready();
        expect(await admin(`GET /people/${ann}`)).toMatchObject({ about: "Back on Monday" });
        const waited = await client.next("messages.upsert", ({ messages }) =>
          messages.find(({ message }) => message?.imageMessage),
        );
        expect((await client.fetch(String(waited.message?.imageMessage?.url))).status).toBe(200);
        expect(await client.socket.onWhatsApp("7999000002")).toMatchObject([
          { jid: `${bob}@s.whatsapp.net` },
        ]);
        await client.socket.sendMessage(`${bob}@s.whatsapp.net`, { text: "after" });
        await client.socket.sendMessage(kept.group ?? "", { text: "to all" });
        expect(await admin(`GET /people/${bob}/inbox?count=2`)).toMatchObject({
          items: [
            { text: "after", problem: null },
            { chat: kept.group, text: "to all" },
          ],
        });
        expect((await admin(`GET /people/${bob}/chats/${ann}/messages`))["items"]).toMatchObject([
          { text: "before" },
          { kind: "image" },
          { text: "after" },
        ]);
      },
      { dataDir },
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
