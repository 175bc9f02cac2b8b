import { answerAppState } from "./app-state.ts";
import type { IqHandler } from "./call.ts";
import { answerEncrypt } from "./encrypt.ts";
import { answerGroup } from "./group.ts";
import { answerLinking } from "./linking.ts";
import { answerMedia } from "./media.ts";
import { answerPassive } from "./passive.ts";
import { answerPicture } from "./picture.ts";
import { answerBlocklist, answerPrivacy } from "./privacy.ts";
import { answerAbout, answerBusiness, answerNewsletter } from "./profile.ts";
import { answerRestriction } from "./restriction.ts";
import { answerProperties } from "./server-property.ts";
import { answerUsync } from "./usync.ts";

const nothing: IqHandler = () => undefined;

/** All supported namespaces; others get 501. */
export const iqHandlers: Readonly<Record<string, IqHandler>> = {
  abt: answerProperties,
  blocklist: answerBlocklist,
  encrypt: answerEncrypt,
  md: answerLinking,
  newsletter: answerNewsletter,
  passive: answerPassive,
  privacy: answerPrivacy,
  status: answerAbout,
  "urn:xmpp:ping": nothing,
  "urn:xmpp:whatsapp:dirty": nothing,
  usync: answerUsync,
  w: answerProperties,
  "w:biz": answerBusiness,
  "w:g2": answerGroup,
  "w:m": answerMedia,
  "w:mex": answerRestriction,
  "w:p": nothing,
  "w:profile:picture": answerPicture,
  "w:stats": nothing,
  "w:sync:app:state": answerAppState,
};
