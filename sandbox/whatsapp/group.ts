import { randomBytes } from "node:crypto";
import type { Picture } from "./person/picture.ts";

/** A member's rank; plain members have none. */
export type Rank = "superadmin" | "admin" | undefined;

/** A group. Members are known by phone number; on the wire they appear under their LIDs. */
export class Group {
  /** e.g. `120363000000000001@g.us`. */
  readonly id: string;
  readonly createdMs: number;
  readonly creator: string;
  subject: string;
  subjectMs: number;
  /** Phone number of the person who set the subject. */
  subjectBy: string;
  description: string | undefined;
  picture: Picture | undefined;
  /** The last part of `https://chat.whatsapp.com/…`. */
  inviteCode = randomBytes(16).toString("base64url");
  announce = false;
  locked = false;
  readonly members = new Map<string, Rank>();
  /** Phone numbers of people who left by themselves: others cannot add them again. */
  readonly left = new Set<string>();

  constructor(setup: { id: string; subject: string; creator: string; createdMs: number }) {
    this.id = setup.id;
    this.subject = setup.subject;
    this.creator = setup.creator;
    this.createdMs = setup.createdMs;
    this.subjectMs = setup.createdMs;
    this.subjectBy = setup.creator;
    this.members.set(setup.creator, "superadmin");
  }
}
