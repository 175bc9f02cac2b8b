import type { INodePropertyOptions } from "n8n-workflow";

export const CHAT_TYPES: INodePropertyOptions[] = [
  { name: "Avito", value: "avito" },
  { name: "Instagram", value: "instagram" },
  { name: "MAX", value: "max" },
  { name: "MAX Group", value: "maxgroup" },
  { name: "Telegram", value: "telegram" },
  { name: "Telegram Group", value: "telegroup" },
  { name: "Viber", value: "viber" },
  { name: "VK", value: "vk" },
  { name: "WhatsApp", value: "whatsapp" },
  { name: "WhatsApp Group", value: "whatsgroup" },
];
