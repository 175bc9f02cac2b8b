/** A new poll: https://core.telegram.org/bots/api#poll */
export function newPoll(
  question: string,
  options: readonly string[],
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return {
    id: String(Math.floor(Math.random() * 1e15)),
    question,
    options: options.map((text, index) => ({ persistent_id: String(index), text, voter_count: 0 })),
    total_voter_count: 0,
    is_closed: false,
    is_anonymous: true,
    type: "regular",
    allows_multiple_answers: false,
    allows_revoting: true,
    members_only: false,
    ...settings,
  };
}
