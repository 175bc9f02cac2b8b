import { badParam } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import { isLocked } from "../account/account.ts";
import type { PhoneNumber } from "../account/phone-number.ts";
import { tiers } from "../account/tier.ts";
import { whatsAppError } from "../call/whatsapp-error.ts";
import { newMessageId } from "../chat/message-id.ts";
import { isUserId, type Person, userIdOf } from "../chat/person.ts";
import type { StoredMessage } from "../chat/stored-message.ts";
import type { FaultEffect } from "../fault.ts";
import { mediaKinds } from "../media/media-type.ts";
import type { Template } from "../template/template.ts";
import type { World } from "../world.ts";
import { type Content, readContent } from "./content.ts";
import { deliver } from "./delivery.ts";
import type { MediaUse } from "./media-use.ts";
import { type FilledTemplate, fillTemplate } from "./template-message.ts";

const commonKeys = [
  "messaging_product",
  "recipient_type",
  "to",
  "recipient",
  "type",
  "context",
  "biz_opaque_callback_data",
  "message_activity_sharing",
];

/** The recipient of a message. */
interface Recipient {
  /** As in the request. */
  readonly input: string;
  /** Digits; undefined if a business-scoped id was given. */
  readonly phone: string | undefined;
  readonly person: Person | undefined;
  /** A business-scoped id in `to` is accepted, but the message is lost (ChatbotXIO/ChatbotX#965). */
  readonly isLost: boolean;
}

/** A checked message; templates include the filled template. */
interface Checked extends Content {
  readonly template: Template | undefined;
  readonly filled: FilledTemplate | undefined;
}

/** `POST /{number}/messages`: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
export function postMessage(
  world: World,
  number: PhoneNumber,
  message: Param,
  effect: FaultEffect | undefined,
): unknown {
  if (message.needText("messaging_product") !== "whatsapp") {
    throw badParam(
      `Param messaging_product must be one of {WHATSAPP} - got "${message.text("messaging_product")}".`,
    );
  }
  checkAccount(number);
  if (message.has("status")) return markRead(world, number, message);
  return send(world, number, message, effect);
}

/** Conditions that forbid all messages. */
function checkAccount({ waba, status, isRegistered }: PhoneNumber): void {
  if (status === "DELETED") throw whatsAppError(33);
  if (isLocked(waba) || status === "BANNED") throw whatsAppError(131031);
  if (!isRegistered) throw whatsAppError(133010);
}

function send(world: World, number: PhoneNumber, message: Param, effect: FaultEffect | undefined): unknown {
  const type = message.text("type") ?? "text";
  message.only(...commonKeys, type);
  checkRecipientType(message);
  const recipient = readRecipient(world, number, message);
  const checked = check(world, number, message, type);
  const contextId = message.object("context")?.only("message_id").needText("message_id");
  const opaque = message.text("biz_opaque_callback_data", { max: 512 });
  checkUserId(recipient, checked);
  checkLimits(world, number, recipient, checked);
  const stored: StoredMessage = {
    id: newMessageId(recipient.phone ?? recipient.person?.phone ?? "0", "out"),
    direction: "out",
    type: checked.type,
    timestamp: world.clock.now(),
    content: checked.filled ?? checked.value,
    ...(contextId !== undefined && { contextId }),
    ...(opaque !== undefined && { opaque }),
    ...(checked.template && { pricingCategory: checked.template.category.toLowerCase() }),
    statuses: [],
  };
  note(world, number, message, { id: stored.id, type: checked.type, recipient });
  if (!recipient.isLost) {
    const { person, phone } = recipient;
    const { media, template } = checked;
    const failure = effect?.status;
    void deliver(world, { number, person, phone, message: stored, media, isTemplate: !!template, failure });
  }
  return answer(world, number, recipient, stored);
}

function answer(
  world: World,
  number: PhoneNumber,
  { input, phone, person }: Recipient,
  stored: StoredMessage,
) {
  // For a number, the id is not returned, because it would identify the person.
  const userId = person && world.settings.userIds && userIdOf(person, number.waba.businessId);
  const contact = phone === undefined ? { input, user_id: userId ?? input } : { input, wa_id: phone };
  const status = stored.pricingCategory === undefined ? {} : { message_status: "accepted" };
  return {
    messaging_product: "whatsapp",
    contacts: [contact],
    messages: [{ id: stored.id, ...status }],
  };
}

function note(
  world: World,
  number: PhoneNumber,
  message: Param,
  { id, type, recipient }: { id: string; type: string; recipient: Recipient | undefined },
): void {
  number.sent.append({
    at: world.clock.nowMs(),
    type,
    message_id: id,
    user: recipient?.person?.id ?? number.conversationOf(id)?.person.id ?? null,
    to: recipient?.input ?? null,
    request: message.values,
  });
}

function checkRecipientType(message: Param): void {
  const type = message.text("recipient_type") ?? "individual";
  if (type !== "individual")
    throw badParam(`Param recipient_type must be one of {INDIVIDUAL} - got "${type}".`);
}

