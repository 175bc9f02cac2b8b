import type { CommentedPost } from "../../../core/transport/events.ts";
import { numberIn, textIn } from "../../kit/json.ts";
import { graphOf, type InstagramLink } from "../access.ts";
import { Recent } from "../recent.ts";

const FIELDS =
  "id,caption,media_type,media_url,thumbnail_url,permalink,timestamp,username,like_count,comments_count";
const LIMIT_MS = 5_000;

type PostLink = Pick<InstagramLink, "channelId" | "credentials" | "settings" | "request" | "signal" | "log">;

const posts = new Recent<Promise<CommentedPost>>();

/**
 * The post that was commented on, as it was at most some minutes ago, because a live video may get many comments per
 * second. If the request fails, only its id and author are filled in.
 */
export function fetchPost(link: PostLink, id: string): Promise<CommentedPost> {
  const key = `${link.channelId}:${id}`;
  const known = posts.get(key);
  if (known !== undefined) return known;
  const post = requestPost(link, id);
  posts.set(key, post);
  return post;
}

async function requestPost(link: PostLink, id: string): Promise<CommentedPost> {
  const { account_id: authorId, username } = link.credentials;
  const bare = { id, src: "", author: username, authorName: username, authorId, description: "" };
  try {
    const signal = AbortSignal.any([link.signal, AbortSignal.timeout(LIMIT_MS)]);
    const media = await graphOf(link).call("GET", id, { query: { fields: FIELDS }, signal });
    const thumbnail = textIn(media, "thumbnail_url");
    const file = textIn(media, "media_url");
    const isVideo = textIn(media, "media_type") === "VIDEO";
    const more = {
      src: textIn(media, "permalink"),
      description: textIn(media, "caption"),
      likes: numberIn(media, "like_count"),
      comments: numberIn(media, "comments_count"),
      timestamp: textIn(media, "timestamp"),
      imageSrc: isVideo ? (thumbnail ?? file) : file,
      previewSrc: thumbnail ?? file,
      updatedAt: new Date().toISOString(),
    };
    const told = Object.entries(more).filter(
      (entry): entry is [string, string | number] => entry[1] !== undefined,
    );
    return { ...bare, ...Object.fromEntries(told) };
  } catch (error) {
    link.log("info", "Instagram: the post could not be fetched", { detail: String(error) });
    return bare;
  }
}
