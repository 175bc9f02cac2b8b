import { fields, number, text } from "../../platform/foreign/foreign-json.ts";
import { derivedId, isUuid } from "../../platform/ids.ts";
import {
  addCannedAnswer,
  type CannedAnswer,
  listCannedAnswers,
  MAX_NAME_LENGTH,
  MAX_TEXT_LENGTH,
} from "../canned-answer/canned-answers.ts";
import { KEPT, type Takeover, tolerating } from "./entities.ts";
import { TakeoverFailed } from "./failure.ts";

const PART = "canned answers";
const PATH = "/v2/templates/wz";
const answer = fields({ template_id: text, name: text, text, order: number });

/** Adds the original's canned answers; those whose name is taken here stay away. Needs the client access token. */
export async function takeCannedAnswers(takeover: Takeover): Promise<void> {
  const { core, scope, original, report, isDryRun } = takeover;
  const part = report.of(PART);
  await tolerating(takeover, PART, async () => {
    const given = ((await original.get(PATH)) as { readonly data?: unknown } | null)?.data;
    if (!Array.isArray(given))
      throw new TakeoverFailed(`GET ${PATH} responds with something else than a list`);
    const here = await listCannedAnswers(core.db, scope);
    const names = new Map(here.map((each) => [nameKey(each.name), each]));
    const byId = new Map(here.map((each) => [each.id, each]));
    for (const each of given) {
      part.read += 1;
      const { template_id: givenId = "", name: title = "", text: words = "", order = 0 } = answer(each) ?? {};
      const name = nameOf(title);
      const id = isUuid(givenId) ? givenId.toLowerCase() : derivedId("canned answer", givenId, name);
      // Under this id it may have been renamed, here or there.
      const known = byId.get(id) ?? names.get(nameKey(name));
      const place = Math.max(-2_147_483_648, Math.min(2_147_483_647, Math.round(order)));
      if (name === "" || words.trim() === "" || words.length > MAX_TEXT_LENGTH)
        report.leaveOut(
          PART,
          title || givenId,
          `it has no name, no text, or more than ${MAX_TEXT_LENGTH} characters`,
        );
      else if (known !== undefined && isSame(known, name, words)) part.same += 1;
      else if (known !== undefined) report.leaveOut(PART, name, KEPT_HERE);
      else {
        const added = { id, name, text: words, order: place };
        if (!isDryRun) await addCannedAnswer(core, scope, added);
        names.set(nameKey(name), { ...added, version: 1 });
        byId.set(id, { ...added, version: 1 });
        part.added += 1;
      }
    }
  });
}

const KEPT_HERE = `${KEPT.split(";")[0]}`;

function isSame(known: CannedAnswer, name: string, words: string): boolean {
  return nameKey(known.name) === nameKey(name) && known.text === words;
}

/** Names are one word here, typed after `/`. */
function nameOf(title: string): string {
  return title
    .trim()
    .replaceAll(/[\s\p{C}/]+/gu, "_")
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
}

function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
