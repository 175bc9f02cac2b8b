import { type Fields, missing } from "../http/fields.ts";
import type { AdminCall, AdminRoute } from "../http/route.ts";
import type { Admin, Request } from "./admin.ts";
import { type AskForCodes, textOfCode } from "./codes.ts";
import { factsOf, newestOf, shownConversation } from "./facts.ts";
import type { Given, Linking, Phone, Seat } from "./phone.ts";
import type { WaitingCode } from "./shape.ts";
import type { Switches } from "./switches.ts";

/** The phone of one messenger with its admin API. */
export interface Mounted {
  readonly name: string;
  readonly phone: Phone;
  readonly admin: Admin;
  readonly switches: Switches;
}

const CHAT = "/{messenger}/people/{person}/chats/{chat}";

/** All routes below `/admin/phone`, with the same structures for all messengers. */
export function phoneRoutes(mounts: ReadonlyMap<string, Mounted>, askForCodes: AskForCodes): AdminRoute[] {
  const at =
    (work: (mounted: Mounted, call: AdminCall) => unknown) =>
    (call: AdminCall): unknown => {
      const name = call.params.needText("messenger");
      const mounted = mounts.get(name);
      if (mounted === undefined) throw missing("phone of", name);
      return work(mounted, call);
    };
  return [
    ["GET", "/", () => ({ items: [...mounts.values()].map(({ name, phone }) => factsOf(name, phone)) })],
    ["GET", "/{messenger}/people", at(async ({ phone, admin }) => ({ items: await phone.people(admin) }))],
    [
      "POST",
      "/{messenger}/people",
      at(({ phone, admin }, { body }) => admin.ask(phone.addPerson(readPerson(body)))),
    ],
    ["GET", "/{messenger}/people/{person}/chats", at(listChats)],
    [
      "GET",
      CHAT,
      at(async ({ phone, admin }, call) => {
        const [found, isTaken] = await Promise.all([
          phone.conversation(admin, seatOf(call)),
          phone.taken?.(admin),
        ]);
        return shownConversation(found, isTaken);
      }),
    ],
    ["POST", `${CHAT}/{act}`, at(act)],
    ["POST", "/{messenger}/groups", at(addGroup)],
    ["POST", "/{messenger}/people/{person}/scans", at((mounted, call) => scan(mounted, call, askForCodes))],
    ["POST", "/{messenger}/people/{person}/codes", at(typeCode)],
    ["POST", "/{messenger}/people/{person}/passwords", at(setPassword)],
    ["DELETE", "/{messenger}/people/{person}/devices/{device}", at(unlink)],
    [
      "GET",
      "/{messenger}/codes",
      at(async ({ name }) => ({ items: (await codesOf(name, askForCodes)).map(nameOf) })),
    ],
    ["GET", "/{messenger}/troubles", at(async ({ switches }) => ({ items: await switches.list() }))],
    ["POST", "/{messenger}/troubles/{trouble}", at(setTrouble)],
  ];
}

/** So many chats of a list have their newest message. */
const MAX_NEWEST = 30;

/** `?newest=1`: the first chats with what a list shows of them. */
async function listChats({ phone, admin }: Mounted, { params, query }: AdminCall): Promise<unknown> {
  const person = params.needText("person");
  const chats = await phone.chats(admin, person);
  if (query.flag("newest") !== true) return { items: chats };
  const newest = await Promise.all(
    chats
      .slice(0, MAX_NEWEST)
      .map(({ id: chat }) => phone.conversation(admin, { person, chat }).then(newestOf)),
  );
  return {
    items: chats.map((chat, index) => ({ ...chat, ...(newest[index] && { newest: newest[index] }) })),
  };
}

function seatOf({ params }: Pick<AdminCall, "params">): Seat {
  return { person: params.needText("person"), chat: params.needText("chat") };
}

