/** An address: `79990000001:3@s.whatsapp.net`, `8799@lid`, `1203@g.us`. Device 0 is the phone itself. */
export interface Jid {
  readonly user: string;
  readonly device: number;
  readonly server: string;
}

/** Undefined if the text is not an address. */
export function parseJid(text: string | undefined): Jid | undefined {
  const [, user, device, server] = /^([^@:]*)(?::(\d+))?@([\w.]+)$/.exec(text ?? "") ?? [];
  if (user === undefined || server === undefined) return undefined;
  return { user, device: Number(device ?? 0), server };
}

export function phoneJid(phone: string, device = 0): string {
  return `${phone}${device === 0 ? "" : `:${device}`}@s.whatsapp.net`;
}

export function lidJid(lid: string, device = 0): string {
  return `${lid}${device === 0 ? "" : `:${device}`}@lid`;
}

export function isGroupJid(text: string): boolean {
  return text.endsWith("@g.us");
}
