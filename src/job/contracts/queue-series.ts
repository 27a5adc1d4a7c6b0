/** What waits, and what has moved. Over time, for charts: at the first look of a minute, exact or absent. */
export interface QueueSample {
  /** In the DLQ, not parked and not still to be deleted: due, held or in doubt. */
  readonly waiting: number;
  readonly parked: number;
  /** Ever, and never falling, while the same drains and kinds are known. */
  readonly arrived: number;
  readonly published: number;
  readonly failedAgain: number;
  /** When it was counted, within its minute, Unix ms. Absent: an older build did. */
  readonly at?: number;
}

/** Ever published and failed again, by source and kind of failure: `<source> <id>`. */
export type KindsSample = Readonly<Record<string, readonly [published: number, failedAgain: number]>>;

/** Every minute is kept for six hours, every tenth for a week, and kinds by the hour for a day. */
export const keptSamples = { minutes: 360, everyTenth: 10_080, kindHours: 25 } as const;

/** Fails with `redis-unavailable`. */
export interface QueueSeries {
  /** Whether this minute (Unix time / 1 min) has a sample: of several replicas, one takes it. */
  has(minute: number): Promise<boolean>;
  /** A second sample of a minute changes nothing. Samples that are too old go. */
  add(minute: number, sample: QueueSample, kinds: KindsSample): Promise<void>;
  /** In the order asked for; null: that minute has no sample. */
  read(minutes: readonly number[]): Promise<readonly (QueueSample | null)[]>;
  /** As of the end of each hour (Unix time / 1 h), or of its last sample so far. */
  readKinds(hours: readonly number[]): Promise<readonly (KindsSample | null)[]>;
}
