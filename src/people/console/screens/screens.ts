import type { Screen } from "../screen.ts";
import { failureScreen } from "./failure.tsx";
import { failuresScreen } from "./failures.tsx";
import { historyScreen } from "./history.tsx";
import { indexesScreen } from "./indexes.tsx";
import { messageScreen } from "./message.tsx";
import { nowScreen } from "./now.tsx";
import { parkedScreen } from "./parked.tsx";
import { ofNoDrainScreen } from "./of-no-drain.tsx";
import { planScreen } from "./plan.tsx";
import { plansScreen } from "./plans.tsx";
import { reportScreen } from "./report.tsx";
import { runbookScreen } from "./runbook.tsx";
import { rulesScreen } from "./rules.tsx";

export const screens: readonly Screen[] = [
  nowScreen,
  failuresScreen,
  failureScreen,
  ofNoDrainScreen,
  plansScreen,
  planScreen,
  messageScreen,
  parkedScreen,
  historyScreen,
  reportScreen,
  rulesScreen,
  runbookScreen,
  indexesScreen,
];
