import { isRecord } from "../../http/fields.ts";
import { type GroupCall, groupMethod, type MethodTable, noteSent } from "../call/call.ts";
import { badParam } from "../call/vk-error.ts";
import { knownDialog, writableDialog } from "./target.ts";

/** How long a press waits for its answer. */
const pressLifetimeMs = 60 * 1000;
const maxEventData = 1000;
const maxSnackbar = 90;

/** Typing, reading, and answers to presses. */
export const presenceMethods: MethodTable = {
  "messages.setActivity": groupMethod(
    "messages",
    { user_id: "integer", type: "text", peer_id: "integer" },
    (call) => {
      const { params } = call;
      const types = ["typing", "audiomessage", "file", "photo", "video"];
      if (params.needText("type")) params.oneOf("type", types, "typing");
      const peerId = params.integer("peer_id") ?? params.needInteger("user_id");
      noteSent(call, { peer_id: writableDialog(call, peerId).peerId });
      return 1;
    },
  ),
  "messages.markAsRead": groupMethod(
    "messages",
    {
      message_ids: "integers",
      peer_id: "integer",
      start_message_id: "integer",
      mark_conversation_as_read: "flag",
      up_to_cmid: "integer",
    },
    markAsRead,
  ),
  "messages.markAsAnsweredConversation": groupMethod(
    "messages",
    { peer_id: "integer", answered: "flag" },
    (call) => {
      noteSent(call, { peer_id: knownDialog(call, call.params.needInteger("peer_id")).peerId });
      return 1;
    },
  ),
  "messages.sendMessageEventAnswer": groupMethod(
    "messages",
    { event_id: "text", user_id: "integer", peer_id: "integer", event_data: "json" },
    answerPress,
  ),
};

function markAsRead(call: GroupCall): unknown {
  const { params, world } = call;
  const dialog = knownDialog(call, params.needInteger("peer_id"));
  const start = params.integer("start_message_id");
  const upTo = params.integer("up_to_cmid");
  const byId = start === undefined ? undefined : dialog.byId(start)?.conversation_message_id;
  dialog.inRead = Math.max(dialog.inRead, Math.min(upTo ?? byId ?? dialog.lastCmid, dialog.lastCmid));
  world.changed();
  noteSent(call, { peer_id: dialog.peerId, conversation_message_id: dialog.inRead });
  return 1;
}

/** https://dev.vk.com/ru/method/messages.sendMessageEventAnswer */
function answerPress(call: GroupCall): unknown {
  const { community, params, world } = call;
  const press = community.presses.get(params.needText("event_id"));
  const isOwn =
    press?.user_id === params.needInteger("user_id") && press.peer_id === params.needInteger("peer_id");
  if (!press || !isOwn || press.answer || world.clock.nowMs() - press.at_ms > pressLifetimeMs) {
    throw badParam("invalid event_id");
  }
  press.answer = readEventData(call);
  community.answers.append(press);
  noteSent(call, { peer_id: press.peer_id });
  return 1;
}

/** What is shown to the person: a short text, a link, an app, or nothing. */
function readEventData({ params }: GroupCall): Readonly<Record<string, unknown>> {
  const data = params.json("event_data");
  if (data === undefined) return {};
  if ([...(params.text("event_data") ?? "")].length > maxEventData) throw badParam("event_data is too long");
  if (!isRecord(data)) throw badParam("event_data should be object");
  const { type, text, link, app_id: appId } = data;
  const isSnackbar = type === "show_snackbar" && typeof text === "string" && [...text].length <= maxSnackbar;
  const isLink = type === "open_link" && typeof link === "string";
  const isApp = type === "open_app" && appId !== undefined;
  if (isSnackbar || isLink || isApp) return data;
  throw badParam("event_data is invalid");
}
