/**
 * An incident with a real daemon, Redis and two emulators: 3 drains of which 2 list the same records, 2 sources, 5 hosts,
 * 13 kinds of failure, some of which expire. One census is slow, an answer is lost, a record is poison, and listing meets
 * a rate limit. Every 2 s each number that people see is compared with the emulators' journals: it is what was true within
 * the last seconds, or it says that it is not known.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Status } from "../../../src/people/operations/status/read.ts";
import { createFolder, runToEnd } from "../../support/command.ts";
import { toText } from "../../support/console-forms.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { createReceiver } from "../../support/receiver.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";
import { createTruth, type Kind, type Which } from "./model.ts";
import { failureOf, failuresOf, planOf, tileOf, toNumber } from "./pages.ts";

const redis = useRedis();
const hourMs = 3_600_000;
const retentionMs = 72 * hourMs;
/** What expires so soon is told. */
const soonMs = 12 * hourMs;
const token = "operator-token-0123456789";
const everyMs = 2_000;
const samples = 35;
/** A pass is 5 s behind what enters. What enters while one publishes 600 at 40/s is counted by the next. */
const enteredLagMs = 20_000;
/** Counts are written every half second. Two cores are shared. */
const acceptedLagMs = 4_000;
/** A lost answer is asked for again after 1, 5 and 15 s. */
const lostLagMs = 25_000;

const rules = `
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: gone, when: { responseStatus: 410 }, then: park }
`;

const document = (us: string, hook: string, dir: string): string => `
version: 1
archive: { dir: "${dir}", volume: ephemeral }
sources:
  eu: { retention: 3d, census: 8s }
  us: { url: "${us}", token: { env: US_TOKEN }, retention: 3d, census: 20s }
notify:
${["backlog.began, backlog.ended", "failure.new", "parked.new", "expiring.soon"]
  .map(
    (events, index) =>
      `  of-${index}: { url: "${hook}", form: events, allowPrivate: true, every: 2s, events: [${events}] }`,
  )
  .join("\n")}
defaults:
  mode: live
  beforeExpiry: { then: nothing }
  # A full pass counts anew, so what is wrong between two of them must be seen.
  schedule: { every: 500ms, full: 40s }
  minAge: 30s
  attempts: { max: 5, wait: [1h] }
  lane: none
  limits: { publish: 40/s, perHost: none, perPass: none, perDay: none }
drains:
  webhooks:
    source: eu
${rules}
  money:
    source: eu
    select: { topicName: money }
${rules}
  crm:
    source: us
    select: { topicName: crm }
${rules}
`;

const isParked: Which = ({ status }) => status === 410;
const isRuled: Which = ({ status }) => status !== 410 && status !== 503;
const isOf =
  (name: string): Which =>
  ({ kind }) =>
    kind === name;
/** What the daemon has sent, and what failed again: where a drain lists it, or where a later census alone meets it. */
const isBack: Which = ({ kind, source }) => kind.startsWith("again ") && source === "eu";
const isStray: Which = ({ kind, source }) => kind.startsWith("again ") && source === "us";
/** By any drain. */
const isCounted: Which = ({ source, topicName }) => source === "eu" || topicName !== undefined;
const isPoisonous = (name: string): boolean => name === "down";

type Row = Readonly<Record<string, unknown>> & {
  readonly text: string;
  readonly waiting: number;
  readonly parked: number;
  readonly arrived: number;
  readonly since: number | null;
};

