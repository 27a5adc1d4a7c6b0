import { operations } from "./operations.ts";
import { alertsOf } from "./panels.ts";
import { searchIndexes } from "./search-indexes.ts";
import { toDashboard } from "./to-dashboard.ts";

/** By their file. */
export const dashboards = {
  "deploy/components/dashboards/operations.json": toDashboard(operations(alertsOf(searchIndexes.sections))),
  "deploy/components/dashboards/search-indexes.json": toDashboard(searchIndexes),
} as const;
