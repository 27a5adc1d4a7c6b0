import type { ConsoleServer } from "../../src/daemon/run-daemon.ts";

/** For daemons whose console nobody looks at. */
export const noConsole: ConsoleServer = {
  address: () => null,
  listen: () => Promise.resolve(),
  adopted: () => undefined,
  close: () => Promise.resolve(),
};