it("every number that people see was true a moment ago, or says that it is not known", async () => {
  const [eu, us] = await Promise.all([startService({ retentionMs }), startService({ retentionMs })]);
  const receivers = await Promise.all(Array.from({ length: 5 }, () => createReceiver()));
  const notices: Readonly<Record<string, unknown>>[] = [];
  const hook = await createReceiver(({ body }) => {
    notices.push(JSON.parse(body) as (typeof notices)[number]);
    return 200;
  });
  onTestFinished(async () => {
    await Promise.all([...receivers, hook].map(({ close }) => close()));
  });
  const [a, b, c, d, e] = receivers.map(({ url }) => url) as [string, string, string, string, string];
  receivers[4]!.answer = () => 503;
  // Its come-backs are listed by a drain; those of the one above are not.
  receivers[2]!.answer = () => ({ status: 503, body: "flaky again" });
  const truth = createTruth({ eu: eu.emulator, us: us.emulator });
  const rows: readonly (readonly [string, Kind["source"], string, string, number, number, number])[] = [
    // name, source, topic, origin, status, count, hours ago
    ["down", "eu", "", a, 503, 600, 8 / 3_600],
    ["no such order", "eu", "", a, 404, 200, 5],
    ["timed out", "eu", "", b, 503, 150, 60],
    ["gone", "eu", "", b, 410, 60, 4],
    ["bad request", "eu", "", b, 400, 40, 3],
    ["ledger locked", "eu", "money", c, 500, 119, 71.3],
    ["account closed", "eu", "money", c, 410, 30, 50.2],
    ["bad amount", "eu", "money", c, 422, 50, 2],
    ["crm is down", "us", "crm", d, 503, 100, 60],
    ["no such contact", "us", "crm", d, 404, 25, 9],
    ["still down", "us", "crm", e, 503, 30, 8],
    ["settled late", "eu", "money", b, 503, 60, 6],
    ["flaky", "eu", "", c, 503, 40, 2],
    ["of no drain", "us", "", e, 500, 17, 66.5],
  ];
  const kinds = rows.map(([name, source, topic, origin, status, count, hours]): Kind => {
    const own = { name, source, origin, status, count, ageMs: hours * hourMs };
    return topic === "" ? own : { ...own, topicName: topic };
  });
  for (const kind of kinds) truth.seed(kind);
  // One for which the service refuses its whole batch.
  truth.seed({ ...kinds[0]!, name: "down", count: 1, ageMs: 7 * hourMs }, () => "poison");
  eu.emulator.faults.add({ kind: "refuse-batch", bodyContains: "poison" });
  us.emulator.faults.add({ kind: "latency", operation: "list", ms: 1_500 });

  const { path } = createFolder({ tokens: `eve operator ${token}` });
  const { env } = createEnv({
    emulator: eu.emulator,
    redisUrl: redis.url(),
    document: document(us.emulator.url, hook.url, `${path}/archive`),
    env: {
      US_TOKEN: us.emulator.token,
      REDRIVER_CONSOLE_PORT: "0",
      REDRIVER_CONSOLE_AUTH: "token",
      REDRIVER_CONSOLE_TOKEN_FILE: `${path}/tokens`,
    },
  });
  const daemon = await startDaemon(env);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const get = async (to: string): Promise<string> => {
    const answer = await fetch(`${daemon.consoleUrl}${to}`, { headers });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const makePlan = async (drain: string): Promise<string> => {
    const body = JSON.stringify({ drains: [drain] });
    const answer = await fetch(`${daemon.consoleUrl}/api/v1/plans`, { method: "POST", headers, body });
    const { results } = (await answer.json()) as { readonly results: readonly { readonly id: string }[] };
    const page = `/plans/${results[0]?.id}`;
    await expect.poll(() => get(page), { timeout: 30_000 }).toContain('data-phase="ready"');
    return get(page);
  };

  const wrong: string[] = [];
  let acceptedLag = acceptedLagMs;
  const seen = { told: 0, failures: 0, failedAgain: 0, plans: 0, planned: 0 };
  const known = { unknown: 0, expiring: 0, whole: 0, ruled: 0, exact: 0 };

  const is = (what: string, found: unknown, expected: unknown): void => {
    if (found !== expected) wrong.push(`${what}: ${String(found)}, and it is ${String(expected)}`);
  };

  /** Compares with what was true between a while before `askedAt` and now. */
  const toCheck = (askedAt: number, asOf = Infinity) => {
    truth.follow();
    const accepted = Math.min(askedAt - acceptedLag, asOf - 1_000);
    const between = { entered: askedAt - enteredLagMs, accepted, now: Date.now() };
    const within = (what: string, count: number, which: Which, slack = 0): void => {
      const [least, most] = truth.span(which, between);
      if (least === most) known.exact += 1;
      if (count < least - slack || count > most)
        wrong.push(`${what}: ${count}, and ${least} to ${most} are there`);
    };
    const ever = (what: string, count: number, of: "arrived" | "sentAgain", which: Which, lagMs = 0) => {
      const [least, most] = truth.ever(which, { ...between, entered: between.entered - lagMs })[of];
      if (count < least || count > most) wrong.push(`${what}: ${count}, and it is ${least} to ${most}`);
    };
    return { within, is, ever, span: (which: Which) => truth.span(which, between) };
  };

  const isOfDrain: Readonly<Record<string, Which>> = {
    webhooks: ({ source }) => source === "eu",
    money: ({ topicName }) => topicName === "money",
    crm: ({ source, topicName }) => source === "us" && topicName !== undefined,
  };

  const checkStatus = (face: string, status: Status, askedAt: number): void => {
    const { within, is } = toCheck(askedAt);
    for (const { drain, outlook, gone: isFirst, parked = 0, destinations, stillCounting } of status.drains) {
      const of = isOfDrain[drain] ?? (() => false);
      // During the first count there are at least so many.
      if (stillCounting || isFirst !== null) continue;
      const slack = drain === "webhooks" ? 1 : 0;
      within(`${face}: ${drain} waiting and parked`, outlook.waiting + parked, of, slack);
      within(`${face}: ${drain} held by rules`, outlook.heldByRules, (one) => of(one) && isRuled(one));
      if (outlook.heldByRules > 0) known.ruled += 1;
      for (const { origin, waiting, parked: there } of destinations) {
        const isThere: Which = (one) => of(one) && one.origin === origin;
        within(`${face}: ${drain} at ${origin}`, waiting + there, isThere, origin === a ? 1 : 0);
      }
    }
    const { count, atLeast, by, asOf, groups, unsent } = status.expiring;
    // A census does not take off what is done since. A pass does.
    const isLive = status.drains.every(({ gone: isFirst }) => isFirst === null);
    const counted = toCheck(askedAt, isLive ? Infinity : (asOf ?? 0));
    const isExpiring: Which = ({ enteredAt }) => enteredAt + retentionMs < by;
    const [, most] = counted.span(isExpiring);
    if (count === null) {
      known.unknown += 1;
      if (atLeast > most) wrong.push(`${face}: at least ${atLeast} expire, and ${most} do`);
    } else {
      known.expiring += 1;
      counted.within(`${face}: expire`, count, isExpiring);
      if (unsent.isExact) {
        const isStaying: Which = (one) => isExpiring(one) && (isParked(one) || isRuled(one));
        counted.within(`${face}: expire unsent`, unsent.atLeast, isStaying, 1);
      }
      for (const group of groups) {
        const kind = kinds.find(({ name }) => name === textOf(group.failure));
        if (kind === undefined) continue;
        const isMeant: Which = (one) => isOf(kind.name)(one) && isExpiring(one);
        within(`${face}: ${kind.name} expire`, group.count, isMeant);
      }
    }
    for (const { source, depth, expiring } of status.sources) {
      const isHere: Which = (one) => one.source === source && isExpiring(one);
      if (expiring.count === 0)
        is(`${face}: ${source} has none that expires`, toCheck(askedAt).span(isHere)[0] > 0, false);
      if (depth?.exact === true)
        within(`${face}: depth of ${source}`, depth.count, (one) => one.source === source, 1);
    }
  };

  const texts = new Map<string, string>();
  const textOf = (id: string | null): string => texts.get(id ?? "") ?? "";

  const checkFailures = (face: string, rows: readonly Row[], whole: boolean, askedAt: number): void => {
    const { within, is, ever } = toCheck(askedAt);
    for (const { text, waiting, parked, arrived, since, id } of rows) {
      texts.set(String(id), text);
      const kind = kinds.find(({ name }) => name === text);
      if (kind === undefined || !whole) continue;
      if (since !== null) is(`${face}: ${text} fails since`, since, truth.firstOf(text));
      else if (waiting + parked > 0 && text !== "of no drain")
        wrong.push(`${face}: ${text} fails since nobody knows`);
      within(`${face}: ${text}`, waiting + parked, (one) => one.kind === text, isPoisonous(text) ? 1 : 0);
      if (text !== "of no drain") ever(`${face}: ${text} arrived`, arrived, "arrived", isOf(text));
      if (isParked({ status: kind.status } as never))
        within(`${face}: ${text} parked`, parked, (one) => one.kind === text);
    }
  };

  const checkFailure = (
    text: string,
    { waiting, parked, sentAgain, failedAgain, since }: ReturnType<typeof failureOf>,
    { within, is, ever }: ReturnType<typeof toCheck>,
  ): void => {
    within(`Failure ${text}`, waiting + parked, isOf(text), isPoisonous(text) ? 1 : 0);
    if (kinds.some(({ name, status }) => name === text && status === 410))
      within(`Failure ${text} parked`, parked, isOf(text));
    ever(`Failure ${text} sent again`, sentAgain, "sentAgain", isOf(text));
    const isAgain = text === "flaky" ? isBack : text === "still down" ? isStray : () => false;
    const lagMs = text === "still down" ? Infinity : 0;
    ever(`Failure ${text} failed again`, failedAgain, "arrived", isAgain, lagMs);
    if (waiting + parked > 0) is(`Failure ${text} fails since`, since, truth.firstOf(text));
    seen.failures += 1;
    if (failedAgain > 0) seen.failedAgain += 1;
  };

  const checkPlan = (
    { records, done, kinds: rows, destinations }: ReturnType<typeof planOf>,
    { within, is }: ReturnType<typeof toCheck>,
  ): void => {
    const { "sent or dropped before": settled = 0, ...left } = done;
    const sum = Object.values(left).reduce((all, count) => all + count, 0);
    within("Plan webhooks", sum, ({ source }) => source === "eu");
    is("Plan webhooks: its records", records, sum + settled);
    for (const { id, records: count } of rows) {
      const text = textOf(id);
      if (kinds.every(({ name }) => name !== text)) continue;
      within(`Plan: ${text}`, count, isOf(text), isPoisonous(text) ? 1 : 0);
      seen.planned += 1;
    }
    for (const { name, due, later } of destinations) {
      const isThere: Which = (one) =>
        one.source === "eu" && one.origin.endsWith(`//${name}`) && one.status === 503;
      within(`Plan: for ${name}`, due + later, isThere, a.endsWith(name) ? 1 : 0);
    }
  };

  for (let sample = 0; sample < samples; sample += 1) {
    if (sample === 4) {
      eu.emulator.faults.add({ kind: "drop-answer", operation: "batch", count: 1 });
      acceptedLag = lostLagMs;
    }
    if (sample === 8)
      eu.emulator.faults.add({ kind: "status", operation: "list", status: 429, limit: "burst", count: 2 });
    if (sample === 16) truth.seed({ ...kinds[4]!, ageMs: 0, count: 33 });
    if (sample === 22) {
      const id = [...texts].find(([, text]) => text === "bad amount")?.[0] ?? "";
      const of = ["money", "--failure", id, "--discard", "--keep", "--json"];
      const made = JSON.parse((await runToEnd(["plan", ...of], env)).out) as { readonly id: string };
      const by = ["--by", "eve", "--reason", "nobody wants them"];
      const { exitCode, err } = await runToEnd(["apply", made.id, ...by], env);
      if (exitCode !== 0) wrong.push(`the discard ended with ${exitCode}: ${err}`);
    }
    if (sample === 18) acceptedLag = acceptedLagMs;

    let askedAt = Date.now();
    const status = JSON.parse(await get("/api/v1/status")) as Status;
    const whole = status.drains.every(({ gone: isFirst }) => isFirst === null);
    if (whole) known.whole += 1;
    const { failures } = JSON.parse(await get("/api/v1/failures?all=true")) as { failures: readonly Row[] };
    checkFailures("API", failures, whole, askedAt);
    checkStatus("API", status, askedAt);

    askedAt = Date.now();
    const now = await get("/");
    const { within, is } = toCheck(askedAt);
    const expiring = tileOf(now, "expire in 24 h");
    const { by } = status.expiring;
    const isExpiring: Which = ({ enteredAt }) => enteredAt + retentionMs < by;
    if (expiring !== "–" && whole) within("Now: expire in 24 h", toNumber(expiring), isExpiring);
    if (whole) {
      const waiting = toNumber(tileOf(now, "waiting"));
      const parked = toNumber(tileOf(now, "parked"));
      within("Now: waiting and parked", waiting + parked, isCounted, 1);
      const says = /\d+ count once, and in several drains/.test(toText(now));
      is("Now says that two drains list the same", says, true);
    }
    const metrics = await (await fetch(`${daemon.address}/metrics`)).text();
    const checkMetrics = (name: string, label: string, toWhich: (value: string) => Which): void => {
      const lines = metrics.matchAll(new RegExp(`^${name}\\{.*?${label}="(\\w+)"\\} (\\S+)$`, "gm"));
      const check = toCheck(askedAt);
      for (const [, value = "", count] of whole ? lines : [])
        check.within(`metrics: ${name} of ${value}`, Number(count), toWhich(value));
    };
    const isExpiringIn = (source: string) => (one: Parameters<Which>[0]) =>
      one.source === source && isExpiring(one);
    checkMetrics("redriver_source_expiring_records", "source", isExpiringIn);
    const isUnmatchedIn = (drain: string) => (one: Parameters<Which>[0]) =>
      isOfDrain[drain]?.(one) === true && isRuled(one);
    checkMetrics("redriver_unmatched_records", "drain", isUnmatchedIn);
    if (sample % 10 === 5) {
      askedAt = Date.now();
      const { out: stdout } = await runToEnd(["status", "--json"], env);
      checkStatus("status --json", JSON.parse(stdout) as Status, askedAt);
      const shown = toCheck(askedAt);
      for (const { id, waiting, parked } of failuresOf(await get("/failures"))) {
        const text = textOf(id);
        if (!whole || kinds.every(({ name }) => name !== text)) continue;
        shown.within(`Failures: ${text}`, waiting + parked, isOf(text), isPoisonous(text) ? 1 : 0);
        checkFailure(text, failureOf(await get(`/failures/${id}`)), toCheck(Date.now()));
      }
      if (whole) {
        askedAt = Date.now();
        const plan = JSON.parse((await runToEnd(["plan", "webhooks", "--json"], env)).out) as {
          readonly drains: readonly { readonly decisions: Readonly<Record<string, number>> }[];
        };
        const { settle: _settle, ...left } = plan.drains[0]?.decisions ?? {};
        const all = Object.values(left).reduce((sum, count) => sum + count, 0);
        toCheck(askedAt).within("plan webhooks", all, ({ source }) => source === "eu");
        const made = planOf(await makePlan("webhooks"));
        checkPlan(made, toCheck(askedAt));
        seen.plans += 1;
      }
    }
    await sleep(Math.max(0, askedAt + everyMs - Date.now()));
  }
  const asked = toCheck(Date.now());
  const report = JSON.parse((await runToEnd(["report", "--json"], env)).out) as Report;
  const { from, figures, unknown } = report;
  const isOld: Which = (one) => isCounted(one) && one.enteredAt < from;
  const isNew: Which = (one) => isCounted(one) && one.enteredAt >= from;
  // What expires in an hour is known when the hour is over.
  const isUnknown = unknown.some(({ figure }) => figure === "waitedBefore");
  if (!isUnknown) asked.ever("report: waited before", figures.waitedBefore, "arrived", isOld);
  asked.ever("report: arrived", figures.arrived, "arrived", isNew);
  expect([...new Set(wrong)].slice(0, 40)).toEqual([]);
  // Each was asked for in both ways.
  expect(known.unknown).toBeGreaterThan(0);
  expect(known.expiring).toBeGreaterThan(samples / 2);
  expect(known.whole).toBeGreaterThan(samples / 2);
  expect(known.ruled).toBeGreaterThan(0);
  expect(known.exact).toBeGreaterThan(500);
  expect(seen.plans).toBeGreaterThan(0);
  expect(seen.failures).toBeGreaterThan(20);
  expect(seen.failedAgain).toBeGreaterThan(0);
  expect(seen.planned).toBeGreaterThan(10);
  // As of when each was noticed, which stands in it.
  truth.follow();
  const told = notices.flatMap(noticesIn);
  const published = new Map<string, number>();
  for (const { type, time, items } of told) {
    const at = Date.parse(time);
    // Facts are read after the time is.
    const between = { entered: at - enteredLagMs, accepted: at - lostLagMs, now: at + everyMs };
    for (const { drain, destination, failure, count = 0, figures = {} } of items) {
      const what = `${type} ${drain} ${textOf(failure)}`;
      const of: Which = isOfDrain[drain ?? ""] ?? (() => false);
      const isOne: Which = (one) =>
        of(one) && (textOf(failure) === "flaky again" ? isBack(one) : one.kind === textOf(failure));
      // It says so itself, if it is not known yet.
      const isLeast = (figures["stillCounting"] ?? figures["atLeast"]) === 1;
      const is = (named: string, found: number, [least, most]: readonly [number, number]): void => {
        if (found > most || (found < least && !isLeast))
          wrong.push(`${what}: ${named} ${found}, and it is ${least} to ${most}`);
        seen.told += 1;
      };
      switch (type) {
        case "redriver.backlog.began": {
          // Some of those that rules park are parked already, and so is the one of its own.
          const [least] = truth.span((one) => of(one) && !isParked(one), between);
          is("wait", count, [least - 1, truth.span(of, between)[1]]);
          break;
        }
        case "redriver.failure.new":
          is("arrived", count, truth.ever(isOne, between).arrived);
          break;
        case "redriver.parked.new": {
          const { arrived } = truth.ever(isOne, { ...between, entered: at - 30_000 });
          is("parked", count, isPoisonous(textOf(failure)) ? [1, 1] : arrived);
          break;
        }
        case "redriver.expiring.soon": {
          if (drain === null) {
            // A census of one source or of the other, up to 20 s ago.
            const [least, most] = (["eu", "us"] as const)
              .map((source) =>
                truth.span((one) => one.source === source && one.enteredAt + retentionMs <= at + soonMs, {
                  ...between,
                  accepted: at - lostLagMs - 20_000,
                }),
              )
              .find(([, most]) => count <= most && count > most / 2) ?? [Infinity, 0];
            is("are without a copy", count, [least, most]);
            break;
          }
          // Hours are counted whole.
          const by = (ms: number): readonly [number, number] =>
            truth.span((one) => of(one) && one.enteredAt + retentionMs <= at + soonMs + ms, between);
          is("expire", count, [by(0)[0], by(hourMs)[1]]);
          const [earliest, latest] = truth.firstLeft(of, between);
          is("the first expires at", figures["expiresAt"] ?? 0, [
            earliest + retentionMs,
            latest + retentionMs,
          ]);
          break;
        }
        case "redriver.backlog.ended": {
          // On a busy machine one backlog may be two, and each tells its own.
          const all = (published.get(drain ?? "") ?? 0) + (figures["published"] ?? 0);
          published.set(drain ?? "", all);
          is("published", all, truth.ever(of, between).sentAgain);
          break;
        }
        default:
          wrong.push(`${what} at ${destination}: nobody compares it`);
      }
    }
  }
  expect([...new Set(wrong)]).toEqual([]);
  const types = new Set(told.map(({ type }) => type));
  for (const type of ["backlog.began", "expiring.soon", "failure.new", "parked.new"]) {
    expect(types).toContain(`redriver.${type}`);
  }
  expect(seen.told).toBeGreaterThan(10);
}, 300_000);

interface Report {
  readonly from: number;
  readonly figures: { readonly waitedBefore: number; readonly arrived: number };
  readonly unknown: readonly { readonly figure: string }[];
}

interface Told {
  readonly type: string;
  readonly time: string;
  readonly items: readonly {
    readonly drain: string | null;
    readonly destination: string | null;
    readonly failure: string | null;
    readonly count?: number;
    readonly figures?: Readonly<Record<string, number>>;
  }[];
}

/** One message may have several notices. */
function noticesIn(message: Readonly<Record<string, unknown>>): readonly Told[] {
  const { type, time, data } = message as unknown as Told & {
    data: Told & { readonly notices?: readonly Told[] };
  };
  return data.notices ?? [{ ...data, type, time }];
}
