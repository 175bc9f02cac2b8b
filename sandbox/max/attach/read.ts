import type { StrictFields } from "../../http/strict-fields.ts";
import { needNumber, strictFields } from "../call/operation.ts";
import type { Media, MediaKind } from "../media/store.ts";
import { badPayload, notFound, notReady } from "../refusal.ts";
import type { Account } from "../world/account.ts";
import type { World } from "../world/world.ts";
import type { Attach, MediaAttach } from "./attach.ts";

const mostAttaches = 12;
const mostPollAnswers = 12;

/** The sender of attachments, and where the files are. */
interface Sender {
  readonly world: World;
  readonly account: Account;
}

/** The attachments of a client's message. Throws if they are unknown, belong to another account or are not ready. */
export function readAttaches(sender: Sender, values: readonly unknown[]): Attach[] {
  if (values.length > mostAttaches) throw badPayload(`at most ${mostAttaches} attachments`);
  return values.map((value) => {
    const type = String((value as { _type?: unknown } | null)?._type);
    const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
    if (!reader) throw badPayload(`unknown attachment type ${type}`);
    return reader.read(strictFields(value, ["_type", ...reader.fields], "attaches."), sender);
  });
}

interface Reader {
  readonly fields: readonly string[];
  readonly read: (fields: StrictFields, sender: Sender) => Attach;
}

const readers: Readonly<Record<string, Reader>> = {
  PHOTO: {
    fields: ["photoToken"],
    read: (fields, sender) => {
      const token = fields.needText("photoToken");
      const file = sender.world.media.byToken(token);
      if (file?.kind !== "photo") throw notFound("photo");
      return { type: "PHOTO", mediaId: file.id };
    },
  },
  VIDEO: {
    fields: ["videoId", "token", "videoType", "thumbhash", "duration", "wave"],
    read: (fields, sender) => {
      const file = needFile(sender, { kind: "video", id: needNumber(fields, "videoId") });
      checkToken(fields, file);
      const videoType = fields.integer("videoType") ?? 0;
      return { type: "VIDEO", mediaId: file.id, videoType, ...duration(fields) };
    },
  },
  AUDIO: {
    fields: ["audioId", "videoId", "token", "duration", "wave"],
    read: (fields, sender) => {
      const id = fields.integer("audioId") ?? needNumber(fields, "videoId");
      const file = needFile(sender, { kind: "audio", id });
      checkToken(fields, file);
      return { type: "AUDIO", mediaId: file.id, ...duration(fields), ...wave(fields) };
    },
  },
  FILE: {
    fields: ["fileId"],
    read: (fields, sender) => ({
      type: "FILE",
      mediaId: needFile(sender, { kind: "file", id: needNumber(fields, "fileId") }).id,
    }),
  },
  CONTACT: {
    fields: ["contactId", "name", "phone", "vcfBody"],
    read: (fields, { world }) => {
      const contact = world.accounts.get(fields.integer("contactId") ?? 0);
      const name = fields.text("name") ?? contact?.name;
      if (name === undefined) throw fields.missing("contactId");
      const phone = fields.text("phone") ?? contact?.phone;
      const own = { contactId: contact?.id, name, phone, vcfBody: fields.text("vcfBody") };
      return { type: "CONTACT", fields: withoutUndefined(own) };
    },
  },
  LOCATION: {
    fields: ["latitude", "longitude", "zoom"],
    read: (fields) => {
      const [latitude, longitude] = [fields.needNumber("latitude"), fields.needNumber("longitude")];
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw badPayload("no place on earth");
      return { type: "LOCATION", fields: { latitude, longitude, zoom: fields.number("zoom") ?? 15 } };
    },
  },
  STICKER: {
    fields: ["stickerId"],
    read: (fields, { world }) => ({
      type: "STICKER",
      fields: stickerFields(needNumber(fields, "stickerId"), world.media.base),
    }),
  },
  POLL: {
    fields: ["title", "answers", "settings"],
    read: (fields) => {
      const answers = (fields.list("answers") ?? []).map((answer, index) => ({
        text: strictFields(answer, ["text"], "answers.").needText("text"),
        answerId: index + 1,
      }));
      if (answers.length < 2 || answers.length > mostPollAnswers) throw badPayload("2 to 12 answers");
      const settings = fields.integer("settings") ?? 0;
      return { type: "POLL", fields: pollFields({ title: fields.needText("title"), answers, settings }) };
    },
  },
};

/** A poll without votes. */
export function pollFields(poll: {
  title: string;
  answers: readonly object[];
  settings: number;
}): object & Record<string, unknown> {
  return { ...poll, pollId: 1, version: 1, state: { total: 0, result: [], voterPreviewIds: [] } };
}

export function stickerFields(stickerId: number, base: string): Record<string, unknown> {
  return {
    stickerId,
    setId: 1,
    url: `${base}/sticker?id=${stickerId}`,
    width: 512,
    height: 512,
    tags: ["🙂"],
    stickerType: "STATIC",
    authorType: "SYSTEM",
    audio: false,
    time: 0,
  };
}

/** A file of the account that was uploaded and processed. */
function needFile({ world, account }: Sender, { kind, id }: { kind: MediaKind; id: number }): Media {
  if (world.media.slot(id)?.owner === account.id || world.media.isProcessing(id)) throw notReady();
  const file = world.media.get(id);
  if (file.kind !== kind) throw notFound(`${kind} ${id}`);
  return file;
}

function checkToken(fields: StrictFields, { token }: Media): void {
  if (fields.needText("token") !== token) throw notFound("file with this token");
}

function duration(fields: StrictFields): Pick<MediaAttach, "duration"> {
  const value = fields.integer("duration");
  return value === undefined ? {} : { duration: value };
}

/** Bytes in binary frames, base64 in JSON. */
function wave(fields: StrictFields): Pick<MediaAttach, "wave"> {
  const value = fields.raw("wave");
  if (value === undefined) return {};
  if (value instanceof Uint8Array) return { wave: Buffer.from(value).toString("base64") };
  return { wave: fields.text("wave") ?? "" };
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
