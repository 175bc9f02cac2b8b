import { allRights } from "./call/token.ts";
import type { World } from "./world.ts";

/** The initial state with `--demo`. */
export const demo = {
  groupId: 200_000_001,
  token: "vk1.a.demo-trunkline-sandbox-community-key-0000000000",
  appId: 51_000_001,
  appSecret: "demoTrunklineSandbox",
  ownerId: 100,
  userId: 111,
} as const;

/** A community with a key and enabled bot features, its owner, an app, and Ann, who allows messages. */
export function seedDemo(world: World): void {
  world.putUser({ id: demo.ownerId, first_name: "Olga", last_name: "Owner" });
  const ann = world.putUser({ id: demo.userId, first_name: "Ann", last_name: "Smith", screen_name: "ann" });
  const community = world.addCommunity({
    id: demo.groupId,
    name: "Trunkline demo",
    screenName: "trunkline_demo",
    ownerId: demo.ownerId,
  });
  world.addToken({
    value: demo.token,
    groupId: demo.groupId,
    userId: undefined,
    scopes: allRights,
    expiresAtMs: undefined,
  });
  const { appId: id, appSecret: secret } = demo;
  world.apps.set(id, { id, secret, name: "Trunkline demo", redirectUris: [] });
  community.dialogWith(ann).allowed = true;
}
