import { useEffect, useState } from "preact/hooks";
import { Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { call } from "../kit/api/page-client.ts";
import { Button } from "../kit/button.tsx";
import { List, Row } from "../kit/list.tsx";
import { Notice } from "../kit/notice.tsx";
import { Progress, Step } from "./frame.tsx";
import { problemOf } from "./problem.ts";
import { Question } from "./question.tsx";
import { refusals, words } from "./texts/texts.ts";

type Reply = Operations["continueSignIn"]["output"];
interface ReturnProps {
  readonly transport: string;
  readonly state: string;
  /** The query of the messenger's redirect. */
  readonly query: string;
}
interface Next {
  readonly query?: string;
  readonly choice?: string;
  readonly refused?: true;
}

/** The window redirected by the messenger: asks, completes the sign-in, and shows a choice if there is one. */
export function Return({ transport, state, query }: ReturnProps) {
  const [reply, setReply] = useState<Reply>();
  const [problem, setProblem] = useState<string>();
  const go = (next: Next) => {
    setReply(undefined);
    const body = { state, ...next, ...agreedTo(state) };
    call("continueSignIn", { path: { transport }, body }, { withCookies: true })
      .then((now) => (now.kind === "elsewhere" ? location.assign(now.url ?? "") : setReply(now)))
      .catch((error: unknown) => setProblem(textOf(error)));
  };
  const agree = (next: Next) => {
    keepAgreement(state, reply?.asked?.agreement ?? "");
    go(next);
  };
  useEffect(() => go({ query }), []);
  if (problem !== undefined)
    return (
      <Step title={words.value.connect} transport={transport}>
        <Notice tone="bad">{problem}</Notice>
        <p>{words.value.backToPage}</p>
      </Step>
    );
  if (reply === undefined) return <Progress text={words.value.returning} />;
  const refuse = () => go({ refused: true });
  if (reply.kind === "question")
    return (
      <Question transport={transport} asked={reply.asked} onRefuse={refuse}>
        <Button look="primary" onPress={() => agree({ query })}>
          {words.value.connect}
        </Button>
      </Question>
    );
  return (
    <Outcome reply={reply} transport={transport} onChoose={(choice) => agree({ choice })} onRefuse={refuse} />
  );
}

/** The messenger may redirect twice in one sign-in: the person is asked once. */
const KEY = "trunkline-sign-in";

function keepAgreement(state: string, agreement: string): void {
  sessionStorage.setItem(KEY, JSON.stringify({ state, agreement }));
}

function agreedTo(state: string): { readonly agreement?: string } {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as {
    readonly state: string;
    readonly agreement: string;
  } | null;
  return kept?.state === state ? { agreement: kept.agreement } : {};
}

function textOf(error: unknown): string {
  return error instanceof Refusal && error.code === "NOT_FOUND" ? refusals.value.NOT_FOUND : problemOf(error);
}

interface OutcomeProps {
  readonly reply: Reply;
  readonly transport: string;
  readonly onChoose: (id: string) => void;
  readonly onRefuse: () => void;
}

function Outcome({ reply, transport, onChoose, onRefuse }: OutcomeProps) {
  if (reply.kind === "choice") {
    const title = reply.of === "number" ? words.value.chooseNumber : words.value.chooseCommunity;
    return (
      <Question title={title} transport={transport} asked={reply.asked} onRefuse={onRefuse}>
        <List label={title}>
          {(reply.items ?? []).map(({ id, name }) => (
            <Row key={id} title={name} onPress={() => onChoose(id)} />
          ))}
        </List>
      </Question>
    );
  }
  if (reply.kind === "closed")
    return (
      <Step title={words.value.refused} transport={transport}>
        <p>{words.value.refusedHint}</p>
      </Step>
    );
  if (reply.kind === "refused") {
    const known: Readonly<Record<string, string>> = refusals.value;
    return (
      <Step title={words.value.connect} transport={transport}>
        <Notice tone="bad">{known[reply.reason ?? ""] ?? reply.description}</Notice>
        <p>{words.value.backToPage}</p>
      </Step>
    );
  }
  return (
    <Step title={words.value.done} transport={transport}>
      <Notice tone="ok">{[reply.name, reply.phone && `+${reply.phone}`].filter(Boolean).join(" · ")}</Notice>
      {reply.pin !== undefined && <Notice tone="wait">{words.value.pin(reply.pin)}</Notice>}
      <p>{words.value.backToPage}</p>
    </Step>
  );
}
