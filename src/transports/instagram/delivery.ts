import type { TransportEvent } from "../../core/transport/events.ts";
import { settleAll } from "../kit/settle-all.ts";
import type { InstagramLink } from "./access.ts";
import { typeOf } from "./files.ts";
import { toComment, toEvents } from "./inbound.ts";
import { type Comment, type Direct, type News, readEntry, Unreadable } from "./news.ts";
import { isOurs } from "./ours.ts";
import { type Met, meet, rememberComment } from "./people.ts";
import { fetchPost } from "./posts.ts";

const STORY_LIMIT_MS = 5_000;

/** Tells news of one channel in their order. Resolves once everything is stored; else Meta has to repeat the call. */
export async function deliver(news: readonly News[], link: InstagramLink): Promise<void> {
  for (const { told, raw } of news) {
    try {
      if (told instanceof Unreadable) throw told;
      if (told !== null)
        await (told.kind === "direct" ? deliverDirect(told, link) : deliverComment(told, link));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      await link.deadLetter(raw, error.message);
    }
  }
}

/** Takes a dead letter once more. */
export async function readAgain(payload: unknown, link: InstagramLink): Promise<void> {
  const news = readEntry(payload);
  if (news.length === 0) throw new Error("This tells nothing");
  await deliver(news, link);
}

async function deliverDirect(direct: Direct, link: InstagramLink): Promise<void> {
  const { message } = direct.item;
  if (
    message?.is_echo === true &&
    message.mid !== undefined &&
    (await isOurs(link, direct.igsid, message.mid))
  )
    return;
  const person = await meet(link, direct.igsid);
  const story = message?.attachments?.find(({ type }) => type === "story_mention")?.payload?.url;
  const storyKind = story === undefined ? undefined : await kindOf(story, link);
  const context = { person, now: new Date(), ...(storyKind !== undefined && { storyKind }) };
  await tell(toEvents(direct, context), person, link);
}

async function deliverComment(comment: Comment, link: InstagramLink): Promise<void> {
  const person = await meet(link, comment.igsid, comment.username);
  const post = await fetchPost(link, comment.mediaId);
  await rememberComment(link, comment.igsid, comment.id);
  await tell([toComment(comment, { person, now: new Date(), post })], person, link);
}

async function tell(events: readonly TransportEvent[], person: Met, link: InstagramLink): Promise<void> {
  const { formerChatId: chatId, chatId: newChatId } = person;
  const moved: readonly TransportEvent[] =
    chatId === undefined ? [] : [{ kind: "moved", chatType: "instagram", chatId, newChatId }];
  await person.prepare();
  await settleAll([...moved, ...events].map((event) => link.emit(event)));
  await person.remember();
}

/** A story is a picture or a film; only its file says which. */
async function kindOf(url: string, link: InstagramLink): Promise<"image" | "video"> {
  try {
    const signal = AbortSignal.any([link.signal, AbortSignal.timeout(STORY_LIMIT_MS)]);
    const answer = await link.request({ method: "GET", url, signal });
    answer.stream().destroy();
    return typeOf(answer.headers["content-type"])?.startsWith("video/") === true ? "video" : "image";
  } catch {
    return "image";
  }
}
