/** Condition on a row of `chat_entries`: a proposed message on which an employee may still decide. */
export const isWaitingProposal = (entry: string): string =>
  `(${entry}.kind = 'proposed' and ${entry}.details #>> '{proposal,state}' = 'waiting'
    and (${entry}.details #>> '{proposal,expires_at}')::timestamptz > now())`;
