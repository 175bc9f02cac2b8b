import { asStatus } from "../channel-status.ts";
import { creationEvent } from "./creation-payloads.ts";
import type { Event } from "./event.ts";
import type {
  ChannelFact,
  Client,
  ContactRequest,
  DealRequest,
  GroupFact,
  HistoryFact,
  MessageFact,
  PhonesFact,
  ReactionFact,
  StatusFact,
} from "./facts.ts";
import { groupEvent, membersEvent } from "./group-payloads.ts";
import { messageEvents, newQrEvents, statusEvents, templateEvents, tierEvents } from "./payloads.ts";
import { reactionEvents } from "./reaction-payloads.ts";
import { channelV2Event, exportEvent, historyEvent, phonesEvent } from "./v2-payloads.ts";

const AT = new Date("2030-01-02T03:04:05.678Z");
const CHANNEL = "0197a1b2-0000-4000-8000-00000000c001";
const CHAT = "0197a1b2-0000-4000-8000-00000000c4a7";
const MESSAGE = "0197a1b2-0000-4000-8000-0000000000a1";
const OF = { accountId: 0, channelId: CHANNEL };

const MESSAGE_FACT: MessageFact = {
  ...OF,
  messageId: MESSAGE,
  chat: CHAT,
  chatType: "whatsapp",
  chatId: "79001112233",
  sentAt: AT,
  type: "text",
  status: "inbound",
  error: null,
  text: "Is my order ready?",
  contentUri: null,
  file: { name: null, mimeType: null, size: null },
  isEcho: false,
  sentFromApp: false,
  authorId: null,
  authorName: null,
  contact: { name: "Ann", username: null, phone: null, avatarUri: null, profileId: null },
  extras: {},
  interactive: [],
  quoted: null,
  sender: null,
  isEdited: false,
  isDeleted: false,
  oldInfo: null,
};
const STATUS_FACT: StatusFact = {
  ...OF,
  messageId: MESSAGE,
  requestId: MESSAGE,
  chat: CHAT,
  status: "delivered",
  at: AT,
  error: null,
};
const REACTION_FACT: ReactionFact = {
  ...OF,
  messageId: MESSAGE,
  chat: CHAT,
  chatType: "whatsapp",
  chatId: "79001112233",
  contact: { name: "Ann", username: null, phone: null },
  by: { id: "79001112233", name: "Ann" },
  emoji: "👍",
  at: AT,
};
const CHANNEL_FACT: ChannelFact = {
  ...OF,
  transport: "wapi",
  status: asStatus("active", null),
  phoneUnavailable: false,
  name: "Shop",
  phone: "79990001122",
  username: "",
  tier: "TIER_1K",
  at: AT,
  qr: null,
};
const QR_FACT = {
  ...CHANNEL_FACT,
  transport: "whatsapp",
  status: asStatus("init", "qr"),
  tier: null,
  qr: "data:image/png;base64,iVBORw0KGgo=",
};
const HISTORY_FACT: HistoryFact = {
  ...OF,
  transport: "whatsapp",
  status: "running",
  progress: 40,
  messages: 1200,
  isCut: false,
  since: new Date(AT.getTime() - 90 * 86_400_000),
  until: new Date(AT.getTime() - 60_000),
  at: AT,
};
const PHONES_FACT: PhonesFact = {
  ...OF,
  transport: "whatsapp",
  checkId: MESSAGE,
  phones: [
    { phone: "79001112233", exists: true, chatType: "whatsapp", chatId: "79001112233", username: null },
  ],
  waiting: 3,
  at: AT,
};
const GROUP_FACT: GroupFact = {
  ...OF,
  chat: CHAT,
  chatType: "whatsgroup",
  chatId: "120363041234567890",
  name: "Team of the shop",
  avatarUri: null,
  at: AT,
  by: { id: "79001112233", name: "Ann", phone: "79001112233" },
};
const BOB = { id: "79004445566", name: "Bob", phone: "79004445566" };
const OLD = { oldText: "Is my order redy?" };
const DELETED = { oldText: "Is my order ready?" };
const CREATION = { ...OF, chat: CHAT, creationId: CHAT };
const CLIENT: Client = {
  chatId: "79001112233",
  chatType: "whatsapp",
  name: "Ann",
  username: null,
  phone: "79001112233",
};
const CONTACT_REQUEST: ContactRequest = {
  responsibleUserId: "crm-1",
  name: "Ann",
  contactData: [{ chatType: "whatsapp", chatId: "79001112233" }],
  source: "auto",
};
const DEAL_REQUEST: DealRequest = { responsibleUserId: "crm-1", contacts: ["contact-1"], source: "auto" };

/** One event of each kind, for the documentation and for tests of receivers. */
export const EXAMPLES: ReadonlyMap<string, Event> = new Map(
  [
    ...messageEvents(MESSAGE_FACT),
    ...messageEvents({ ...MESSAGE_FACT, isEdited: true, oldInfo: OLD }).slice(1),
    ...messageEvents({ ...MESSAGE_FACT, isDeleted: true, oldInfo: DELETED }).slice(1),
    ...statusEvents(STATUS_FACT),
    ...reactionEvents(REACTION_FACT),
    ...(["v3", "v2"] as const).flatMap((version) =>
      [
        { request: CONTACT_REQUEST, client: CLIENT },
        { request: DEAL_REQUEST, client: null },
      ].map((asked) => creationEvent({ ...CREATION, ...asked, version })),
    ),
    channelV2Event("channel.create", { ...CHANNEL_FACT, status: asStatus("init", null) }),
    channelV2Event("channel.delete", { ...CHANNEL_FACT, status: asStatus("disabled", null) }),
    ...tierEvents(CHANNEL_FACT),
    channelV2Event("channel.status_update", { ...QR_FACT, qr: null }),
    ...newQrEvents(QR_FACT).slice(1),
    historyEvent(HISTORY_FACT),
    phonesEvent(PHONES_FACT),
    ...templateEvents({ ...OF, templateId: "order-ready", name: "order_ready", status: "APPROVED" }),
    groupEvent(GROUP_FACT, { changes: ["name"], oldName: "Team" }),
    membersEvent(GROUP_FACT, [{ change: "added", person: BOB }]),
    exportEvent({ accountId: 0, exportId: MESSAGE, status: "done", url: "https://example.com/messages.csv" }),
  ].map((event) => [event.kind, event]),
);
