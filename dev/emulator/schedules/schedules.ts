import { randomBytes } from "node:crypto";
import type { EmulatorContext } from "../context.ts";
import type { Directory } from "../publish/groups-and-queues.ts";
import type { MessageSettings } from "../publish/message.ts";
import { resolveDestination, type PublishItem } from "../publish/parse-publish-items.ts";
import type { Publisher } from "../publish/publisher.ts";
import { EmulatorRefusal } from "../refusal.ts";
import type { Cron } from "./cron.ts";

/** What a schedule sends. Its destination is looked up anew each time: a URL Group may have changed. */
export interface ScheduleDraft extends Pick<PublishItem, "destination" | "queueName" | "body"> {
  readonly settings: MessageSettings;
  readonly cron: Cron;
  readonly callerIp: string;
}

export interface MessageSchedule extends ScheduleDraft {
  readonly scheduleId: string;
  readonly createdAt: number;
  readonly isPaused: boolean;
  readonly nextAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Of the last time that it fired. */
  readonly lastMessageIds: readonly string[];
}

interface Entry {
  schedule: MessageSchedule;
  callOff: (() => void) | undefined;
  /** How many of its last moments the clock had jumped over. */
  missed: number;
}

// A clock that jumps by a year jumps over half a million minutes.
const maxMissed = 100;

/** Schedules fire by the emulator's clock. Each moment is planned when the one before it has come. */
export class Schedules {
  readonly #context: EmulatorContext;
  readonly #directory: Directory;
  readonly #publisher: Publisher;
  readonly #entries = new Map<string, Entry>();

  constructor(context: EmulatorContext, directory: Directory, publisher: Publisher) {
    this.#context = context;
    this.#directory = directory;
    this.#publisher = publisher;
  }

  /** Makes a schedule, or replaces the one with this id; it is not paused then. */
  put(draft: ScheduleDraft): MessageSchedule {
    const scheduleId = draft.settings.scheduleId ?? newScheduleId();
    if (!/^[A-Za-z0-9._-]{1,200}$/.test(scheduleId))
      throw new EmulatorRefusal(400, `invalid schedule id: ${scheduleId}`);
    this.#entries.get(scheduleId)?.callOff?.();
    const now = this.#context.clock.now();
    const schedule = {
      ...draft,
      settings: { ...draft.settings, scheduleId },
      scheduleId,
      createdAt: this.find(scheduleId)?.createdAt ?? now,
      isPaused: false,
      nextAt: undefined,
      lastAt: undefined,
      lastMessageIds: [],
    };
    const entry: Entry = { schedule, callOff: undefined, missed: 0 };
    this.#entries.set(scheduleId, entry);
    this.#planBehind(entry, now);
    return entry.schedule;
  }

  find(scheduleId: string): MessageSchedule | undefined {
    return this.#entries.get(scheduleId)?.schedule;
  }

  list(): MessageSchedule[] {
    return Array.from(this.#entries.values(), ({ schedule }) => schedule);
  }

  /** Messages under way go on. */
  remove(scheduleId: string): boolean {
    this.#entries.get(scheduleId)?.callOff?.();
    return this.#entries.delete(scheduleId);
  }

  /** The moments of a paused schedule pass without a message. */
  setPaused(scheduleId: string, isPaused: boolean): boolean {
    const entry = this.#entries.get(scheduleId);
    if (entry !== undefined) entry.schedule = { ...entry.schedule, isPaused };
    return entry !== undefined;
  }

  #planBehind(entry: Entry, moment: number): void {
    const nextAt = entry.schedule.cron.next(moment);
    entry.schedule = { ...entry.schedule, nextAt };
    entry.callOff =
      nextAt === undefined ? undefined : this.#context.clock.at(nextAt, () => this.#come(entry, nextAt));
  }

  #come(entry: Entry, moment: number): void {
    if (!entry.schedule.isPaused) this.#fire(entry, moment);
    const now = this.#context.clock.now();
    const next = entry.schedule.cron.next(moment) ?? Infinity;
    entry.missed = next <= now ? entry.missed + 1 : 0;
    this.#planBehind(entry, entry.missed > maxMissed ? now : moment);
  }

  #fire(entry: Entry, moment: number): void {
    const { scheduleId, destination, queueName, settings, body, callerIp } = entry.schedule;
    const { journal } = this.#context;
    try {
      const item = { ...resolveDestination(destination, this.#directory), queueName, settings, body };
      const answer = this.#publisher.publish(item, 0, callerIp);
      const messageIds = [answer].flat().map(({ messageId }) => messageId);
      entry.schedule = { ...entry.schedule, lastAt: moment, lastMessageIds: messageIds };
      journal.add({ type: "scheduled", scheduleId, messageIds });
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error;
      // Its URL Group is gone. It may be back the next time.
      entry.schedule = { ...entry.schedule, lastAt: moment, lastMessageIds: [] };
      journal.add({ type: "scheduled", scheduleId, messageIds: [], error: error.message });
    }
  }
}

const newScheduleId = (): string => `scd_${randomBytes(12).toString("hex")}`;
