import { describe, expect, test } from "vitest";
import { type Kit, requestJson, withSandbox } from "../../test-kit.ts";

const here = { chat_id: 111 };
const blank = " \n ";

/** Calls that are refused in a fresh installation. */
const refusals: readonly (readonly [method: string, parameters: object, answer: string])[] = [
  ["sendMessage", {}, "400 Bad Request: message text is empty"],
  ["sendMessage", { text: "a" }, "400 Bad Request: chat_id is empty"],
  ["sendMessage", { ...here, text: blank }, "400 Bad Request: message text is empty"],
  ["sendMessage", { ...here, text: "a".repeat(4097) }, "400 Bad Request: message is too long"],
  ["sendMessage", { chat_id: 999, text: "a" }, "400 Bad Request: chat not found"],
  ["sendMessage", { chat_id: "@nobody", text: "a" }, "400 Bad Request: chat not found"],
  ["sendMessage", { ...here, text: "a", parse_mode: "bb" }, "400 Bad Request: unsupported parse_mode"],
  [
    "sendMessage",
    { ...here, text: "<b>a", parse_mode: "HTML" },
    `400 Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`,
  ],
  [
    "sendMessage",
    { ...here, text: "a", reply_parameters: { message_id: 77 } },
    "400 Bad Request: message to be replied not found",
  ],
  [
    "sendMessage",
    { ...here, text: "a", reply_markup: 5 },
    "400 Bad Request: object expected as reply markup",
  ],
  [
    "sendMessage",
    { ...here, text: "a", reply_markup: "{" },
    "400 Bad Request: can't parse reply keyboard markup JSON object",
  ],
  ["sendPhoto", here, "400 Bad Request: there is no photo in the request"],
  ["sendVoice", { ...here, voice: "" }, "400 Bad Request: there is no voice in the request"],
  ["sendPhoto", { ...here, photo: "nonsense" }, "400 Bad Request: wrong file identifier/HTTP URL specified"],
  [
    "sendPhoto",
    { ...here, photo: "http://127.0.0.1:1/a.jpg" },
    "400 Bad Request: failed to get HTTP URL content",
  ],
  [
    "sendPhoto",
    { ...here, photo: "x", caption: "a".repeat(1025) },
    "400 Bad Request: message caption is too long",
  ],
  ["sendLocation", { ...here, longitude: 1 }, "400 Bad Request: latitude is empty"],
  ["sendChatAction", { ...here, action: "dance" }, "400 Bad Request: wrong parameter action in request"],
  ["editMessageText", { ...here, text: "a" }, "400 Bad Request: message identifier is not specified"],
  ["editMessageText", { ...here, message_id: 9, text: "a" }, "400 Bad Request: message to edit not found"],
  ["deleteMessage", { ...here, message_id: 9 }, "400 Bad Request: message to delete not found"],
  [
    "forwardMessage",
    { ...here, from_chat_id: 111, message_id: 9 },
    "400 Bad Request: message to forward not found",
  ],
  [
    "copyMessage",
    { ...here, from_chat_id: 111, message_id: 9 },
    "400 Bad Request: message to copy not found",
  ],
  ["getFile", {}, "400 Bad Request: file_id not specified"],
  ["getFile", { file_id: "x" }, "400 Bad Request: invalid file_id"],
  [
    "answerCallbackQuery",
    { callback_query_id: "1" },
    "400 Bad Request: query is too old and response timeout expired or query ID is invalid",
  ],
  ["sendPoll", { ...here, question: "", options: ["a"] }, "400 Bad Request: poll question must be non-empty"],
  ["sendPoll", { ...here, question: "q", options: [] }, "400 Bad Request: poll must have at least 1 option"],
  [
    "setWebhook",
    { url: "http://example.com" },
    "400 Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
  ],
  [
    "setWebhook",
    { url: "https://example.com:81" },
    "400 Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443",
  ],
  ["setWebhook", { url: "ftp://example.com" }, "400 Bad Request: invalid webhook URL specified"],
  [
    "setWebhook",
    { url: "https://example.com", secret_token: "a b" },
    "400 Bad Request: secret token contains unallowed characters",
  ],
  ["fly", {}, "404 Not Found: method not found"],
];

describe("error texts", () => {
  test.each(refusals)("%s %j", (method, parameters, answer) =>
    withSandbox(async ({ refused }) => {
      expect(await refused(method, parameters)).toBe(answer);
    }),
  );

  test("the longest text and caption are accepted, counted after entities parsing", () =>
    withSandbox(async ({ ok }) => {
      const message = await ok("sendMessage", {
        ...here,
        text: `<b>${"a".repeat(4096)}</b>`,
        parse_mode: "HTML",
      });
      expect(String(message["text"])).toHaveLength(4096);
    }));

  test("bots can write only to people who have pressed start", () =>
    withSandbox(async ({ admin, refused }) => {
      await admin("POST /users", { id: 222, first_name: "Bob", username: "bob" });
      const cold = { chat_id: 222, text: "a" };
      expect(await refused("sendMessage", cold)).toBe(
        "403 Forbidden: bot can't initiate conversation with a user",
      );
      expect(await refused("sendMessage", { chat_id: "@bob", text: "a" })).toBe(
        "400 Bad Request: chat not found",
      );
    }));
});

describe("tokens and paths", () => {
  const paths: readonly (readonly [path: (kit: Kit) => string, status: number, description: string])[] = [
    [() => "/bot42:AAAAAAAAAAAAAAAAAAAAAAAAAAAAA/getMe", 401, "Unauthorized"],
    [() => "/botnonsense/getMe", 401, "Unauthorized: invalid token specified"],
    [() => "/getMe", 404, "Not Found"],
    [({ token }) => `/bot${token}`, 404, "Not Found"],
    [({ token }) => `/bot${token}/`, 404, "Not Found: method not found"],
  ];

  test.each(paths)("path %#", (path, status, description) =>
    withSandbox(async (kit) => {
      const answer = await requestJson("GET", kit.apiRoot + path(kit));
      expect(answer).toMatchObject({ status, body: { ok: false, error_code: status, description } });
    }),
  );

  test("a revoked token is rejected, its successor works", () =>
    withSandbox(async ({ admin, apiRoot, call }) => {
      const { token } = await admin("POST /bots/1000001/revocations", {});
      expect(await call("getMe")).toMatchObject({ status: 401, body: { description: "Unauthorized" } });
      expect(await requestJson("GET", `${apiRoot}/bot${token}/getMe`)).toMatchObject({ status: 200 });
    }));

  test("logging out", () =>
    withSandbox(async ({ admin, ok, refused }) => {
      expect(await ok("logOut")).toBe(true);
      expect(await refused("getMe")).toBe("400 Logged out");
      await admin("POST /bots/1000001/time", { advance_seconds: 601 });
      expect(await ok("getMe")).toMatchObject({ id: 1_000_001 });
    }));
});
