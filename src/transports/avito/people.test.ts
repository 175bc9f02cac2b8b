import { expect, onTestFinished, test, vi } from "vitest";
import type { AvitoClient } from "./client.ts";
import { Refusal } from "./errors.ts";
import { findFacts } from "./people.ts";
import { CHAT, linkTo } from "./testing.ts";

const PHOTO = "https://img.avito.st/ann.jpg";
const HOUR_MS = 3_600_000;

test.each([
  ["with a picture after a day", 25, PHOTO],
  ["without one after six hours", 7, undefined],
])("a chat is asked for again: %s", async (_, hours, picture) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const link = linkTo("http://127.0.0.1:9");
  onTestFinished(() => link.dispose());
  const profile = picture === undefined ? {} : { public_user_profile: { avatar: { default: picture } } };
  const call = vi.fn<AvitoClient["call"]>(async () => ({
    id: CHAT,
    users: [{ id: 5, name: "Ann", ...profile }],
  }));
  const client = { call, fetch: () => Promise.reject(new Error("no file")) };
  for (const [later, calls] of [
    [0, 1],
    [hours - 2, 1],
    [2, 2],
  ] as const) {
    vi.setSystemTime(Date.now() + later * HOUR_MS);
    const { contact } = await findFacts(link, client, CHAT);
    expect(contact).toMatchObject({ name: "Ann", ...(picture && { avatar: { token: `url:${picture}` } }) });
    expect(call).toHaveBeenCalledTimes(calls);
  }
});

test.each<[string, AvitoClient["call"]]>([
  ["nameless", async () => ({ id: CHAT, users: [] })],
  ["unreadable", async () => ({})],
  ["refused", () => Promise.reject(new Refusal(403, "no access"))],
])("a chat that is %s is asked for again only after some minutes", async (_, outcome) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const link = linkTo("http://127.0.0.1:9");
  onTestFinished(() => link.dispose());
  const call = vi.fn<AvitoClient["call"]>(outcome);
  const client = { call, fetch: () => Promise.reject(new Error("no file")) };
  for (const calls of [1, 2]) {
    for (let webhooks = 0; webhooks < 5; webhooks++)
      expect((await findFacts(link, client, CHAT)).contact.name).toBe("");
    expect(call).toHaveBeenCalledTimes(calls);
    vi.advanceTimersByTime(11 * 60_000);
  }
});
