import type { Step } from "./contract.ts";
import type { Crm } from "./crm.ts";

/** A change of a group that the channel is in, and the expected event. */
export interface GroupAct {
  readonly name: string;
  act(): Promise<unknown>;
  readonly event: "group_chat.update" | "group_chat.memberships_update";
  /** Of the item; for members, `action` of the named one. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Steps in which people change a group, and a last one: no event was duplicated. */
export function groupSteps(crm: Crm, acts: readonly GroupAct[]): Step[] {
  return [
    ...acts.map(({ name, act, event, fields }) => ({
      name: `a group: ${name}`,
      run: async () => {
        await act();
        return describe(await crm.hearsOfGroup(event, fields));
      },
    })),
    {
      name: "a group: each change was told once",
      run: async () => {
        const more = crm.hasHeardOfGroup();
        if (more) throw new Error("something was told twice");
        return "nothing more";
      },
    },
  ];
}

function describe(item: Readonly<Record<string, unknown>>): string {
  const by = (item["changed_by"] as { readonly name: string } | null)?.name ?? "somebody";
  const members = item["members"] as
    | readonly { readonly action: string; readonly name: string }[]
    | undefined;
  if (members !== undefined)
    return members.map(({ action, name }) => `${action} ${name}, by ${by}`).join("; ");
  const changes = item["changes"] as readonly string[];
  if (changes.includes("name")) return `${item["old_name"]} is now ${item["name"]}, by ${by}`;
  return `${item["avatar_uri"] === null ? "no picture" : "another picture"}, by ${by}`;
}
