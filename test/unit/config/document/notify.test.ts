import { describe, expect, it } from "vitest";
import { noticeEvents } from "../../../../src/job/contracts/notices.ts";
import { load, problemsOf, shownOf, withDrain } from "../../../support/loaded-document.ts";

const rules = "rules: [{ when: any, then: hold }]";

function withTarget(...lines: string[]): string {
  return [withDrain(rules), "notify:", "  oncall:", ...lines.map((line) => `    ${line}`)].join("\n");
}

const https = "url: https://hooks.example.com/T0/s3cr3t?k=v";

describe("notify", () => {
  it("tells a target everything unless it chooses", () => {
    const [target] = load(withTarget(https, "form: slack")).document.notify;
    expect(target).toEqual({
      name: "oncall",
      url: { kind: "written", url: "https://hooks.example.com/T0/s3cr3t?k=v" },
      form: "slack",
      events: noticeEvents,
      allowPrivate: false,
      everyMs: 300_000,
    });
  });

  it("takes every key", () => {
    const { document, warnings } = load(
      withTarget(
        "url: { env: ONCALL_URL }",
        "form: events",
        "secret: { file: /run/secrets/key }",
        "events: [failure.new, backlog.began]",
        "sources: default",
        "drains: [orders]",
        "allowPrivate: true",
        "every: 1m",
        'digest: "0 8 * * *"',
        "timezone: Europe/Berlin",
      ),
    );
    expect(warnings).toEqual([]);
    expect(document.notify).toEqual([
      {
        name: "oncall",
        url: { kind: "env", name: "ONCALL_URL" },
        form: "events",
        secret: { kind: "file", path: "/run/secrets/key" },
        events: ["failure.new", "backlog.began"],
        sources: ["default"],
        drains: ["orders"],
        allowPrivate: true,
        everyMs: 60_000,
        digest: { kind: "cron", pattern: "0 8 * * *", timezone: "Europe/Berlin" },
      },
    ]);
  });

  it("changes the document's hash, and only if there is a target", () => {
    const none = load(withDrain(rules)).document.hash;
    expect(load(`${withDrain(rules)}\nnotify: {}`).document.hash).toBe(none);
    expect(load(withTarget(https, "form: slack")).document.hash).not.toBe(none);
  });

  it("is shown without the path of its address, which is often a secret", () => {
    const shown = shownOf(withTarget(https, "form: slack"));
    expect(shown).toContain("url: https://hooks.example.com/[set]\n");
    expect(shown).not.toMatch(/s3cr3t|k=v/);
  });

  it("warns that unsigned events have no known sender", () => {
    expect(load(withTarget(https, "form: events")).warnings).toEqual([
      "drains.yaml:7:3 notify.oncall: messages are not signed without secret, so its receiver cannot know the sender",
    ]);
  });

  const plain = "form: slack";
  const address = "8:10 notify.oncall.url: expected";
  it.each([
    [["url: http://hooks.example.com/s3cr3t", plain], `${address} an https address, or allowPrivate: true`],
    [["url: https://169.254.169.254/latest", plain], `${address} a public address, or allowPrivate: true`],
    [["url: https://me:s3cr3t@hooks.example.com", plain], `${address} an http(s) address without spaces,`],
    [[https, "form: slak"], '9:11 notify.oncall.form: expected one of events, slack, got "slak"'],
    [[https, "form: events", "secret: s3cr3t"], "10:13 notify.oncall.secret: expected { file: /path/of/"],
    [[https, plain, "secret: { env: KEY }"], "10:5 notify.oncall.secret: expected form events beside secret"],
    [
      [https, plain, "drains: [order]"],
      '10:14 notify.oncall.drains[0]: unknown drain "order"; did you mean "ord',
    ],
    [[https, plain, "digest: daily"], "10:13 notify.oncall.digest: expected a cron pattern of five fields"],
  ])("refuses %j", (lines, problem) => {
    const problems = problemsOf(withTarget(...lines));
    expect(problems).toEqual([expect.stringContaining(`drains.yaml:${problem}`)]);
    expect(problems.join()).not.toContain("s3cr3t");
  });
});
