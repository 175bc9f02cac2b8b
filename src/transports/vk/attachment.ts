import { itemPart, joinParts, NOTHING, type Part, quotedPart, wordsPart } from "../kit/part.ts";
import { linked, wordsIn } from "../kit/words.ts";
import {
  docPart,
  giftPart,
  graffitiPart,
  photoPart,
  soundPart,
  stickerPart,
  voicePart,
} from "./file-part.ts";
import { page, single } from "./page.ts";
import { placePart } from "./place.ts";
import type { VkAttachment, VkObject } from "./update.ts";

/** The message, or the post, that an attachment belongs to. */
export interface Around {
  /** Whether an address stands in its words. */
  readonly hasAddress: (address: string | undefined) => boolean;
  /** It is quoted itself, so that what its attachments quote needs no other mark. */
  readonly isQuoted: boolean;
}
const INSIDE: Around = { hasAddress: () => false, isQuoted: true };

type Reading = (object: VkObject, around: Around) => Part;
type AddressOf = (object: VkObject) => string | undefined;

/** Objects with an owner, and the beginning of their page's path. */
const PAGES = {
  video: "video",
  video_message: "video",
  clip: "clip",
  video_playlist: "video/playlist/",
  market: "product",
  article: "article",
  narrative: "narrative",
  album: "album",
  note: "note",
  audio_playlist: "music/playlist/",
} as const;

/** How each type is reported (dev.vk.com, "Attachments"; VK's clients send more types than its page lists). */
const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ["photo", photoPart],
  ["posted_photo", photoPart],
  ["graffiti", graffitiPart],
  ["sticker", stickerPart],
  ["ugc_sticker", stickerPart],
  ["gift", giftPart],
  ["doc", docPart],
  ["audio_message", voicePart],
  ["audio", soundPart("audio")],
  ["podcast", soundPart("podcast")],
  ["podcasts", soundPart("podcast")],
  ["call", callPart],
  ["group_call_in_progress", callPart],
  ["link", linkPart],
  ["wall", postPart],
  ["wall_reply", commentPart],
  ["story", storyPart],
  ["pretty_cards", ({ cards = [] }) => joinParts(cards.map(cardPart))],
  // Numbers of photos that are attached beside it.
  ["photos_list", () => NOTHING],
  ["poll", shownPart("poll", (poll) => page("poll", poll))],
  ["money_transfer", shownPart("money_transfer", ({ url }) => url)],
  ["money_request", shownPart("money_request", ({ init_url }) => init_url)],
  ["market_album", pagePart(goodsPage)],
  ["market_market_album", pagePart(goodsPage)],
  ["page", pagePart(({ group_id, id }) => page("page-", { owner_id: group_id, id }))],
  ["event", pagePart(({ id }) => single("event", id))],
  ["group", pagePart(({ id, group_id }) => single("club", id ?? group_id))],
  ["app", pagePart(({ app_id, id }) => single("app", app_id ?? id))],
  ["mini_app", pagePart(({ app_id, app, id }) => single("app", app_id ?? app?.id ?? id))],
  ["artist", pagePart(({ domain, id }) => single("artist/", domain ?? id))],
  ["curator", pagePart(({ id }) => single("music/curator/", id))],
  ["textlive", pagePart(({ textlive_id }) => single("textlive", textlive_id))],
  ["donut_link", pagePart(({ action }) => action?.url)],
  ...Object.entries(PAGES).map(([type, path]): [string, Reading] => [
    type,
    pagePart((object) => page(path, object)),
  ]),
]);

export function isKnownType(type: string): boolean {
  return READINGS.has(type);
}

/**
 * What a person sees of an attachment. One whose address stands in the words of the message is the preview that VK adds,
 * and says nothing of its own.
 */
export function attachmentPart({ type, object, raw }: VkAttachment, around: Around): Part {
  const part = READINGS.get(type)?.(object, around) ?? wordsPart([]);
  if (part === NOTHING || part.words.length + part.items.length > 0) return part;
  const text = wordsIn(raw);
  return itemPart({ type: "unsupported", what: type, ...(text !== null && { text }) });
}

function attachmentsPart({ attachments = [] }: VkObject): Part {
  return joinParts(attachments.map((each) => attachmentPart(each, INSIDE)));
}

/** The lines by which VK shows an object. */
function linesOf(object: VkObject): string[] {
  const { question, title, name, app, artist, subtitle, text, status, description, comment } = object;
  const { price, amount, address, transcript, answers = [] } = object;
  const lines = [
    question,
    title ?? app?.title ?? name,
    title === undefined ? undefined : name,
    artist,
    subtitle,
    (price ?? amount)?.text,
    text,
    status,
    description,
    comment,
    transcript,
    address,
    ...answers.map((answer) => answer.text && `- ${answer.text}`),
  ];
  return [...new Set(lines.filter((line) => line !== undefined))];
}

