import { describe, expect, it } from "vitest";
import { load, problemsOf } from "../../../support/loaded-document.ts";

const documentOf = (callbacks: string): string => `version: 1
sources: { eu: { callbacks: ${callbacks} } }
drains: { a: { rules: [] } }
`;
const keys = "keys: [{ file: /k }, { env: NEXT }]";

describe("callbacks of a source", () => {
  it("are an address without trailing slash, and where the keys are", () => {
    expect(
      load(documentOf(`{ url: "https://R.example.com/callbacks/", ${keys} }`)).document.sources[0]?.callbacks,
    ).toEqual({
      url: "https://r.example.com/callbacks",
      keys: [
        { kind: "file", path: "/k" },
        { kind: "env", name: "NEXT" },
      ],
    });
  });

  it.each([
    ["no address", `{ ${keys} }`],
    ["no keys", "{ url: https://r.example.com }"],
    ["an empty list of keys", "{ url: https://r.example.com, keys: [] }"],
    ["a key in the document", "{ url: https://r.example.com, keys: [sig_x] }"],
    ["a query", `{ url: "https://r.example.com/?a=1", ${keys} }`],
    ["a user", `{ url: "https://me@r.example.com", ${keys} }`],
    ["no address of HTTP", `{ url: "ftp://r.example.com", ${keys} }`],
    ["an address past 500 characters", `{ url: "https://r.example.com/${"p".repeat(500)}", ${keys} }`],
  ])("are refused with %s", (_, callbacks) => {
    const problems = problemsOf(documentOf(callbacks));
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain("sig_x");
  });
});
