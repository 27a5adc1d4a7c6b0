import type { EmulatorClock } from "../clock.ts";
import type { FlowControlLimits } from "../publish/message.ts";
import { FlowShares, type FlowControlState, type Pin } from "./flow-control.ts";

// Idle flow control keys are looked for once there are this many, then at twice as many as were left.
const fewKeys = 1_024;

/** The flow control keys that there are. One comes with its first message, or when it is paused or pinned. */
export class FlowControlByKey {
  readonly #clock: EmulatorClock;
  readonly #all = new Map<string, FlowShares>();
  #many = fewKeys;

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
  }

  /** The shares of a key, from now on with these limits: the newest message's values win. */
  join(limits: FlowControlLimits): FlowShares {
    const shares = this.#ensure(limits.key);
    shares.limits = limits;
    shares.users++;
    return shares;
  }

  /** Each with the values of its newest message, or those that are pinned. */
  states(): FlowControlState[] {
    return Array.from(this.#all.values(), (shares) => shares.state());
  }

  find(key: string): FlowShares | undefined {
    return this.#all.get(key);
  }

  /** A call under way is let finish. Returns whether the key was not paused before. */
  pause(key: string): boolean {
    const shares = this.#ensure(key);
    const changes = !shares.paused;
    shares.paused = true;
    return changes;
  }

  /** Returns whether the key was paused. */
  resume(key: string): boolean {
    const shares = this.find(key);
    if (shares?.paused !== true) return false;
    shares.paused = false;
    return true;
  }

  pin(key: string, pin: Pin): void {
    this.#ensure(key).pin(pin);
  }

  #ensure(key: string): FlowShares {
    let shares = this.#all.get(key);
    if (shares === undefined) {
      this.#forgetIdle();
      this.#all.set(key, (shares = new FlowShares({ key }, this.#clock)));
    }
    return shares;
  }

  #forgetIdle(): void {
    if (this.#all.size < this.#many) return;
    for (const [key, shares] of this.#all) if (shares.idle) this.#all.delete(key);
    this.#many = Math.max(fewKeys, 2 * this.#all.size);
  }
}
