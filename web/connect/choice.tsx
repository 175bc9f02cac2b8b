import { byUse, MessengerMark } from "../kit/messenger.tsx";
import { messengerName } from "../kit/messenger-name.ts";
import { Step } from "./frame.tsx";
import { chosen, type Transport } from "./state.ts";
import { ways, words } from "./texts/texts.ts";

/** All messengers of the installation. */
export function Choice({ transports }: { readonly transports: readonly Transport[] }) {
  return (
    <Step title={words.value.choose}>
      <p class="text-dim">{transports.length === 0 ? words.value.none : words.value.chooseHint}</p>
      <ul class="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-2">
        {[...transports].sort(byUse).map((transport) => (
          <li key={transport.transport}>
            <button
              type="button"
              class="flex h-full w-full items-center gap-3 rounded-lg border border-line bg-bg p-3 text-left hover:border-edge hover:bg-pane"
              onClick={() => {
                chosen.value = transport;
              }}
            >
              <MessengerMark transport={transport.transport} />
              <span class="grid min-w-0">
                <span class="font-semibold">{messengerName(transport)}</span>
                <span class="text-sm text-dim">
                  {ways.value[transport.sign_in ? "redirect" : transport.connect]}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Step>
  );
}
