import type { LearnedLimit } from "../contracts/call-shares.ts";

const startAt = 4;
/** Answers whose mean is one reading of the latency. A limit above this has as many. */
const minRound = 8;

/**
 * How many calls of one operation may be in flight, learned from their answers.
 *
 *   starting ──each good answer──► one more ──first cut──► steady
 *   steady ──each round of good answers──► one more
 *   any ──a round whose latency is far above the best──► as much less, not below the start
 *   any ──timeout, 5xx, no connection──► half, at least one
 *
 * It grows only while calls wait for it. A 429 teaches it nothing: that is about calls per time.
 */
export class AdaptiveLimit {
  readonly #max: number;
  #limit: number;
  #cuts = 0;
  #isCut = false;
  #isStarting = true;
  /** Calls that began before the last cut do not cut again. */
  #cutAt = -Infinity;
  #answers = 0;
  #sumMs = 0;
  #isUsedUp = false;
  #reportedAt = -Infinity;
  #best = Infinity;

  constructor(max: number) {
    this.#max = max;
    this.#limit = Math.min(startAt, max);
  }

  get limit(): number {
    return this.#limit;
  }

  useUp(): void {
    this.#isUsedUp = true;
  }

  answered(durationMs: number, now: number): void {
    this.#answers += 1;
    this.#sumMs += durationMs;
    // The first round shows the latency of few calls.
    if (this.#isStarting && this.#isUsedUp && this.#best < Infinity) this.#grow();
    if (this.#answers < Math.max(minRound, this.#limit)) return;
    const mean = this.#sumMs / this.#answers;
    const wasUsedUp = this.#isUsedUp;
    this.#beginRound();
    // Twice the best and a little: most of such a rise is our own doing. As few calls as at the start take as long
    // as the service needs, which may be more than before.
    this.#best = this.#limit > startAt ? Math.min(mean, this.#best) : mean;
    const steadyMs = 2 * this.#best + 50;
    const share = Math.max(0.5, steadyMs / mean);
    if (share < 1) this.#cut(Math.max(startAt, this.#limit * share), now);
    else if (wasUsedUp && !this.#isStarting) this.#grow();
  }

  failed(durationMs: number, now: number): void {
    if (now - durationMs >= this.#cutAt) this.#cut(Math.max(1, this.#limit / 2), now);
  }

  report(now: number): LearnedLimit & { readonly isCut: boolean } {
    this.#reportedAt = now;
    return { limit: this.#limit, cuts: this.#cuts, isCut: this.#isCut };
  }

  /** Takes over what all replicas have learned, in answer to the report. */
  learn({ limit, cuts }: LearnedLimit): void {
    const isNews = cuts !== this.#cuts;
    this.#cuts = cuts;
    this.#isCut = this.#cutAt > this.#reportedAt;
    if (this.#isCut) this.#limit = Math.min(limit, this.#limit);
    else this.#limit = Math.min(this.#max, isNews ? limit : Math.max(limit, this.#limit));
    if (isNews) this.#isStarting = false;
  }

  #grow(): void {
    this.#limit = Math.min(this.#max, this.#limit + 1);
  }

  #cut(limit: number, now: number): void {
    this.#isStarting = false;
    this.#isCut = true;
    this.#limit = limit;
    this.#cutAt = now;
    this.#beginRound();
  }

  #beginRound(): void {
    this.#answers = 0;
    this.#sumMs = 0;
    this.#isUsedUp = false;
  }
}
