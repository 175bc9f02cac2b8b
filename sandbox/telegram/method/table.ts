import type { Method, NamedMethod } from "../call.ts";
import { sendChatAction, sendContact, sendDice, sendLocation, sendPoll, sendVenue } from "./content.ts";
import { deleteMessage, deleteMessages } from "./deletion.ts";
import { editMessageCaption, editMessageMedia, editMessageReplyMarkup, editMessageText } from "./edit.ts";
import { sendMedia, sendMediaGroup } from "./media.ts";
import { copyMessage, forwardMessage, sendMessage } from "./message.ts";
import { close, deleteMyCommands, getMe, getMyCommands, logOut, setMyCommands } from "./profile.ts";
import { answerCallbackQuery, getChat, getChatMember, getFile, getUserProfilePhotos } from "./query.ts";
import { type DeliveryOf, deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from "./updates.ts";

/** Every method that the emulator knows, by its name in lower case: names are case-insensitive. */
export function methodTable(deliveryOf: DeliveryOf): ReadonlyMap<string, NamedMethod> {
  const methods: Readonly<Record<string, Method>> = {
    getMe,
    setMyCommands,
    getMyCommands,
    deleteMyCommands,
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
    getFile,
    getUserProfilePhotos,
    getChat,
    getChatMember,
    answerCallbackQuery,
    getUpdates: (call) => getUpdates(call, deliveryOf(call.bot)),
    setWebhook: (call) => setWebhook(call, deliveryOf(call.bot)),
    deleteWebhook: (call) => deleteWebhook(call, deliveryOf(call.bot)),
    getWebhookInfo,
  };
  return new Map(Object.entries(methods).map(([name, run]) => [name.toLowerCase(), { name, run }]));
}
