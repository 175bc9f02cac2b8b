import { Type } from "typebox";
import type { Identity } from "../../../core/account/authenticate.ts";
import { authorId, uuidText } from "../../schema/shapes.ts";

/** The response to sending, editing and deleting. */
export const changedShape = Type.Object(
  {
    messageId: uuidText({ description: "The message" }),
    chatId: Type.String({ description: "Its chat in the messenger" }),
  },
  { title: "ChangedMessage" },
);

/** `{id}` of a message in a path. */
export const messagePath = Type.Object({ id: Type.String({ description: "Id of the message" }) });

export const contentUriShape = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: "Direct http or https link to a file, at most 50 MB, on a public address",
});
export const authorShape = authorId({
  description: "The author: the employee's id in the CRM; ignored with a sidecar API key",
});

/** The author. Messages of a sidecar have none. */
export function authorOf({ kind }: Identity, crmUserId: string | undefined): { authorId?: string } {
  return crmUserId === undefined || kind === "sidecar" ? {} : { authorId: crmUserId };
}
