export { readConsoleKey } from "../store/console/redis-console-key.ts";
