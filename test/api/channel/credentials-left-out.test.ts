import { afterAll, beforeAll, expect, test } from "vitest";
import instagram from "../../../src/transports/instagram/index.ts";
import viber from "../../../src/transports/viber/index.ts";
import { call } from "../kit/call.ts";
import { addAccount, startNode, type TestAccount, type TestNode } from "../kit/service.ts";

let node: TestNode;
let account: TestAccount;

/** An installation without a bot to share. */
beforeAll(async () => {
  node = await startNode({ transports: [instagram, viber] });
  account = await addAccount(node.db);
});
afterAll(() => node.stop());

const create = (transport: string, credentials: object) =>
  call(node, "POST", "/v2/channels", { token: account.access, body: { transport, credentials } });

test("Instagram without credentials: the address of a sign-in page", async () => {
  const answer = await create("instagram", {});
  expect(answer.json).toMatchObject({
    data: [{ transport: "instagram", url: expect.stringContaining("/connect/instagram/") }],
  });
});

test.each([
  [
    "Instagram with a part of them",
    "instagram",
    { page_id: "17841400000000001", username: "ann" },
    [{ field: "credentials.user_token", message: "is required" }],
  ],
  [
    "Viber without any",
    "viber",
    {},
    [
      {
        field: "credentials",
        message: "viber_token is required: this installation has no Viber bot to share",
      },
    ],
  ],
  [
    "Viber with a part of them",
    "viber",
    { welcome: "Hello" },
    [{ field: "credentials.viber_token", message: "is required" }],
  ],
])("%s: 400 that says what is missing", async (_name, transport, credentials, fields) => {
  const answer = await create(transport, credentials);
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ error: "VALIDATION_ERROR", data: { fields } });
});
