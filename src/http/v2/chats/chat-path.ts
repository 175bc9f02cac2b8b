import { Type } from "typebox";
import { CHAT_TYPES } from "../../../core/transport/definition.ts";
import { patterned } from "../../schema/shapes.ts";

export const chatTypeShape = Type.Enum([...CHAT_TYPES], { description: "Kind of chat" });

/** A chat in a path. */
export const chatPath = Type.Object({
  chat_type: chatTypeShape,
  chat_id: patterned("printable", { maxLength: 255, description: "The chat's id in the messenger" }),
});
