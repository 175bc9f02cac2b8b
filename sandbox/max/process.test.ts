import { connect } from "node:net";
import { expect, test } from "vitest";
import { requestJson, withSandbox } from "../test-kit.ts";

/** Whether a server listens there. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

test("starts on demand, is reached through the sandbox, and ends with it", async () => {
  let address = "";
  await withSandbox(async ({ url }) => {
    const admin = `${url}/admin/max`;
    const people = await requestJson("GET", `${admin}/people`);
    expect(people.body["items"]).toMatchObject([{ name: "Ann" }, { name: "Bob" }]);
    expect((await requestJson("POST", `${admin}/people`, { phone: "x" })).status).toBe(400);
    expect((await requestJson("GET", `${url}/max`)).status).toBe(404);
    const { max } = (await requestJson("GET", url)).body;
    expect(max).toMatchObject({ admin, settings: { MAX_WS_URL: max?.["url"] } });
    address = String(max?.["url"]);
    expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/websocket$/);
    expect(await answers(address)).toBe(true);
  });
  expect(await answers(address)).toBe(false);
});
