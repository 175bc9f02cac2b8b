import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { type Account, newId } from "../account/account.ts";
import { announce } from "../callback/announce.ts";
import type { Comment, Post } from "../post/post.ts";
import type { World } from "../world.ts";
import { readFile } from "./content.ts";
import { describeComment, describePost } from "./describe.ts";

const productTypes = ["FEED", "REELS", "STORY", "AD"] as const;
const mediaTypes = ["IMAGE", "VIDEO", "CAROUSEL_ALBUM"] as const;

/** Creates and deletes posts, stories and comments. */
export function mediaRoutes(world: World): AdminRoute[] {
  const accountOf = ({ params }: AdminCall) => world.account(params.needText("account_id"));
  return [
    [
      "POST",
      "/accounts/{account_id}/media",
      async (call) => describePost(await addPost(world, accountOf(call), call.body)),
    ],
    [
      "GET",
      "/accounts/{account_id}/media",
      (call) => ({ items: postsOf(world, accountOf(call)).map(describePost) }),
    ],
    [
      "GET",
      "/accounts/{account_id}/comments",
      (call) => ({ items: commentsOf(world, accountOf(call)).map(describeComment) }),
    ],
    ["POST", "/accounts/{account_id}/mentions", (call) => mention(world, accountOf(call), call.body)],
    [
      "POST",
      "/media/{media_id}/deletions",
      ({ params }) => remove(world, world.post(params.needText("media_id"))),
    ],
    [
      "POST",
      "/comments/{comment_id}/deletions",
      ({ params }) => remove(world, world.comment(params.needText("comment_id"))),
    ],
  ];
}

/** `{media_type?, product_type?, caption?, file?, likes?, ad_of?}` */
async function addPost(world: World, account: Account, body: Fields): Promise<Post> {
  const productType = oneOf(body, "product_type", productTypes) ?? "FEED";
  const mediaType = oneOf(body, "media_type", mediaTypes) ?? "IMAGE";
  const isVideo = mediaType === "VIDEO";
  const id = newId("178", 17);
  const adOf = body.text("ad_of");
  const post: Post = {
    id,
    accountId: account.id,
    productType,
    mediaType,
    caption: body.text("caption") ?? "New!",
    permalink: `https://www.instagram.com/${productType === "REELS" ? "reel" : "p"}/${id.slice(-11)}/`,
    mediaUrl: await readFile(world, isVideo ? "video" : "image", body),
    thumbnailUrl: isVideo
      ? await world.keepFile(Buffer.from("thumbnail"), "thumbnail.jpg", "image/jpeg")
      : undefined,
    children: mediaType === "CAROUSEL_ALBUM" ? await children(world, body) : [],
    atMs: world.clock.nowMs(),
    likes: body.integer("likes") ?? 0,
    ...(adOf !== undefined && {
      ad: { id: newId("120", 15), title: "Advertisement", originalPostId: world.post(adOf).id },
    }),
    deleted: false,
  };
  world.posts.set(id, post);
  world.changed();
  return post;
}

async function children(world: World, body: Fields): Promise<Post["children"]> {
  const urls = await Promise.all([readFile(world, "image", body), readFile(world, "image", body)]);
  return urls.map((mediaUrl) => ({ id: newId("178", 17), mediaUrl }));
}

function postsOf(world: World, account: Account): Post[] {
  return [...world.posts.values()].filter(({ accountId }) => accountId === account.id);
}

function commentsOf(world: World, account: Account): Comment[] {
  const ids = new Set(postsOf(world, account).map(({ id }) => id));
  return [...world.comments.values()].filter(({ postId }) => ids.has(postId));
}

/** `{media_id?, comment_id?}`: a person mentions the account in a caption or comment of their own post. */
function mention(world: World, account: Account, body: Fields): unknown {
  const comment = body.text("comment_id");
  const value = {
    media_id: body.text("media_id") ?? newId("178", 17),
    ...(comment !== undefined && { comment_id: comment }),
  };
  return { value, callbacks: announce(world, account, "mentions", { field: "mentions", value }) };
}

/** Not reported. */
function remove(world: World, thing: Post | Comment): unknown {
  thing.deleted = true;
  world.changed();
  return { deleted: true };
}

function oneOf<T extends string>(body: Fields, name: string, allowed: readonly T[]): T | undefined {
  const text = body.text(name);
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found) return found;
  throw invalid(name, allowed.join(", "));
}
