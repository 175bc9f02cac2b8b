import type { InboundMessage } from "../../../src/core/transport/events.ts";
import type { TestAccount, TestNode } from "./service.ts";

interface To {
  readonly account: Pick<TestAccount, "id">;
  readonly channelId: string;
}

/** A message of a customer arrives just now; resolves when it is stored. */
export async function arrive(
  { core }: TestNode,
  { account, channelId }: To,
  message: Omit<InboundMessage, "direction" | "sentAt">,
): Promise<void> {
  await core.reports.add({
    accountId: account.id,
    channelId,
    event: { kind: "message", message: { ...message, direction: "in", sentAt: new Date() } },
  });
}

/** Customers write to a WhatsApp channel: pairs of their number and the text, which is the message's id as well. */
export async function write(
  node: TestNode,
  to: To,
  messages: readonly (readonly [chatId: string, text: string])[],
): Promise<void> {
  const arrivals = messages.map(([chatId, text]) =>
    arrive(node, to, {
      chatType: "whatsapp",
      chatId,
      externalId: text,
      contact: { name: `Customer ${chatId}` },
      body: { type: "text", text },
    }),
  );
  await Promise.all(arrivals);
}
