import type { INodeProperties, INodePropertyOptions } from "n8n-workflow";

type Operation = INodePropertyOptions & { action: string };

const MESSAGE: Operation[] = [
  {
    name: "Delete",
    value: "delete",
    action: "Delete a message",
    description: "Delete a sent message for both sides, where the messenger can",
  },
  {
    name: "Edit",
    value: "edit",
    action: "Edit a message",
    description: "Change a sent message, where the messenger can",
  },
  {
    name: "Get Many",
    value: "getMany",
    action: "Get many messages",
    description: "Get the messages of a chat, newest first",
  },
  {
    name: "Get Status",
    value: "getStatus",
    action: "Get the status of a message",
    description: "Get a message of a chat with its status",
  },
  {
    name: "React",
    value: "react",
    action: "React to a message",
    description: "Set or remove the channel's reaction to a message",
  },
  {
    name: "Search",
    value: "search",
    action: "Search messages",
    description: "Find messages of all chats by their words, newest first",
  },
  {
    name: "Send",
    value: "send",
    action: "Send a message",
    description: "Send a text, a file or a template",
  },
];
const CHANNEL: Operation[] = [
  {
    name: "Get Many",
    value: "getMany",
    action: "Get many channels",
    description: "Get the channels with their status",
  },
];
const CHAT: Operation[] = [
  {
    name: "Get Many",
    value: "getMany",
    action: "Get many chats",
    description: "Get chats with their last message, most recent first",
  },
  {
    name: "Mark as Read",
    value: "markAsRead",
    action: "Mark a chat as read",
    description: "Tell the messenger that the messages of a chat are read, where it has that",
  },
];
const CONTACT: Operation[] = [
  {
    name: "Get Many",
    value: "getMany",
    action: "Get many contacts",
    description: "Get the contacts that the CRM has stored",
  },
];
const TEMPLATE: Operation[] = [
  {
    name: "Get Many",
    value: "getMany",
    action: "Get many templates",
    description: "Get the templates of the WhatsApp Business Platform",
  },
];

function operationField(resource: string, options: Operation[], byDefault: string): INodeProperties {
  return {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options,
    default: byDefault,
  };
}

/** The operations of each resource. */
export const operationFields: INodeProperties[] = [
  operationField("message", MESSAGE, "send"),
  operationField("channel", CHANNEL, "getMany"),
  operationField("chat", CHAT, "getMany"),
  operationField("contact", CONTACT, "getMany"),
  operationField("template", TEMPLATE, "getMany"),
];
