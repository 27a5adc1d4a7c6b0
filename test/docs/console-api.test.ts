/** The table of reads is written from the OpenAPI document: `npx vitest run test/docs/console-api.test.ts -u`. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toOpenApi } from "../../src/people/console/api/open-api.ts";
import { apiErrorCodes } from "../../src/people/console/api/refusal.ts";
import { routes } from "../../src/people/console/api/operation-route.ts";
import { asNode } from "../support/drains-documents.ts";
import { codeBlocks, codeSpans, readDoc, shellLines, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/console.md");

interface Read {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
}
const { paths } = toOpenApi("0.0.0") as {
  paths: Record<string, { readonly get?: Read; readonly post?: unknown }>;
};

const isExample = ({ heading }: { readonly heading: string }): boolean => /^(GET|POST) \//.test(heading);
/** The answer of each, below the heading of its path. */
const examples = codeBlocks(page).filter((block) => isExample(block) && block.language === "json");
const sectionOf = (heading: string): string => page.split(`\n### ${heading}\n`)[1]?.split("\n##")[0] ?? "";

function valueAt(value: unknown, way: readonly PropertyKey[]): unknown {
  return way.reduce((inner, name) => (inner as Record<PropertyKey, unknown>)[name], value);
}

/** That this key of a plan's report is there, test/e2e/console/api.heavy.test.ts says. */
const ofOpenSchema = "planned";

/** Without keys that it does not describe, also where a program may get them. */
const toClosed = (schema: z.ZodType) =>
  z.fromJSONSchema(
    z.toJSONSchema(schema, {
      unrepresentable: "any",
      override: ({ jsonSchema }) => {
        if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
      },
    }) as never,
  );

/** A key `…` of the page stands for those that are left out beside it. */
function isLeftOut(shown: unknown, issue: z.core.$ZodIssue): boolean {
  const inner = valueAt(shown, issue.path);
  if (issue.code === "unrecognized_keys") return issue.keys.every((key) => ["…", ofOpenSchema].includes(key));
  if (inner === undefined) return "…" in asNode(valueAt(shown, issue.path.slice(0, -1)));
  return (
    issue.code === "invalid_union" &&
    issue.errors.some((issues) => issues.every((one) => isLeftOut(inner, one)))
  );
}

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

  // That answers are as their schemas say is tried in test/e2e/console/api.heavy.test.ts.
  it.each(examples)("gives an example of $heading that the API takes and answers", ({ heading, text }) => {
    const [method = "", path = ""] = heading.toLowerCase().split(" ");
    const route = routes.find((one) => one.method === method && one.path === path.replace("{id}", ":id"))!;
    const [line = ""] = shellLines(sectionOf(heading));
    const asked = new RegExp(`"http://localhost:9468/api/v1${path.replace("{id}", "[\\w-]+")}"( |$)`);
    expect(line).toMatch(asked);
    const [, body = null] = /-H "content-type: application\/json" -d '(.*)'$/.exec(line) ?? [];
    const isTaken = body === null ? route.body === null : route.body?.safeParse(JSON.parse(body)).success;
    expect(isTaken).toBe(true);
    expect(sectionOf(heading)).toMatch(new RegExp(`^\nAnswers ${route.status}\\.`));
    const shown: unknown = JSON.parse(text);
    const issues = toClosed(route.answer).safeParse(shown).error?.issues ?? [];
    expect(issues.filter((issue) => !isLeftOut(shown, issue))).toEqual([]);
  });

  it("has an example below each heading of a path", () => {
    const headings = [...page.matchAll(/^### ((?:GET|POST) .+)$/gm)].map(([, heading]) => heading);
    expect(headings.length).toBeGreaterThan(3);
    expect(examples.map(({ heading }) => heading)).toEqual(headings);
  });

  it("explains every code of its errors", () => {
    const codes = tableRows(page, ["code", "status", "meaning"]).map(([code = ""]) => codeSpans(code)[0]);
    expect(codes).toEqual([...apiErrorCodes]);
  });
});