/** Responds with the emulator's response and the request that caused it, which a test author may copy. */
async function act({ phone, admin }: Mounted, call: AdminCall): Promise<unknown> {
  const name = call.params.needText("act");
  const make = Object.entries(phone.acts).find(([each]) => each === name)?.[1];
  if (make === undefined) throw missing("act", name);
  const request = make(seatOf(call), readGiven(call.body));
  const [route, body = {}] = request;
  return { request: { route, body }, answer: await admin.ask(request) };
}

const TEXTS = [
  "kind",
  "text",
  "reply_to",
  "name",
  "phone",
  "title",
  "question",
  "message",
  "emoji",
  "key",
] as const;

function readGiven(body: Fields): Given {
  const texts = TEXTS.map((name) => [name, body.text(name)] as const);
  const numbers = (["latitude", "longitude"] as const).map((name) => [name, body.number(name)] as const);
  const file = body.object("file");
  const options = body.list("options")?.map(String);
  return {
    ...Object.fromEntries([...texts, ...numbers].filter(([, value]) => value !== undefined)),
    ...(file !== undefined && { file: file as unknown as NonNullable<Given["file"]> }),
    ...(options !== undefined && { options }),
  };
}

function readPerson(body: Fields): { name: string; phone: string } {
  return { name: body.needText("name"), phone: (body.text("phone") ?? "").replaceAll(/\D/g, "") };
}

async function addGroup({ phone, admin }: Mounted, { body }: AdminCall): Promise<unknown> {
  if (phone.addGroup === undefined) throw missing("group", "here");
  const people = (body.list("people") ?? []).map(String);
  return phone.addGroup(admin, {
    title: body.needText("title"),
    people,
    account: body.text("account") ?? "",
  });
}

function linkingOf({ name, phone }: Mounted): Linking {
  if (phone.linking === undefined) throw missing("linking of", name);
  return phone.linking;
}

async function codesOf(messenger: string, askForCodes: AskForCodes) {
  return (await askForCodes()).filter((each) => each.messenger === messenger);
}

function nameOf({ id, messenger, label }: WaitingCode): WaitingCode {
  return { id, messenger, label };
}

/** `{code}`: one that waits; or `{qr}`: a picture as a data URL, or its text. */
async function scan(
  mounted: Mounted,
  { params, body }: AdminCall,
  askForCodes: AskForCodes,
): Promise<unknown> {
  const id = body.text("code");
  const known =
    id === undefined ? undefined : (await codesOf(mounted.name, askForCodes)).find((each) => each.id === id);
  if (id !== undefined && known === undefined) throw missing("waiting code", id);
  const qr = textOfCode(known?.qr ?? body.needText("qr"));
  return mounted.admin.ask(linkingOf(mounted).scan(params.needText("person"), qr));
}

function typeCode(mounted: Mounted, { params, body }: AdminCall): Promise<unknown> {
  const request = linkingOf(mounted).code?.(params.needText("person"), body.needText("code"));
  return ask(mounted, request, "pairing code");
}

/** `{password?}`: without it the account has none. */
function setPassword(mounted: Mounted, { params, body }: AdminCall): Promise<unknown> {
  const request = linkingOf(mounted).password?.(params.needText("person"), body.text("password") ?? null);
  return ask(mounted, request, "password");
}

function unlink(mounted: Mounted, { params }: AdminCall): Promise<unknown> {
  return mounted.admin.ask(linkingOf(mounted).unlink(params.needText("person"), params.needText("device")));
}

function ask({ name, admin }: Mounted, request: Request | undefined, what: string): Promise<unknown> {
  if (request === undefined) throw missing(`${what} of`, name);
  return admin.ask(request);
}

/** `{on, person?, chat?}` */
async function setTrouble({ switches }: Mounted, { params, body }: AdminCall): Promise<unknown> {
  const seat = { person: body.text("person") ?? "", chat: body.text("chat") ?? "" };
  await switches.set(params.needText("trouble"), body.flag("on") ?? true, seat);
  return { items: await switches.list() };
}
