import type { Step } from "./contract.ts";
import type { Crm } from "./crm.ts";
import type { Stage } from "./stage.ts";

/** A person as requests about groups name them. */
type Participant = { readonly chat_id: string } | { readonly phone: string } | { readonly username: string };

interface OwnGroup {
  readonly chatType: string;
  /** Somebody who is in the group from the beginning, and somebody who joins later. */
  readonly first: Participant;
  readonly second: Participant;
  /** The media type of its picture, by default JPEG, whose sample is a single pixel. */
  readonly pictureType?: "image/png";
  /** Which of these the messenger has. */
  readonly can: readonly ("picture" | "add" | "promote" | "demote" | "remove")[];
}

const ACTIONS = { add: "added", promote: "promoted", demote: "demoted", remove: "removed" } as const;

/** The CRM creates a group, writes in it, changes it and reads it. */
export function ownGroupSteps(
  stage: Stage,
  crm: Crm,
  { chatType, first, second, can, ...more }: OwnGroup,
): Step[] {
  const group = { chat_id: "" };
  const ask = async (method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<GroupAnswer> => {
    const { status, json } = await stage.api(method, `/v2/groups${path}`, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    return (json as { data: GroupAnswer }).data;
  };
  const change = async (what: object): Promise<string> => {
    const { results = [] } = await ask("PATCH", `/${encodeURIComponent(group.chat_id)}`, {
      channel_id: crm.channelId,
      ...what,
    });
    const failed = results.filter(({ result }) => result !== "done");
    if (failed.length > 0) throw new Error(JSON.stringify(failed));
    return results.map(({ change, result }) => `${change}: ${result}`).join() || "done";
  };
  const people = (kind: keyof typeof ACTIONS): Step => ({
    name: `a group of one's own: ${kind}`,
    run: async () => {
      const field = kind === "add" || kind === "remove" ? "participants" : "roles";
      const done = await change({ [field]: { [kind]: [second] } });
      await crm.hearsOfGroup("group_chat.memberships_update", {
        chat_id: group.chat_id,
        action: ACTIONS[kind],
      });
      return done;
    },
  });
  return [
    {
      name: "create a group and write in it",
      run: async () => {
        const body = { channel_id: crm.channelId, name: "Order 5", participants: [first] };
        const made = await ask("POST", "", body);
        if (made.results?.[0]?.result !== "done") throw new Error(JSON.stringify(made));
        group.chat_id = made.chat_id;
        const to = { chat_type: chatType, chat_id: made.chat_id };
        await crm.become(await crm.send({ text: "Your order is packed" }, to), "sent");
        return `${made.name}, ${made.participants_count} members`;
      },
    },
    {
      name: "a group of one's own: another name",
      run: async () => {
        await change({ name: "Order 5, packed" });
        const { name } = await crm.hearsOfGroup("group_chat.update", {
          chat_id: group.chat_id,
          name: "Order 5, packed",
        });
        return String(name);
      },
    },
    ...(can.includes("picture")
      ? [
          {
            name: "a group of one's own: a picture",
            run: async () => {
              await change({ picture_uri: stage.fileUrl(more.pictureType ?? "image/jpeg") });
              await crm.hearsOfGroup("group_chat.update", { chat_id: group.chat_id, old_name: null });
              return "set";
            },
          },
        ]
      : []),
    ...(["add", "promote", "demote", "remove"] as const).filter((kind) => can.includes(kind)).map(people),
    {
      name: "a group of one's own: read",
      run: async () => {
        const query = `?channel_id=${crm.channelId}`;
        const { name, participants } = await ask("GET", `/${encodeURIComponent(group.chat_id)}${query}`);
        const own = participants.find((each) => each.is_own);
        if (own === undefined) throw new Error(JSON.stringify(participants));
        stage.forget(({ kind }) => kind.startsWith("group_chat."));
        return `${name}: ${participants.map(({ role }) => role).join(", ")}`;
      },
    },
  ];
}

interface GroupAnswer {
  readonly chat_id: string;
  readonly name: string;
  readonly participants_count: number;
  readonly participants: readonly { readonly role: string; readonly is_own: boolean }[];
  readonly results?: readonly { readonly change?: string; readonly result: string }[];
}
