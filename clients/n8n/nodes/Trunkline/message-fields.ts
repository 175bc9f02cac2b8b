import type { INodeProperties } from "n8n-workflow";
import { CHAT_TYPES } from "../../shared/chat-types";

const of = (...operation: string[]) => ({ show: { resource: ["message"], operation } });
const ofContent = (operation: string, content: string) => ({
  show: { resource: ["message"], operation: [operation], content: [content] },
});

const recipient: INodeProperties[] = [
  {
    displayName: "Channel Name or ID",
    name: "channelId",
    type: "options",
    typeOptions: { loadOptionsMethod: "getChannels" },
    required: true,
    default: "",
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    displayOptions: of("send"),
  },
  {
    displayName: "Chat Type",
    name: "chatType",
    type: "options",
    options: CHAT_TYPES,
    required: true,
    default: "whatsapp",
    description: "Kind of chat, which must fit the channel",
    displayOptions: of("send", "getStatus", "getMany"),
  },
  {
    displayName: "Recipient By",
    name: "recipientBy",
    type: "options",
    options: [
      { name: "Chat ID", value: "chat_id" },
      { name: "Phone", value: "phone" },
      { name: "Username", value: "username" },
    ],
    default: "chat_id",
    description: "Phones are for Telegram and MAX, usernames for Telegram; elsewhere they are the chat's ID",
    displayOptions: of("send"),
  },
  {
    displayName: "Chat ID, Phone or Username",
    name: "recipient",
    type: "string",
    required: true,
    default: "",
    placeholder: "={{ $json.recipient.chat_id }}",
    displayOptions: of("send"),
  },
  {
    displayName: "Chat ID",
    name: "chatId",
    type: "string",
    required: true,
    default: "",
    placeholder: "={{ $json.recipient.chat_id }}",
    displayOptions: of("getStatus", "getMany"),
  },
  {
    displayName: "Message ID",
    name: "messageId",
    type: "string",
    required: true,
    default: "",
    placeholder: "={{ $json.message_id }}",
    displayOptions: of("delete", "edit", "getStatus", "react"),
  },
];

const content: INodeProperties[] = [
  {
    displayName: "Content",
    name: "content",
    type: "options",
    options: [
      { name: "File", value: "file" },
      { name: "Template", value: "template" },
      { name: "Text", value: "text" },
    ],
    default: "text",
    displayOptions: of("send"),
  },
  {
    displayName: "Content",
    name: "content",
    type: "options",
    options: [
      { name: "File", value: "file" },
      { name: "Text", value: "text" },
    ],
    default: "text",
    displayOptions: of("edit"),
  },
  ...["send", "edit"].flatMap((operation): INodeProperties[] => [
    {
      displayName: "Text",
      name: "text",
      type: "string",
      typeOptions: { rows: 4 },
      required: true,
      default: "",
      displayOptions: ofContent(operation, "text"),
    },
    {
      displayName: "File URL",
      name: "fileUrl",
      type: "string",
      required: true,
      default: "",
      placeholder: "https://example.com/price-list.pdf",
      description: "Public link to the file, at most 50 MB; Trunkline fetches it",
      displayOptions: ofContent(operation, "file"),
    },
    {
      displayName: "File Name",
      name: "fileName",
      type: "string",
      default: "",
      description: "Name that the recipient sees",
      displayOptions: ofContent(operation, "file"),
    },
  ]),
  {
    displayName: "Template Name or ID",
    name: "templateId",
    type: "options",
    typeOptions: { loadOptionsMethod: "getTemplates" },
    required: true,
    default: "",
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    displayOptions: ofContent("send", "template"),
  },
  {
    displayName: "Template Values",
    name: "templateValues",
    type: "string",
    typeOptions: { multipleValues: true },
    default: [],
    description: "Values of the template's variables, in order",
    displayOptions: ofContent("send", "template"),
  },
  {
    displayName: "Emoji",
    name: "emoji",
    type: "string",
    default: "",
    description: "The reaction, which replaces an earlier one; empty removes it",
    displayOptions: of("react"),
  },
];

const more: INodeProperties[] = [
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: of("send"),
    options: [
      {
        displayName: "Author ID",
        name: "crm_user_id",
        type: "string",
        default: "",
        description: "The author: an employee's ID in the CRM",
      },
      {
        displayName: "Contact Name",
        name: "crm_contact_name",
        type: "string",
        default: "",
        description: "Name of the contact in the CRM",
      },
      {
        displayName: "Keep Unanswered",
        name: "keepUnanswered",
        type: "boolean",
        default: false,
        description: "Whether the chat's unanswered messages stay unanswered, as after an automatic reply",
      },
      {
        displayName: "Keyboard",
        name: "keyboard",
        type: "json",
        default: '{ "buttons": [{ "text": "Yes", "callback_data": "yes" }] }',
        description:
          "Buttons under the message; the example is for Telegram, other messengers have other fields",
      },
      {
        displayName: "MIME Type",
        name: "mimetype",
        type: "string",
        default: "",
        description: "Of the file; by default what its host says",
      },
      {
        displayName: "Quoted Message ID",
        name: "quoted_message_id",
        type: "string",
        default: "",
        description: "Message of the same chat that is quoted",
      },
      {
        displayName: "Voice Note",
        name: "voice",
        type: "boolean",
        default: false,
        description: "Whether an audio file is sent as a voice note, where the messenger has them",
      },
    ],
  },
];

/** Fields of the operations on messages, in the order in which they are shown. */
export const messageFields: INodeProperties[] = [...recipient, ...content, ...more];
