/**
 * Condition: the account of this expression may be written here. It may not from the fence of its move until its rows are
 * gone, which takes moments, or until an operator comes if the command of the move ended: `follow_account_move` then
 * refuses every statement that changes one of its rows. Statements for all accounts leave such accounts out.
 */
// Asked of each row that is found otherwise: as a join it makes PostgreSQL look for rows account by account.
export const isWritable = (account: string): string => `(
  select true from account_moves v
  where v.account_id = ${account} and v.side = 'source' and v.state in ('fenced', 'moved', 'left') limit 1) is null`;
