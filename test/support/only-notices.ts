import type { ConsoleServer, NoticeJobs, PeopleBeside } from "../../src/job/daemon/people-beside.ts";

/** For daemons whose console nobody looks at. */
const noConsole: ConsoleServer = {
  address: () => null,
  listen: () => Promise.resolve(),
  adopted: () => undefined,
  close: () => Promise.resolve(),
};

/** Nobody looks at this daemon, and nobody plans. It sends its notices. */
export function onlyNotices(notices: NoticeJobs): PeopleBeside {
  return { console: noConsole, notices, closePlans: () => Promise.resolve() };
}
