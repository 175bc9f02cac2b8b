import { type Static, type TObject, Type } from "typebox";
import { CHAT_TYPES } from "../core/transport/definition.ts";

/** A request of the interface, made with the agent's own token. */
export interface AgentRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly body?: object;
}

export interface AgentAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** Makes the request, so that limits, scopes, pacing and the audit log apply as to every other one. */
export type Ask = (request: AgentRequest) => Promise<AgentAnswer>;

/** One tool, as data. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  /** It changes something outside. */
  readonly sends: boolean;
  /** Of use only to an agent that may send. */
  readonly followsSends?: true;
  run(input: never, ask: Ask): Promise<AgentAnswer>;
}

function tool<Input extends TObject>(
  description: Omit<Tool, "input" | "run" | "sends"> & {
    readonly input: Input;
    readonly sends?: true;
    run(input: Static<Input>, ask: Ask): Promise<AgentAnswer>;
  },
): Tool {
  return { sends: false, ...description };
}

const closed = { additionalProperties: false };
const uuid = (description: string) =>
  Type.String({ pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", description });
const page = {
  before: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Only what is older: `meta.next`, or a time" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Default 20" })),
};
const chat = {
  chat_type: Type.Enum([...CHAT_TYPES], { description: "From list_chats" }),
  chat_id: Type.String({ minLength: 1, maxLength: 255, description: "From list_chats" }),
};

type Query = Readonly<Record<string, string | number | undefined>>;

function get(path: string, query: Query = {}): AgentRequest {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const search = given.toString();
  return { method: "GET", path: search === "" ? path : `${path}?${search}` };
}

const DEFAULT_LIMIT = 20;
const paged = ({
  before,
  limit = DEFAULT_LIMIT,
}: {
  readonly before?: string;
  readonly limit?: number;
}): Query => ({
  before,
  limit,
});
const messagesOf = ({
  chat_type: type,
  chat_id: id,
}: {
  readonly chat_type: string;
  readonly chat_id: string;
}) => `/v2/chats/${type}/${encodeURIComponent(id)}/messages`;

/** All tools, in the order in which agents see them. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: "list_channels",
    title: "List channels",
    description: "The account's channels: connected messenger accounts, with their status",
    input: Type.Object({}, closed),
    run: (_input, ask) => ask(get("/v2/channels")),
  }),
  tool({
    name: "list_chats",
    title: "List chats",
    description: "Chats with their last message and the number of unanswered ones, most recent first",
    input: Type.Object({ channel_id: Type.Optional(uuid("Only of this channel")), ...page }, closed),
    run: ({ channel_id, ...rest }, ask) => ask(get("/v2/chats", { channel_id, ...paged(rest) })),
  }),
  tool({
    name: "read_messages",
    title: "Read a chat",
    description: "Messages of a chat, newest first",
    input: Type.Object({ ...chat, channel_id: Type.Optional(uuid("Only of this channel")), ...page }, closed),
    run: (input, ask) => ask(get(messagesOf(input), { channel_id: input.channel_id, ...paged(input) })),
  }),
  tool({
    name: "search_messages",
    title: "Search messages",
    description:
      "Messages of all chats that have all of these words, newest first; a word matches as a beginning",
    input: Type.Object(
      { text: Type.String({ minLength: 1, maxLength: 200, description: "Words" }), ...page },
      closed,
    ),
    run: ({ text, ...rest }, ask) => ask(get("/v2/messages/search", { text, ...paged(rest) })),
  }),
  tool({
    name: "list_templates",
    title: "List templates",
    description: "Approved message templates of the WhatsApp Business Platform",
    input: Type.Object({}, closed),
    run: (_input, ask) => ask(get("/v2/templates/waba")),
  }),
  tool({
    name: "send_message",
    title: "Send a message",
    description:
      "Sends a text or a template into a chat that exists. The answer means that it is accepted; read_messages shows its status. With a proposal_id, it waits until an employee approves it: tell your user so, and use read_proposal later. If the outcome is unknown, read the chat before you send again",
    input: Type.Object(
      {
        channel_id: uuid("Channel of the chat"),
        ...chat,
        text: Type.Optional(
          Type.String({ minLength: 1, maxLength: 4_096, description: "Text; or a template" }),
        ),
        template: Type.Optional(
          Type.Object(
            {
              id: Type.String({ minLength: 1, maxLength: 100, description: "From list_templates" }),
              values: Type.Optional(
                Type.Array(Type.String(), { maxItems: 100, description: "Of its variables" }),
              ),
            },
            closed,
          ),
        ),
        quoted_message_id: Type.Optional(uuid("Message of the chat to quote")),
      },
      closed,
    ),
    sends: true,
    run: send,
  }),
  tool({
    name: "read_proposal",
    title: "Read a proposed message",
    description:
      "What became of a message that waits for approval: waiting, approved, sent, failed, declined or expired",
    input: Type.Object({ proposal_id: uuid("From send_message") }, closed),
    followsSends: true,
    run: ({ proposal_id }, ask) => ask(get(`/v2/messages/proposals/${proposal_id}`)),
  }),
];

interface SendInput {
  readonly channel_id: string;
  readonly chat_type: string;
  readonly chat_id: string;
  readonly text?: string;
  readonly template?: object;
  readonly quoted_message_id?: string;
}

/**
 * Only into chats that exist: a text that misleads an agent must not make it write to strangers. With a token that may not
 * send, the message is proposed to the employees.
 */
async function send(input: SendInput, ask: Ask): Promise<AgentAnswer> {
  const { chat_type, chat_id, ...message } = input;
  const known = await ask(get(messagesOf(input), { channel_id: input.channel_id, limit: 1 }));
  if (known.status !== 200) return known;
  const body = { ...message, recipient: { chat_type, chat_id } };
  const sent = await ask({ method: "POST", path: "/v2/messages", body });
  return needsApproval(sent) ? ask({ method: "POST", path: "/v2/messages/proposals", body: input }) : sent;
}

function needsApproval({ status, json }: AgentAnswer): boolean {
  return status === 403 && (json as { readonly error?: unknown } | null)?.error === "APPROVAL_REQUIRED";
}
