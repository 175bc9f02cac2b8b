import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { pngFile, sendForm } from "../test-kit.ts";
import { demo } from "./demo.ts";
import { addServer, community, type Params, type VkKit, withReceiver } from "./test-kit.ts";

const run = promisify(execFile);

/** Names of the types that VK generates from its own schema, each with a response that must match. */
type Typed = readonly (readonly [type: string, value: unknown])[];

/**
 * Has the compiler hold values against VK's types. Those resolve only as a bundler resolves them; under this
 * project's own options each would silently be `any`.
 */
async function compile(typed: Typed): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "vk-answers-"));
  const types = fileURLToPath(import.meta.resolve("@vkontakte/api-schema-typescript"));
  const names = [...new Set(typed.map(([type]) => type))].join(", ");
  const lines = typed.map(
    ([type, value], index) => `export const a${index}: ${type} = ${JSON.stringify(value)};`,
  );
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: "esnext",
      moduleResolution: "bundler",
      target: "esnext",
      skipLibCheck: true,
      types: [],
      paths: { vk: [types.replace(/\.js$/, ".d.ts")] },
    },
    files: ["answers.ts"],
  };
  try {
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(options));
    await writeFile(
      join(directory, "answers.ts"),
      `import type { ${names} } from "vk";\n${lines.join("\n")}\n`,
    );
    const packageFile = fileURLToPath(import.meta.resolve("typescript/package.json"));
    const tsc = join(dirname(packageFile), "bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", directory]).catch((error: unknown) => {
      if (error instanceof Error && "stdout" in error) return { stdout: String(error.stdout) };
      throw error;
    });
    return stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe("responses have VK's own types", () => {
  test("the compiler finds a wrong type", async () => {
    const wrong = await compile([
      ["MessagesEditResponse", "text"],
      ["MessagesMessage", { nonsense: 1 }],
      ["UsersGetResponse", [{ id: "1" }]],
    ]);
    expect(wrong.match(/error TS/g)).toHaveLength(3);
  });

  test("every method, messages of every kind, and errors", () =>
    withReceiver(async (kit, receiver) => {
      const group = { group_id: demo.groupId };
      const peer = { peer_id: demo.userId };
      const typed: [string, unknown][] = [];
      const note = async (type: string, method: string, params: Params) => {
        const answer = await kit.ok(method, params);
        typed.push([type, answer]);
        return answer;
      };
      for (const kind of ["text", ...kinds])
        await kit.ann("messages", { kind, text: "x", payload: { a: 1 } });
      const { peer_id: chat } = await kit.admin(`POST ${community}/chats`, {
        title: "Team",
        user_ids: [111, 100],
      });
      await note("MessagesSendDeprecatedResponse", "messages.send", { ...peer, random_id: 5, message: "a" });
      const sent = { peer_ids: [demo.userId, 7].join(), random_id: 6, message: "b", keyboard };
      await note("MessagesSendUserIdsResponse", "messages.send", sent);
      await note("MessagesEditResponse", "messages.edit", { ...peer, cmid: 14, message: "c", keyboard });
      const reacted = { ...peer, cmid: 1 };
      await note("MessagesSendReactionResponse", "messages.sendReaction", { ...reacted, reaction_id: 1 });
      await kit.ann("reactions", { conversation_message_id: 2, reaction_id: 3 });
      await note("MessagesDeleteReactionResponse", "messages.deleteReaction", reacted);
      await note("MessagesDeleteResponse", "messages.delete", {
        ...peer,
        cmids: "1,14,99",
        delete_for_all: 1,
      });
      await note("MessagesSetActivityResponse", "messages.setActivity", { ...peer, type: "typing" });
      await note("MessagesMarkAsReadResponse", "messages.markAsRead", peer);
      await note("MessagesGetHistoryExtendedResponse", "messages.getHistory", {
        ...peer,
        extended: 1,
        count: 50,
      });
      await note("MessagesGetByIdResponse", "messages.getById", { message_ids: "1,2" });
      await note("MessagesGetByConversationMessageIdResponse", "messages.getByConversationMessageId", {
        ...peer,
        conversation_message_ids: "1,2",
      });
      await note("MessagesGetConversationsResponse", "messages.getConversations", {});
      const both = { peer_ids: `${demo.userId},${chat}` };
      await note("MessagesGetConversationsByIdResponse", "messages.getConversationsById", both);
      await note("MessagesGetConversationMembersResponse", "messages.getConversationMembers", {
        peer_id: Number(chat),
      });
      const made = await note("MessagesCreateChatResponse", "messages.createChat", {
        user_ids: demo.userId,
        title: "Crew",
      });
      const own = { chat_id: Number(made["chat_id"]) };
      await note("MessagesEditChatResponse", "messages.editChat", { ...own, title: "Team" });
      const desk = await note("PhotosGetChatUploadServerResponse", "photos.getChatUploadServer", own);
      const { body } = await sendForm(String(desk["upload_url"]), { file: pngFile(300, 300) });
      await note("MessagesSetChatPhotoResponse", "messages.setChatPhoto", { file: String(body["response"]) });
      const ownPeer = { peer_id: 2_000_000_000 + own.chat_id };
      await note("MessagesGetConversationMembersResponse", "messages.getConversationMembers", ownPeer);
      await note("MessagesGetConversationsByIdResponse", "messages.getConversationsById", {
        peer_ids: ownPeer.peer_id,
      });
      await note("MessagesGetInviteLinkResponse", "messages.getInviteLink", ownPeer);
      await note("MessagesDeleteChatPhotoResponse", "messages.deleteChatPhoto", own);
      await note("MessagesRemoveChatUserResponse", "messages.removeChatUser", {
        ...own,
        member_id: demo.userId,
      });
      await note("MessagesIsMessagesFromGroupAllowedResponse", "messages.isMessagesFromGroupAllowed", {
        ...group,
        user_id: demo.userId,
      });
      await note("GroupsGetTokenPermissionsResponse", "groups.getTokenPermissions", {});
      await note("GroupsGetByIdResponse", "groups.getById", { fields: "can_message,members_count" });
      await note("GroupsGetCallbackConfirmationCodeResponse", "groups.getCallbackConfirmationCode", group);
      await note("GroupsGetCallbackServersResponse", "groups.getCallbackServers", group);
      const server = { ...group, server_id: await addServer(kit, receiver.url) };
      await note("GroupsGetCallbackSettingsResponse", "groups.getCallbackSettings", server);
      await note("GroupsDeleteCallbackServerResponse", "groups.deleteCallbackServer", server);
      await note("GroupsSetLongPollSettingsResponse", "groups.setLongPollSettings", { ...group, enabled: 1 });
      await note("GroupsGetLongPollSettingsResponse", "groups.getLongPollSettings", group);
      await note("GroupsGetLongPollServerResponse", "groups.getLongPollServer", group);
      await note("AppsGetResponse", "apps.get", { app_id: 51_000_001 });
      await note("UsersGetResponse", "users.get", {
        user_ids: "111,ann,5",
        fields: "photo_200,screen_name,sex",
      });
      typed.push(...(await uploadEach(kit)));
      typed.push(["BaseError", (await kit.call("messages.send", { random_id: 1 }))["error"]]);
      typed.push(...messagesOf(receiver.items.map(({ body }) => body)));
      expect(typed.length).toBeGreaterThan(40);
      expect(await compile(typed.map(([type, value]) => [type, withoutExtras(value)]))).toBe("");
    }));
});

