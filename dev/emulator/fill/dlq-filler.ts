import type { EmulatorContext } from "../context.ts";
import { setImmediate } from "node:timers/promises";
import type { DeadLetters } from "../dlq/dead-letters.ts";
import type { SeedRecord } from "../dlq/seeded-record.ts";
import { seededRandom } from "../seeded-random.ts";
import { RandomChoice } from "./random-choice.ts";
import { arrivalAt } from "./arrival-times.ts";
import { parseGenerateOptions, type GenerateOptions } from "./generate-options.ts";
import { generatedRecord } from "./generated-record.ts";
import { recordsOfFile } from "./load-file.ts";

// Some ten milliseconds of work; then others have their turn.
const chunk = 500;

/** Puts many records into the DLQ, a few at a time, so that the service goes on answering. */
export class DlqFiller {
  readonly #context: EmulatorContext;
  readonly #deadLetters: DeadLetters;
  #stops = 0;

  constructor(context: EmulatorContext, deadLetters: DeadLetters) {
    this.#context = context;
    this.#deadLetters = deadLetters;
  }

  /** Makes records that entered up to now and replaces none. Answers how many: fewer when stopped. */
  async generate(options: GenerateOptions): Promise<number> {
    const { count, seed, arrivals, overMs, ...wishes } = parseGenerateOptions(options);
    const random = seededRandom(seed);
    const choice = new RandomChoice(random);
    const untilMs = this.#context.clock.now();
    const fromMs = Math.max(0, untilMs - overMs);
    const stops = this.#stops;
    let made = 0;
    while (made < count && stops === this.#stops) {
      const end = Math.min(count, made + chunk);
      for (; made < end; made++) {
        const share = arrivalAt(arrivals, (made + random()) / count);
        const enteredMs = Math.floor(fromMs + share * (untilMs - fromMs));
        this.#deadLetters.enter(enteredMs, (dlqId) =>
          generatedRecord(choice, wishes, this.#context.settings, dlqId, enteredMs),
        );
      }
      await setImmediate();
    }
    if (made > 0) this.#context.journal.add({ type: "seeded", records: made });
    return made;
  }

  /** Throws a `LoadProblem` if a line is wrong; what stands before it is there then. */
  async load(file: string): Promise<number> {
    const stops = this.#stops;
    let loaded = 0;
    let records: SeedRecord[] = [];
    for await (const record of recordsOfFile(file)) {
      records.push(record);
      if (records.length < chunk) continue;
      loaded += this.#deadLetters.seed(records).length;
      records = [];
      await setImmediate();
      if (stops !== this.#stops) return loaded;
    }
    return loaded + this.#deadLetters.seed(records).length;
  }

  stop(): void {
    this.#stops++;
  }
}
