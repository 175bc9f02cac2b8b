import { setTimeout as sleep } from "node:timers/promises";
import type { tl } from "@mtcute/core";
import type { OutboundFile } from "../../../core/transport/connector.ts";
import type { GroupChange, PersonOutcome, PersonResult } from "../../../core/transport/groups.ts";
import { refusalIn } from "../errors.ts";
import { ask, askOnce, type Line } from "../line.ts";
import { uploadFile } from "../outbound/uploads.ts";
import { findPeople, forEachPerson, type Known, outcome, peerOfUser, whyOf } from "./people.ts";
import { findGroup, type InputGroup, roleIn } from "./read.ts";
import { changeRole } from "./role.ts";

/** How long a person stays banned who is removed from a supergroup: Telegram ignores it if both come at once. */
const BAN_MS = 500;

/** Throws `GroupRefused`, and what the library throws. */
export async function changeGroup(
  line: Line,
  chatId: string,
  { change, signal }: { readonly change: GroupChange; readonly signal: AbortSignal },
): Promise<readonly PersonOutcome[]> {
  const group = await findGroup(line, chatId, signal);
  if (change.kind === "rename") return profile(line, titleOf(group, change.name), signal);
  if (change.kind === "picture") return setPicture(line, group, { picture: change.picture, signal });
  const asked = await findPeople(line, change.people, signal);
  switch (change.kind) {
    case "add":
      return addPeople(line, group, { asked, signal });
    case "remove":
      return forEachPerson(asked, (known) => remove(line, group, { known, signal }));
    case "promote":
    case "demote":
      return changeRole(line, group, { chatId, asked, change: change.kind, signal });
  }
}

type ProfileRequest =
  | tl.messages.RawEditChatTitleRequest
  | tl.channels.RawEditTitleRequest
  | tl.messages.RawEditChatPhotoRequest
  | tl.channels.RawEditPhotoRequest;

/** The result is reported like a change that the owner made on a phone. */
async function profile(line: Line, request: ProfileRequest, signal: AbortSignal): Promise<[]> {
  try {
    const updates = await askOnce(line, request, signal);
    line.client.handleClientUpdate(updates, false);
  } catch (error) {
    if (refusalIn(error)?.text !== "CHAT_NOT_MODIFIED") throw error;
  }
  return [];
}

function titleOf(group: InputGroup, title: string): ProfileRequest {
  if (group.kind === "chat") return { _: "messages.editChatTitle", chatId: group.chatId, title };
  return { _: "channels.editTitle", channel: group.channel, title };
}

async function setPicture(
  line: Line,
  group: InputGroup,
  { picture, signal }: { readonly picture: OutboundFile | null; readonly signal: AbortSignal },
): Promise<[]> {
  const photo: tl.TypeInputChatPhoto =
    picture === null
      ? { _: "inputChatPhotoEmpty" }
      : { _: "inputChatUploadedPhoto", file: await uploadFile(line, picture, signal) };
  if (group.kind === "chat")
    return profile(line, { _: "messages.editChatPhoto", chatId: group.chatId, photo }, signal);
  return profile(line, { _: "channels.editPhoto", channel: group.channel, photo }, signal);
}

/** One call each, so that the refusal of one does not concern the others. */
async function addPeople(
  line: Line,
  group: InputGroup,
  { asked, signal }: { readonly asked: Parameters<typeof forEachPerson>[0]; readonly signal: AbortSignal },
): Promise<readonly PersonOutcome[]> {
  const why = new Map<string, string>();
  const outcomes = await forEachPerson(asked, async (known): Promise<PersonResult> => {
    const { updates, missingInvitees } = await askOnce(line, invitation(group, known), signal);
    line.client.handleClientUpdate(updates, false);
    const [missing] = missingInvitees;
    if (missing === undefined) return "done";
    why.set(known.id, whyOf(missing));
    return "invitation_needed";
  });
  return outcomes.map((each) => {
    const data = why.get(each.id ?? "");
    return data === undefined ? each : outcome(each, each.result, data);
  });
}

/** Earlier messages are not forwarded to the person. */
function invitation(
  group: InputGroup,
  { user }: Known,
): tl.messages.RawAddChatUserRequest | tl.channels.RawInviteToChannelRequest {
  if (group.kind === "channel")
    return { _: "channels.inviteToChannel", channel: group.channel, users: [user] };
  return { _: "messages.addChatUser", chatId: group.chatId, userId: user, fwdLimit: 0 };
}

async function remove(
  line: Line,
  group: InputGroup,
  { known, signal }: { readonly known: Known; readonly signal: AbortSignal },
): Promise<PersonResult> {
  if (known.id === line.selfId) return "protected";
  if (group.kind === "channel") return removeFromSuper(line, group.channel, { known, signal });
  const request = { _: "messages.deleteChatUser", chatId: group.chatId, userId: known.user } as const;
  line.client.handleClientUpdate(await askOnce(line, request, signal), false);
  return "done";
}

/** Removed people may return by an invitation: a lasting ban was not asked for. */
async function removeFromSuper(
  line: Line,
  channel: tl.RawInputChannel,
  { known, signal }: { readonly known: Known; readonly signal: AbortSignal },
): Promise<PersonResult> {
  const participant = peerOfUser(known.user);
  const found = await ask(line, { _: "channels.getParticipant", channel, participant }, signal);
  const role = roleIn(found.participant);
  if (role === null) return "not_a_member";
  if (role === "owner") return "protected";
  const ban = (viewMessages: boolean): tl.channels.RawEditBannedRequest => {
    const bannedRights = { _: "chatBannedRights", viewMessages, untilDate: 0 } as const;
    return { _: "channels.editBanned", channel, participant, bannedRights };
  };
  line.client.handleClientUpdate(await askOnce(line, ban(true), signal), false);
  await sleep(BAN_MS, undefined, { signal });
  await askOnce(line, ban(false), signal).catch((error: unknown) =>
    line.link.log("info", "Telegram: a removed member stays banned", { error: String(error) }),
  );
  return "done";
}
