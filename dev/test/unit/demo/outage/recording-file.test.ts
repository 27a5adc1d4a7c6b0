import { describe, expect, it } from "vitest";
import { toRecording } from "../../../../demo/outage/recording-file.ts";

const origin = "http://orders.localhost:1";
const secondMs = 1_000;

type Outage = Parameters<typeof toRecording>[0];

/** A host that is down at 0; its only dead letter is sent at 2 s and deleted at 3 s. */
function toOutage(late: {
  readonly deliveredAtS: number;
  readonly openAtS: number;
  readonly otherEmptyAtS: number;
}) {
  return {
    downAt: 0,
    backAt: 1_500,
    hosts: { down: origin, other: "http://mails.localhost:2" },
    down: {
      tries: [{ at: 2 * secondMs, outcome: "delivered", status: 200, endedAt: late.deliveredAtS * secondMs }],
      depths: [
        { at: 1, deadLetters: 1 },
        { at: 3 * secondMs, deadLetters: 0 },
      ],
    },
    other: {
      tries: [],
      depths: [
        { at: -10, deadLetters: 4 },
        { at: late.otherEmptyAtS * secondMs, deadLetters: 0 },
      ],
    },
    moves: [{ origin, at: late.openAtS * secondMs, to: "open", size: null, text: "" }],
  } as unknown as Outage;
}

describe("the recording of an outage", () => {
  it.each([
    ["its last message arrives", { deliveredAtS: 9, openAtS: 1, otherEmptyAtS: 1 }],
    ["its lane opens", { deliveredAtS: 2, openAtS: 9, otherEmptyAtS: 1 }],
    ["the other host is drained", { deliveredAtS: 2, openAtS: 1, otherEmptyAtS: 9 }],
  ])("goes on until %s, long after the last dead letter is deleted", (_, late) => {
    const { seconds } = toRecording(toOutage(late));
    expect(seconds.reduce((total, { delivered }) => total + delivered, 0)).toBe(1);
    expect(seconds.at(-1)).toMatchObject({ deadLetters: 0, atOther: 0, state: "open" });
    expect(seconds).toHaveLength(11);
  });
});
