import type { INodeProperties } from "n8n-workflow";
import { CHAT_TYPES } from "../../shared/chat-types";

const PAGED = [
  { resource: ["message"], operation: ["search", "getMany"] },
  { resource: ["chat"], operation: ["getMany"] },
  { resource: ["contact"], operation: ["getMany"] },
  { resource: ["template"], operation: ["getMany"] },
];

/** Fields of the operations that read lists, and of those on chats. */
export const listFields: INodeProperties[] = [
  {
    displayName: "Words",
    name: "words",
    type: "string",
    required: true,
    default: "",
    description: "Words that the message has, in any order; each also matches the beginning of a word",
    displayOptions: { show: { resource: ["message"], operation: ["search"] } },
  },
  {
    displayName: "Chat Type",
    name: "chatType",
    type: "options",
    options: CHAT_TYPES,
    required: true,
    default: "whatsapp",
    displayOptions: { show: { resource: ["chat"], operation: ["markAsRead"] } },
  },
  {
    displayName: "Chat ID",
    name: "chatId",
    type: "string",
    required: true,
    default: "",
    placeholder: "={{ $json.recipient.chat_id }}",
    displayOptions: { show: { resource: ["chat"], operation: ["markAsRead"] } },
  },
  ...PAGED.flatMap((show): INodeProperties[] => [
    {
      displayName: "Return All",
      name: "returnAll",
      type: "boolean",
      default: false,
      description: "Whether to return all results or only up to a given limit",
      displayOptions: { show },
    },
    {
      displayName: "Limit",
      name: "limit",
      type: "number",
      typeOptions: { minValue: 1 },
      default: 50,
      description: "Max number of results to return",
      displayOptions: { show: { ...show, returnAll: [false] } },
    },
  ]),
  {
    displayName: "Of Channel Name or ID",
    name: "onlyChannelId",
    type: "options",
    typeOptions: { loadOptionsMethod: "getChannels" },
    default: "",
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    displayOptions: { show: { resource: ["message", "chat"], operation: ["getMany", "markAsRead"] } },
  },
];
