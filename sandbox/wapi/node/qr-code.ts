import { randomBytes } from "node:crypto";
import qrCode from "qrcode";
import type { Exchange } from "../../http/exchange.ts";
import { badParam, noSuchObject } from "../../meta/graph-error.ts";
import { page } from "../../meta/paging.ts";
import type { Param } from "../../meta/param.ts";
import type { PhoneNumber, QrCode } from "../account/phone-number.ts";
import { needScope } from "../call/auth.ts";
import type { GraphCall } from "../call/call.ts";
import type { World } from "../world.ts";

/** The path of the pictures. */
export const qrImagePath = "/whatsapp_business/qr/";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const codeLength = 14;
const maxCodes = 2000;
const maxMessageLength = 140;
const imageFormats = ["SVG", "PNG"] as const;
type ImageFormat = (typeof imageFormats)[number];

/** `GET /{number}/message_qrdls`: newest first, or only `code`. */
export function listQrCodes(call: GraphCall, number: PhoneNumber): unknown {
  const { world, param, version } = call;
  needManagement(call);
  param.only("fields", "code", "limit", "after", "before");
  const wanted = param.text("code");
  const image = imageOf(param.text("fields"));
  const data = [...number.qrCodes.values()]
    .filter(({ code }) => wanted === undefined || code === wanted)
    .map((code) => describe(world, code, image))
    .reverse();
  return page(data, param, `${world.url()}/${version}/${number.id}/message_qrdls`);
}

/** `GET /{number}/message_qrdls/{code}`: a list of one. */
export function readQrCode(call: GraphCall, number: PhoneNumber): unknown {
  needManagement(call);
  const image = imageOf(call.param.only("fields").text("fields"));
  return { data: [describe(call.world, find(number, call.target, call.method), image)] };
}

/** `POST /{number}/message_qrdls`: a new code, or a new text of `code`. */
export function writeQrCode(call: GraphCall, number: PhoneNumber): unknown {
  const { world, param } = call;
  needManagement(call);
  param.only("prefilled_message", "generate_qr_image", "code");
  const prefilledMessage = param.needText("prefilled_message", { max: maxMessageLength });
  const image = formatOf(param);
  const { code } = param.has("code") ? find(number, param.needText("code"), call.method) : newCode(number);
  const written = { code, prefilledMessage };
  number.qrCodes.set(code, written);
  world.changed();
  return describe(world, written, image);
}

/** `DELETE /{number}/message_qrdls/{code}` */
export function removeQrCode(call: GraphCall, number: PhoneNumber): unknown {
  needManagement(call);
  number.qrCodes.delete(find(number, call.target, call.method).code);
  call.world.changed();
  return { success: true };
}

/** `GET` on a code's `qr_image_url`; needs no token, as on the platform's content network. */
export async function serveQrImage(exchange: Exchange): Promise<void> {
  const [code = "", format] = exchange.path.slice(exchange.path.lastIndexOf("/") + 1).split(".");
  const body =
    format === "png"
      ? await qrCode.toBuffer(linkOf(code))
      : await qrCode.toString(linkOf(code), { type: "svg" });
  exchange.response.writeHead(200, { "Content-Type": format === "png" ? "image/png" : "image/svg+xml" });
  exchange.response.end(body);
}

function needManagement({ caller }: GraphCall): void {
  needScope(caller, "whatsapp_business_management");
}

function find(number: PhoneNumber, code: string, method: string): QrCode {
  const found = number.qrCodes.get(code);
  if (found) return found;
  throw noSuchObject(method, code);
}

function newCode(number: PhoneNumber): Pick<QrCode, "code"> {
  if (number.qrCodes.size >= maxCodes) throw badParam(`A number can have at most ${maxCodes} QR codes.`);
  return { code: [...randomBytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]).join("") };
}

/** Upper or lower case; clients use both. */
function formatOf(param: Param): ImageFormat | undefined {
  const given = param.text("generate_qr_image");
  const format = imageFormats.find((one) => one === given?.toUpperCase());
  if (format || given === undefined) return format;
  throw badParam(`Param generate_qr_image must be one of {SVG, PNG} - got "${given}".`);
}

/** `code,qr_image_url.format(SVG)` → `SVG`; the other fields are always returned. */
function imageOf(fields: string | undefined): ImageFormat | undefined {
  let image: ImageFormat | undefined;
  for (const name of fields?.split(",").map((field) => field.trim()) ?? []) {
    const format = imageFormats.find((one) => name === `qr_image_url.format(${one})`);
    if (format) image = format;
    else if (!["code", "prefilled_message", "deep_link_url"].includes(name)) {
      throw badParam(`Tried accessing nonexisting field (${name}) on node type (MessageQRCode)`);
    }
  }
  return image;
}

function describe(world: World, { code, prefilledMessage }: QrCode, image: ImageFormat | undefined) {
  return {
    code,
    prefilled_message: prefilledMessage,
    deep_link_url: linkOf(code),
    ...(image && { qr_image_url: `${world.url()}${qrImagePath}${code}.${image.toLowerCase()}` }),
  };
}

function linkOf(code: string): string {
  return `https://wa.me/message/${code}`;
}
