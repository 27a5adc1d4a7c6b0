/** What keeps released dead letters from going, said before anybody releases them. */
import { namesOfOrigin, toFailureName, toFailureOfName } from "../../../job/message/destination-names.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { hasServiceRule } from "../../operations/parked/next-step.ts";
import { present } from "../../operations/phrases.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { hostPausesOf, pauseOf, type HostPause } from "../../../job/contracts/pauses.ts";
import { readLaneStandings } from "../../read/lane-standings.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { Foreign } from "./text.tsx";

export type ReleaseConditions = NonNullable<Awaited<ReturnType<typeof readReleaseConditions>>>;

const maxLanesAsked = 20;
const maxNamed = 3;

/** `only`: of one dead letter; absent: of all that the drain has parked. Null: the document lacks the drain. */
export async function readReleaseConditions(
  { core, reads }: Pick<ScreenContext, "core" | "reads">,
  name: string,
  only?: { readonly origin: string; readonly failure: string | undefined },
) {
  const drain = core.drains.get(name as DrainName);
  if (drain === undefined) return null;
  const { config } = drain;
  const [facts, allPauses] = await Promise.all([reads.facts(), reads.pauses()]);
  const own = facts.drains.find((one) => one.drain === name);
  const parked = (own?.destinations ?? []).filter((one) => one.parked > 0 && !one.origin.startsWith("("));
  const origins = only === undefined ? parked.map(({ origin }) => origin) : [only.origin];
  const lanes = await readLaneStandings(drain, origins.slice(0, maxLanesAsked));
  const pauses = allPauses.get(config.source.id) ?? [];
  const failures =
    only === undefined
      ? (own?.facts?.failures ?? []).filter((one) => one.parked > 0).map(({ id }) => id)
      : [only.failure ?? ""];
  const names = new Set([...origins.flatMap(namesOfOrigin), ...failures.map(toFailureName)]);
  const indexes = (own?.guards ?? []).flatMap(({ index, effect }) => (effect === "closed" ? [index] : []));
  const halted = [...lanes].flatMap(([origin, { state }]) => (state === "halted" ? [origin] : []));
  const paused = hostPausesOf(pauses, name).filter(({ host }) => names.has(host));
  return {
    /** One of its rules publishes by the service's own retry. */
    hasServiceRule: hasServiceRule(config),
    hints: present([
      config.mode === "plan" && `Nothing is sent yet: ${name} is in plan mode.`,
      (config.paused || pauseOf(pauses, name) !== undefined) && `Nothing is sent yet: ${name} is paused.`,
      indexes.length > 0 && `Nothing is sent yet: index ${indexes.join(", ")} holds ${name} back.`,
      halted.length > 0 &&
        `Any of them that goes to ${toList(halted.map(toDestinationText))} waits: it still fails, and its lane is halted.`,
      paused.length > 0 &&
        `Any of them that belongs to ${toList(paused.map(toPausedText))} waits: a person paused it.`,
    ]),
  };
}

function toPausedText({ host }: HostPause): string {
  const failure = toFailureOfName(host);
  return failure === null ? host : `failure ${failure}`;
}

/** `conditions`: null if the document lacks the drain. */
export function ReleaseHints({
  conditions,
  reason,
}: Readonly<{ conditions: ReleaseConditions | null; reason: ParkReason }>): Html {
  const again =
    (reason === "rule" || reason === "otherwise") &&
    "The rules still park it. A release sends it once all the same; if it fails again, it is parked again.";
  return (
    <>
      {present([...(conditions?.hints ?? []), again]).map((text) => (
        <p class="hint">
          <Foreign text={text} isWhole />
        </p>
      ))}
    </>
  );
}

function toList(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
