import type { BuiltSource } from "../compose/build-source.ts";
import type { LiveCore } from "../compose/live-core.ts";
import type { CallbackOutcome } from "../contracts/callbacks.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Events } from "../contracts/events.ts";
import { chainCallback, createChainRefusals, type Chained } from "../callbacks/chain-callback.ts";
import { reportCanaryResult } from "../callbacks/report-canary-result.ts";
import {
  createCallbackServer,
  type CallbackRequest,
  type CallbackAnswer,
  type CallbackServer,
} from "./callback-http.ts";
import type { EarlyTicks } from "./early-ticks.ts";

const newsEveryMs = 60_000;
/** Default, unless a longer wait is known. */
const retryAfterSeconds = 5;
const requestTimeoutMs = 30_000;

const refused = {
  unverified: { status: 401 },
  unreadable: { status: 400 },
  "too-large": { status: 413 },
  busy: { status: 503, retryAfterSeconds },
} as const;

interface CallbackParts {
  readonly live: Pick<LiveCore, "current" | "acquire">;
  readonly earlyTicks: Pick<EarlyTicks, "afterLanes">;
  readonly events: Events;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly stop: AbortSignal;
}

export type Callbacks = ReturnType<typeof createCallbacks>;

export function createCallbacks({ live, earlyTicks, events, clock, stop }: CallbackParts) {
  let server: CallbackServer | null = null;
  const refusals = createChainRefusals();
  const shownAt = new Map<string, number>();

  const refuse = (source: BuiltSource, outcome: keyof typeof refused, why?: string): CallbackAnswer => {
    emitOutcome(source, outcome, why);
    return refused[outcome];
  };
  const emitOutcome = (
    { runtime }: BuiltSource,
    outcome: CallbackOutcome,
    why: string | null = null,
  ): void => {
    const source = runtime.config.id;
    const key = `${source} ${outcome}`;
    const now = clock.monotonic();
    const isNews = now - (shownAt.get(key) ?? -Infinity) >= newsEveryMs;
    if (isNews) shownAt.set(key, now);
    events.emit({ type: "callback:received", source, outcome, why, isNews });
  };

  const receive = async (call: CallbackRequest): Promise<CallbackAnswer> => {
    const { core, release } = live.acquire();
    try {
      const source = [...core.sources.values()].find(({ callbacks }) => callbacks?.path === call.path);
      if (source?.callbacks === null || source === undefined) return { status: 404 };
      const { runtime, callbacks } = source;
      const admission = await callbacks.admit(call.header(`${runtime.headerPrefix}Signature`), call.search);
      if (admission.kind === "refused") return refuse(source, "unverified", admission.why);
      const body = await call.body();
      if (body === "too-large" || body === "busy") return refuse(source, body);
      const report = admission.read(body);
      if (report === "another-body") return refuse(source, "unverified", "for another body");
      if (report === "unreadable") return refuse(source, report);
      emitOutcome(source, await reportCanaryResult(runtime, report));
      await earlyTicks.afterLanes(core);
      const text = body.toString("utf8");
      const chained = await chainCallback(runtime, call.search, report, text, { refusals, signal: stop });
      if (chained.kind === "none") return { status: 200 };
      const why = "why" in chained ? chained.why : null;
      emitOutcome(source, chained.kind === "chained" ? "chained" : "chain-failed", why);
      return toAnswer(chained, clock.now());
    } finally {
      release();
    }
  };

  return {
    address: () => server?.address ?? null,
    /** Listens once a source has callbacks. Fails with `settings-invalid` if the address cannot be bound. */
    async listen(): Promise<void> {
      const { settings, sources } = live.current();
      if (server !== null || [...sources.values()].every(({ callbacks }) => callbacks === null)) return;
      server = await createCallbackServer({ ...settings.callback, requestTimeoutMs, receive });
      if (stop.aborted) await server.close();
    },
    close: async () => server?.close(),
  };
}

/** Until the callback is handed on, the service is asked again. In the end it keeps it as a dead letter. */
function toAnswer(chained: Exclude<Chained, { kind: "none" }>, now: number): CallbackAnswer {
  if (chained.kind === "chained") return { status: 200 };
  if (chained.retryAt === undefined) return { status: 502 };
  return { status: 503, retryAfterSeconds: Math.max(1, Math.ceil((chained.retryAt - now) / 1_000)) };
}
