import { accountMethods } from "../method/account.ts";
import { authMethods } from "../method/auth.ts";
import { contactsMethods } from "../method/contacts.ts";
import { groupProfileMethods } from "../method/group-profile.ts";
import { groupRoleMethods } from "../method/group-role.ts";
import { groupsMethods } from "../method/groups.ts";
import { helpMethods } from "../method/help.ts";
import { historyMethods } from "../method/history.ts";
import { membershipMethods } from "../method/membership.ts";
import { minorMethods } from "../method/minor.ts";
import { qrLoginMethods } from "../method/qr-login.ts";
import { reactMethods } from "../method/react.ts";
import { reviseMethods } from "../method/revise.ts";
import { sendMethods } from "../method/send.ts";
import { updatesMethods } from "../method/updates.ts";
import { uploadMethods } from "../method/upload.ts";
import { usersMethods } from "../method/users.ts";
import type { Methods } from "./call.ts";

/** All emulated methods. */
export const methods: Methods = {
  ...accountMethods,
  ...authMethods,
  ...contactsMethods,
  ...groupProfileMethods,
  ...groupRoleMethods,
  ...groupsMethods,
  ...helpMethods,
  ...historyMethods,
  ...membershipMethods,
  ...minorMethods,
  ...qrLoginMethods,
  ...reactMethods,
  ...reviseMethods,
  ...sendMethods,
  ...updatesMethods,
  ...uploadMethods,
  ...usersMethods,
};
