/** Chat types whose people the interface lets clients address by something else than the chat's id. */
export const PERSON_FIELDS: Readonly<Record<string, readonly ("username" | "phone")[]>> = {
  telegram: ["username", "phone"],
  max: ["phone"],
};
