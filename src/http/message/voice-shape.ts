import { Type } from "typebox";

export const voiceShape = Type.Boolean({
  description:
    "true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are",
});
