/** Every page of the console. */
import type { Screen } from "../screen.ts";
import { failureScreen } from "./failure.tsx";
import { failuresScreen } from "./failures.tsx";
import { nowScreen } from "./now.tsx";
import { planScreen } from "./plan.tsx";
import { plansScreen } from "./plans.tsx";

export const screens: readonly Screen[] = [nowScreen, failuresScreen, failureScreen, plansScreen, planScreen];
