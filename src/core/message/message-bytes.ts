/** Expression: bytes of what a person wrote in the row `m` of a message. The text itself is not read for it. */
export const MESSAGE_BYTES = `(coalesce(octet_length(m.text), 0) + coalesce(octet_length(m.old_info ->> 'oldText'), 0)
  + coalesce(octet_length(m.quoted ->> 'text'), 0) + coalesce(octet_length(m.content::text), 0))`;

/**
 * Expression: bytes of the message in row `m` in an item of a webhook, which contains the whole quoted message. `m`
 * also needs the columns `account_id` and `quoted_id`.
 */
export const ITEM_BYTES = `(${MESSAGE_BYTES} + coalesce((
  select ${MESSAGE_BYTES.replaceAll("m.", "q.")} from messages q
  where q.account_id = any(array[m.account_id]) and q.id = m.quoted_id limit 1), 0))`;
