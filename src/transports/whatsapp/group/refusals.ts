import { GroupRefused, TransportError } from "../../../core/transport/errors.ts";
import { toTransportError } from "../errors.ts";

/** What was asked of WhatsApp. */
export type Asked = "create" | "read" | "rename" | "picture" | "people";

/**
 * Maps a failed query about a group; WhatsApp's number of an error is in `data` of the library's. 401: not an
 * administrator, 403: not in the group, 404: no such group, 406: not acceptable (a name, a picture). Pure.
 */
export function groupError(error: unknown, asked: Asked): GroupRefused | TransportError {
  if (error instanceof GroupRefused || error instanceof TransportError) return error;
  const code = codeOf(error);
  const refused = (reason: GroupRefused["reason"], description: string): GroupRefused =>
    new GroupRefused(reason, description, { cause: error, data: String(code) });
  switch (code) {
    case 401:
      return refused("not_an_admin", "WhatsApp allows this to the group's administrators only");
    case 403:
      return asked === "create"
        ? refused("refused", "WhatsApp does not allow this account to create groups")
        : refused("not_a_member", "The account is not in this group");
    case 404:
      return asked === "create"
        ? refused("unknown_person", "WhatsApp does not know these people")
        : refused("not_found", "WhatsApp does not know this group");
    case 406:
      if (asked === "picture") return refused("bad_picture", "WhatsApp does not accept this picture");
      if (asked === "rename" || asked === "create")
        return refused("bad_name", "WhatsApp does not accept this group's name");
      return refused("refused", "WhatsApp does not accept this change");
    case 419:
      return refused("too_many_people", "The group has no place for these people");
    case 409:
    case 400:
    case 405:
    case 501:
      return refused("refused", "WhatsApp refuses this");
    default:
      return toTransportError(error, { sent: true });
  }
}

/** The number of WhatsApp's error; undefined if the query has no answer. */
function codeOf(error: unknown): number | undefined {
  const data = (error as { readonly data?: unknown } | null)?.data;
  return typeof data === "number" ? data : undefined;
}
