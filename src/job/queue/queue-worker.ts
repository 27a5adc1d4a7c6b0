import { Worker, type Job, type Processor, type WorkerOptions } from "bullmq";
import type { Clock } from "../contracts/clock.ts";

/**
 * How long one blocking read waits for a job, seconds. Each read that ends in vain costs eight commands. A worker
 * that dies with the marker of a delayed job makes the others find that job so much later. The library's own limit
 * of 10 s is for clients that do not notice a lost connection; ours do (redis/open-client.ts).
 */
export const longestReadS = 30;

/** After a refusal. A read takes the marker of its job, so no other read would find a job that was refused to us. */
const readAfterRefusalS = 1;

/** A worker of the library that waits longer in one read, and says when Redis has answered it. */
export class QueueWorker extends Worker {
  readonly #clock: Pick<Clock, "now">;
  readonly #onAnswer: () => void;
  #isRefused = false;

  constructor(
    name: string,
    processor: Processor,
    options: Omit<WorkerOptions, "drainDelay">,
    clock: Pick<Clock, "now">,
    onAnswer: () => void,
  ) {
    super(name, processor, { ...options, drainDelay: longestReadS });
    this.#clock = clock;
    this.#onAnswer = onAnswer;
  }

  protected override getBlockTimeout(blockUntil: number): number {
    // Infinity: the read before was refused, or the worker paused.
    if (this.#isRefused || blockUntil === Infinity) return readAfterRefusalS;
    const usualS = super.getBlockTimeout(blockUntil);
    const wholeS = (blockUntil - this.#clock.now()) / 1_000;
    return blockUntil > 0 ? Math.max(usualS, Math.min(wholeS, longestReadS)) : usualS;
  }

  /** The worker asks for a job, at the latest after each read. Whoever does not ask any more is stuck. */
  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    // Until Redis has answered.
    this.#isRefused = true;
    const job = await super.moveToActive(token, name);
    this.#isRefused = false;
    this.#onAnswer();
    return job;
  }
}
