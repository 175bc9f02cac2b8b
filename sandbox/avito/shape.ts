import { avatarUrl } from "../avatar.ts";
import type { Account, User } from "./account.ts";
import type { Chat, StoredMessage } from "./chat.ts";
import type { World } from "./world.ts";

const avatarSizes = [24, 36, 48, 64, 72, 96, 128, 192, 256];

/** `GET /core/v1/accounts/self` */
export function selfShape({
  id,
  name,
  email,
  phone,
  profileUrl,
}: Account): Readonly<Record<string, unknown>> {
  return { id, name, email, phone, phones: [phone], profile_url: profileUrl };
}

/** A message in a list of messages. */
export function messageShape(message: StoredMessage): Readonly<Record<string, unknown>> {
  const { id, authorId, type, direction, created, content, read, quoted } = message;
  return {
    id,
    author_id: authorId,
    type,
    direction,
    created,
    is_read: read !== null,
    read,
    content,
    ...(quoted && { quote: quoteShape(quoted) }),
  };
}

function quoteShape({ id, authorId, created, type, content }: StoredMessage) {
  return { id, author_id: authorId, created, type, content };
}

/** A chat with its listing, its people and its last message. */
export function chatShape(world: World, chat: Chat): Readonly<Record<string, unknown>> {
  const [last] = chat.newest();
  return {
    id: chat.id,
    created: chat.created,
    updated: chat.updated,
    ...(chat.item && { context: contextShape(chat) }),
    ...(last && { last_message: lastShape(last) }),
    users: [userShape(world, chat, chat.account), userShape(world, chat, chat.user)],
  };
}

function lastShape({ id, authorId, type, direction, created, content }: StoredMessage) {
  return { id, author_id: authorId, type, direction, created, content };
}

function contextShape({ item }: Chat): unknown {
  if (!item) return undefined;
  const { id, title, priceString, statusId, url, userId, imageCount } = item;
  const images = { count: imageCount, main: { "140x105": `https://img.avito.st/140x105/${id}.jpg` } };
  return {
    type: "item",
    value: { id, title, price_string: priceString, status_id: statusId, url, user_id: userId, images },
  };
}

function userShape(world: World, { item }: Chat, { id, name, profileUrl }: Account | User): unknown {
  const avatar = (size: number) => avatarUrl(world.url(), `${size}x${size}`);
  return {
    id,
    name,
    public_user_profile: {
      user_id: id,
      ...(item && { item_id: item.id }),
      url: profileUrl,
      avatar: {
        default: avatar(192),
        images: Object.fromEntries(avatarSizes.map((size) => [`${size}x${size}`, avatar(size)])),
      },
    },
  };
}
