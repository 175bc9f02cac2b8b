import type { BinaryNode } from "baileys";
import type { PersonResult } from "../../../core/transport/groups.ts";
import { text } from "../../../platform/foreign/foreign-json.ts";
import { parseJid } from "../people/addresses.ts";
import type { ListedGroup } from "./members.ts";

/** A participant in an answer: by number or hidden id, and by the other one if WhatsApp gives both. */
export interface AnsweredPerson {
  readonly jid: string;
  readonly alternative?: string;
  /** WhatsApp's code if something was refused. */
  readonly error?: string;
}

/** The participants of a group or of a change, as they are listed in an answer. Pure. */
export function answeredPeople(parent: BinaryNode | undefined): AnsweredPerson[] {
  return childrenOf(parent).flatMap(({ tag, attrs }) => {
    const jid = text(attrs["jid"]);
    if (tag !== "participant" || jid === undefined) return [];
    const alternative = text(attrs["phone_number"]) ?? text(attrs["lid"]);
    const error = text(attrs["error"]);
    return [{ jid, ...(alternative && { alternative }), ...(error && error !== "200" && { error }) }];
  });
}

/**
 * The created group, without those who could not be added. Throws if the answer names none: then it is unknown whether
 * there is one. Pure.
 */
export function createdGroup(group: BinaryNode | undefined, name: string): ListedGroup {
  const id = text(group?.attrs["id"])?.split("@")[0];
  if (group === undefined || id === undefined) throw new Error("WhatsApp's answer names no group");
  const participants = childrenOf(group).flatMap(({ tag, attrs }) => {
    const jid = text(attrs["jid"]);
    const error = text(attrs["error"]) ?? "200";
    if (tag !== "participant" || jid === undefined || error !== "200") return [];
    const [phoneNumber, type] = [text(attrs["phone_number"]), text(attrs["type"])];
    const admin: "admin" | "superadmin" | null = type === "admin" || type === "superadmin" ? type : null;
    return [{ id: jid, ...(phoneNumber && { phoneNumber }), admin }];
  });
  const subject = text(group.attrs["subject"]) ?? name;
  return { id: `${id}@g.us`, subject, size: participants.length, participants };
}

/** Whether an answer names this address. Pure. */
export function isNamed({ jid, alternative }: AnsweredPerson, address: string): boolean {
  const key = keyOf(address);
  return key !== null && [jid, alternative].some((each) => keyOf(each) === key);
}

function keyOf(jid: string | undefined): string | null {
  const address = parseJid(jid);
  if (address.kind === "phone") return `phone ${address.digits}`;
  return address.kind === "hidden" ? `hidden ${address.id}` : null;
}

export function childOf(node: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return childrenOf(node).find((child) => child.tag === tag);
}

function childrenOf(node: BinaryNode | undefined): readonly BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : [];
}

/**
 * What WhatsApp's codes for single participants mean: 403 an invitation is needed, 404 no account (for members: nobody in
 * the group), 406 the group's creator, 408 left recently, 409 already so, 419 no place. Pure.
 */
export function resultOf(
  error: string | undefined,
  kind: "add" | "remove" | "promote" | "demote",
): PersonResult {
  switch (error) {
    case undefined:
      return "done";
    case "403":
      return "invitation_needed";
    case "404":
      return kind === "add" ? "unknown" : "not_a_member";
    case "406":
      return "protected";
    case "408":
      return "left_recently";
    case "409":
      return "already";
    case "419":
      return "full";
    default:
      return "refused";
  }
}
