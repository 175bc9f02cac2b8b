import type { World } from "./world.ts";

/** The initial state with `--demo`. */
export const demo = {
  botId: "pa:75346594275468546724",
  token: "4453b6ac1s345678-e02c5f12174805f9-demotrunklinesand",
  uri: "trunklinedemo",
  userId: "111",
} as const;

/** The bot that the channels of an installation share (`VIBER_BOT_TOKEN`). */
export const sharedBot = {
  id: "pa:75346594275468546725",
  token: "4453b6ac1s345679-e02c5f12174805f9-sharedtrunklinebot",
  name: "Trunkline shared",
  uri: "trunklineshared",
} as const;

/** A bot of its own, and Ann, who has not opened it yet. */
export function seedDemo(world: World): void {
  world.addBot({ id: demo.botId, token: demo.token, name: "Trunkline demo", uri: demo.uri });
  world.putUser({
    id: demo.userId,
    name: "Ann",
    country: "UK",
    language: "en",
    apiVersion: 10,
    phone: "441234567111",
    hidesProfile: false,
    devices: 1,
  });
}
