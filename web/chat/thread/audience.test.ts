import { expect, test } from "vitest";
import type { Message } from "../model.ts";
import { audiences } from "./audience.ts";

const message = (id: string, isOut: boolean, more: object = {}, chatType = "instagram") =>
  ({ id, chatType, isOut, wire: { quoted: null, ...more } }) as unknown as Message;
const comment = (id: string, chatType?: string) => message(id, false, { post: {} }, chatType);
const quoting = (id: string, quoted: string) => message(id, true, { quoted: { id: quoted } });

test.each<[string, readonly Message[], Record<string, string>]>([
  ["nothing", [], {}],
  ["a private chat", [message("a", false), message("b", true), quoting("c", "a")], {}],
  [
    "a comment with both answers",
    [comment("a"), quoting("b", "a"), message("c", true)],
    { b: "public", c: "private" },
  ],
  ["until the author writes in private", [comment("a"), message("b", false), message("c", true)], {}],
  [
    "a late answer to a comment",
    [comment("a"), message("b", false), quoting("c", "a"), message("d", true)],
    { c: "public" },
  ],
  ["another messenger", [comment("a", "vk"), message("b", true, {}, "vk")], {}],
])("%s", (_, messages, expected) => expect(Object.fromEntries(audiences(messages))).toEqual(expected));
