import { expect, it } from "vitest";
import { toTryAgain } from "./second-try.ts";
import { broken, late } from "./violation.ts";

const kill = { kind: "kill", failpoint: "window/ledger.begin:after#1", crash: "process" } as const;
const good = { kill: null, isTurnedUp: false, violations: [] };
const slow = { kill, isTurnedUp: true, violations: [late("orders-1 waited 60000 ms, more than 40000 ms")] };
const lossy = { kill, isTurnedUp: false, violations: [broken("lost: orders-2 is nowhere")] };

it("runs again what missed times, and nothing else", () => {
  expect(toTryAgain([good, slow])).toEqual([{ kill, isTurnedUp: true }]);
  expect(toTryAgain([good])).toEqual([]);
});

it("runs nothing again beside a broken promise, in another case or in the same", () => {
  expect(toTryAgain([slow, lossy])).toEqual([]);
  const both = { ...slow, violations: [...slow.violations, ...lossy.violations] };
  expect(toTryAgain([both])).toEqual([]);
});
