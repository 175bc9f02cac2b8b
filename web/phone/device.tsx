import { useEffect, useState } from "preact/hooks";
import type { PhoneFacts } from "../../sandbox/phone/shape.ts";
import { Chats } from "./chats.tsx";
import type { Pane } from "./pane.ts";
import { active, people } from "./state.ts";
import { said, words } from "./texts/texts.ts";
import { Thread } from "./thread.tsx";
import { clockTime } from "./time.ts";

interface DeviceProps {
  readonly facts: PhoneFacts;
  readonly pane: Pane;
  readonly index: number;
}

/** A phone: its frame, its clock, and the messenger's app. */
export function Device({ facts, pane, index }: DeviceProps) {
  const person = people.value?.find(({ id }) => id === pane.person);
  const take = (): void => {
    active.value = index;
  };
  return (
    <section
      aria-label={words.value.phoneOf(person?.name ?? "")}
      class="flex h-[min(46rem,calc(100dvh-9rem))] max-w-[23rem] min-w-0 grow basis-[18.5rem] flex-col overflow-hidden rounded-[2.25rem] border-[10px] border-[#1b1d22] bg-[#1b1d22] shadow-lg outline outline-1 outline-[#4a4f5a]"
      onFocusCapture={take}
      onClickCapture={take}
    >
      <div class="flex min-h-0 flex-1 flex-col overflow-hidden rounded-[1.6rem] bg-bg">
        <div
          class="flex items-center justify-between px-5 pt-1.5 pb-1 text-xs font-semibold text-white"
          style={{ background: facts.colour }}
        >
          <Clock />
          <span class="h-4 w-20 rounded-full bg-[#1b1d22]" aria-hidden="true" />
          <span class="w-12 truncate text-right">{person?.name}</span>
        </div>
        {pane.chat === null ? (
          <Chats facts={facts} pane={pane} index={index} title={said(facts.title)} />
        ) : (
          <Thread facts={facts} pane={pane} index={index} chat={pane.chat} />
        )}
      </div>
    </section>
  );
}

const timeOf = (): string => clockTime(Date.now());

function Clock() {
  const [time, setTime] = useState(timeOf);
  useEffect(() => {
    const timer = setInterval(() => setTime(timeOf()), 5_000);
    return () => clearInterval(timer);
  }, []);
  return <span class="w-12">{time}</span>;
}
