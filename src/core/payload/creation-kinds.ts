/** Kinds of events that request an entity from the CRM, which the CRM returns in its response. */
export const CREATION_KINDS = {
  contact: { v3: "createContact", v2: "crm_entities.contact_add" },
  deal: { v3: "createDeal", v2: "crm_entities.deal_add" },
} as const;

export const ALL_CREATION_KINDS: readonly string[] = Object.values(CREATION_KINDS).flatMap(({ v3, v2 }) => [
  v3,
  v2,
]);

/** The entity that events of this kind request; null: none. */
export function entityAskedFor(kind: string): "contact" | "deal" | null {
  if (kind === CREATION_KINDS.contact.v3 || kind === CREATION_KINDS.contact.v2) return "contact";
  return kind === CREATION_KINDS.deal.v3 || kind === CREATION_KINDS.deal.v2 ? "deal" : null;
}
