import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { community, messageEvents, type VkKit, withVk } from "../test-kit.ts";

const redirectUri = "http://127.0.0.1:1/back";

function authorizeUrl({ base }: VkKit, more: Record<string, string> = {}): string {
  const query = {
    client_id: String(demo.appId),
    redirect_uri: redirectUri,
    group_ids: String(demo.groupId),
    scope: "messages,manage,photos,docs",
    response_type: "code",
    state: "s1",
    v: "5.199",
    ...more,
  };
  return `${base}/authorize?${new URLSearchParams(query)}`;
}

/** Opens the dialog, gives the owner's consent, and returns the code. */
async function codeOf(kit: VkKit, more: Record<string, string> = {}): Promise<string> {
  const page = await fetch(authorizeUrl(kit, more));
  expect(page.headers.get("content-type")).toMatch(/html/);
  const { items } = await kit.admin("GET /authorizations");
  const last = (items as unknown as Json[]).at(-1);
  const done = await kit.admin(`POST /authorizations/${last?.["id"]}/completions`, {});
  const url = new URL(String(done["redirect_url"]));
  expect(url.searchParams.get("state")).toBe("s1");
  return String(url.searchParams.get("code"));
}

async function exchange({ base }: VkKit, code: string, more: Record<string, string> = {}) {
  const query = {
    client_id: String(demo.appId),
    client_secret: demo.appSecret,
    redirect_uri: redirectUri,
    code,
    ...more,
  };
  const response = await fetch(`${base}/access_token?${new URLSearchParams(query)}`);
  return { status: response.status, body: (await response.json()) as Json };
}

describe("OAuth", () => {
  test("a code is exchanged for a key of the community, once and within an hour", () =>
    withVk(async (kit) => {
      const code = await codeOf(kit);
      const { body } = await exchange(kit, code);
      expect(body).toMatchObject({ groups: [{ group_id: demo.groupId }], expires_in: 0 });
      const token = String(body["groups"]?.[0]?.["access_token"]);
      expect(await kit.ok("groups.getTokenPermissions", {}, token)).toMatchObject({ mask: 397_316 });
      const invalid = { status: 401, body: { error: "invalid_grant" } };
      expect(await exchange(kit, code)).toMatchObject(invalid);
      const late = await codeOf(kit);
      await kit.admin("POST /time", { advance_seconds: 3601 });
      expect(await exchange(kit, late)).toMatchObject(invalid);
    }));

  test("without communities a person's key, which lists their communities and expires after a day", () =>
    withVk(async (kit) => {
      const { body } = await exchange(kit, await codeOf(kit, { group_ids: "", scope: "groups" }));
      expect(body).toMatchObject({ user_id: demo.ownerId, expires_in: 86_400 });
      const token = String(body["access_token"]);
      const wanted = { filter: "admin", extended: 1 };
      expect(await kit.ok("groups.get", wanted, token)).toMatchObject({
        count: 1,
        items: [{ id: demo.groupId }],
      });
      await kit.admin("POST /time", { advance_seconds: 86_401 });
      expect(await kit.refused("groups.get", wanted, token)).toBe(
        "5 User authorization failed: access_token has expired.",
      );
    }));

  test("the page in a browser: consent and refusal", () =>
    withVk(async (kit) => {
      const answer = async (what: string) => {
        const html = await (await fetch(authorizeUrl(kit))).text();
        const id = /name="authorization" value="(\w+)"/.exec(html)?.[1] ?? "";
        const form = new URLSearchParams({ authorization: id, user_id: String(demo.ownerId), answer: what });
        const confirm = `${kit.base}/authorize/confirm`;
        const response = await fetch(confirm, { method: "POST", body: form, redirect: "manual" });
        return new URL(String(response.headers.get("location"))).searchParams;
      };
      expect((await answer("allow")).get("code")).toMatch(/^[0-9a-f]{18}$/);
      expect(Object.fromEntries(await answer("cancel"))).toEqual({
        error: "access_denied",
        error_reason: "user_denied",
        error_description: "User denied your request",
        state: "s1",
      });
    }));

  const mistakes: readonly (readonly [string, Record<string, string>, number, string])[] = [
    ["an unknown app", { client_id: "5" }, 401, "invalid_client"],
    ["no address to go back to", { redirect_uri: "" }, 400, "invalid_request"],
    ["an unknown community", { group_ids: "5" }, 400, "invalid_request"],
    ["another answer", { response_type: "token" }, 400, "invalid_request"],
    ["no version", { v: "" }, 400, "invalid_request"],
  ];
  test.each(mistakes)("refuses %s", (_what, more, status, error) =>
    withVk(async (kit) => {
      const response = await fetch(authorizeUrl(kit, more));
      expect([response.status, await response.json()]).toMatchObject([status, { error }]);
    }),
  );

  test("refuses a wrong secret, another redirect URI, and a person who does not administer the community", () =>
    withVk(async (kit) => {
      const code = await codeOf(kit);
      expect(await exchange(kit, code, { client_secret: "x" })).toMatchObject({
        body: { error: "invalid_client" },
      });
      expect(await exchange(kit, code, { redirect_uri: "http://a.b/" })).toMatchObject({
        body: { error: "invalid_grant" },
      });
      await kit.admin("POST /apps", { id: 7, redirect_uris: ["https://a.b/"] });
      expect((await fetch(authorizeUrl(kit, { client_id: "7" }))).status).toBe(400);
      await fetch(authorizeUrl(kit));
      const { items } = await kit.admin("GET /authorizations");
      const last = (items as unknown as Json[]).at(-1);
      const done = await kit.admin(`POST /authorizations/${last?.["id"]}/completions`, {
        user_id: demo.userId,
      });
      const foreign = new URL(String(done["redirect_url"])).searchParams.get("code") ?? "";
      expect(await exchange(kit, foreign)).toMatchObject({ status: 401, body: { error: "access_denied" } });
    }));
});

