import { useEffect, useState } from "preact/hooks";
import { Refusal } from "../kit/api/client.ts";
import type { Operations } from "../kit/api/generated.ts";
import { call } from "../kit/api/page-client.ts";
import { List, Row } from "../kit/list.tsx";
import { Notice } from "../kit/notice.tsx";
import { Progress, Step } from "./frame.tsx";
import { problemOf } from "./problem.ts";
import { refusals, words } from "./words.ts";

type Reply = Operations["continueSignIn"]["output"];
interface ReturnProps {
  readonly transport: string;
  readonly state: string;
  /** The query of the messenger's redirect. */
  readonly query: string;
}

/** The window redirected by the messenger: completes the sign-in, and shows a choice if there is one. */
export function Return({ transport, state, query }: ReturnProps) {
  const [reply, setReply] = useState<Reply>();
  const [problem, setProblem] = useState<string>();
  const go = (more: { query?: string; choice?: string }) => {
    setReply(undefined);
    call("continueSignIn", { path: { transport }, body: { state, ...more } })
      .then((next) => (next.kind === "elsewhere" ? location.assign(next.url ?? "") : setReply(next)))
      .catch((error: unknown) => setProblem(textOf(error)));
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
  return <Outcome reply={reply} transport={transport} onChoose={(choice) => go({ choice })} />;
}

function textOf(error: unknown): string {
  return error instanceof Refusal && error.code === "NOT_FOUND" ? refusals.value.NOT_FOUND : problemOf(error);
}

interface OutcomeProps {
  readonly reply: Reply;
  readonly transport: string;
  readonly onChoose: (id: string) => void;
}

function Outcome({ reply, transport, onChoose }: OutcomeProps) {
  if (reply.kind === "choice") {
    const title = reply.of === "number" ? words.value.chooseNumber : words.value.chooseCommunity;
    return (
      <Step title={title} transport={transport}>
        <List label={title}>
          {(reply.items ?? []).map(({ id, name }) => (
            <Row key={id} title={name} onPress={() => onChoose(id)} />
          ))}
        </List>
      </Step>
    );
  }
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
