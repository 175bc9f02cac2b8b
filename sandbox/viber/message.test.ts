import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { pngFile } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { annId, withReceiver, withViber } from "./test-kit.ts";

const bot = `/bots/${demo.botId}`;
const text = { type: "text", text: "Hello" };
const button = { ActionType: "reply", ActionBody: "x", Text: "X" };
const keyboard = (...Buttons: object[]) => ({ ...text, keyboard: { Type: "keyboard", Buttons } });

describe("sending", () => {
  test("returns 200 with a status and an id beyond the safe integers of JavaScript", () =>
    withReceiver(async ({ admin, ann, raw }) => {
      await ann("messages", { text: "hi" });
      const answer = await raw("send_message", { receiver: annId, sender: { name: "Shop" }, ...text });
      const token =
        /^\{"status":0,"status_message":"ok","message_token":(\d+),"billing_status":1,"chat_hostname"/.exec(
          answer,
        )?.[1];
      expect(BigInt(token ?? 0)).toBeGreaterThan(2n ** 53n);
      expect((await admin(`GET ${bot}/sent`))["items"]).toMatchObject([
        { user: "111", message_token: token },
      ]);
      await admin("POST /time", { advance_seconds: 24 * 3600 });
      expect(await raw("send_message", { receiver: annId, sender: { name: "Shop" }, ...text })).toContain(
        '"billing_status":3',
      );
    }));

  test("a place as in Viber's own examples, with coordinates as text", () =>
    withReceiver(async ({ raw, admin, ann }) => {
      await ann("messages", { text: "hi" });
      const location = { lat: "37.7898", lon: "-122.3942" };
      await raw("send_message", { receiver: annId, sender: { name: "Shop" }, type: "location", location });
      expect((await admin(`GET ${bot}/sent`))["items"]).toMatchObject([
        { message: { location: { lat: 37.7898, lon: -122.3942 } } },
      ]);
    }));

  const refusals: readonly (readonly [label: string, message: object, expected: string])[] = [
    ["no sender", { sender: undefined, ...text }, "4 missingData"],
    ["a sender of 29 letters", { sender: { name: "x".repeat(29) }, ...text }, "3 badData"],
    ["no type", { text: "x" }, "3 badData"],
    ["an unknown type", { type: "audio", media: "https://x/a.mp3" }, "3 badData"],
    ["an unknown field", { ...text, quote: "1" }, "3 badData"],
    ["no text", { type: "text" }, "4 missingData"],
    ["7001 characters", { type: "text", text: "x".repeat(7001) }, "3 badData"],
    [
      "30 KB",
      {
        type: "text",
        text: "ж".repeat(7000),
        tracking_data: "ж".repeat(4000),
        keyboard: keyboard(...Array(100).fill({ ...button, Text: "x".repeat(100) })).keyboard,
      },
      "3 badData",
    ],
    ["4001 characters of tracking data", { ...text, tracking_data: "x".repeat(4001) }, "3 badData"],
    ["a picture that is none", { type: "picture", text: "", media: "https://x/a.pdf" }, "3 badData"],
    [
      "a caption of 769 letters",
      { type: "picture", text: "x".repeat(769), media: "https://x/a.png" },
      "3 badData",
    ],
    ["a video without size", { type: "video", media: "https://x/a.mp4" }, "4 missingData"],
    ["a video over 26 MB", { type: "video", media: "https://x/a.mp4", size: 27_262_977 }, "3 badData"],
    [
      "a video over three minutes",
      { type: "video", media: "https://x/a.mp4", size: 1, duration: 181 },
      "3 badData",
    ],
    ["a file without name", { type: "file", media: "https://x/a", size: 1 }, "4 missingData"],
    [
      "a file without extension",
      { type: "file", media: "https://x/a", size: 1, file_name: "a" },
      "3 badData",
    ],
    ["a program", { type: "file", media: "https://x/a.exe", size: 1, file_name: "a.exe" }, "3 badData"],
    [
      "a contact with a long name",
      { type: "contact", contact: { name: "x".repeat(29), phone_number: "1" } },
      "3 badData",
    ],
    ["a place that is no number", { type: "location", location: { lat: "north", lon: 0 } }, "3 badData"],
    ["a place off earth", { type: "location", location: { lat: 91, lon: 0 } }, "3 badData"],
    ["a long address", { type: "url", media: `https://x/${"x".repeat(2000)}` }, "3 badData"],
    [
      "cards for old clients",
      { type: "rich_media", rich_media: { Type: "rich_media", Buttons: [button] } },
      "3 badData",
    ],
    ["a keyboard of nothing", keyboard(), "4 missingData"],
    ["a button of 7 columns", keyboard({ ...button, Columns: 7 }), "3 badData"],
    ["a button without action", keyboard({ Text: "X" }), "4 missingData"],
    [
      "a button that asks for the number of old clients",
      keyboard({ ...button, ActionType: "share-phone" }),
      "3 badData",
    ],
    ["a newer client than Ann's", { ...text, min_api_version: 11 }, "11 receiverNoSuitableDevice"],
    ["a telephone number", { ...text, receiver: "+441234567111" }, "999 Bad receiver ID"],
    ["nobody", { ...text, receiver: "jc9HsWTZ2Yf2NkRZ8KcNug==" }, "5 receiverNotRegistered"],
  ];
  test("refuses what the platform refuses, and records unknown calls and fields", () =>
    withReceiver(async ({ admin, ann, api, send }) => {
      await ann("messages", { text: "hi" });
      for (const [label, message, expected] of refusals)
        expect(`${label}: ${await send(message)}`).toBe(`${label}: ${expected}`);
      expect(await admin("GET /calls?unknown=true")).toMatchObject({ count: 2 });
      expect(await api("nonsense").catch(() => undefined)).toEqual({ error: "Not Found" });
      expect(await admin("GET /calls?unknown=true")).toMatchObject({ count: 3 });
      expect(await admin(`GET ${bot}/sent`)).toMatchObject({ count: 0 });
    }));

  test("only to subscribers, and not for an hour after a hundred messages without a reply", () =>
    withReceiver(async ({ admin, ann, send }) => {
      await ann("opens");
      expect(await send(text)).toBe("6 receiverNotSubscribed");
      await ann("messages", { text: "hi" });
      for (let left = 100; left > 0; left--) expect(await send(text)).toBe("0 ok");
      expect(await send(text)).toBe("12 tooManyRequests");
      await ann("messages", { text: "still here" });
      expect(await send(text)).toBe("0 ok");
      await ann("unsubscriptions");
      expect(await send(text)).toBe("6 receiverNotSubscribed");
      await ann("subscriptions");
      expect(await send(text)).toBe("0 ok");
      await admin("POST /time", { advance_seconds: 3601 });
      expect(await send(text)).toBe("0 ok");
    }));

  test("requires a valid token, an active account and a webhook", () =>
    withViber(async ({ admin, api, send }) => {
      expect(await api("get_account_info", {}, null)).toMatchObject({
        status: 2,
        status_message: "missing_auth_token",
      });
      expect(await api("get_account_info", { auth_token: demo.token }, null)).toMatchObject({
        status: 0,
        id: demo.botId,
      });
      expect(await api("get_account_info", {}, "wrong")).toMatchObject({
        status: 2,
        status_message: "invalidAuthToken",
      });
      expect(await api("get_account_info", "{no json")).toMatchObject({ status: 3 });
      expect(await send(text)).toBe("10 webhookNotSet");
      await admin(`POST ${bot}/states`, { status: 9 });
      expect(await send(text)).toBe("9 publicAccountSuspended");
      await admin(`POST ${bot}/states`, { status: 0 });
      await admin(`POST ${bot}/revocations`);
      expect(await send(text)).toBe("2 invalidAuthToken");
    }));

  test("to many at a time, with a list of failures", () =>
    withReceiver(async ({ admin, ann, api }) => {
      await ann("messages", { text: "hi" });
      const message = { sender: { name: "Shop" }, ...text };
      const answer = await api("broadcast_message", {
        broadcast_list: [annId, "jc9HsWTZ2Yf2NkRZ8KcNug=="],
        ...message,
      });
      expect(answer).toMatchObject({
        status: 0,
        failed_list: [
          { receiver: "jc9HsWTZ2Yf2NkRZ8KcNug==", status: 5, status_message: "receiverNotRegistered" },
        ],
      });
      expect(
        await api("broadcast_message", { broadcast_list: Array(301).fill(annId), ...message }),
      ).toMatchObject({ status: 3 });
      await admin("POST /flood", {});
      const details = async () => (await api("get_user_details", { id: annId }))["status"];
      expect([await details(), await details(), await details()]).toEqual([0, 0, 12]);
      await admin("DELETE /flood");
      expect(await details()).toBe(0);
    }));

  test("files are downloaded, and unusable ones fail later", () =>
    withReceiver(async ({ ann, send }, receiver) => {
      await ann("messages", { text: "hi" });
      const server = createServer(async (request, response) => {
        if (request.url === "/good.png") response.end(Buffer.from(await pngFile(1, 1).arrayBuffer()));
        else if (request.url === "/large.png") response.end(Buffer.alloc(3 * 1024 * 1024 + 1));
        else if (request.url === "/page.png") response.end("<html>");
        else response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const address = server.address();
        const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
        const cases = [
          ["good.png", "delivered", undefined],
          ["large.png", "failed", "Media size is too large"],
          ["page.png", "failed", "Media type application/octet-stream is not supported"],
          ["none.png", "failed", "Failed to download media"],
        ] as const;
        for (const [index, [path, event, desc]] of cases.entries()) {
          expect(await send({ type: "picture", text: "", media: `${at}/${path}` })).toBe("0 ok");
          await receiver.reach(index + 3);
          expect(receiver.items[index + 2]?.body).toMatchObject({
            event,
            user_id: annId,
            ...(desc && { desc }),
          });
        }
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }));
});
