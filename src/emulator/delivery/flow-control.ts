import type { EmulatorClock } from "../clock.ts";
import type { FlowControlLimits } from "../publish/message.ts";
import { Turns, type Leave } from "./concurrency-limits.ts";

export type FlowControlState = ReturnType<FlowShares["state"]>;

/**
 * The shares of one flow control key: never more than `parallelism` calls under way, never more than `rate`
 * calls begun within any `period`. A call counts from the moment it begins, which may be later than its share
 * was given. So shares given and not begun count as if they began now.
 */
export class FlowShares extends Turns {
  readonly #clock: EmulatorClock;
  #limits: FlowControlLimits;
  /** Holders of a share whose call is under way. */
  #calling = 0;
  /** Moments at which calls began, oldest first, as long as they count. */
  #begun: number[] = [];
  #wake: Leave | undefined;
  users = 0;

  constructor(limits: FlowControlLimits, clock: EmulatorClock) {
    super(limits.parallelism ?? Infinity);
    this.#limits = limits;
    this.#clock = clock;
  }

  set limits(limits: FlowControlLimits) {
    this.#limits = limits;
    this.limit = limits.parallelism ?? Infinity;
  }

  begin(): void {
    this.#calling++;
    this.#begun.push(this.#clock.now());
    this.#planWake();
  }

  finish(): void {
    this.#calling--;
  }

  /** As the API shows it: 0 for no limit. Keys cannot be paused or pinned here. */
  state() {
    this.#forget();
    const { parallelism = 0, rate = 0, periodSeconds = 0 } = this.#limits;
    return {
      flowControlKey: this.#limits.key,
      /** Messages that would be called if the limits allowed it. */
      waitListSize: this.line.length,
      parallelismMax: parallelism,
      /** Messages that have a share: called, or about to be. */
      parallelismCount: this.held,
      rateMax: rate,
      /** Calls begun within the last period. */
      rateCount: this.#begun.length,
      ratePeriod: periodSeconds,
      /** The moment of the first of them, in unix seconds. */
      ratePeriodStart: Math.floor((this.#begun[0] ?? 0) / 1_000),
      isPaused: false,
      isPinnedParallelism: false,
      isPinnedRate: false,
    } as const;
  }

  /** Nothing would be different if this were forgotten. */
  get idle(): boolean {
    this.#forget();
    return this.users === 0 && this.#begun.length === 0;
  }

  protected override admit(): void {
    this.#forget();
    super.admit();
    this.#planWake();
  }

  protected override isFree(): boolean {
    const { rate } = this.#limits;
    return super.isFree() && (rate === undefined || this.held - this.#calling + this.#begun.length < rate);
  }

  #planWake(): void {
    this.#wake?.();
    this.#wake = undefined;
    const oldest = this.#begun[0];
    if (oldest === undefined || this.line.length === 0 || this.isFree()) return;
    this.#wake = this.#clock.at(oldest + this.#periodMs, () => this.admit());
  }

  #forget(): void {
    const end = this.#clock.now() - this.#periodMs;
    const live = this.#begun.findIndex((begunAt) => begunAt > end);
    if (live !== 0) this.#begun = live < 0 ? [] : this.#begun.slice(live);
  }

  get #periodMs(): number {
    return (this.#limits.periodSeconds ?? defaultPeriodSeconds) * 1_000;
  }
}

/** A rate without a period is per second. */
const defaultPeriodSeconds = 1;
