import type { tl } from "@mtcute/core";
import Long from "long";
import { randomLong } from "../mtproto/auth-key.ts";
import type { Call } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { findByPhone } from "../world/directory.ts";
import type { Media } from "../world/letter.ts";
import { storedFile, takeDocument, takePhoto } from "./upload-file.ts";

const maxPollAnswers = 12;

/** A client's attachment in its stored form. `stored`: only already uploaded files, as albums require. */
export async function readMedia(call: Call, input: tl.TypeInputMedia, only?: "stored"): Promise<Media> {
  switch (input._) {
    case "inputMediaPhoto":
      if (input.id._ !== "inputPhoto") throw bad("MEDIA_EMPTY");
      return { kind: "photo", file: storedFile(call, input.id).id };
    case "inputMediaDocument":
      if (input.id._ !== "inputDocument") throw bad("MEDIA_EMPTY");
      return { kind: "document", file: storedFile(call, input.id).id };
    default:
      if (only === "stored") throw bad("MEDIA_INVALID");
      return takeMedia(call, input);
  }
}

async function takeMedia(call: Call, input: tl.TypeInputMedia): Promise<Media> {
  switch (input._) {
    case "inputMediaUploadedPhoto":
      return { kind: "photo", file: (await takePhoto(call, input.file)).id };
    case "inputMediaUploadedDocument":
      return { kind: "document", file: (await takeDocument(call, input.file, input)).id };
    case "inputMediaGeoPoint":
      return other({ _: "messageMediaGeo", geo: geoPoint(input.geoPoint) });
    case "inputMediaVenue": {
      const { title, address, provider, venueId, venueType } = input;
      const venue = { title, address, provider, venueId, venueType };
      return other({ _: "messageMediaVenue", geo: geoPoint(input.geoPoint), ...venue });
    }
    case "inputMediaContact":
      return other(contact(call, input));
    case "inputMediaPoll":
      return other(poll(input.poll));
    default:
      throw bad("MEDIA_INVALID");
  }
}

function other(media: tl.TypeMessageMedia): Media {
  return { kind: "other", media };
}

function geoPoint(point: tl.TypeInputGeoPoint): tl.RawGeoPoint {
  if (point._ !== "inputGeoPoint") throw bad("MEDIA_EMPTY");
  if (Math.abs(point.lat) > 90 || Math.abs(point.long) > 180) throw bad("MEDIA_INVALID");
  return { _: "geoPoint", lat: point.lat, long: point.long, accessHash: Long.ZERO };
}

function contact(call: Call, input: tl.RawInputMediaContact): tl.RawMessageMediaContact {
  const { phoneNumber, firstName, lastName, vcard } = input;
  const userId = findByPhone(call.world, phoneNumber)?.id ?? 0;
  return { _: "messageMediaContact", phoneNumber, firstName, lastName, vcard, userId };
}

/** A poll without votes. Clients either describe the answers or only number them. */
function poll(asked: tl.TypePoll): tl.RawMessageMediaPoll {
  if (asked.answers.length === 0 || asked.answers.length > maxPollAnswers) throw bad("POLL_ANSWERS_INVALID");
  if (asked.question.text === "") throw bad("POLL_QUESTION_INVALID");
  const answers = asked.answers.map((each, index): tl.RawPollAnswer => {
    const option = each._ === "pollAnswer" ? each.option : Buffer.from([index]);
    return { _: "pollAnswer", text: each.text, option };
  });
  return {
    _: "messageMediaPoll",
    poll: { ...asked, id: randomLong(), answers },
    results: { _: "pollResults", totalVoters: 0 },
  };
}
