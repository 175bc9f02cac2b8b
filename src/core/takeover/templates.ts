import { anyText, fields, text } from "../../platform/foreign/foreign-json.ts";
import { isUuid } from "../../platform/ids.ts";
import { knownAliases, saveAliases, type TemplateAlias } from "../template/aliases.ts";
import { type Takeover, tolerating } from "./entities.ts";
import { TakeoverFailed } from "./failure.ts";

const PART = "templates";
const PATH = "/v3/templates/whatsapp";
const PAGE = 100;
const template = fields({ templateGuid: text, name: text, language: text });

/**
 * Stores the ids of the original's templates as aliases. The templates themselves come from the messenger once a channel
 * of their business is linked; from then on, the old ids name them.
 */
export async function takeTemplates(takeover: Takeover): Promise<void> {
  const { core, scope, original, report, isDryRun } = takeover;
  const part = report.of(PART);
  const seen = new Set<string>();
  await tolerating(takeover, PART, async () => {
    for (let offset = 0; ; offset += PAGE) {
      const given = await original.get(`${PATH}?limit=${PAGE}&offset=${offset}`);
      if (!Array.isArray(given))
        throw new TakeoverFailed(`GET ${PATH} responds with something else than a list`);
      const aliases = given.flatMap((each) => {
        const alias = aliasOf(each);
        if (typeof alias !== "string") return [alias];
        report.leaveOut(PART, alias, "it has no uuid or no name");
        return [];
      });
      const fresh = [
        ...new Map(aliases.filter(({ id }) => !seen.has(id)).map((alias) => [alias.id, alias])).values(),
      ];
      const ids = fresh.map(({ id }) => id);
      for (const id of ids) seen.add(id);
      const known = await knownAliases(core.db, scope, ids);
      if (!isDryRun && fresh.length > 0) await saveAliases(core.db, scope, fresh);
      part.read += given.length;
      part.same += known.size;
      part.added += ids.length - known.size;
      // A list that does not know `offset` would begin again and again.
      if (given.length < PAGE || fresh.length === 0) return;
    }
  });
}

/** The alias; of something else, how it can be named. */
function aliasOf(given: unknown): TemplateAlias | string {
  const { templateGuid = "", name, language = null } = template(given) ?? {};
  if (!isUuid(templateGuid) || name === undefined) return templateGuid || (name ?? "without an id");
  const { channels } = given as { readonly channels?: unknown };
  const channelIds = (Array.isArray(channels) ? channels : []).map(channelIdOf).filter(isUuid);
  return { id: templateGuid.toLowerCase(), name, language, channelIds };
}

const named = fields({ channelId: anyText, id: anyText });

/** The channels are ids, or objects with one. */
function channelIdOf(channel: unknown): string {
  if (typeof channel === "string") return channel;
  const { channelId, id = "" } = named(channel) ?? {};
  return channelId ?? id;
}
