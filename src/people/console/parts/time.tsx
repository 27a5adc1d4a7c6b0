import { formatDuration } from "../../../job/rules/durations.ts";
import { toTime, toTimes } from "../../operations/phrases.ts";
import type { Html } from "../screen.ts";

/** In UTC, as in logs and commands, with the exact time on hover. `isExact`: with seconds, and from `since` on. Unix ms. */
export function Time({
  at,
  since = at,
  isExact = false,
}: Readonly<{ at: number; since?: number; isExact?: boolean }>): Html {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} title={iso}>
      {isExact ? toTimes(since, at) : `${iso.slice(0, 16).replace("T", " ")} UTC`}
    </time>
  );
}

/** `4m ago`, `in 4m`, with the exact time on hover. Unix ms. */
export function Ago({ at, now }: { readonly at: number; readonly now: number }): Html {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} title={iso}>
      {toAgo(at, now)}
    </time>
  );
}

/** What time a page is of, as its header says it: with seconds. Unix ms. */
export function toAsOf(at: number): string {
  return `as of ${toTime(at).slice(11)}`;
}

export function Moment({ at, now }: Readonly<{ at: number; now: number }>): Html {
  return (
    <>
      <Time at={at} /> (<Ago at={at} now={now} />)
    </>
  );
}

export function toAgo(at: number, now: number): string {
  const ms = Math.abs(now - at);
  const span = formatDuration(toCoarse(ms));
  return ms < 1_000 ? "now" : at <= now ? `${span} ago` : `in ${span}`;
}

/** Two units at most: nobody needs the seconds of a day. A page whose text stands still costs a browser nothing. */
export function toCoarse(ms: number): number {
  const unit = ms >= 86_400_000 ? 3_600_000 : ms >= 600_000 ? 60_000 : 1_000;
  return Math.floor(ms / unit) * unit;
}
