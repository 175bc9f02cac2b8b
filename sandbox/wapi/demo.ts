import type { World } from "./world.ts";

/** The initial state with `--demo`: enough to connect a channel and to receive messages. */
export const demo = {
  appId: "1000000000001",
  appSecret: "demo-trunkline-sandbox-app-secret",
  configId: "7000000000001",
  /** The verify token to enter in the app's dashboard with the callback address. */
  verifyToken: "demo-trunkline-sandbox-verify-token",
  wabaId: "2000000000001",
  numberId: "3000000000001",
  phone: "15550783881",
  token: "EAAdemoTrunklineSandboxToken0000000000",
  user: "16505551234",
} as const;

/** An app, an account with a number and a template, a token for both, and Ann. */
export function seedDemo(world: World): void {
  const app = world.addApp({ id: demo.appId, secret: demo.appSecret, name: "Trunkline demo" });
  const waba = world.addWaba({ id: demo.wabaId, name: "Lucky Shrub" });
  world.addNumber({
    id: demo.numberId,
    waba,
    phone: demo.phone,
    verifiedName: "Lucky Shrub",
    onBizApp: true,
    registered: true,
  });
  world.addToken({
    value: demo.token,
    appId: app.id,
    type: "SYSTEM_USER",
    scopes: ["whatsapp_business_management", "whatsapp_business_messaging"],
    wabaIds: [waba.id],
    expiresAtMs: undefined,
  });
  world.putPerson({
    id: demo.user,
    phone: demo.user,
    name: "Ann",
    username: undefined,
    hidesNumber: false,
    idGeneration: 0,
  });
  world.templates.set("4000000000001", {
    id: "4000000000001",
    wabaId: waba.id,
    name: "order_confirmation",
    language: "en_US",
    category: "UTILITY",
    parameterFormat: "POSITIONAL",
    status: "APPROVED",
    rejectedReason: "NONE",
    quality: "UNKNOWN",
    lastEditMs: Number.NEGATIVE_INFINITY,
    components: [
      { type: "HEADER", format: "TEXT", text: "Your order" },
      {
        type: "BODY",
        text: "Thank you, {{1}}! Your order {{2}} is on its way.",
        example: { body_text: [["Mark", "860198"]] },
      },
      { type: "FOOTER", text: "Lucky Shrub" },
      { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop updates" }] },
    ],
  });
}
