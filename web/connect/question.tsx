import type { ComponentChildren } from "preact";
import type { Operations } from "../kit/api/generated.ts";
import { Button } from "../kit/button.tsx";
import { signInName } from "../kit/messenger-name.ts";
import { Step } from "./frame.tsx";
import { words } from "./texts/texts.ts";

interface QuestionProps {
  readonly title?: string;
  readonly transport: string;
  readonly asked: Operations["readSignIn"]["output"] | undefined;
  readonly onRefuse: () => void;
  /** How the person agrees. */
  readonly children: ComponentChildren;
}

/** Names the account before anything is connected to it: the link may have come from anyone. */
export function Question({ title, transport, asked, onRefuse, children }: QuestionProps) {
  const name = signInName({ transport, label: transport });
  return (
    <Step title={title ?? words.value.question(name)} transport={transport}>
      <p>{words.value.willConnect(name)}</p>
      <div class="grid gap-1 rounded-lg border border-line p-4">
        <span class="text-lg font-semibold break-words">{asked?.account.name}</span>
        <span class="text-dim">{words.value.accountNumber(asked?.account.id ?? 0)}</span>
        {typeof asked?.channel === "string" && <span>{words.value.channelAgain(asked.channel)}</span>}
      </div>
      <p class="text-sm text-dim">{words.value.questionHint}</p>
      {children}
      <Button onPress={onRefuse}>{words.value.refuse}</Button>
    </Step>
  );
}
