import type { INodePropertyOptions } from "n8n-workflow";

/**
 * The events of v2, except the two that a receiver must answer with a contact or deal: n8n answers before the workflow
 * has run.
 */
export const EVENTS: INodePropertyOptions[] = [
  { name: "Channel Created", value: "channel.create" },
  { name: "Channel Deleted", value: "channel.delete" },
  { name: "Channel Has a New QR Code", value: "channel.qr_update" },
  { name: "Channel Status Changed", value: "channel.status_update" },
  { name: "Channel Tier Changed", value: "channel.waba_tier_update" },
  { name: "Group Changed", value: "group_chat.update" },
  { name: "Group Members Changed", value: "group_chat.memberships_update" },
  { name: "Import of Earlier Messages", value: "channel.history" },
  { name: "Message Deleted", value: "message.delete" },
  { name: "Message Edited", value: "message.edit" },
  { name: "Message Export Ended", value: "messages_dump.status_update" },
  { name: "Message Reaction", value: "message.reaction" },
  { name: "Message Received", value: "message.add" },
  { name: "Message Status Changed", value: "message.status_update" },
  { name: "Phone Numbers Checked", value: "phones.checked" },
  { name: "Template Status Changed", value: "waba_template.status_update" },
];
