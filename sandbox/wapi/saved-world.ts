import { isRecord } from "../http/fields.ts";
import type { App, Waba } from "./account/account.ts";
import type { ContactName, NumberStatus, PhoneNumber, QrCode } from "./account/phone-number.ts";
import type { Token } from "./call/token.ts";
import type { Person } from "./chat/person.ts";
import type { Media } from "./media/media-registry.ts";
import type { Template } from "./template/template.ts";
import type { World } from "./world.ts";

type SavedApp = Omit<App, "fields"> & { readonly fields: readonly string[] };
type SavedWaba = Omit<Waba, "subscriptions"> & {
  readonly subscriptions: readonly (readonly [appId: string, overrideUrl: string | null])[];
};

interface SavedConversation {
  readonly userId: string;
  readonly blocked: boolean;
  readonly blockedByBusiness: boolean;
  readonly lastInboundMs: number | null;
  readonly lastInitiatedMs: number | null;
}

/** Meta's ratings of a number. */
const traits = ["nameStatus", "quality", "codeVerification", "throughput"] as const;

interface SavedNumber {
  readonly id: string;
  readonly wabaId: string;
  readonly phone: string;
  readonly verifiedName: string;
  readonly onBizApp: boolean;
  readonly contacts?: readonly (readonly [phone: string, name: ContactName])[];
  readonly status: NumberStatus;
  readonly pin: string | null;
  readonly traits: Pick<PhoneNumber, (typeof traits)[number]>;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly qrCodes: readonly QrCode[];
  readonly overrides: readonly (readonly [appId: string, url: string])[];
  readonly conversations: readonly SavedConversation[];
}

interface SavedWorld {
  readonly version: 1;
  readonly apps: readonly SavedApp[];
  readonly wabas: readonly SavedWaba[];
  readonly numbers: readonly SavedNumber[];
  readonly people: readonly Person[];
  readonly tokens: readonly Token[];
  readonly templates: readonly Template[];
  readonly deletedTemplates: readonly (readonly [key: string, atMs: number])[];
  readonly media: readonly Media[];
}

/** Accounts, people, templates, tokens and files; messages and undelivered callbacks are not kept. */
export function saveWorld(world: World): SavedWorld {
  return {
    version: 1,
    apps: [...world.apps.values()].map((app) => ({ ...app, fields: [...app.fields] })),
    wabas: [...world.wabas.values()].map((waba) => ({
      ...waba,
      subscriptions: [...waba.subscriptions].map(([id, { overrideUrl }]) => [id, overrideUrl ?? null]),
    })),
    numbers: [...world.numbers.values()].map(saveNumber),
    people: [...world.people.values()],
    tokens: [...world.tokens.values()],
    templates: [...world.templates.values()],
    deletedTemplates: [...world.deletedTemplates],
    media: world.media.save(),
  };
}

function saveNumber(number: PhoneNumber): SavedNumber {
  const { id, waba, phone, verifiedName, onBizApp, status, pin, overrides, conversations, profile } = number;
  const { nameStatus, quality, codeVerification, throughput } = number;
  return {
    traits: { nameStatus, quality, codeVerification, throughput },
    profile,
    settings: number.settings,
    qrCodes: [...number.qrCodes.values()],
    id,
    wabaId: waba.id,
    phone,
    verifiedName,
    onBizApp,
    contacts: [...number.contacts],
    status,
    pin: pin ?? null,
    overrides: [...overrides],
    // Minus infinity (never) is null in JSON.
    conversations: [...conversations].map(
      ([userId, { blocked, blockedByBusiness, lastInboundMs, lastInitiatedMs }]) => ({
        userId,
        blocked,
        blockedByBusiness,
        lastInboundMs: Number.isFinite(lastInboundMs) ? lastInboundMs : null,
        lastInitiatedMs: Number.isFinite(lastInitiatedMs) ? lastInitiatedMs : null,
      }),
    ),
  };
}

/** Restores a saved state into an empty world; other formats are ignored. */
export function restoreWorld(world: World, saved: unknown): void {
  if (!isSaved(saved)) return;
  for (const app of saved.apps) world.addApp({ ...app, fields: new Set(app.fields) });
  for (const { subscriptions, ...waba } of saved.wabas) {
    const restored = world.addWaba(waba);
    for (const [id, url] of subscriptions) restored.subscriptions.set(id, { overrideUrl: url ?? undefined });
  }
  for (const person of saved.people) world.putPerson(person);
  for (const number of saved.numbers) restoreNumber(world, number);
  for (const token of saved.tokens) world.tokens.set(token.value, token);
  for (const template of saved.templates) {
    // An edit that never happened was saved as null.
    const lastEditMs = template.lastEditMs ?? Number.NEGATIVE_INFINITY;
    world.templates.set(template.id, { ...template, lastEditMs });
  }
  for (const [key, atMs] of saved.deletedTemplates) world.deletedTemplates.set(key, atMs);
  for (const media of saved.media) world.media.restore(media);
}

function restoreNumber(world: World, saved: SavedNumber): void {
  const { id, wabaId, phone, verifiedName, onBizApp } = saved;
  const waba = world.waba(wabaId);
  const number = world.addNumber({ id, waba, phone, verifiedName, onBizApp, registered: true });
  for (const [phone, name] of saved.contacts ?? []) number.contacts.set(phone, name);
  number.status = saved.status;
  number.pin = saved.pin ?? undefined;
  Object.assign(number, saved.traits);
  Object.assign(number.profile, saved.profile);
  Object.assign(number.settings, saved.settings);
  for (const code of saved.qrCodes) number.qrCodes.set(code.code, code);
  for (const [appId, url] of saved.overrides) number.overrides.set(appId, url);
  for (const { userId, blocked, blockedByBusiness, lastInboundMs, lastInitiatedMs } of saved.conversations) {
    const person = world.people.get(userId);
    if (!person) continue;
    const conversation = number.conversationWith(person);
    conversation.blocked = blocked;
    conversation.blockedByBusiness = blockedByBusiness;
    conversation.lastInboundMs = lastInboundMs ?? Number.NEGATIVE_INFINITY;
    conversation.lastInitiatedMs = lastInitiatedMs ?? Number.NEGATIVE_INFINITY;
  }
}

function isSaved(value: unknown): value is SavedWorld {
  return isRecord(value) && value["version"] === 1;
}
