import { creationEvent } from "./creation-payloads.ts";
import type { Event } from "./event.ts";
import type { ChannelChange, ChannelFact, Fact } from "./facts.ts";
import { groupEvent, membersEvent } from "./group-payloads.ts";
import {
  channelEvents,
  editedElsewhereEvents,
  messageEvents,
  newQrEvents,
  phoneEvents,
  renamedChannelEvents,
  statusEvents,
  templateEvents,
  tierEvents,
} from "./payloads.ts";
import { reactionEvents } from "./reaction-payloads.ts";
import { channelV2Event, exportEvent, historyEvent, phonesEvent } from "./v2-payloads.ts";

/** What receivers of both versions are told of a fact. Pure. */
export function eventsOf(fact: Exclude<Fact, { kind: "live" }>): Event[] {
  switch (fact.kind) {
    case "message":
      return messageEvents(fact.message, fact.isNew);
    case "edited elsewhere":
      return editedElsewhereEvents(fact.message, fact.status);
    case "status":
      return statusEvents(fact.status);
    case "reaction":
      return reactionEvents(fact.reaction);
    case "channel":
      return channelChangeEvents(fact.change, fact.channel);
    case "template":
      return templateEvents(fact.template);
    case "export":
      return [exportEvent(fact.export)];
    case "history":
      return [historyEvent(fact.history)];
    case "creation":
      return [creationEvent(fact.creation)];
    case "phones":
      return [phonesEvent(fact.phones)];
    case "group":
      return [groupEvent(fact.group, fact.changes)];
    case "members":
      return [membersEvent(fact.group, fact.members)];
  }
}

function channelChangeEvents(change: ChannelChange, channel: ChannelFact): Event[] {
  switch (change) {
    case "created":
      return [channelV2Event("channel.create", channel)];
    case "deleted":
      return [...channelEvents(channel), channelV2Event("channel.delete", channel)];
    // On v3 `disabled` means that the messages are kept.
    case "erased":
      return [channelV2Event("channel.status_update", channel), channelV2Event("channel.delete", channel)];
    case "status":
    case "restrictions":
      return channelEvents(channel);
    case "qr":
      return channel.qr === null ? [] : newQrEvents({ ...channel, qr: channel.qr });
    case "phone":
      return phoneEvents(channel);
    case "names":
      return renamedChannelEvents(channel);
    case "tier":
      return tierEvents(channel);
  }
}
