import type { MessageDetails } from "../../src/core/event/facts.ts";

/** Of a message without any of them. */
export const NO_DETAILS: MessageDetails = {
  error: null,
  sentFromApp: false,
  authorId: null,
  post: null,
  advert: null,
  interactive: [],
  sender: null,
  isEdited: false,
  isDeleted: false,
  oldInfo: null,
};
