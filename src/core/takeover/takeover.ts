import type { Base } from "../base.ts";
import type { HasChats } from "../chat/chats.ts";
import { takeCannedAnswers } from "./canned-answers.ts";
import { dumpChannels, type TakenChannel, takeChannels } from "./channels.ts";
import { type Takeover, takeEntities } from "./entities.ts";
import { takeFiles } from "./files.ts";
import { type DumpSettings, type DumpSource, takeMessages } from "./messages.ts";
import { NotGiven } from "./original.ts";
import { takeTemplates } from "./templates.ts";
import { type OriginalWebhooks, readWebhooks } from "./webhooks.ts";

export interface TakenAccount {
  readonly channels: readonly TakenChannel[];
  /** What `switchWebhooks` would take over; null: it cannot be read. */
  readonly webhooks: OriginalWebhooks | null;
}

/**
 * Takes an account of the original over into one of ours. Reads the original only, and can be repeated at any time: what is
 * here already stays, except that `replaces` takes the original's content of CRM entities. `takeover.report` has the
 * result of each part. Throws `TakeoverFailed`.
 */
export async function takeAccount(
  takeover: Takeover & { readonly core: Base & HasChats },
  dump: { readonly source: DumpSource; readonly settings: DumpSettings } | null,
  /** Where files of imported messages are written before they are stored; null: they stay at the original. */
  filesDirectory: string | null,
): Promise<TakenAccount> {
  const channels = await takeChannels(takeover);
  await takeEntities(takeover);
  await takeTemplates(takeover);
  await takeCannedAnswers(takeover);
  const webhooks = await readWebhooks(takeover.original).catch((error: unknown) => {
    if (error instanceof NotGiven) return null;
    throw error;
  });
  if (dump !== null) await takeMessages(takeover, dumpChannels(takeover, channels), dump);
  const { dispatcher } = takeover.original;
  if (filesDirectory !== null) await takeFiles(takeover, { dispatcher, directory: filesDirectory });
  return { channels, webhooks };
}
