/** Everything that the API reads and does, by the operations that commands and pages use. */
import { operations } from "../../operations/operations.ts";
import { readings } from "../../operations/readings.ts";
import { toReadingRoute, toRoute } from "./operation-route.ts";
import type { ApiRoute } from "./route.ts";

export const routes: readonly ApiRoute[] = [...readings.map(toReadingRoute), ...operations.map(toRoute)];
