import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Refusal } from "../../kit/api/client.ts";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Field } from "../../kit/field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { call } from "../client.ts";
import { View } from "../parts.tsx";
import { begin, ended, hrefTo, keepPlace, messageOf, refusalText } from "../state.ts";
import { signInWords as words } from "../texts/texts.ts";

function Narrow({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main class="mx-auto max-w-[400px] p-4 sm:py-16">
      <View title={title}>{children}</View>
    </main>
  );
}

/** Sends a form once, and keeps its errors by field. */
function useForm(): {
  readonly busy: boolean;
  readonly faults: Readonly<Record<string, string>>;
  readonly problem: string | undefined;
  readonly send: (work: () => Promise<unknown>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  return {
    busy,
    faults,
    problem,
    send(work) {
      setBusy(true);
      setProblem(undefined);
      setFaults({});
      work()
        .catch((error: unknown) => {
          const fields = error instanceof Refusal ? error.fields : [];
          setFaults(
            Object.fromEntries(fields.map(({ field, message }) => [field, refusalText(message) ?? message])),
          );
          if (fields.length === 0) setProblem(messageOf(error));
        })
        .finally(() => setBusy(false));
    },
  };
}

type Ways = Operations["getSignInWays"]["output"];

/** `refused`: why the sign-in at the provider failed, if the browser has just come back from it. */
export function SignIn({ refused }: { readonly refused: string | undefined }) {
  const [ways, setWays] = useState<Ways>();
  const [problem, setProblem] = useState(refused);
  useEffect(() => {
    call("getSignInWays", {})
      .then(setWays)
      .catch((error: unknown) => setProblem(messageOf(error)));
  }, []);
  return (
    <Narrow title={words.value.title}>
      {ended.value !== null && problem === undefined && <Notice tone="wait">{words.value.over}</Notice>}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {ways?.provider != null && (
        <ProviderButton name={ways.provider} onStart={() => setProblem(undefined)} onProblem={setProblem} />
      )}
      {ways?.passwords === false ? (
        <p class="text-dim">
          {words.value.noPasswords} <code class="font-mono text-sm">operator link</code>
        </p>
      ) : (
        ways !== undefined && (
          <>
            {ways.provider !== null && <p class="text-center text-dim">{words.value.or}</p>}
            <PasswordForm isFirst={ways.provider === null} />
          </>
        )
      )}
    </Narrow>
  );
}

interface ProviderButtonProps {
  readonly name: string;
  readonly onStart: () => void;
  readonly onProblem: (problem: string) => void;
}

/** Leads to the provider. The place in the console waits in the tab until the person is back. */
function ProviderButton({ name, onStart, onProblem }: ProviderButtonProps) {
  const [busy, setBusy] = useState(false);
  const go = () => {
    setBusy(true);
    onStart();
    call("departForProvider", {}, { cookie: { csrf: "", background: false } })
      .then(({ url }) => {
        keepPlace();
        location.assign(url);
      })
      .catch((error: unknown) => {
        setBusy(false);
        onProblem(messageOf(error));
      });
  };
  return (
    <Button look="primary" class="w-full" busy={busy} onPress={go}>
      {words.value.with(name)}
    </Button>
  );
}

function PasswordForm({ isFirst }: { readonly isFirst: boolean }) {
  const [login, setLogin] = useState(ended.value ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string | null>(null);
  const { busy, faults, problem, send } = useForm();
  const submit = () =>
    send(async () => {
      const answer = await call(
        "signIn",
        { body: { login, password, ...(code === null ? {} : { code }) } },
        { cookie: { csrf: "", background: false } },
      );
      if (answer.needsCode) return setCode("");
      ended.value = null;
      await begin();
    });
  return (
    <form
      class="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field
        label={words.value.login}
        name="login"
        value={login}
        onInput={setLogin}
        autoComplete="username"
        error={faults["login"]}
      />
      <Field
        label={words.value.password}
        name="password"
        value={password}
        onInput={setPassword}
        autoComplete="current-password"
        error={faults["password"]}
        secret
      />
      {code !== null && (
        <Field
          label={words.value.code}
          hint={words.value.codeHint}
          name="code"
          value={code}
          onInput={setCode}
          autoComplete="one-time-code"
          inputMode="numeric"
        />
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <Button look={isFirst ? "primary" : "plain"} type="submit" busy={busy}>
        {words.value.signIn}
      </Button>
    </form>
  );
}

type Link = Operations["readLink"]["output"];

/** The page of a one-time link: the login, and a password. */
export function FollowLink({ link }: { readonly link: string }) {
  const [found, setFound] = useState<Link | "used">();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    call("readLink", { body: { link } })
      .then(setFound)
      .catch((error: unknown) =>
        error instanceof Refusal && error.code === "NOT_FOUND"
          ? setFound("used")
          : setProblem(messageOf(error)),
      );
  }, [link]);
  if (problem !== undefined)
    return (
      <Narrow title={words.value.title}>
        <Notice tone="bad">{problem}</Notice>
      </Narrow>
    );
  if (found === undefined) return <main aria-busy="true" />;
  if (found === "used")
    return (
      <Narrow title={words.value.used}>
        <Notice tone="wait">
          {words.value.usedHint} <code class="font-mono text-sm">operator link</code>
        </Notice>
        <a href={hrefTo([])}>{words.value.toSignIn}</a>
      </Narrow>
    );
  return <LinkForm link={link} found={found} />;
}

function LinkForm({ link, found }: { readonly link: string; readonly found: Link }) {
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const { busy, faults, problem, send } = useForm();
  const { purpose } = found;
  const hint =
    purpose === "first"
      ? words.value.firstHint
      : purpose === "invite"
        ? words.value.inviteHint
        : words.value.resetHint(found.login ?? "");
  const submit = () =>
    send(async () => {
      const body = { link, password, ...(found.login === null ? { login } : {}) };
      await call("redeemLink", { body }, { cookie: { csrf: "", background: false } });
      // The link is used up, and must not stay in the history.
      location.replace(hrefTo(["me"]));
      await begin();
    });
  return (
    <Narrow title={words.value[purpose]}>
      <p class="text-dim">{hint}</p>
      <form
        class="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {found.login === null && (
          <Field
            label={words.value.login}
            hint={words.value.loginHint}
            name="login"
            value={login}
            onInput={setLogin}
            autoComplete="username"
            error={faults["login"]}
          />
        )}
        <Field
          label={words.value.password}
          hint={words.value.passwordHint}
          name="password"
          value={password}
          onInput={setPassword}
          autoComplete="new-password"
          error={faults["password"]}
          secret
        />
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        <Button look="primary" type="submit" busy={busy}>
          {words.value.go}
        </Button>
      </form>
    </Narrow>
  );
}
