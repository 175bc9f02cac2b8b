import type { Bot } from "../bot.ts";
import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";

/** A text of a bot's profile that may differ by language. */
interface LocalText {
  /** The parameter, and the field of the response. */
  readonly field: "name" | "description" | "short_description";
  readonly maxLength: number;
  /** The error for a text that is too long. The limit is documented, its text is not. */
  readonly tooLong: string;
  /** The value if none was set, not even for all languages. */
  readonly fallback: (bot: Bot) => string;
}

const name: LocalText = {
  field: "name",
  maxLength: 64,
  tooLong: "BOT_TITLE_INVALID",
  fallback: (bot) => bot.user.first_name,
};
const description: LocalText = {
  field: "description",
  maxLength: 512,
  tooLong: "BOT_ABOUT_INVALID",
  fallback: () => "",
};
const shortDescription: LocalText = {
  field: "short_description",
  maxLength: 120,
  tooLong: "BOT_SHORT_DESCRIPTION_INVALID",
  fallback: () => "",
};

/** https://core.telegram.org/bots/api#setmyname: the name for all languages is the bot's `first_name`. */
export function setMyName(call: Call): true {
  const text = readText(call, name);
  const language = readLanguage(call);
  if (language === "" && text === "") throw badRequest("bot name must be non-empty");
  if (language === "") call.bot.user = { ...call.bot.user, first_name: text };
  else store(call.bot, name, language, text);
  call.world.changed();
  return true;
}

/** https://core.telegram.org/bots/api#getmyname */
export const getMyName = getter(name);

/** https://core.telegram.org/bots/api#setmydescription */
export const setMyDescription = setter(description);

/** https://core.telegram.org/bots/api#getmydescription */
export const getMyDescription = getter(description);

/** https://core.telegram.org/bots/api#setmyshortdescription */
export const setMyShortDescription = setter(shortDescription);

/** https://core.telegram.org/bots/api#getmyshortdescription */
export const getMyShortDescription = getter(shortDescription);

function setter(kind: LocalText): (call: Call) => true {
  return (call) => {
    store(call.bot, kind, readLanguage(call), readText(call, kind));
    call.world.changed();
    return true;
  };
}

function getter(kind: LocalText): (call: Call) => Readonly<Record<string, string>> {
  return (call) => {
    const { bot } = call;
    const text = bot.profileTexts.get(keyOf(kind, readLanguage(call)));
    return { [kind.field]: text ?? bot.profileTexts.get(keyOf(kind, "")) ?? kind.fallback(bot) };
  };
}

/** An empty text removes that of the language. */
function store(bot: Bot, kind: LocalText, language: string, text: string): void {
  if (text === "") bot.profileTexts.delete(keyOf(kind, language));
  else bot.profileTexts.set(keyOf(kind, language), text);
}

function keyOf(kind: LocalText, language: string): string {
  return `${kind.field} ${language}`;
}

function readText({ args }: Call, kind: LocalText): string {
  const text = args.text(kind.field);
  if (text.length > kind.maxLength) throw badRequest(kind.tooLong);
  return text;
}

function readLanguage({ args }: Call): string {
  const language = args.text("language_code");
  if (!/^([a-z]{2})?$/.test(language)) throw badRequest("invalid language code specified");
  return language;
}
