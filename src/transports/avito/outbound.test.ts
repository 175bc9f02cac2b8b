import { describe, expect, it } from "vitest";
import { chatIdOf, toImage, toText } from "./outbound.ts";
import { CHAT, picture, textMessage } from "./testing.ts";

describe("request bodies", () => {
  it("of a text and of an uploaded picture", () => {
    expect(toText(textMessage())).toEqual({
      path: "/messages",
      body: { message: { text: "hello" }, type: "text" },
    });
    expect(toImage("123.abc")).toEqual({ path: "/messages/image", body: { image_id: "123.abc" } });
  });

  it("rejects other content", () => {
    const content = { type: "file", file: picture(Buffer.from("png")) } as const;
    expect(() => toText({ content })).toThrow("does not support messages of this type");
  });
});

it("accepts the id of a chat", () => {
  expect(chatIdOf({ chatType: "avito", chatId: CHAT })).toBe(CHAT);
});

it.each([[""], ["two words"], ["a\u0000b"], ["x".repeat(257)]])("rejects the chat id %j", (chatId) => {
  expect(() => chatIdOf({ chatType: "avito", chatId })).toThrow("Avito requires the id of a chat");
});
