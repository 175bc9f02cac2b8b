import type { tl } from "@mtcute/core";
import { renderDialog } from "../render/dialog.ts";
import { renderMessage } from "../render/message.ts";
import { collectPeers } from "../render/peers.ts";
import { secretMessage } from "../render/secret.ts";
import { letterIn, renderChange, renderGroupChange } from "../render/updates.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { needMember, resolveChannel } from "../rpc/peer.ts";
import type { Group } from "../world/group.ts";
import { type Change, changesAfter } from "../world/mailbox.ts";
import { unreadIn } from "../world/revise.ts";

/** Seconds after which a client should poll a supergroup again. */
const channelTimeout = 30;
const maxChannelSlice = 100;

/** Catching up (core.telegram.org/api/updates). */
export const updatesMethods = {
  "updates.getState": (_, call) => stateAt(call, call.person.mailbox.pts),

  "updates.getDifference"(request, call) {
    const { person, world } = call;
    const { pts, ptsTotalLimit = world.settings.differenceLimit } = request;
    const more = besides(call, request);
    if (pts <= 0) throw bad("PERSISTENT_TIMESTAMP_EMPTY");
    if (pts > person.mailbox.pts) throw bad("PERSISTENT_TIMESTAMP_INVALID");
    const changes = changesAfter(person.mailbox, pts);
    const gap = person.mailbox.pts - pts;
    if (!changes || gap > Math.min(ptsTotalLimit, world.settings.differenceLimit))
      return { _: "updates.differenceTooLong", pts: person.mailbox.pts };
    if (changes.length === 0 && more.channels.length === 0 && more.secrets.length === 0)
      return { _: "updates.differenceEmpty", date: world.clock.now(), seq: person.seq };
    const limit = Math.min(request.ptsLimit ?? Number.MAX_SAFE_INTEGER, world.settings.differenceSlice);
    const slice = changes.slice(0, limit);
    const state = stateAt(call, slice.at(-1)?.pts ?? pts);
    const content = differenceOf(call, slice, more);
    if (slice.length === changes.length) return { _: "updates.difference", ...content, state };
    return { _: "updates.differenceSlice", ...content, intermediateState: state };
  },

  "updates.getChannelDifference"({ channel, pts, limit }, call) {
    const group = resolveChannel(call, channel);
    needMember(call, group);
    if (pts <= 0) throw bad("PERSISTENT_TIMESTAMP_EMPTY");
    if (pts > group.mailbox.pts) throw bad("PERSISTENT_TIMESTAMP_INVALID");
    const changes = changesAfter(group.mailbox, pts);
    const gap = group.mailbox.pts - pts;
    if (!changes || gap > call.world.settings.differenceLimit) return channelTooLong(call, group);
    if (changes.length === 0)
      return { _: "updates.channelDifferenceEmpty", final: true, pts, timeout: channelTimeout };
    return channelSlice(call, group, changes.slice(0, Math.max(1, Math.min(limit, maxChannelSlice))));
  },
} satisfies Methods;

function stateAt({ world, person }: Call, pts: number): tl.updates.RawState {
  const unread = [...person.dialogs.values()].map(({ peer }) => unreadIn(world, person, peer));
  const unreadCount = unread.reduce((sum, each) => sum + each, 0);
  const { qts, seq } = person;
  return { _: "updates.state", pts, qts, date: world.clock.now(), seq, unreadCount };
}

/** The parts of a difference other than the changes of the account's own mailbox. */
interface Besides {
  readonly channels: readonly tl.RawUpdateChannelTooLong[];
  readonly secrets: readonly tl.RawEncryptedMessage[];
}

/**
 * Supergroups that changed since the client's date, with the position before the first of these changes; their
 * messages have to be requested for each supergroup.
 */
function besides({ world, person }: Call, { date, qts }: tl.updates.RawGetDifferenceRequest): Besides {
  const joined = [...world.state.groups.values()].filter(
    ({ kind, members }) => kind === "channel" && members.has(person.id),
  );
  const channels = joined.flatMap(({ id: channelId, mailbox }) => {
    const first = mailbox.log.find((change) => change.date >= date);
    return first ? [{ _: "updateChannelTooLong", channelId, pts: first.pts - first.count } as const] : [];
  });
  const secrets = Array.from({ length: person.qts - qts }, (_, index) =>
    secretMessage(qts + index + 1, world.clock.now()),
  );
  return { channels, secrets };
}

/** New messages separate from other changes, as clients expect. Messages deleted since are omitted. */
function differenceOf({ world, person }: Call, changes: readonly Change[], { channels, secrets }: Besides) {
  const newMessages = changes.flatMap(({ what }) => {
    const letter = what.kind === "new" ? letterIn(world, person.mailbox, what.id) : undefined;
    return letter ? [renderMessage(world, person, letter)] : [];
  });
  const own = changes.flatMap((change) =>
    change.what.kind === "new" ? [] : (renderChange(world, person, change) ?? []),
  );
  const otherUpdates = [...own, ...channels];
  const peers = collectPeers(world, person, [newMessages, otherUpdates]);
  return { newMessages, newEncryptedMessages: [...secrets], otherUpdates, ...peers };
}

function channelSlice(
  { world, person }: Call,
  group: Group,
  changes: readonly Change[],
): tl.updates.RawChannelDifference {
  const newMessages = changes.flatMap(({ what }) => {
    const letter = what.kind === "new" ? letterIn(world, group.mailbox, what.id) : undefined;
    return letter ? [renderMessage(world, person, letter)] : [];
  });
  const otherUpdates = changes.flatMap((change) =>
    change.what.kind === "new" ? [] : (renderGroupChange(world, person, { group, change }) ?? []),
  );
  const pts = changes.at(-1)?.pts ?? group.mailbox.pts;
  return {
    _: "updates.channelDifference",
    final: pts === group.mailbox.pts,
    pts,
    timeout: channelTimeout,
    newMessages,
    otherUpdates,
    ...collectPeers(world, person, [newMessages, otherUpdates]),
  };
}

/** Only the newest messages: the client has to reload. */
function channelTooLong({ world, person }: Call, group: Group): tl.updates.RawChannelDifferenceTooLong {
  const newest = [...group.mailbox.letters.keys()].slice(-maxChannelSlice);
  const messages = newest.flatMap((id) => {
    const letter = letterIn(world, group.mailbox, id);
    return letter ? [renderMessage(world, person, letter)] : [];
  });
  const dialog = renderDialog(world, person, { kind: "channel", id: group.id });
  return {
    _: "updates.channelDifferenceTooLong",
    final: true,
    timeout: channelTimeout,
    dialog,
    messages,
    ...collectPeers(world, person, [dialog, messages]),
  };
}
