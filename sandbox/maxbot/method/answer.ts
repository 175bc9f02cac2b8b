import { apiError, badPayload } from "../call/api-error.ts";
import { type ApiCall, bodyOf } from "../call/call.ts";
import { noteSent } from "../message/outgoing.ts";
import { messageShape } from "../shape.ts";
import { bodyFields, messageOfPress, replaceMessage } from "./message.ts";

/** https://dev.max.ru/docs-api/methods/POST/answers */
export async function answerOnCallback(call: ApiCall): Promise<unknown> {
  const { bot, world } = call;
  const id = call.query.only(["callback_id"]).needText("callback_id");
  const press = world.presses.get(id);
  if (press?.bot !== bot) throw apiError(404, "callback.not.found", `Callback ${id} not found`);
  const body = bodyOf(call, ["message", "notification"]);
  const notification = body.text("notification");
  const change = body.object("message", bodyFields);
  if (notification === undefined && !change) throw badPayload("Either message or notification is required");
  const message = messageOfPress(press.chat, press.mid);
  if (change) await replaceMessage(call, message, change);
  const { chat, mid } = press;
  noteSent(world, bot, { method: "answerOnCallback", chat, message, mid, request: call.body });
  bot.answers.append({
    callback_id: id,
    notification: notification ?? null,
    message: change ? messageShape(message) : null,
  });
  return { success: true };
}
