import { newId } from "./account/account.ts";
import { allScopes, type Token } from "./login/token.ts";
import type { World } from "./world.ts";

/** The initial state with `--demo`. */
export const demo = {
  appId: "900000000000001",
  appSecret: "demo-trunkline-sandbox-app-secret",
  verifyToken: "demo-trunkline-sandbox-verify-token",
  accountId: "17841400000000001",
  appScopedId: "24000000000000001",
  pageId: "100000000000001",
  username: "trunkline_demo",
  userToken: "EAAdemoTrunklineSandboxUserToken00000000",
  instagramToken: "IGAAdemoTrunklineSandboxToken0000000000",
  userId: "111",
  igsid: "1000000000000111",
} as const;

/** An app, an account with its page, tokens of both logins, a post, and Ann, who has already written. */
export function seedDemo(world: World): void {
  const { appId, appSecret, accountId: id, pageId, appScopedId, username, userId, igsid } = demo;
  world.addApp({ id: appId, secret: appSecret, name: "Trunkline demo" });
  const account = world.addAccount({ id, pageId, appScopedId, username, name: "Trunkline demo" });
  const common = { appId, accountIds: [account.id], longLived: true, expiresAtMs: undefined };
  const tokens: readonly [Token["kind"], string][] = [
    ["user", demo.userToken],
    ["instagram", demo.instagramToken],
  ];
  for (const [kind, value] of tokens) {
    world.addToken({ ...common, kind, value, scopes: allScopes(kind === "user" ? "facebook" : "instagram") });
  }
  const ann = world.putPerson({ id: userId, username: "ann", name: "Ann" });
  account.conversationWith(ann, igsid).lastInboundMs = world.clock.nowMs();
  const postId = newId("178", 17);
  world.posts.set(postId, {
    id: postId,
    accountId: account.id,
    productType: "FEED",
    mediaType: "IMAGE",
    caption: "New in the shop",
    permalink: "https://www.instagram.com/p/Demo00000001/",
    mediaUrl: "https://www.instagram.com/static/demo.jpg",
    thumbnailUrl: undefined,
    children: [],
    atMs: world.clock.nowMs(),
    likes: 5,
    deleted: false,
  });
}
