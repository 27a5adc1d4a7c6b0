import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { head, load, shownOf } from "../../../support/loaded-document.ts";
import { everyForm } from "../../../support/whole-document.ts";

describe("config show of a document", () => {
  it("loads again and means the same", () => {
    const { document } = load(everyForm);
    const shown = shownOf(everyForm);
    expect(load(shown).document.hash).toBe(document.hash);
    expect(load(shown).document.sources).toEqual(document.sources);
    expect(shown).toContain('age:\n            - "> 5m"');
    // What the drain takes from what is built in.
    expect(shown).toContain("    minAge: 2m\n");
    expect(shown).toContain("      perPass: 20000\n      perDay: 100000\n");
  });

  it("shows no header value, no query, no credentials and nothing that is written into bodies, and does not load where one was hidden", () => {
    const shown = shownOf(`${head}drains:
  orders:
    select: { url: "https://a/b?key=hunter1", not: { url: ["https://a/c?hunter14"] } }
    rules:
      - when: { header: { Authorization: "Bearer hunter2" }, url: "https://a/?k=hunter3*" }
        then: republish
        set:
          headers: { X-Key: hunter4 }
          destination: "https://b/?k=hunter5"
          callback: "https://hunter6:hunter7@b/?hunter8"
          body: { merge: { key: hunter9, list: [hunter10], gone: null } }
      - when: { responseHeader: { X-Key: [{ regex: hunter11 }, none] }, failureCallback: { suffix: hunter12 }, any: [{ not: { header: { X-A: { in: [hunter15] } } } }] }
        then: republish
        set: { body: { patch: [{ op: add, path: /a, value: { b: hunter13 } }] } }`);
    expect(shown).not.toContain("hunter");
    expect(shown.match(/\[set\]/g)).toHaveLength(14);
    expect(loadDocument(shown, "shown.yaml").ok).toBe(false);
  });
});
