import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { INHERITED } from "../kit/environment.ts";
import { type Channel, messageBody, must, type Stand, send, startStand } from "../kit/stand.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

let stand: Stand;
let channel: Channel;
let person: string;

beforeAll(async () => {
  stand = await startStand();
  await stand.start();
  channel = await stand.addChannel(1);
  person = channel.people[0] ?? "";
  const subscriptions = { messagesAndStatuses: true, channelsUpdates: true };
  await must(stand.call("PATCH", "/v3/webhooks", { subscriptions }));
});
afterAll(() => stand.stop());

/** The operator's command, while the service runs. */
async function mark(payment: "paid" | "unpaid", id: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "channel", payment, id, "--json"], {
    cwd: stand.environment["DATA_DIR"],
    env: { ...INHERITED, SANDBOX: "0", ...stand.environment },
  });
  return JSON.parse(stdout);
}

async function statusIs(status: string): Promise<void> {
  await vi.waitUntil(
    async () =>
      JSON.stringify((await must(stand.call("GET", `/v2/channels/${channel.id}`))).json).includes(status),
    { interval: 50 },
  );
}

/** States of the channel as reported by webhooks. */
function statesTold(): unknown[] {
  return stand.receiver.posts.flatMap(({ body }) => {
    const { channelsUpdates = [] } = JSON.parse(body) as { channelsUpdates?: { state: string }[] };
    return channelsUpdates.map(({ state }) => state);
  });
}

test("an unpaid channel sends nothing and cannot be restarted by its client; a paid one continues", async () => {
  expect(await mark("unpaid", channel.id)).toMatchObject({ status: "disabled", reason: "not_enough_money" });
  await statusIs('"reason":"not_enough_money"');
  await stand.receiver.until(() => statesTold().includes("notEnoughMoney"));
  // Requests may see a status that is a second old.
  await vi.waitUntil(async () => {
    const { json } = await stand.call("POST", "/v2/messages", messageBody(channel, person, "Hello"));
    return JSON.stringify(json).includes("CHANNEL_NO_MONEY");
  });
  const credentials = { telegram_token: channel.bot.token };
  const reinit = await stand.call("POST", `/v2/channels/${channel.id}/reinit`, { credentials });
  expect([reinit.status, reinit.json]).toMatchObject([400, { error: "CHANNEL_NO_MONEY" }]);
  expect(await mark("unpaid", channel.id), "once more changes nothing").toMatchObject({ status: "disabled" });

  expect(await mark("paid", channel.id)).toMatchObject({ status: "init", reason: null });
  await statusIs('"status":"active"');
  await send(stand, channel, person, "We are back");
  await vi.waitUntil(async () => (await channel.bot.sent()).get(person)?.includes("We are back") === true);
  await stand.receiver.until(() => statesTold().at(-1) === "active");
  expect(statesTold().filter((state) => state === "notEnoughMoney")).toHaveLength(1);
});

test("a channel that does not exist", async () => {
  await expect(mark("unpaid", "nothing")).rejects.toThrow("There is no channel nothing");
});
