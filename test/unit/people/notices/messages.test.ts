import { describe, expect, it } from "vitest";
import { toCloudEvent } from "../../../../src/people/notices/cloud-event.ts";
import { toNoticeLines } from "../../../../src/people/notices/notice-text.ts";
import { toSlackMessage } from "../../../../src/people/notices/slack-message.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import type { Notice, NoticeItem } from "../../../../src/job/contracts/notices.ts";

const at = Date.UTC(2026, 10, 26, 8);
const item: NoticeItem = {
  drain: "orders" as DrainName,
  destination: "https://pay.example.com",
  cause: "503 upstream down",
  failure: "0a1b2c3d4e",
  count: 1_204,
};
const whole: NoticeItem = { ...item, destination: null, cause: null, failure: null };

function notice(event: Notice["event"], items: readonly NoticeItem[] = [item], more = 0): Notice {
  return { id: `${at}-eu-1`, event, at, source: "eu" as SourceId, items, more };
}

const hourMs = 3_600_000;

describe("the text of a notice says destination, cause, count and first step", () => {
  it.each([
    [
      notice("backlog.began"),
      "orders: a backlog began: 1,204 dead letters wait, most of them for pay.example.com: 503 upstream down. First step: `redriver failures show 0a1b2c3d4e`",
    ],
    [
      notice("backlog.began", [{ ...whole, count: 20, figures: { stillCounting: 1 } }]),
      "orders: a backlog began: at least 20 dead letters wait, still counting. First step: `redriver status orders`",
    ],
    [
      notice("backlog.ended", [
        { ...whole, figures: { published: 1_190, failedAgain: 3, parked: 14, durationMs: 840_000 } },
      ]),
      "orders: drained after 14m: 1,190 sent again, 3 failed again, 14 newly parked. First step: `redriver parked list --drain orders`",
    ],
    [
      notice("backlog.ended", [
        { ...whole, figures: { published: 7, durationMs: 60_000, heldByRules: 3, forPerson: 2, cooling: 1 } },
      ]),
      "orders: drained after 1m: 7 sent again, 0 failed again, 0 newly parked, 3 held by rules, 2 left to a person, 1 refused and tried rarely. First step: `redriver status orders`",
    ],
    [
      notice("destination.halted", [{ ...item, figures: { nextProbeAt: at + hourMs / 12 } }]),
      "pay.example.com is halted (drain orders) and gets only probes, the next in 5m, at 2026-11-26 08:05 UTC; 1,204 dead letters wait: 503 upstream down. First step: `redriver failures show 0a1b2c3d4e`",
    ],
    [
      notice("backlog.ended", [{ ...item, figures: { published: 70, durationMs: 60_000 } }]),
      "orders: drained after 1m: 70 sent again, 0 failed again, 0 newly parked; it began with pay.example.com: 503 upstream down. Nothing to do",
    ],
    [
      notice("failure.new", [{ ...item, count: 12 }]),
      "new failure at pay.example.com (drain orders): 12 dead letters arrived: 503 upstream down. First step: `redriver failures show 0a1b2c3d4e`",
    ],
    [
      notice("expiring.soon", [{ ...item, count: 3, figures: { expiresAt: at + 5 * hourMs } }]),
      "orders: 3 dead letters expire soon, the first in 5h, at 2026-11-26 13:00 UTC, most of them for pay.example.com: 503 upstream down. First step: `redriver failures show 0a1b2c3d4e`",
    ],
    [
      notice("expiring.soon", [{ ...whole, drain: null, count: 7, figures: { withoutCopy: 7 } }]),
      "eu: 7 dead letters near expiry without a copy. First step: `redriver status`",
    ],
  ])("$event", (given, line) => {
    expect(toNoticeLines(given)).toEqual([line]);
  });

  it("answers a question a line in a digest, each within 80 columns", () => {
    const figures = {
      since: at - 24 * hourMs,
      published: 1_204_310,
      failedAgain: 12_044,
      newFailures: 1,
      waiting: 104_210,
      heldByRules: 1_200,
      parked: 14,
      expiresAt: at + 5 * hourMs,
      withoutCopy: 7,
    };
    const lines = toNoticeLines(notice("digest", [{ ...whole, drain: null, figures }]));
    expect(lines).toEqual([
      "eu since 2026-11-25 08:00 UTC",
      "• done: 1,204,310 sent again, 12,044 failed again, 1 new kind of failure",
      "• waits: 104,210 dead letters, 1,200 of them held by rules",
      "• parked: 14 dead letters, for a person",
      "• expires: the oldest in 5h, at 2026-11-26 13:00 UTC; 7 soon, without a copy",
      "First step: `redriver status`",
    ]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("counts what it does not show", () => {
    const lines = toNoticeLines(
      notice(
        "destination.halted",
        Array.from({ length: 7 }, () => item),
        30,
      ),
    );
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toBe("… and 32 more");
  });
});

describe("the events form", () => {
  it("links to the page that it is about, if somebody has said where the console is", () => {
    expect(linksOf(notice("failure.new"))).toEqual([
      "https://redriver.example.com/x/failures/0a1b2c3d4e?source=eu",
    ]);
    expect(linksOf(notice("parked.new", [{ ...item, failure: null }]))).toEqual([
      "https://redriver.example.com/x/failures?drain=orders&host=https%3A%2F%2Fpay.example.com",
    ]);
    expect(linksOf(notice("expiring.soon", [{ ...whole, drain: null }]))).toEqual([
      "https://redriver.example.com/x/",
    ]);
    expect(toNoticeLines(notice("destination.resumed"), "https://redriver.example.com")[0]).toMatch(
      /\. Nothing to do, see https:\/\/redriver\.example\.com\/failures\/0a1b2c3d4e\?source=eu$/,
    );
  });

  it("says of when it is, if it has waited for its turn", () => {
    const late = at + 5 * 60_000;
    expect(toNoticeLines(notice("failure.new"), undefined, late)[0]).toMatch(
      /^2026-11-26 08:00 UTC: new failure at /,
    );
    expect(toNoticeLines(notice("failure.new"), undefined, at + 59_000)[0]).toMatch(/^new failure at /);
  });

  it("has no count of a destination that was not counted yet", () => {
    const items = [{ ...item, count: 0 }, item];
    const { data } = toCloudEvent([notice("destination.halted", items)]) as {
      data: { items: readonly object[] };
    };
    expect(data.items.map((one) => "count" in one)).toEqual([false, true]);
  });

  it("groups several notices under one id that is the same at every try", () => {
    const notices = [notice("failure.new"), notice("parked.new")];
    const event = toCloudEvent(notices);
    expect(event).toMatchObject({
      type: "redriver.grouped",
      id: `${at}-eu-1-2`,
      data: { notices: [{}, {}] },
    });
    expect(event["subject"]).toBeUndefined();
    expect(toCloudEvent(notices)).toEqual(event);
  });
});

describe("the slack form", () => {
  it("has the text, which mentions nobody whatever a receiver answers", () => {
    const message = toSlackMessage([notice("failure.new", [{ ...item, cause: "500 <!channel> & <@U1>" }])]);
    expect(message["text"]).toContain("500 &lt;!channel&gt; &amp; &lt;@U1&gt;");
    expect(JSON.stringify(message)).not.toContain("<!");
  });

  it("counts notices that one message has no room for", () => {
    const many = [
      ...Array.from({ length: 10 }, () => notice("parked.new")),
      notice("failure.new"),
      notice("failure.new"),
    ];
    expect(toSlackMessage(many)["text"]).toMatch(/\nand 2 more: 2 failure\.new$/);
  });

  it("stays within a section's room", () => {
    const long = notice(
      "failure.new",
      Array.from({ length: 5 }, () => ({ ...item, cause: "x".repeat(2_000) })),
    );
    const { blocks } = toSlackMessage([long]) as { blocks: [{ text: { text: string } }] };
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
  });
});

function linksOf(given: Notice): readonly (string | undefined)[] {
  const { data } = toCloudEvent([given], "https://redriver.example.com/x") as {
    data: { items: readonly { link?: string }[] };
  };
  return data.items.map(({ link }) => link);
}
