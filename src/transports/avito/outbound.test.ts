import { describe, expect, it } from "vitest";
import { chatIdOf, toImage, toText } from "./outbound.ts";
import { CHAT, picture, textMessage } from "./testing.ts";

describe("requests", () => {
  it("a text, and a picture that was uploaded", () => {
    expect(toText(textMessage())).toEqual({
      path: "/messages",
      body: { message: { text: "hello" }, type: "text" },
    });
    expect(toImage("123.abc")).toEqual({ path: "/messages/image", body: { image_id: "123.abc" } });
  });

  it("anything else is no text", () => {
    const content = { type: "file", file: picture(Buffer.from("png")) } as const;
    expect(() => toText({ content })).toThrow("no messages of this kind");
  });
});

it("a chat that a buyer has begun", () => {
  expect(chatIdOf({ chatType: "avito", chatId: CHAT })).toBe(CHAT);
});

it.each([[""], ["two words"], ["a\u0000b"], ["x".repeat(257)]])("no chat: %j", (chatId) => {
  expect(() => chatIdOf({ chatType: "avito", chatId })).toThrow("Avito needs the id of a chat");
});
