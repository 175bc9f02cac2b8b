import type { BinaryNode } from "baileys";
import type { MemberChange } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { parseJid } from "../people/addresses.ts";

/** A person, as named in a notification. */
export interface Somebody {
  readonly jid: string;
  /** The address with the phone number, if `jid` is a hidden id. */
  readonly alternative?: string;
  readonly name?: string;
}

/** One change of a group in a notification. */
export interface GroupNotice {
  readonly group: string;
  /** The same at every repetition. */
  readonly id: string;
  readonly at: Date;
  readonly by?: Somebody;
  readonly change:
    | { readonly kind: "title"; readonly title: string }
    | { readonly kind: "picture"; readonly isGone: boolean }
    | { readonly kind: "members"; readonly change: MemberChange["change"]; readonly who: readonly Somebody[] }
    /** This account was added to the group, or created it. */
    | { readonly kind: "joined"; readonly title: string };
}

/** Whether the stanza is a notification about a group. */
export function isGroupNotice({ tag, attrs }: BinaryNode): boolean {
  const { type, from } = attrs;
  return (
    tag === "notification" && (type === "w:gp2" || type === "picture") && parseJid(from).kind === "group"
  );
}

/**
 * Parses the changes in a group notification; empty for other stanzas and unsupported changes. The library converts
 * notifications to messages (`messageStubType`), but drops phone numbers and merges concurrent ones.
 */
export function readGroupNotices(node: BinaryNode): GroupNotice[] {
  if (!isGroupNotice(node)) return [];
  const { from: group = "", t } = node.attrs;
  // If the id is missing, the same change at the same time counts as the same notification.
  const id = text(node.attrs["id"]) ?? `at ${t}`;
  const parts = childrenOf(node);
  return parts.flatMap((part, index) => {
    const change = readChange(part, node);
    if (change === null) return [];
    const by = authorOf(part, node);
    const at = timeOf(part.attrs["s_t"], t);
    return [{ group, id: index === 0 ? id : `${id}:${index}`, at, ...(by && { by }), change }];
  });
}

function readChange(part: BinaryNode, notice: BinaryNode): GroupNotice["change"] | null {
  if (notice.attrs["type"] === "picture")
    return part.tag === "set" || part.tag === "delete"
      ? { kind: "picture", isGone: part.tag === "delete" }
      : null;
  switch (part.tag) {
    case "subject":
      return titled(text(part.attrs["subject"]));
    case "create":
      return {
        kind: "joined",
        title: text(childrenOf(part).find(({ tag }) => tag === "group")?.attrs["subject"]) ?? "",
      };
    case "add":
      return membersOf("added", part);
    case "promote":
      return membersOf("promoted", part);
    case "demote":
      return membersOf("demoted", part);
    case "leave":
      return membersOf("left", part);
    case "remove":
      return membersOf(isOwnDoing(part, notice) ? "left" : "removed", part);
    default:
      return null;
  }
}

function titled(title: string | undefined): GroupNotice["change"] | null {
  return title === undefined ? null : { kind: "title", title };
}

function membersOf(change: MemberChange["change"], part: BinaryNode): GroupNotice["change"] | null {
  const who = childrenOf(part)
    .filter(({ tag }) => tag === "participant")
    .flatMap(({ attrs: { jid, phone_number } }) => somebody(jid, phone_number) ?? []);
  return who.length === 0 ? null : { kind: "members", change, who };
}

/** A member who leaves is reported as removed by themselves. */
function isOwnDoing(part: BinaryNode, { attrs }: BinaryNode): boolean {
  const [only, ...others] = childrenOf(part);
  const { jid, phone_number } = only?.attrs ?? {};
  const authors = [attrs["participant"], attrs["participant_pn"]];
  return (
    others.length === 0 && [jid, phone_number].some((each) => authors.some((author) => isSame(each, author)))
  );
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [parseJid(one), parseJid(other)];
  return a.kind !== "other" && JSON.stringify(a) === JSON.stringify(b);
}

function authorOf(part: BinaryNode, { attrs }: BinaryNode): Somebody | undefined {
  const { participant, participant_pn, notify } = attrs;
  return somebody(participant ?? part.attrs["author"], participant_pn, notify);
}

function somebody(...given: readonly unknown[]): Somebody | undefined {
  const [jid, alternative, name] = given.map(text);
  if (jid === undefined) return undefined;
  return { jid, ...(alternative && { alternative }), ...(name && { name }) };
}

/** The first valid time, in Unix seconds. */
function timeOf(...times: readonly (string | undefined)[]): Date {
  return dateFromUnix(times.find((each) => Number(each) > 0));
}

function childrenOf({ content }: BinaryNode): readonly BinaryNode[] {
  return Array.isArray(content) ? content : [];
}
