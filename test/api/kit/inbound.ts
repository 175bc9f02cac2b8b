import type { TestAccount, TestNode } from "./service.ts";

/** Customers write to a WhatsApp channel: pairs of their number and the text, which is the message's id as well. */
export async function write(
  { core }: TestNode,
  to: { readonly account: TestAccount; readonly channelId: string },
  messages: readonly (readonly [chatId: string, text: string])[],
): Promise<void> {
  const reports = messages.map(([chatId, text]) =>
    core.reports.add({
      accountId: to.account.id,
      channelId: to.channelId,
      event: {
        kind: "message",
        message: {
          chatType: "whatsapp",
          chatId,
          externalId: text,
          direction: "in",
          sentAt: new Date(),
          contact: { name: `Customer ${chatId}` },
          body: { type: "text", text },
        },
      },
    }),
  );
  await Promise.all(reports);
}
