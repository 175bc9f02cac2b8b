import type { MessageDetails } from "../../src/core/payload/facts.ts";

/** Of a message without any of them. */
export const NO_DETAILS: MessageDetails = {
  error: null,
  sentFromApp: false,
  authorId: null,
  extras: {},
  interactive: [],
  sender: null,
  isEdited: false,
  isDeleted: false,
  oldInfo: null,
};
