import { describe, expect, test } from "vitest";
import { type Client, type Kit, withWhatsapp } from "./test-kit.ts";

const [ann, bob, eve] = ["79990000001", "79990000002", "79990000003"] as const;
const jid = (phone: string) => `${phone}@s.whatsapp.net`;

interface Stage extends Kit {
  readonly client: Client;
  /** A group of Ann, who has a linked device, and Bob. */
  readonly group: string;
}

function withGroup(run: (stage: Stage) => Promise<void>): Promise<void> {
  return withWhatsapp(async (kit) => {
    for (const phone of [bob, eve]) await kit.admin("POST /people", { phone });
    const client = await kit.link(ann);
    const { id } = await client.socket.groupCreate("Team", [jid(bob)]);
    await run({ ...kit, client, group: id });
  });
}

describe("groups created by a linked device", () => {
  test("creating one, with a person who has no WhatsApp, and writing in it", () =>
    withGroup(async ({ admin, client, group }) => {
      expect(await admin(`GET /groups/${group}`)).toMatchObject({
        subject: "Team",
        participants: [{ phone: ann, rank: "superadmin" }, { phone: bob }],
      });
      await client.next("groups.upsert", ([each]) => (each?.id === group ? each : undefined));
      const other = await client.socket.groupCreate("Others", [jid(bob), jid("79990009999")]);
      expect(other.participants.map(({ phoneNumber }) => phoneNumber)).toContain(jid(bob));
      expect(await admin(`GET /groups/${other.id}`)).toMatchObject({
        participants: [{ phone: ann }, { phone: bob }],
      });
      await client.socket.sendMessage(group, { text: "welcome" });
      const inbox = await admin(`GET /people/${bob}/inbox?chat=${group}&count=1`);
      expect(inbox["items"]).toMatchObject([{ text: "welcome" }]);
    }));

  test("members are added, promoted and removed; each refusal is reported with its address", () =>
    withGroup(async ({ admin, client, group }) => {
      const update = (action: "add" | "remove" | "promote" | "demote", ...phones: string[]) =>
        client.socket
          .groupParticipantsUpdate(group, phones.map(jid), action)
          .then((answers) => answers.map(({ status }) => status));
      expect(await update("add", eve, bob, "79990009999")).toEqual(["200", "409", "404"]);
      expect(await update("promote", eve)).toEqual(["200"]);
      expect(await admin(`GET /groups/${group}`)).toMatchObject({
        participants: [{}, { phone: bob }, { phone: eve, rank: "admin" }],
      });
      expect(await update("remove", bob, ann)).toEqual(["200", "406"]);
      await client.next("group-participants.update", (change) =>
        change.action === "remove" ? change : undefined,
      );
      expect(await admin(`GET /groups/${group}`)).toMatchObject({
        participants: [{ phone: ann }, { phone: eve }],
      });
    }));

  test("who takes no additions can be invited, and who has left is not brought back", () =>
    withGroup(async ({ admin, client, link, group }) => {
      await admin(`POST /people/${eve}/behaviour`, { group_additions: "none" });
      const [invited] = await client.socket.groupParticipantsUpdate(group, [jid(eve)], "add");
      expect(invited).toMatchObject({
        status: "403",
        content: { content: [{ tag: "add_request", attrs: { code: expect.any(String) } }] },
      });
      const other = await client.socket.groupCreate("Others", [jid(bob), jid(eve)]);
      expect(await admin(`GET /groups/${other.id}`)).toMatchObject({
        participants: [{ phone: ann }, { phone: bob }],
      });
      const bobs = await link(bob);
      await bobs.socket.groupLeave(group);
      await client.next("group-participants.update", (change) => change);
      const [gone] = await client.socket.groupParticipantsUpdate(group, [jid(bob)], "add");
      expect(gone?.status).toBe("408");
    }));

  test("the picture is a JPEG; it is set and removed", () =>
    withGroup(async ({ admin, client, group }) => {
      const set = (content: object[]) =>
        client.socket.query({
          tag: "iq",
          attrs: { to: "s.whatsapp.net", target: group, type: "set", xmlns: "w:profile:picture" },
          content: content as never,
        });
      const picture = (bytes: Buffer) => [{ tag: "picture", attrs: { type: "image" }, content: bytes }];
      await expect(set(picture(Buffer.from("GIF89a")))).rejects.toThrow("not-acceptable");
      await set(picture(Buffer.from([0xff, 0xd8, 0xff, 0xe0])));
      expect(await admin(`GET /groups/${group}`)).toMatchObject({ picture: { id: "1" } });
      await set([]);
      expect(await admin(`GET /groups/${group}`)).toMatchObject({ picture: null });
    }));

  test("subject, description, settings", () =>
    withGroup(async ({ client, group }) => {
      await client.socket.groupUpdateSubject(group, "Crew");
      await client.socket.groupUpdateDescription(group, "All of us");
      await client.socket.groupSettingUpdate(group, "announcement");
      expect(await client.socket.groupMetadata(group)).toMatchObject({
        subject: "Crew",
        desc: "All of us",
        announce: true,
      });
      await client.socket.groupUpdateDescription(group);
      expect((await client.socket.groupMetadata(group)).desc).toBeUndefined();
      await expect(client.socket.groupUpdateSubject(group, "")).rejects.toThrow("not-acceptable");
    }));

  test("a person joins by an invitation link until it is replaced", () =>
    withGroup(async ({ admin, client, link, group }) => {
      const other = await link(eve);
      const code = String(await client.socket.groupInviteCode(group));
      expect(await other.socket.groupGetInviteInfo(code)).toMatchObject({ id: group, subject: "Team" });
      expect(await other.socket.groupAcceptInvite(code)).toBe(group);
      expect(await admin(`GET /groups/${group}`)).toMatchObject({ participants: [{}, {}, { phone: eve }] });
      await expect(other.socket.groupUpdateDescription(group, "mine")).resolves.toBeUndefined();
      await expect(other.socket.groupSettingUpdate(group, "locked")).rejects.toThrow("not-authorized");
      await client.socket.groupRevokeInvite(group);
      await expect(other.socket.groupGetInviteInfo(code)).rejects.toThrow("forbidden");
    }));
});
