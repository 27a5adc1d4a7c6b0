import { formatProblem } from "../../config/problem.ts";
import type { Settings } from "../../config/settings/settings.ts";
import { createSendNotices } from "./send-notices.ts";
import type { Clock } from "../../job/contracts/clock.ts";
import type { NotifyTarget, SecretRef } from "../../job/contracts/drains-document.ts";
import { RedriverError } from "../../job/contracts/errors.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { SendNotices } from "../../job/contracts/notices.ts";
import { hasLanes } from "../../job/contracts/lanes.ts";
import { deliverNotices } from "./deliver.ts";
import { evaluateNotices, writeDigests } from "./evaluate.ts";
import { toNoticeFacts, type NoticeFacts } from "./notice-facts.ts";
import type { NoticeMemory } from "./to-notices.ts";
import { type BuiltSource, type NoticeJobs, type Core, openNoticeBooks } from "../../job/door.ts";
import type { FailureView } from "../read/failure-views.ts";
import { viewFailures } from "../read/read-failures.ts";
import { readQueueFacts } from "../read/queue-facts.ts";
import type { ReadSecret } from "../../config/read-secret.ts";

/** Lanes that are asked for at each evaluation, the halted ones first. */
const maxLanes = 200;

export function buildNotices(readSecret: ReadSecret, events: Events, clock: Clock): NoticeJobs {
  const partsOf = async (core: Core) => ({
    books: (await openNoticeBooks<NoticeMemory>(core)).books,
    readFacts: () => readNoticeFacts(core, clock.now()),
    events,
    now: clock.now(),
  });
  return {
    async evaluate(core) {
      const targets = core.document.notify;
      if (targets.length === 0) return [];
      return [...(await evaluateNotices({ ...(await partsOf(core)), targets }))];
    },
    async writeDigest(core, name) {
      const target = core.document.notify.find((one) => one.name === name);
      if (target === undefined) return [];
      await writeDigests(target, await partsOf(core));
      return [name];
    },
    async deliver(core, name, { signal, lastTry }) {
      const target = core.document.notify.find((one) => one.name === name);
      if (target === undefined) return;
      await deliverNotices({
        target,
        ...(await openNoticeBooks<NoticeMemory>(core)),
        // Built at the first message, and for each job anew: secrets change.
        send: (notices, outer) => buildSendNotices(target, readSecret, clock, core.settings)(notices, outer),
        events,
        clock,
        signal,
        lastTry,
      });
    },
  };
}

/** Throws `notice-undelivered` if its address or key cannot be read. */
export function buildSendNotices(
  target: NotifyTarget,
  readSecret: ReadSecret,
  clock: Pick<Clock, "now">,
  { proxy, console }: Pick<Settings, "proxy" | "console">,
): SendNotices {
  const read = (key: string, ref: SecretRef): string => {
    const reading = readSecret(ref);
    if (reading.ok) return reading.value;
    const message = `notify.${target.name}.${key}: ${formatProblem(reading.problem)}`;
    throw new RedriverError("notice-undelivered", message);
  };
  return createSendNotices({
    target,
    url: target.url.kind === "written" ? target.url.url : read("url", target.url),
    secret: target.secret === undefined ? undefined : read("secret", target.secret),
    clock,
    egress: proxy,
    consoleUrl: console.url,
  });
}

async function readNoticeFacts(core: Core, now: number): Promise<ReadonlyMap<SourceId, NoticeFacts>> {
  const [facts, halted] = await Promise.all([
    readQueueFacts(core),
    Promise.all([...core.sources].map(async ([id, source]) => [id, await readHalted(core, source)] as const)),
  ]);
  const nearMs = new Map<DrainName, number>(
    core.document.drains.map(({ name, beforeExpiry }) => [name, beforeExpiry.withinMs]),
  );
  const views = await viewFailures(core, facts, now);
  return new Map(
    halted.map(([source, lanes]) => {
      const own = views.filter((view) => view.source === source);
      const idsOf = (isMeant: (view: FailureView) => boolean) =>
        new Set(own.filter(isMeant).map(({ id }) => id));
      const marked = { quiet: idsOf(({ isQuiet }) => isQuiet), owned: idsOf(({ owner }) => owner !== null) };
      return [source, toNoticeFacts(facts, source, { ...lanes, ...marked }, nearMs)];
    }),
  );
}

async function readHalted(
  core: Core,
  { runtime }: BuiltSource,
): Promise<Pick<NoticeFacts, "halted" | "isHaltedWhole">> {
  if (!hasLanes(core.drains, runtime)) return { halted: [], isHaltedWhole: true };
  const { lanes, counts } = await runtime.lanes.views(maxLanes);
  const hasNext = (drain: DrainName): boolean => core.drains.get(drain)?.config.mode !== "plan";
  const halted = lanes
    .filter(({ state }) => state === "halted")
    .map((lane) => (hasNext(lane.drain) ? lane : { ...lane, nextAt: null }));
  return { halted, isHaltedWhole: counts.halted <= halted.length };
}
