import { expect, it } from "vitest";
import { toMaxJobs, toSchedules } from "../../../../src/job/daemon/wanted-schedules.ts";
import type { Core } from "../../../../src/job/compose/build-core.ts";
import { load, withDrain } from "../../../support/loaded-document.ts";

const silent = withDrain("rules: [{ when: any, then: hold }]");
const notifying = `${silent}
notify:
  chat: { url: https://hooks.example.com/x, form: slack, digest: "0 8 * * *", timezone: Europe/Berlin }
  pager: { url: https://pager.example.com, form: slack }
`;

const noticesOf = (text: string) =>
  toSchedules(load(text).document).filter(({ id }) => id === "notices" || id.startsWith("digest:"));

it("nothing is evaluated for nobody, and no job of notices has room", () => {
  expect(noticesOf(silent)).toEqual([]);
  const parts = { sources: new Map(), drains: new Map(), settings: { windows: { concurrency: 4 } } };
  const maxOf = (text: string) => toMaxJobs({ ...parts, ...load(text) } as unknown as Core).notices;
  expect([maxOf(silent), maxOf(notifying)]).toEqual([0, 2]);
});

it("a document with targets is evaluated every two seconds, and has its digests", () => {
  expect(noticesOf(notifying)).toEqual([
    { id: "notices", schedule: { kind: "every", everyMs: 2_000 }, job: { kind: "notices" } },
    {
      id: "digest:chat",
      schedule: { kind: "cron", pattern: "0 8 * * *", timezone: "Europe/Berlin" },
      job: { kind: "digest", target: "chat" },
    },
  ]);
});

it("many drains are evaluated less often, at least every five seconds", () => {
  const { document } = load(notifying);
  const everyOf = (count: number) => {
    const drains = Array.from({ length: count }, () => document.drains[0]!);
    const schedules = toSchedules({ ...document, drains });
    return schedules.find(({ id }) => id === "notices")?.schedule;
  };
  expect([20, 30, 50, 200].map(everyOf)).toMatchObject(
    [2_000, 3_000, 5_000, 5_000].map((everyMs) => ({ everyMs })),
  );
});
