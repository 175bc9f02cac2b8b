import { opcode } from "../opcode.ts";
import type { Session } from "../world/account.ts";
import { endSession } from "../world/ending.ts";
import type { MemberCall, Operations } from "./operation.ts";

/** The client's own account: its sessions, and the queries of the web client after its login. */
export const accountOperations: Operations<MemberCall> = {
  [opcode.log]: { name: "LOG", fields: ["events"], run: () => ({}) },
  [opcode.logout]: { name: "LOGOUT", fields: [], run: logOut },
  [opcode.sessionsInfo]: { name: "SESSIONS_INFO", fields: [], run: listSessions },
  [opcode.sessionsClose]: { name: "SESSIONS_CLOSE", fields: [], run: closeOthers },
  [opcode.foldersGet]: {
    name: "FOLDERS_GET",
    fields: ["folderSync"],
    run: ({ world }) => ({ folders: [], foldersOrder: [], folderSync: world.nowMs() }),
  },
  [opcode.bannersGet]: { name: "BANNERS_GET", fields: ["bannersSync"], run: () => ({ banners: [] }) },
  [opcode.callHistory]: {
    name: "CALL_HISTORY",
    fields: ["callHistorySync"],
    run: ({ world }) => ({ callHistoryItems: [], callHistorySync: world.nowMs() }),
  },
  [opcode.assetsUpdate]: {
    name: "ASSETS_UPDATE",
    fields: ["type", "sync"],
    run: ({ world }) => ({ sync: world.nowMs(), sections: [] }),
  },
};

/** Ends the link for good; the connection stays open, logged out. */
function logOut({ world, session }: MemberCall): unknown {
  world.note("logout", session);
  endSession(world, session, { tell: false });
  return {};
}

function listSessions({ account, session }: MemberCall): unknown {
  return { sessions: [...account.sessions.values()].map((each) => sessionShape(each, each === session)) };
}

function sessionShape({ client, lastMs }: Session, current: boolean): unknown {
  return { client: "WEB", info: client, location: "Россия", time: lastMs, current };
}

function closeOthers({ world, account, session }: MemberCall): unknown {
  for (const each of account.sessions.values())
    if (each !== session) endSession(world, each, { tell: true, reason: "all" });
  return { token: session.token };
}
