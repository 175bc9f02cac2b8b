import { createHash } from "node:crypto";

/** What an account of the emulated service has. Spelled as its API does. */
export interface HostedAccount {
  /** For `/v3`. */
  readonly apiKey: string;
  /** For `/v3` too, but only its routes of channels, messages, webhooks and templates. */
  readonly sidecarKey: string;
  /** For `/v2`. */
  readonly token: string;
  readonly channels: HostedChannel[];
  readonly users: HostedUser[];
  readonly contacts: object[];
  readonly deals: object[];
  readonly pipelines: object[];
  readonly templates: object[];
  readonly cannedAnswers: object[];
  readonly messages: HostedMessage[];
  /** Further messages, made while a dump is read; of the first channel. */
  readonly manyMessages: number;
}

export interface HostedChannel {
  readonly channel_id: string;
  readonly transport: string;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
}

export interface HostedUser {
  readonly id: string;
  readonly name: string;
}

export interface HostedMessage {
  readonly messageId: string;
  readonly channelId: string;
  readonly chatType: string;
  readonly chatId: string;
  readonly contact: string;
  readonly dateTime: string;
  readonly isInbound: boolean;
  readonly type: string;
  readonly status: string;
  readonly text: string;
  readonly contentUri?: string;
  readonly authorName?: string;
  readonly isEdited?: boolean;
  readonly isDeleted?: boolean;
}

/**
 * An account of a shop with this many contacts and deals, and `messages` in its dump besides a few special ones. Accounts
 * with other names have other ids of channels and messages.
 */
export function hostedAccount({
  name = "shop",
  contacts = 250,
  messages = 0,
}: {
  readonly name?: string;
  readonly contacts?: number;
  readonly messages?: number;
} = {}): HostedAccount {
  const [phone, bot] = [idOf(`${name} phone`), idOf(`${name} bot`)];
  return {
    apiKey: "hosted-api-key-4f1d",
    sidecarKey: "hosted-sidecar-key-77aa",
    token: "hosted-client-token-93c0",
    channels: [
      { channel_id: phone, transport: "whatsapp", name: "Shop", phone: "79990000001", username: "" },
      {
        channel_id: bot,
        transport: "telegram",
        name: "Shop bot",
        phone: "shop_bot",
        username: "shop_bot",
      },
    ],
    users: [
      { id: "17", name: "Olga" },
      { id: "18", name: "Pavel" },
    ],
    contacts: Array.from({ length: contacts }, (_, n) => contactOf(n)),
    deals: Array.from({ length: contacts }, (_, n) => ({
      id: `deal-${pad(n)}`,
      responsibleUserId: "17",
      name: `Order ${n}`,
      uri: `https://crm.example/deals/${n}`,
      contacts: [`contact-${pad(n)}`],
      closed: n % 2 === 0,
    })),
    pipelines: [
      {
        id: "1",
        name: "Sales",
        stages: [
          { id: "10", name: "New" },
          { id: "11", name: "Paid" },
        ],
      },
      { id: "2", name: "Service", stages: [{ id: "20", name: "Open" }] },
    ],
    templates: [
      {
        templateGuid: "5e0c7f5d-6f0b-4c3e-9f57-1c8f6f2a3b33",
        name: "order_ready",
        title: "Order ready",
        category: "UTILITY",
        language: "en",
        status: "approved",
        components: [{ type: "BODY", text: "Your order {{1}} is ready" }],
        channels: [],
      },
    ],
    cannedAnswers: [
      {
        template_id: "c1c1c1c1-0000-4000-8000-000000000001",
        name: "hours",
        text: "We work from 9 to 18",
        order: 1,
        files: [],
      },
      {
        template_id: "c1c1c1c1-0000-4000-8000-000000000002",
        name: "how to pay",
        text: "By card or in cash",
        order: 2,
        files: [],
      },
    ],
    messages: specialMessages(phone, bot),
    manyMessages: messages,
  };
}

function pad(n: number): string {
  return String(n).padStart(6, "0");
}

function contactOf(n: number): object {
  return {
    id: `contact-${pad(n)}`,
    responsibleUserId: n % 2 === 0 ? "17" : "18",
    name: `Client ${n}`,
    contactData: [{ chatType: "whatsapp", chatId: String(79_100_000_000 + n), username: null, phone: null }],
    uri: null,
  };
}

function specialMessages(phone: string, bot: string): HostedMessage[] {
  const chat = {
    channelId: phone,
    chatType: "whatsapp",
    chatId: "79100000001",
    contact: 'Client; "One", the first',
    type: "text",
  };
  const at = (second: number): string => `2026-03-01T10:00:${String(second).padStart(2, "0")}.000`;
  const messages: (Omit<HostedMessage, keyof typeof chat | "messageId"> & Partial<HostedMessage>)[] = [
    {
      dateTime: at(0),
      isInbound: true,
      status: "inbound",
      text: 'Hello, do you have "blue" ones?\r\n- size 42\n- size 43',
    },
    { dateTime: at(0), isInbound: true, status: "inbound", text: "😀👍🏽 second of the same second" },
    { dateTime: at(0), isInbound: true, status: "inbound", text: "third of the same second" },
    {
      dateTime: at(5),
      isInbound: false,
      status: "read",
      text: "=SUM(prices) is 5; yes, we do",
      authorName: "Olga",
    },
    {
      dateTime: at(6),
      isInbound: false,
      status: "delivered",
      text: "+7 999 000-00-01 is our number",
      isEdited: true,
    },
    { dateTime: at(7), isInbound: false, status: "error", text: "not delivered" },
    {
      dateTime: at(8),
      isInbound: true,
      status: "inbound",
      type: "image",
      text: "",
      contentUri: "https://files.example/pictures/1.jpg",
    },
    { dateTime: at(9), isInbound: true, status: "inbound", text: "withdrawn", isDeleted: true },
    {
      dateTime: at(10),
      isInbound: true,
      status: "inbound",
      text: "from Telegram",
      channelId: bot,
      chatType: "telegram",
      chatId: "555000111",
      contact: "Ann",
    },
  ];
  return messages.map((message, n) => ({ ...chat, ...message, messageId: idOf(`${phone} special ${n}`) }));
}

/** A version 4 uuid that follows from the name. */
export function idOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}

const YEAR_MS = 365 * 86_400_000;
const MANY_CHATS = 20_000;

/** The nth of `manyMessages`, in the order of time. */
export function manyMessage({ manyMessages, channels }: HostedAccount, n: number): HostedMessage {
  const person = (n * 7_919) % MANY_CHATS;
  const at = Date.UTC(2025, 2, 1) + Math.floor((n * YEAR_MS) / Math.max(1, manyMessages));
  const isInbound = n % 3 !== 2;
  const channelId = channels[0]?.channel_id ?? "";
  return {
    messageId: idOf(`${channelId} many ${n}`),
    channelId,
    chatType: "whatsapp",
    chatId: String(79_200_000_000 + person),
    contact: `Client ${person}`,
    // Whole seconds, as most messengers have them.
    dateTime: new Date(at).toISOString().replace(/\.\d+Z$/, ".000"),
    isInbound,
    type: "text",
    status: isInbound ? "inbound" : "read",
    text: `Message ${n}: is the order of last week on its way, "express", and when will it arrive?${n % 10 === 0 ? "\nPlease answer 🙏" : ""}`,
    ...(isInbound ? {} : { authorName: "Olga" }),
  };
}
