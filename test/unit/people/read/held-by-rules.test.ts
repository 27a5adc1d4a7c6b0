import { expect, it } from "vitest";
import { maySend, toHeldByOrigin } from "../../../../src/people/read/held-by-rules.ts";

const [mail, pay] = ["queue:mail", "https://pay.example.com"];
const kinds = [
  { id: "a", origin: mail },
  { id: "b", origin: pay },
  { id: "c", origin: pay },
  { id: "d", origin: pay },
];

it("counts only kinds that rules did nothing but hold, and of which a decision is known", () => {
  const failures = [
    { id: "a", waiting: 22, ruled: { "hold otherwise": 40 } },
    { id: "b", waiting: 5, ruled: { "hold wait": 5 } },
    { id: "c", waiting: 7, ruled: { "hold wait": 3, "republish outage": 4 } },
    { id: "d", waiting: 9, ruled: {} },
  ];
  expect(toHeldByOrigin(failures, kinds)).toEqual(
    new Map([
      [mail, 22],
      [pay, 5],
    ]),
  );
});

it("takes nothing for what may be sent of which no decision is known, or that rules park", () => {
  expect(maySend({ waiting: 7, ruled: { "hold wait": 3, "republish outage": 4 } })).toBe(true);
  for (const ruled of [{}, { "hold otherwise": 2, "park gone": 5 }])
    expect(maySend({ waiting: 7, ruled })).toBe(false);
});
