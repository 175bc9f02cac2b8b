import type { Base } from "../base.ts";
import { listTemplates, type StoredTemplate } from "../template/templates.ts";
import { buttonsOf, slotsOf, type TemplateComponent } from "../transport/template.ts";
import { reachChat } from "./chat-list.ts";
import type { InboxSession } from "./reach.ts";

/** A template that can be sent in a chat. */
export interface TemplateView {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly header: { readonly format: string; readonly text: string | null } | null;
  readonly body: string;
  readonly footer: string | null;
  readonly buttons: { readonly type: string; readonly text: string; readonly url?: string }[];
  /** The number of values it takes. */
  readonly variables: number;
}

const MAX_TEMPLATES = 1_000;

/** Approved templates of the chat's channel, by name and language. Throws CHAT_NOT_FOUND. */
export async function listChatTemplates(
  core: Base,
  session: InboxSession,
  chat: string,
): Promise<TemplateView[]> {
  const { channel_id: channelId } = await reachChat(core, session, chat);
  const all = await listTemplates(core, session.scope, { limit: MAX_TEMPLATES, offset: 0 });
  return all
    .filter(({ status, channelIds }) => status === "APPROVED" && channelIds.includes(channelId))
    .map(templateView);
}

function templateView({ id, name, language, category, components }: StoredTemplate): TemplateView {
  const part = (type: string): TemplateComponent | undefined =>
    components.find((component) => component.type === type);
  const header = part("HEADER");
  return {
    id,
    name,
    language,
    category,
    header: header === undefined ? null : { format: header.format ?? "TEXT", text: header.text ?? null },
    body: part("BODY")?.text ?? "",
    footer: part("FOOTER")?.text ?? null,
    buttons: buttonsOf(components).map(({ type, text = "", url }) => ({
      type,
      text,
      ...(url === undefined ? {} : { url }),
    })),
    variables: slotsOf(components).length,
  };
}
