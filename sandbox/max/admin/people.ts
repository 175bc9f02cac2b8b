import { invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { isMedia } from "../attach/attach.ts";
import { opcode } from "../opcode.ts";
import type { Account } from "../world/account.ts";
import { endSession } from "../world/ending.ts";
import type { World } from "../world/world.ts";
import { findChat, findMessage } from "./chats.ts";
import { addFile } from "./content.ts";
import { describeMessage, describePerson } from "./describe.ts";
import { readJournal } from "./journals.ts";

/** Creates people, sets the state of their accounts, and shows what they see. */
export function peopleRoutes(world: World): AdminRoute[] {
  const act =
    (work: (account: Account, call: AdminCall) => unknown) =>
    async (call: AdminCall): Promise<unknown> => {
      const account = world.account(call.params.needText("phone"));
      const result = await work(account, call);
      world.changed();
      return result ?? describePerson(account);
    };
  return [
    ["POST", "/people", ({ body }) => describePerson(putPerson(world, body))],
    ["GET", "/people", () => ({ items: [...world.accounts.values()].map(describePerson) })],
    ["GET", "/people/{phone}", act(() => undefined)],
    ["POST", "/people/{phone}/passwords", act(setPassword)],
    ["POST", "/people/{phone}/photos", act((account, { body }) => setPhoto(world, account, body))],
    ["POST", "/people/{phone}/bans", act((account) => ban(world, account))],
    ["POST", "/people/{phone}/unbans", act((account) => setBlocked(account, false))],
    ["POST", "/people/{phone}/restrictions", act((account, call) => restrict(world, account, call))],
    [
      "POST",
      "/people/{phone}/blocks",
      act((account, call) => block(world, account, { call, isBlocked: true })),
    ],
    [
      "POST",
      "/people/{phone}/unblocks",
      act((account, call) => block(world, account, { call, isBlocked: false })),
    ],
    [
      "GET",
      "/people/{phone}/inbox",
      act((account, call) =>
        readJournal(call, account.inbox, ["event", "from", "chat_id", "message_id", "kind"]),
      ),
    ],
    [
      "GET",
      "/people/{phone}/chats/{chat}/messages",
      act((account, call) => listMessages(world, account, call)),
    ],
    [
      "GET",
      "/people/{phone}/chats/{chat}/messages/{message_id}/file",
      act((account, call) => readFile(world, account, call)),
    ],
  ];
}

function putPerson(world: World, body: AdminCall["body"]): Account {
  const account = world.putAccount({
    phone: body.needText("phone"),
    name: body.text("name"),
    id: body.integer("user_id"),
  });
  account.lastName = body.text("last_name") ?? account.lastName;
  account.inviters = readInviters(body) ?? account.inviters;
  if (body.has("password")) setPassword(account, { body });
  return account;
}

function readInviters(body: AdminCall["body"]): Account["inviters"] | undefined {
  const value = body.text("inviters");
  if (value === undefined || value === "all" || value === "contacts") return value;
  throw invalid("inviters", "all or contacts");
}

/** `{password?, hint?}`; without a password, the account's password is removed. */
function setPassword(account: Account, { body }: Pick<AdminCall, "body">): void {
  const word = body.text("password");
  account.password = word === undefined ? undefined : { word, hint: body.text("hint") };
}

async function setPhoto(world: World, account: Account, body: AdminCall["body"]): Promise<void> {
  account.photoToken = (await addFile(world, { owner: account, kind: "photo", body })).token;
}

/** The platform blocks the profile: sessions end, and logins are refused. */
function ban(world: World, account: Account): void {
  account.isBlocked = true;
  for (const session of [...account.sessions.values()]) {
    session.connection?.push(opcode.logout, {});
    session.connection?.close(1000, "blocked");
  }
  world.note("banned", account);
}

function setBlocked(account: Account, isBlocked: boolean): void {
  account.isBlocked = isBlocked;
}

/** `seconds`: how long the account may not start conversations; 0 ends it. */
function restrict(world: World, account: Account, { body }: AdminCall): void {
  const seconds = body.needInteger("seconds");
  account.restrictedUntilMs = seconds > 0 ? world.nowMs() + seconds * 1000 : 0;
}

function block(
  world: World,
  account: Account,
  { call, isBlocked }: { call: AdminCall; isBlocked: boolean },
): void {
  const { id } = world.account(call.body.needText("phone"));
  if (isBlocked) account.blocks.add(id);
  else account.blocks.delete(id);
}

/** The conversation, including edited and removed messages; `chat` is a phone number or a chat id. */
function listMessages(world: World, account: Account, { params }: AdminCall): unknown {
  const chat = findChat(world, account, params.needText("chat"));
  return { items: chat.messages.map((message) => describeMessage(world, chat, message)) };
}

/** The bytes of a message's file; `?index=` selects one of several. */
async function readFile(world: World, account: Account, { params, query }: AdminCall): Promise<unknown> {
  const chat = findChat(world, account, params.needText("chat"));
  const message = findMessage(chat, params.needText("message_id"));
  const attach = message.attaches[query.integer("index") ?? 0];
  if (!attach || !isMedia(attach)) throw missing("file of message", String(message.id));
  const file = world.media.get(attach.mediaId);
  const chunks: Buffer[] = [];
  for await (const chunk of world.media.blobs.read(file.key)) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const { name, mime, size } = file;
  return { name, mime_type: mime, size, base64: bytes.toString("base64") };
}

/** The person ends sessions on their phone. */
export function endAll(world: World, account: Account): void {
  for (const session of [...account.sessions.values()])
    endSession(world, session, { tell: true, reason: "all" });
}