const kinds = [
  "photo",
  "doc",
  "audio_message",
  "audio",
  "graffiti",
  "sticker",
  "market",
  "poll",
  "geo",
  "call",
  "gift",
];

const keyboard = {
  inline: true,
  buttons: [[{ action: { type: "callback", label: "A", payload: '{"a":1}' }, color: "primary" }]],
};

async function uploadEach(kit: VkKit): Promise<[string, unknown][]> {
  const server = await kit.ok("photos.getMessagesUploadServer", { peer_id: demo.userId });
  const { body: photo } = await sendForm(String(server["upload_url"]), { photo: pngFile(300, 200) });
  const desk = await kit.ok("docs.getMessagesUploadServer", { type: "doc", peer_id: demo.userId });
  const file = new File(["text"], "a.txt", { type: "text/plain" });
  const { body: doc } = await sendForm(String(desk["upload_url"]), { file });
  const saved = await kit.ok("docs.save", { file: String(doc["file"]), title: "A" });
  const id = `${saved["doc"]?.["owner_id"]}_${saved["doc"]?.["id"]}`;
  return [
    ["PhotosGetMessagesUploadServerResponse", server],
    ["PhotosSaveMessagesPhotoResponse", await kit.ok("photos.saveMessagesPhoto", photo as unknown as Params)],
    ["DocsGetMessagesUploadServerResponse", desk],
    ["DocsSaveResponse", saved],
    ["DocsGetByIdResponse", await kit.ok("docs.getById", { docs: id })],
  ];
}

/** Messages in events have the same type as in responses of the API. */
function messagesOf(events: readonly unknown[]): [string, unknown][] {
  return events.flatMap((event): [string, unknown][] => {
    const { type, object } = event as { type: string; object: { message?: unknown } };
    if (type === "message_new") return [["MessagesMessage", object.message]];
    return type === "message_reply" || type === "message_edit" ? [["MessagesMessage", object]] : [];
  });
}

/** Fields of live responses that VK's own schema of this version lacks. */
const forgotten = ["orig_photo", "inner_type", "message_event", "like_add", "like_remove"];

function withoutExtras(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtras);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !forgotten.includes(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutExtras(each)]));
}
