import type { Method, NamedMethod } from "../call/call.ts";
import { sendChatAction, sendContact, sendDice, sendLocation, sendPoll, sendVenue } from "./content.ts";
import { deleteMessage, deleteMessages } from "./deletion.ts";
import {
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  editMessageText,
  stopPoll,
} from "./edit.ts";
import { sendMedia, sendMediaGroup } from "./media.ts";
import { getChatMenuButton, setChatMenuButton } from "./menu.ts";
import { copyMessage, forwardMessage, sendMessage } from "./message.ts";
import {
  getMyDescription,
  getMyName,
  getMyShortDescription,
  setMyDescription,
  setMyName,
  setMyShortDescription,
} from "./names.ts";
import { pinChatMessage, unpinAllChatMessages, unpinChatMessage } from "./pin.ts";
import { close, deleteMyCommands, getMe, getMyCommands, logOut, setMyCommands } from "./profile.ts";
import {
  answerCallbackQuery,
  getChat,
  getChatAdministrators,
  getChatMember,
  getChatMemberCount,
  getFile,
  getUserProfilePhotos,
} from "./query.ts";
import { setMessageReaction } from "./reaction.ts";
import { type DeliveryOf, deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from "./updates.ts";

/** Names before version 5.3 of the API, which are still accepted: https://core.telegram.org/bots/api-changelog */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  getChatMemberCount: ["getChatMembersCount"],
};

/** All supported methods by name in lower case: names are case-insensitive. */
export function methodTable(deliveryOf: DeliveryOf): ReadonlyMap<string, NamedMethod> {
  const methods: Readonly<Record<string, Method>> = {
    getMe,
    setMyCommands,
    getMyCommands,
    deleteMyCommands,
    setMyName,
    getMyName,
    setMyDescription,
    getMyDescription,
    setMyShortDescription,
    getMyShortDescription,
    setChatMenuButton,
    getChatMenuButton,
    logOut,
    close,
    sendMessage,
    sendPhoto: sendMedia("photo"),
    sendVideo: sendMedia("video"),
    sendAudio: sendMedia("audio"),
    sendVoice: sendMedia("voice"),
    sendDocument: sendMedia("document"),
    sendAnimation: sendMedia("animation"),
    sendVideoNote: sendMedia("video_note"),
    sendSticker: sendMedia("sticker"),
    sendMediaGroup,
    sendLocation,
    sendVenue,
    sendContact,
    sendPoll,
    sendDice,
    sendChatAction,
    forwardMessage,
    copyMessage,
    editMessageText,
    editMessageCaption,
    editMessageMedia,
    editMessageReplyMarkup,
    deleteMessage,
    deleteMessages,
    stopPoll,
    setMessageReaction,
    pinChatMessage,
    unpinChatMessage,
    unpinAllChatMessages,
    getFile,
    getUserProfilePhotos,
    getChat,
    getChatMember,
    getChatMemberCount,
    getChatAdministrators,
    answerCallbackQuery,
    getUpdates: (call) => getUpdates(call, deliveryOf(call.bot)),
    setWebhook: (call) => setWebhook(call, deliveryOf(call.bot)),
    deleteWebhook: (call) => deleteWebhook(call, deliveryOf(call.bot)),
    getWebhookInfo,
  };
  const named = Object.entries(methods).map(([name, run]) => [name, { name, run }] as const);
  const old = named.flatMap(([name, method]) =>
    (formerNames[name] ?? []).map((former) => [former, method] as const),
  );
  return new Map([...named, ...old].map(([name, method]) => [name.toLowerCase(), method]));
}
