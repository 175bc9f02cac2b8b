import { type Static, Type } from "typebox";
import { idOrNumber, MAX_USER_ID_LENGTH } from "./entity.ts";

const MAX_CONTACTS = 100;

/** A deal as spelled in requests and in responses of a CRM. */
export const dealSchema = Type.Object(
  {
    id: idOrNumber(100),
    responsibleUserId: idOrNumber(MAX_USER_ID_LENGTH),
    name: Type.String({ maxLength: 200 }),
    /** The deal's address in the CRM. */
    uri: Type.Optional(Type.String({ maxLength: 200 })),
    /** Ids of its contacts. */
    contacts: Type.Array(idOrNumber(100), { maxItems: MAX_CONTACTS }),
    closed: Type.Optional(Type.Boolean()),
  },
  { title: "NewDeal" },
);

export interface Deal {
  readonly id: string;
  readonly responsibleUserId: string;
  readonly name: string;
  readonly uri?: string;
  readonly contacts: readonly string[];
  readonly closed: boolean;
}

/** A change of an existing deal; omitted fields keep their values. */
export type DealChange = Pick<Deal, "id"> & Partial<Deal>;

/** Open by default. */
export function dealOf({ closed = false, ...rest }: Static<typeof dealSchema>): Deal {
  return { ...rest, closed };
}

/** The same for a change, in which everything but the id is optional. */
export function dealChangeOf({
  id,
  contacts,
  ...rest
}: Pick<Static<typeof dealSchema>, "id"> & Partial<Static<typeof dealSchema>>): DealChange {
  return { ...rest, id: String(id), ...(contacts === undefined ? {} : { contacts: contacts.map(String) }) };
}
