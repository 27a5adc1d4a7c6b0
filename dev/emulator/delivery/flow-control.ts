import type { EmulatorClock } from "../clock.ts";
import type { FlowControlLimits } from "../publish/message.ts";
import { Turns, type Leave } from "./concurrency-limits.ts";

export type FlowControlState = ReturnType<FlowShares["state"]>;

/** Limits that hold whatever messages say. A rate is pinned together with its period. */
export interface Pin {
  readonly parallelism?: number | undefined;
  readonly rate?: number | undefined;
  readonly periodSeconds?: number | undefined;
}

/**
 * The shares of one flow control key: never more than `parallelism` calls under way, never more than `rate`
 * calls begun within any `period`, and none while the key is paused. A call counts from the moment it begins,
 * which may be later than its share was given. So shares given and not begun count as if they began now.
 */
export class FlowShares extends Turns {
  readonly #clock: EmulatorClock;
  #limits: FlowControlLimits;
  #isPaused = false;
  #isPinnedParallelism = false;
  #isPinnedRate = false;
  /** Holders of a share whose call is under way. */
  #calling = 0;
  /** Moments at which calls began, oldest first, as long as they count. */
  #begun: number[] = [];
  #resetAt = 0;
  #wake: Leave | undefined;
  users = 0;

  constructor(limits: FlowControlLimits, clock: EmulatorClock) {
    super(limits.parallelism ?? Infinity);
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Those of the newest message. What is pinned stays. */
  set limits(given: FlowControlLimits) {
    this.#setLimits({
      ...given,
      ...(this.#isPinnedParallelism ? { parallelism: this.#limits.parallelism } : {}),
      ...(this.#isPinnedRate ? rateOf(this.#limits) : {}),
    });
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  set paused(paused: boolean) {
    this.#isPaused = paused;
    this.admit();
  }

  /** Also forgets the calls that have begun. Source: the service's API reference, "Pin Configuration". */
  pin(pin: Pin): void {
    this.#isPinnedParallelism ||= pin.parallelism !== undefined;
    this.#isPinnedRate ||= pin.rate !== undefined;
    this.#forgetBegun();
    this.#setLimits({
      ...this.#limits,
      ...(pin.parallelism === undefined ? {} : { parallelism: pin.parallelism }),
      ...(pin.rate === undefined ? {} : rateOf(pin)),
    });
  }

  /** The pinned limits hold on until a message brings others. */
  unpin(what: { readonly parallelism: boolean; readonly rate: boolean }): void {
    if (what.parallelism) this.#isPinnedParallelism = false;
    if (what.rate) this.#isPinnedRate = false;
  }

  resetRate(): void {
    this.#forgetBegun();
    this.admit();
  }

  begin(): void {
    this.#calling++;
    this.#begun.push(this.#clock.now());
    this.#planWake();
  }

  finish(): void {
    this.#calling--;
  }

  /** As the API shows it: 0 for no limit. */
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
      /** The moment of the first of them, or of the reset, in unix seconds. */
      ratePeriodStart: Math.floor((this.#begun[0] ?? this.#resetAt) / 1_000),
      isPaused: this.#isPaused,
      isPinnedParallelism: this.#isPinnedParallelism,
      isPinnedRate: this.#isPinnedRate,
    } as const;
  }

  /** Nothing would be different if this were forgotten. */
  get idle(): boolean {
    this.#forget();
    const isSteered = this.#isPaused || this.#isPinnedParallelism || this.#isPinnedRate;
    return !isSteered && this.users === 0 && this.#begun.length === 0;
  }

  protected override admit(): void {
    this.#forget();
    super.admit();
    this.#planWake();
  }

  protected override isFree(): boolean {
    return !this.#isPaused && super.isFree() && this.#isWithinRate();
  }

  #isWithinRate(): boolean {
    const { rate } = this.#limits;
    return rate === undefined || this.held - this.#calling + this.#begun.length < rate;
  }

  #setLimits(limits: FlowControlLimits): void {
    this.#limits = limits;
    this.limit = limits.parallelism ?? Infinity;
  }

  #planWake(): void {
    this.#wake?.();
    this.#wake = undefined;
    const oldest = this.#begun[0];
    if (oldest === undefined || this.line.length === 0 || this.#isPaused || this.isFree()) return;
    this.#wake = this.#clock.at(oldest + this.#periodMs, () => this.admit());
  }

  #forgetBegun(): void {
    this.#begun = [];
    this.#resetAt = this.#clock.now();
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

/** A period only has a meaning beside a rate, and takes its place with it. */
const rateOf = ({ rate, periodSeconds }: Pin): Pin => ({
  rate,
  periodSeconds: rate === undefined ? undefined : (periodSeconds ?? defaultPeriodSeconds),
});
