import type { Session } from "../mtproto/session.ts";
import { renderReactionUpdate } from "../render/reactions.ts";
import { wrapUpdates } from "../render/updates.ts";
import type { Letter } from "./letter.ts";
import type { Person } from "./person.ts";
import { pushUpdates } from "./push.ts";
import { holdersOf } from "./revise.ts";
import type { World } from "./world.ts";

/** The emoji of https://core.telegram.org/bots/api#reactiontypeemoji, which regular accounts share. */
export const reactionEmoji: ReadonlySet<string> = new Set(
  (
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 " +
    "😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" "),
);

/** Sets or removes a person's reaction and tells everyone who has the message. Such updates have no `pts`. */
export function react(
  world: World,
  letter: Letter,
  {
    by,
    emoticon,
    origin,
  }: { readonly by: Person; readonly emoticon: string | undefined; readonly origin?: Session | undefined },
): void {
  letter.reactions.delete(by.id);
  if (emoticon !== undefined) letter.reactions.set(by.id, { emoticon, date: world.clock.now() });
  world.changed();
  for (const holder of holdersOf(world, letter)) {
    const updates = wrapUpdates(world, holder, [renderReactionUpdate(holder, letter)]);
    pushUpdates(world, holder, updates, holder === by ? origin : undefined);
  }
}