describe("keys", () => {
  test("are revoked immediately", () =>
    withVk(async ({ admin, refused }) => {
      await admin("POST /tokens/revocations", { token: demo.token });
      expect(await refused("groups.getById")).toBe("5 User authorization failed: invalid access_token (4).");
    }));
});

test("people, communities, servers, keys and files survive a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "vk-restart-"));
  try {
    const before = { id: 0, cmid: 0, url: "" };
    await withVk(
      async (kit) => {
        const group = { group_id: demo.groupId };
        const events = Object.fromEntries(messageEvents.map((name) => [name, 1]));
        await kit.ok("groups.setLongPollSettings", { ...group, enabled: 1, ...events });
        const server = { ...group, url: "http://127.0.0.1:1/", title: "t", secret_key: "s" };
        await kit.ok("groups.addCallbackServer", server);
        await kit.admin(`POST ${community}/chats`, { title: "Team", user_ids: [111] });
        const { message } = await kit.ann("messages", { kind: "doc", file: { base64: btoa("kept") } });
        before.id = Number(message?.["id"]);
        before.url = new URL(String(message?.["attachments"]?.[0]?.["doc"]?.["url"])).pathname;
      },
      { dataDir },
    );
    await withVk(
      async (kit) => {
        expect(await kit.ok("groups.getCallbackServers", { group_id: demo.groupId })).toMatchObject({
          count: 1,
        });
        expect(await kit.ok("groups.getLongPollServer", { group_id: demo.groupId })).toMatchObject({
          ts: "0",
        });
        expect(await kit.send({ message: "still allowed" })).toMatchObject({ id: before.id + 1001 });
        expect(await kit.admin(`GET ${community}/chats`)).toMatchObject({
          items: [{ title: "Team", user_ids: [111] }],
        });
        expect(await (await fetch(kit.url + before.url)).text()).toBe("kept");
      },
      { dataDir },
    );
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