/** An object with a page: its lines, and the page. */
function pagePart(addressOf: AddressOf): Reading {
  return (object, { hasAddress }) => {
    const address = object.url ?? object.view_url ?? addressOf(object);
    if (hasAddress(address)) return NOTHING;
    return joinParts([
      wordsPart([...linesOf(object), address, buttonOf(object, address)]),
      attachmentsPart(object),
    ]);
  };
}

/** An object that only VK's client can show. */
function shownPart(what: string, addressOf: AddressOf): Reading {
  return (object, { hasAddress }) => {
    const address = addressOf(object);
    if (hasAddress(address)) return NOTHING;
    const text = [...linesOf(object), ...(address === undefined ? [] : [address])].join("\n");
    return itemPart({ type: "unsupported", what, ...(text !== "" && { text }) });
  };
}

/** Title and picture are a preview of the page; the price and the button are not. */
function linkPart(link: VkObject, { hasAddress }: Around): Part {
  const { url, title, description, product } = link;
  const isPreview = hasAddress(url);
  const offer = wordsPart([product?.price?.text, buttonOf(link, url)]);
  if (!isPreview) return joinParts([wordsPart([title, description, url]), offer]);
  return offer.words.length === 0 ? NOTHING : offer;
}

/** A button, unless it leads where its object does. */
function buttonOf({ button }: VkObject, address: string | undefined): string | undefined {
  const target = button?.action?.url ?? button?.url;
  return target !== undefined && target === address ? undefined : linked(button?.title, target);
}

/** A post with its files, and the posts that it shares. */
function postPart(post: VkObject, { hasAddress, isQuoted }: Around): Part {
  const address = page("wall", { owner_id: post.owner_id ?? post.to_id ?? post.from_id, id: post.id });
  if (hasAddress(address)) return NOTHING;
  const { text, geo, copyright, copy_history = [] } = post;
  const content = joinParts([
    wordsPart([text, linked(copyright?.name, copyright?.link)]),
    placePart(geo),
    attachmentsPart(post),
  ]);
  const shared = copy_history.map((each) => postPart(each, INSIDE));
  return joinParts([wordsPart([address]), inside(joinParts([content, ...shared]), isQuoted)]);
}

function commentPart(comment: VkObject, { hasAddress, isQuoted }: Around): Part {
  const address = commentPage(comment);
  if (hasAddress(address)) return NOTHING;
  const content = joinParts([wordsPart([comment.text]), attachmentsPart(comment)]);
  return joinParts([wordsPart([address]), inside(content, isQuoted)]);
}

/** What was commented has an id of its own in each kind of comment (dev.vk.com, "Comment"). */
function commentPage(comment: VkObject): string | undefined {
  const { owner_id, id, post_id, photo_id, video_id, item_id, topic_id } = comment;
  const places = [
    ["wall", post_id],
    ["photo", photo_id],
    ["video", video_id],
    ["product", item_id],
    ["topic", topic_id],
  ] as const;
  for (const [path, placeId] of places) {
    const address = page(path, { owner_id, id: placeId });
    if (address === undefined) continue;
    const key = path === "topic" ? "post" : "reply";
    return id === undefined ? address : `${address}?${key}=${id}`;
  }
  return undefined;
}

/** The picture is an item, because the story itself is shown for a day. */
function storyPart(story: VkObject, { hasAddress, isQuoted }: Around): Part {
  const address = page("story", story);
  if (hasAddress(address)) return NOTHING;
  const { photo, video, link, parent_story } = story;
  return joinParts([
    wordsPart([address, linked(link?.text, link?.url)]),
    photo === undefined ? NOTHING : photoPart(photo),
    video === undefined ? NOTHING : wordsPart([page("video", video)]),
    parent_story === undefined ? NOTHING : inside(storyPart(parent_story, INSIDE), isQuoted),
  ]);
}

function inside(part: Part, isQuoted: boolean): Part {
  return isQuoted ? part : quotedPart(part);
}

function cardPart(card: VkObject): Part {
  const { title, price, link_url } = card;
  return wordsPart([title, price?.text, link_url, buttonOf(card, link_url)]);
}

/** The state `reached` is an answered call, of which nothing is left; the call of a chat can be joined. */
function callPart({ state, join_link }: VkObject, { hasAddress }: Around): Part {
  if (join_link !== undefined) return hasAddress(join_link) ? NOTHING : wordsPart([join_link]);
  return state === "reached" ? NOTHING : itemPart({ type: "missing_call" });
}

function goodsPage({ owner_id, id }: VkObject): string | undefined {
  return owner_id === undefined || id === undefined
    ? undefined
    : `https://vk.com/market${owner_id}?section=album_${id}`;
}
