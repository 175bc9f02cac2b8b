import { useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { LongText } from "../../kit/long-text.tsx";
import { beginning } from "../../kit/pieces.ts";
import { toast } from "../../kit/toast.tsx";
import { clockTime, fullTime } from "../format.ts";
import type { Entry } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask, session } from "../session.ts";
import {
  bubbleWords,
  composerWords,
  errorText,
  proposalWords,
  togetherWords,
  words,
} from "../texts/texts.ts";
import { takeMessage } from "../thread/thread.ts";
import { untilTime } from "./until-time.ts";

type Proposal = NonNullable<Entry["proposal"]>;

interface ProposalProps {
  readonly entry: Entry;
  readonly proposal: Proposal;
  readonly isLit: boolean;
}

/** A message that an agent proposes. An employee sends it, as it is or changed, or declines it. */
export function ProposalRow({ entry, proposal, isLit }: ProposalProps) {
  const [edited, setEdited] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const texts = proposalWords.value;
  const { id, text, at } = entry;
  const isWaiting = proposal.state === "waiting" && Date.parse(proposal.expires_at) > Date.now();
  const decide = async (answer: Promise<{ readonly decided: boolean; readonly entry: Entry }>) => {
    setBusy(true);
    try {
      const { decided, entry: now } = await answer;
      takeMessage(now);
      setEdited(null);
      if (!decided) toast(outcomeOf(now.proposal ?? proposal));
    } catch (error) {
      toast(problemOf(error));
    }
    setBusy(false);
  };
  const changed = edited === null || edited === text ? {} : { text: edited };
  const send = () => void decide(ask("approveProposal", { path: { id }, body: changed }));
  const decline = () => void decide(ask("declineProposal", { path: { id }, body: {} }));
  return (
    <article
      data-message={id}
      aria-label={`${texts.title}, ${fullTime(Date.parse(at))}`}
      class="flex flex-col items-center px-4 py-1.5 -outline-offset-2"
    >
      <div
        class={`grid w-full max-w-[480px] gap-2 rounded-lg border border-dashed border-accent bg-pane px-3 py-2 ${isLit ? "outline-2 outline-accent-text" : ""}`}
      >
        <p class="flex flex-wrap items-center gap-x-1.5 text-xs text-dim">
          <span class="flex items-center gap-1.5 font-semibold text-ink">
            <Icon name="template" size={12} />
            {texts.title}
          </span>
          <span>
            {texts.token(proposal.token.hint)} · <time dateTime={at}>{clockTime(Date.parse(at))}</time>
          </span>
        </p>
        {edited === null ? (
          <div class="wrap-anywhere whitespace-pre-wrap" dir="auto">
            {proposal.is_template ? (
              <em>{texts.template}</em>
            ) : (
              <LongText id={`proposal ${id}`} text={text}>
                {(piece) => piece}
              </LongText>
            )}
          </div>
        ) : (
          <textarea
            rows={4}
            class="w-full rounded-md border border-edge bg-bg p-2"
            aria-label={texts.title}
            maxLength={10_000}
            dir="auto"
            value={edited}
            onInput={(event) => setEdited(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setEdited(null);
            }}
          />
        )}
        {isWaiting ? (
          <span class="flex flex-wrap items-center justify-end gap-2 print:hidden">
            <span class="w-full text-xs text-dim @md:w-auto @md:flex-1">
              {texts.waits(untilTime(Date.parse(proposal.expires_at)))}
            </span>
            {edited !== null && <Button onPress={() => setEdited(null)}>{words.value.cancel}</Button>}
            {edited === null && !proposal.is_template && (
              <Button onPress={() => setEdited(text)}>{bubbleWords.value.edit}</Button>
            )}
            {edited === null && (
              <Button busy={busy} onPress={decline}>
                {texts.decline}
              </Button>
            )}
            <Button look="primary" busy={busy} disabled={edited?.trim() === ""} onPress={send}>
              {composerWords.value.send}
            </Button>
          </span>
        ) : (
          <p class="text-xs text-dim">{outcomeOf(proposal)}</p>
        )}
      </div>
    </article>
  );
}

function outcomeOf({ state, decided_by: by, error }: Proposal): string {
  const { sent, declined, failed, expired } = proposalWords.value;
  const who =
    by?.id === session.value?.user.id ? words.value.you : beginning(by?.name ?? togetherWords.value.someone);
  if (state === "declined") return declined(who);
  if (state === "failed") return failed(who, errorText(error ?? "") ?? error ?? "");
  return state === "approved" || state === "sent" ? sent(who) : expired;
}
