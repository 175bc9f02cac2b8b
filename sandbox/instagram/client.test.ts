import {
  type ApiVersion,
  Client,
  CommentField,
  Constants,
  GetAuthorizedFacebookPagesRequest,
  GetLinkedInstagramAccountRequest,
} from "instagram-graph-api";
import { expect, test } from "vitest";
import { demo } from "./demo.ts";
import { account, withInstagram } from "./test-kit.ts";

/** Its newest API version is no longer served by Meta, nor by the emulator. */
const version = "v23.0" as ApiVersion;

test("instagram-graph-api works unchanged: pages, media, comments and replies", () =>
  withInstagram(async (kit) => {
    // The only change is the address, which its types declare constant.
    Object.assign(Constants, { API_URL: kit.base });
    const pages = await new GetAuthorizedFacebookPagesRequest(demo.userToken).execute();
    const [page] = pages.getAuthorizedFacebookPages();
    expect(page).toMatchObject({ id: demo.pageId, name: "Trunkline demo" });
    const linked = await new GetLinkedInstagramAccountRequest(kit.pageToken, demo.pageId).execute();
    expect(linked.getInstagramPageId()).toBe(demo.accountId);

    const client = new Client(kit.pageToken, demo.accountId, version);
    const info = await client.newGetPageInfoRequest().execute();
    expect([info.getUsername(), info.getMediaCount()]).toEqual([demo.username, 1]);
    const album = await kit.admin(`POST ${account}/media`, {
      media_type: "CAROUSEL_ALBUM",
      caption: "Album",
    });
    const media = await client.newGetPageMediaRequest().execute();
    expect(media.getCaptions()).toEqual(["Album", "New in the shop"]);
    expect(media.getPermalinks().every((link) => link?.startsWith("https://www.instagram.com/"))).toBe(true);
    const albumId = String(album["id"]);
    const post = await client.newGetMediaInfoRequest(albumId).execute();
    expect([post.getOwnerId(), post.getMediaType(), post.getCommentsCount()]).toEqual([
      demo.accountId,
      "CAROUSEL_ALBUM",
      0,
    ]);
    expect(post.getTimestamp()?.getTime()).toBeGreaterThan(0);
    const children = await client.newGetMediaChildrenRequest(albumId).execute();
    expect(children.getIds()).toHaveLength(2);

    const { comment } = await kit.ann("comments", { text: "price?", media_id: albumId });
    const commentId = String(comment?.["id"]);
    const reply = await client.newPostReplyRequest(commentId, "1000").execute();
    const own = await client.newPostMediaCommentRequest(albumId, "Sale ends today").execute();
    const comments = await client.newGetMediaCommentsRequest(albumId).execute();
    expect(comments.getTexts()).toEqual(["Sale ends today", "price?"]);
    const replies = await client.newGetRepliesRequest(commentId).execute();
    expect(replies.getIds()).toEqual([reply.getId()]);
    const read = await client
      .newGetCommentRequest(commentId, CommentField.FROM, CommentField.MEDIA, CommentField.TEXT)
      .execute();
    expect([read.getText(), read.getParentMediaId()]).toEqual(["price?", albumId]);
    expect(read.getFrom()).toEqual({ id: demo.igsid, username: "ann" });
    expect((await client.newPostHideCommentRequest(commentId).execute()).wasSuccessful()).toBe(true);
    expect((await client.newDeleteCommentRequest(own.getId()).execute()).wasSuccessful()).toBe(true);
    expect(await kit.admin("GET /calls?refused=true")).toMatchObject({ count: 0 });
  }));
