/** The table of reads is written from the OpenAPI document: `npx vitest run test/docs/console-api.test.ts -u`. */
import { describe, expect, it } from "vitest";
import { toOpenApi } from "../../src/people/console/api/open-api.ts";
import { apiErrorCodes } from "../../src/people/console/api/refusal.ts";
import { codeSpans, readDoc, tableRows, withoutCode } from "../support/markdown.ts";

const page = readDoc("docs/console.md");

interface Read {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
}
const { paths } = toOpenApi("0.0.0") as {
  paths: Record<string, { readonly get?: Read; readonly post?: unknown }>;
};

describe("docs/console.md", () => {
  it("has every read of the API with its parameters, and each needs a viewer", async () => {
    const reads = Object.entries(paths).flatMap(([path, { get }]) =>
      get === undefined ? [] : [{ path, ...get }],
    );
    expect(reads.filter(({ description }) => !description.includes("Needs the role viewer."))).toEqual([]);
    const rows = reads.map(({ path, summary, parameters }) => {
      const names = parameters.filter((one) => one.in === "query").map(({ name }) => `\`${name}\``);
      return `| \`GET ${path}\` | ${summary.replace(/^\w/, (first) => first.toLowerCase())} | ${names.join(", ")} |\n`;
    });
    const written = page.replace(
      /(\| read \| answers \| parameters \|\n)(?:\|.*\n)*/,
      `$1|---|---|---|\n${rows.join("")}`,
    );
    await expect(written).toMatchFileSnapshot("../../docs/console.md");
  });

  it("gives examples of paths that there are", () => {
    const named = [...withoutCode(page).matchAll(/^### (GET|POST) (.+)$/gm)];
    expect(named.length).toBeGreaterThan(3);
    for (const [, method = "", path = ""] of named) expect(paths[path]).toHaveProperty(method.toLowerCase());
  });

  it("explains every code of its errors", () => {
    const codes = tableRows(page, ["code", "status", "meaning"]).map(([code = ""]) => codeSpans(code)[0]);
    expect(codes).toEqual([...apiErrorCodes]);
  });
});
