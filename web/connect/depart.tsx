import { useEffect, useState } from "preact/hooks";
import type { Operations } from "../kit/api/generated.ts";
import { call } from "../kit/api/page-client.ts";
import { Button } from "../kit/button.tsx";
import { signInName } from "../kit/messenger-name.ts";
import { Notice } from "../kit/notice.tsx";
import { Progress, Step } from "./frame.tsx";
import { Question } from "./question.tsx";
import { words } from "./texts/texts.ts";
import { useAction } from "./use-action.ts";

interface DepartProps {
  readonly transport: string;
  /** From the address where the sign-in starts. */
  readonly start: string;
}

/** The address where a sign-in starts was not opened by our page, so the person sees what it connects to. */
export function Depart({ transport, start }: DepartProps) {
  const [asked, setAsked] = useState<Operations["readSignIn"]["output"]>();
  const [refused, setRefused] = useState(false);
  const { busy, problem, run } = useAction();
  const path = { transport };
  useEffect(() => run(async () => setAsked(await call("readSignIn", { path, body: { start } }))), []);
  if (refused)
    return (
      <Step title={words.value.refused} transport={transport}>
        <p>{words.value.closeWindow}</p>
      </Step>
    );
  if (asked === undefined)
    return problem === undefined ? (
      <Progress text={words.value.starting} />
    ) : (
      <Step title={words.value.connect} transport={transport}>
        <Notice tone="bad">{problem}</Notice>
      </Step>
    );
  const leave = async () => {
    const { url } = await call("departForMessenger", { path, body: { start } }, { withCookies: true });
    location.assign(url);
  };
  return (
    <Question transport={transport} asked={asked} onRefuse={() => setRefused(true)}>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look="primary" busy={busy} onPress={() => run(leave)}>
        {words.value.signIn(signInName({ transport, label: transport }))}
      </Button>
    </Question>
  );
}
