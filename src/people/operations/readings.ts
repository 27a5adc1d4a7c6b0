import { failureReading, failuresReading } from "./failures/readings.ts";
import { historyReading } from "./history/read-page.ts";
import { indexesReading } from "./indexes/read.ts";
import { lanesReading } from "./lanes/read.ts";
import { parkedReading } from "./parked/read-page.ts";
import { planReading, plansReading } from "./plans/readings.ts";
import type { Reading } from "./reading.ts";
import { messageReading } from "./records/read-message.ts";
import { reportReading } from "./report/read.ts";
import { rulesReading } from "./rules/read-rules.ts";
import { statusReading } from "./status/reading.ts";

export const readings: readonly Reading[] = [
  statusReading,
  failuresReading,
  failureReading,
  lanesReading,
  plansReading,
  planReading,
  parkedReading,
  historyReading,
  reportReading,
  messageReading,
  rulesReading,
  indexesReading,
];
