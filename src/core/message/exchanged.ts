/** SQL expression: true if the person of the chat has got or written a message, otherwise null. */
export const exchangedMessages = (account: string, chat: string): string => `(
  select true from messages o where o.account_id = ${account} and o.chat = ${chat}
    and o.external_id is not null and o.status in ('inbound', 'sent', 'delivered', 'read') limit 1)`;
