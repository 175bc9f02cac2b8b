import { useState } from "preact/hooks";
import type { Operations } from "../../kit/api/generated.ts";
import { Button } from "../../kit/button.tsx";
import { Field } from "../../kit/field.tsx";
import { type Locale, locale } from "../../kit/i18n.ts";
import { Badge, Notice } from "../../kit/notice.tsx";
import { toast } from "../../kit/toast.tsx";
import { Card, type Column, Load, Select, Table, Time, View } from "../parts.tsx";
import { accountName, ask, begin, session, useAct, useLoad } from "../state.ts";
import { chooseLanguage, commonWords as common, LANGUAGES, meWords as words } from "../texts/texts.ts";

type Session = Operations["listSessions"]["output"][number];

/** The user's own access. */
export function MeView() {
  const me = session.value?.operator;
  return (
    <View title={common.value.me}>
      <p class="text-dim">
        {me?.login} · {me?.role}
        {me?.accountId != null && ` · ${accountName(me.accountId)} ${me.accountId}`}
      </p>
      {me?.isFromProvider === true ? <Notice tone="ok">{words.value.provider}</Notice> : <OwnSecrets />}
      <Sessions />
      <LanguageChoice />
    </View>
  );
}

function LanguageChoice() {
  const { problem, run } = useAct();
  return (
    <Card title={words.value.language}>
      <div class="grid justify-items-start gap-3 p-4">
        <Select
          label={words.value.language}
          value={locale.value}
          onChange={(to) => run(() => chooseLanguage(to as Locale))}
          options={Object.entries(LANGUAGES)}
        />
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      </div>
    </Card>
  );
}

function OwnSecrets() {
  const me = session.value?.operator;
  return (
    <div class="grid min-w-0 items-start gap-4 lg:grid-cols-2">
      <Card title={words.value.second}>
        <div class="grid gap-4 p-4">{me?.hasSecondFactor ? <TurnOff /> : <TurnOn />}</div>
      </Card>
      <Card title={words.value.password}>
        <PasswordForm />
      </Card>
    </div>
  );
}

function TurnOn() {
  const [key, setKey] = useState<Operations["beginSecondFactor"]["output"]>();
  const [code, setCode] = useState("");
  const { busy, problem, run } = useAct();
  if (key === undefined)
    return (
      <>
        <p>{words.value.off}</p>
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        <div>
          <Button
            look="primary"
            busy={busy}
            onPress={() => run(async () => setKey(await ask("beginSecondFactor", {})))}
          >
            {words.value.turnOn}
          </Button>
        </div>
      </>
    );
  return (
    <form
      class="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          await ask("confirmSecondFactor", { body: { code } });
          await begin();
        });
      }}
    >
      <p>{words.value.scan}</p>
      <img src={key.qr} alt={words.value.qr} width={200} height={200} class="rounded-md bg-white" />
      <code class="font-mono text-sm">{key.key.replaceAll(/(.{4})/g, "$1 ").trim()}</code>
      <Field
        label={words.value.code}
        name="code"
        value={code}
        onInput={setCode}
        error={problem}
        inputMode="numeric"
        autoComplete="one-time-code"
      />
      <div>
        <Button look="primary" type="submit" busy={busy}>
          {words.value.confirm}
        </Button>
      </div>
    </form>
  );
}

function TurnOff() {
  const [password, setPassword] = useState("");
  const { busy, problem, run } = useAct();
  return (
    <form
      class="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          await ask("endSecondFactor", { body: { password } });
          await begin();
        });
      }}
    >
      <Notice tone="ok">{words.value.on}</Notice>
      <Field
        label={words.value.current}
        name="second-factor-password"
        value={password}
        onInput={setPassword}
        error={problem}
        autoComplete="current-password"
        secret
      />
      <div>
        <Button type="submit" busy={busy}>
          {words.value.turnOff}
        </Button>
      </div>
    </form>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { busy, problem, run } = useAct();
  return (
    <form
      class="grid gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          await ask("changePassword", { body: { current, next } });
          setCurrent("");
          setNext("");
          toast(words.value.changed);
        });
      }}
    >
      <Field
        label={words.value.current}
        name="current"
        value={current}
        onInput={setCurrent}
        autoComplete="current-password"
        secret
      />
      <Field
        label={words.value.next}
        hint={words.value.nextHint}
        name="next"
        value={next}
        onInput={setNext}
        autoComplete="new-password"
        error={problem}
        secret
      />
      <div>
        <Button type="submit" busy={busy}>
          {words.value.change}
        </Button>
      </div>
    </form>
  );
}

function Sessions() {
  const sessions = useLoad("listSessions", {});
  const { run } = useAct();
  const columns: Column<Session>[] = [
    { title: words.value.from, cell: (row) => row.address },
    { title: words.value.browser, class: "md:w-1/3", cell: (row) => row.agent || "–" },
    { title: words.value.since, cell: (row) => <Time at={row.createdAt} /> },
    { title: words.value.seen, cell: (row) => <Time at={row.seenAt} /> },
    { title: words.value.until, cell: (row) => <Time at={row.expiresAt} /> },
    {
      title: common.value.actions,
      cell: (row) =>
        row.isThis ? (
          <Badge tone="ok">{words.value.thisOne}</Badge>
        ) : (
          <Button
            onPress={() => run(() => ask("endSession", { path: { id: row.id } }).then(sessions.reload))}
          >
            {words.value.end}
          </Button>
        ),
    },
  ];
  return (
    <Card title={words.value.sessions}>
      <Load from={sessions} rows={2}>
        {(rows) => (
          <Table label={words.value.sessions} columns={columns} rows={rows} keyOf={({ id }) => id} />
        )}
      </Load>
    </Card>
  );
}