/** `to` takes precedence over `recipient`. */
function readRecipient(world: World, number: PhoneNumber, message: Param): Recipient {
  const to = message.text("to");
  const userId = message.text("recipient");
  if (to === undefined && userId === undefined) throw badParam("The parameter to is required.");
  if (to === undefined || to === "") return byUserId(world, number, userId ?? "");
  if (isUserId(to)) return { input: to, phone: undefined, person: undefined, isLost: true };
  const phone = to.replace(/[+\s()-]/g, "");
  if (!/^\d{5,16}$/.test(phone)) throw whatsAppError(131009, "Recipient phone number is not valid.");
  if (phone === number.phone) throw whatsAppError(131021);
  return { input: to, phone, person: world.personByPhone(phone), isLost: false };
}

function byUserId(world: World, { waba }: PhoneNumber, input: string): Recipient {
  if (!isUserId(input)) throw whatsAppError(131009, "Recipient is not a valid business-scoped user id.");
  const person = [...world.people.values()].find((one) => userIdOf(one, waba.businessId) === input);
  return { input, phone: undefined, person, isLost: false };
}

function check(world: World, number: PhoneNumber, message: Param, type: string): Checked {
  const checked =
    type === "template"
      ? checkTemplate(world, number, message)
      : { ...readContent(message, type), template: undefined, filled: undefined };
  for (const use of checked.media) checkMedia(world, number, use);
  return checked;
}

function checkTemplate(world: World, number: PhoneNumber, message: Param): Checked {
  const object = message.needObject("template").only("name", "language", "components", "namespace");
  const name = object.needText("name");
  const code = object.needObject("language").only("code", "policy").needText("code");
  const template = world
    .templatesOf(number.waba)
    .find((candidate) => candidate.name === name && candidate.language === code);
  if (template?.status === "PAUSED") throw whatsAppError(132015);
  if (template?.status === "DISABLED") throw whatsAppError(132016);
  if (template?.status !== "APPROVED") {
    throw whatsAppError(132001, `template name (${name}) does not exist in ${code}`);
  }
  const filled = fillTemplate(template, object);
  return { type: "template", value: object.values, media: filled.media, template, filled };
}

/** A file given by id must exist, with a type and size that the kind allows. */
function checkMedia(world: World, number: PhoneNumber, { kind, source }: MediaUse): void {
  if (!("id" in source)) return;
  const media = world.media.find(source.id);
  if (media?.numberId !== number.id) {
    throw whatsAppError(131009, `Media id ${source.id} does not exist or has expired.`);
  }
  const { types, maxBytes } = mediaKinds[kind];
  if (!types.test(media.mime)) {
    throw whatsAppError(131053, `Media of type ${media.mime} cannot be sent as ${kind}.`);
  }
  if (media.size > maxBytes)
    throw whatsAppError(131053, `Media file size too big for ${kind}: ${media.size} bytes.`);
}

/** One-time codes can be sent to numbers only. */
function checkUserId({ phone }: Recipient, { template }: Checked): void {
  if (phone === undefined && template?.category === "AUTHENTICATION") throw whatsAppError(131062);
}

/** Rates, restrictions, the window if that is reported at once, and the messaging limit. */
function checkLimits(world: World, number: PhoneNumber, recipient: Recipient, { template }: Checked): void {
  const refused = world.limiter.refuseMessage(number.id, recipient.phone ?? recipient.input);
  if (refused !== undefined) throw whatsAppError(refused);
  const nowMs = world.clock.nowMs();
  const { person } = recipient;
  const conversation = person && number.conversations.get(person.id);
  if (conversation?.isOpen(nowMs)) return;
  if (!template && world.settings.windowErrors === "at_once" && person) throw whatsAppError(131047);
  if (!template || conversation?.isInitiated(nowMs)) return;
  if (number.waba.restrictions.includes("RESTRICTED_BIZ_INITIATED_MESSAGING")) throw whatsAppError(368);
  if (initiated(world, number, nowMs) >= tiers[number.waba.limit]) throw whatsAppError(131048);
}

/** The limit applies to all numbers of the portfolio together. */
function initiated(world: World, number: PhoneNumber, nowMs: number): number {
  let count = 0;
  for (const other of world.numbers.values()) {
    if (other.waba.businessId === number.waba.businessId) count += other.initiatedCount(nowMs);
  }
  return count;
}

/** `{status: "read", message_id, typing_indicator?}` */
function markRead(world: World, number: PhoneNumber, message: Param): unknown {
  message.only("messaging_product", "status", "message_id", "typing_indicator", "recipient_type");
  message.needOneOf("status", ["read"]);
  const id = message.needText("message_id");
  const typing = message.object("typing_indicator")?.only("type").needOneOf("type", ["text"]);
  const conversation = number.conversationOf(id);
  const stored = conversation?.messages.get(id);
  if (!conversation || stored?.direction !== "in") {
    throw whatsAppError(131009, "Message ID is not valid or does not belong to this phone number.");
  }
  // Reading a message also reads all earlier ones.
  for (const earlier of conversation.messages.newest().reverse()) {
    if (earlier.direction === "in") earlier.readByBusiness = true;
    if (earlier === stored) break;
  }
  note(world, number, message, { id, type: typing ? "typing" : "read", recipient: undefined });
  return { success: true };
}

/** The buttons of a template message; none for other types. */
export function templateButtons(message: StoredMessage): FilledTemplate["buttons"] {
  return message.type === "template" ? (message.content as FilledTemplate).buttons : [];
}
