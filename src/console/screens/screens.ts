/** Every page of the console. */
import type { Screen } from "../screen.ts";
import { failureScreen } from "./failure.tsx";
import { failuresScreen } from "./failures.tsx";
import { nowScreen } from "./now.tsx";

export const screens: readonly Screen[] = [nowScreen, failuresScreen, failureScreen];
