import { randomUUID } from "node:crypto";
import type { EmulatorContext } from "../context.ts";
import type { Deliveries } from "./deliveries.ts";

export type BulkActionState = "IN_PROGRESS" | "FINISHED";

/** A cancel by filters, as it is told. `total` and `processed` count messages. */
interface BulkAction {
  readonly actionId: string;
  readonly kind: "cancel";
  state: BulkActionState;
  readonly total: number;
  processed: number;
  readonly createdAt: number;
  completedAt?: number;
  readonly filter: Readonly<Record<string, readonly string[]>>;
}

// Source: the service's API reference, "List Bulk Actions".
const keptMs = 7 * 86_400_000;

/** Cancels by filters, and what became of them. */
export class BulkActions {
  readonly #context: EmulatorContext;
  readonly #deliveries: Deliveries;
  #actions: BulkAction[] = [];

  constructor(context: EmulatorContext, deliveries: Deliveries) {
    this.#context = context;
    this.#deliveries = deliveries;
  }

  /** Over before this returns, or right after if it is to be done in the background. */
  cancel(messageIds: readonly string[], filter: BulkAction["filter"], isInBackground: boolean): BulkAction {
    const { clock } = this.#context;
    const createdAt = clock.now();
    const total = messageIds.length;
    const action: BulkAction = {
      actionId: `bulk_${randomUUID().replaceAll("-", "")}`,
      kind: "cancel",
      state: "IN_PROGRESS",
      total,
      processed: 0,
      createdAt,
      filter,
    };
    this.#actions.push(action);
    const finish = (): void => {
      for (const messageId of messageIds) this.#deliveries.cancel(messageId);
      Object.assign(action, { state: "FINISHED", processed: total, completedAt: clock.now() });
    };
    if (isInBackground) clock.at(createdAt, finish);
    else finish();
    return action;
  }

  /** Newest first. */
  list(): readonly BulkAction[] {
    const oldest = this.#context.clock.now() - keptMs;
    this.#actions = this.#actions.filter(({ createdAt }) => createdAt > oldest);
    return this.#actions.toReversed();
  }
}
