import { describe, expect, test } from "vitest";
import type { Json } from "../../test-kit.ts";
import { demo } from "../demo.ts";
import { account, type InstagramKit, withInstagram, withReceiver } from "../test-kit.ts";

const send = "POST /me/messages";
const day = 24 * 3600;

async function commentOf({ ann }: InstagramKit, body: object = {}): Promise<string> {
  const { comment } = await ann("comments", { text: "price?", ...body });
  return String(comment?.["id"]);
}

const privately = (comment_id: string) => ({ recipient: { comment_id }, message: { text: "1000" } });

describe("comments", () => {
  test("are reported with the post, as are own replies, below their comment", () =>
    withReceiver(async (kit, receiver) => {
      const { items } = await kit.admin(`GET ${account}/media`);
      const media = { id: items?.[0]?.["id"], media_product_type: "FEED" };
      const id = await commentOf(kit);
      const { id: reply } = await kit.ok(`POST /${id}/replies`, { message: "1000" });
      const under = await commentOf(kit, { text: "thanks", parent_id: reply });
      await receiver.reach(3);
      expect(receiver.news()).toEqual([
        {
          field: "comments",
          value: { id, from: { id: demo.igsid, username: "ann" }, media, text: "price?" },
        },
        {
          field: "comments",
          value: {
            id: reply,
            from: { id: demo.accountId, username: demo.username },
            media,
            text: "1000",
            parent_id: id,
          },
        },
        {
          field: "comments",
          value: {
            id: under,
            from: { id: demo.igsid, username: "ann" },
            media,
            text: "thanks",
            parent_id: id,
          },
        },
      ]);
      expect(await kit.ok(`GET /${id}?fields=text,username,from,media,hidden,replies{text}`)).toEqual({
        id,
        text: "price?",
        username: "ann",
        from: { id: demo.igsid, username: "ann" },
        media: { id: media.id },
        hidden: false,
        replies: {
          data: [
            { id: reply, text: "1000" },
            { id: under, text: "thanks" },
          ],
        },
      });
      expect(await kit.ok(`GET /${media.id}?fields=comments_count,like_count,permalink,owner`)).toMatchObject(
        {
          comments_count: 3,
          like_count: 5,
          owner: { id: demo.accountId },
        },
      );
      expect(await kit.admin(`GET ${account}/sent?type=comment`)).toMatchObject({
        items: [{ id: reply, user: "111" }],
      });
    }));

  test("in the entry itself, below advertisements, live, and mentions", () =>
    withReceiver(async (kit, receiver) => {
      await kit.admin("POST /settings", { change_form: "entry" });
      const { items } = await kit.admin(`GET ${account}/media`);
      const ad = await kit.admin(`POST ${account}/media`, { product_type: "AD", ad_of: items?.[0]?.["id"] });
      await commentOf(kit, { media_id: ad["id"] });
      await commentOf(kit, { live: true });
      await kit.admin(`POST ${account}/mentions`, { media_id: "17890000000000005" });
      await receiver.reach(3);
      expect(receiver.news()).toMatchObject([
        {
          id: demo.accountId,
          field: "comments",
          value: { media: { media_product_type: "AD", original_media_id: items?.[0]?.["id"] } },
        },
        { field: "live_comments" },
        { field: "mentions", value: { media_id: "17890000000000005" } },
      ]);
    }));

  test("are replied to, hidden and deleted", () =>
    withInstagram(async (kit) => {
      const id = await commentOf(kit);
      const limits: readonly (readonly [string, RegExp])[] = [
        ["a".repeat(301), /longer than 300/],
        ["#a #b #c #d #e", /more than 4 hashtags/],
        ["https://a.b https://c.d", /more than 1 link/],
      ];
      for (const [message, error] of limits)
        expect(await kit.refused(`POST /${id}/replies`, { message })).toMatch(error);
      expect(await kit.refused(`POST /${id}/replies`, { message: "x", attachment_url: "y" })).toMatch(
        /Unexpected key "attachment_url"/,
      );
      await kit.ok(`POST /${id}?hide=true`);
      expect(await kit.ok(`GET /${id}?fields=hidden`)).toMatchObject({ hidden: true });
      expect(await kit.ok(`DELETE /${id}`)).toEqual({ success: true });
      expect(await kit.refused(`POST /${id}/replies`, { message: "x" })).toMatch(/^400 100\/33 /);
    }));

  test("deleted by people: the comment, or the whole post", () =>
    withInstagram(async (kit) => {
      const [first, second] = [await commentOf(kit), await commentOf(kit)];
      await kit.admin(`POST /comments/${first}/deletions`);
      expect(await kit.refused(`GET /${first}`)).toMatch(/^400 100\/33 /);
      const { items } = await kit.admin(`GET ${account}/media`);
      await kit.admin(`POST /media/${items?.[0]?.["id"]}/deletions`);
      expect(await kit.refused(`GET /${second}`)).toMatch(/^400 100\/33 /);
      expect(await kit.refused(send, privately(second))).toMatch(/^400 100\/33 /);
    }));

  test("every kind of post", () =>
    withInstagram(async ({ admin, ok }) => {
      const posts: Json[] = [];
      for (const body of [
        { media_type: "VIDEO", product_type: "REELS" },
        { media_type: "CAROUSEL_ALBUM" },
        { product_type: "STORY" },
      ]) {
        posts.push(await admin(`POST ${account}/media`, { caption: "x", ...body }));
      }
      const [reel, album, story] = posts.map((post) => String(post["id"]));
      const fields =
        "fields=media_type,media_url,thumbnail_url,permalink,timestamp,children{media_url,media_type}";
      expect(await ok(`GET /${reel}?${fields}`)).toMatchObject({
        media_type: "VIDEO",
        thumbnail_url: expect.any(String),
        permalink: expect.stringMatching(/\/reel\//),
      });
      expect(await ok(`GET /${album}?${fields}`)).toMatchObject({
        children: { data: [{ media_type: "IMAGE" }, {}] },
      });
      expect(await ok(`GET /${demo.accountId}/stories`)).toMatchObject({ data: [{ id: story }] });
    }));
});

describe("private replies", () => {
  test("once for each comment, also to a person who never wrote; the window stays closed", () =>
    withInstagram(async (kit) => {
      await kit.admin("POST /users", { id: "222", username: "bob" });
      const { comment } = await kit.admin(`POST ${account}/users/222/comments`, { text: "price?" });
      const id = String(comment?.["id"]);
      const sent = await kit.ok(send, privately(id));
      expect(sent).toMatchObject({ recipient_id: expect.any(String), message_id: expect.any(String) });
      expect(await kit.refused(send, privately(id))).toMatch(/^400 100\/2534025 /);
      const later = { recipient: { id: sent["recipient_id"] }, message: { text: "more" } };
      expect(await kit.refused(send, later)).toMatch(/^403 10\/2534022 /);
      expect(await kit.admin(`GET ${account}/sent`)).toMatchObject({
        items: [{ type: "private_reply", user: "222" }],
      });
    }));

  test("within seven days, and not to an own comment", () =>
    withInstagram(async (kit) => {
      const id = await commentOf(kit);
      const { id: own } = await kit.ok(`POST /${id}/replies`, { message: "1000" });
      expect(await kit.refused(send, privately(String(own)))).toMatch(/^400 100\/2534013 /);
      await kit.admin("POST /time", { advance_seconds: 7 * day });
      expect(await kit.refused(send, privately(id))).toMatch(/^400 100\/2534013 /);
      expect(await kit.refused(send, privately("17800000000000000"))).toMatch(/^400 100\/33 /);
    }));
});
