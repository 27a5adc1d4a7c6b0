import { describe, expect, it } from "vitest";
import { operations as acts } from "../../src/people/operations/operations.ts";
import { toOpenApi } from "../../src/people/console/api/open-api.ts";
import { apiErrorCodes } from "../../src/people/console/api/refusal.ts";
import { codeSpans, readDoc, tableRows, withoutCode } from "../support/markdown.ts";

const page = readDoc("docs/console-api.md");

interface Operation {
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, object>>;
}
interface Schema {
  readonly properties: object;
  readonly required?: readonly string[];
}

const { paths } = toOpenApi("0.0.0") as { paths: Record<string, Record<string, Operation>> };
/** docs/operations.md has their fields. */
const ofOperations = new Set(acts.map(({ path }) => `POST ${path.replaceAll(/:(\w+)/g, "{$1}")}`));
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
);

function sectionOf(heading: string): string {
  const [, section = ""] = withoutCode(page).split(`\n### ${heading}\n`);
  return section.split("\n### ")[0] ?? "";
}

function namesIn(section: string, kind: "query" | "body"): readonly string[] {
  if (!section.includes(`| ${kind} | meaning |`)) return [];
  return tableRows(section, [kind, "meaning"]).map(([name = ""]) => codeSpans(name)[0] ?? "");
}

describe("docs/console-api.md", () => {
  it("has every path of the OpenAPI document, and no other", () => {
    const headings = [...withoutCode(page).matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => heading);
    const named = operations.filter(([heading]) => !ofOperations.has(heading) || headings.includes(heading));
    expect(headings.toSorted()).toEqual(named.map(([heading]) => heading).toSorted());
  });

  it.each(operations.filter(([heading]) => !ofOperations.has(heading)))(
    "says of %s what it needs and what it takes",
    (heading, operation) => {
      const section = sectionOf(heading);
      const role = /Needs the role (\w+)\./.exec(operation.description)?.[1];
      expect(section).toContain(`Needs \`${role}\`. Answers ${Object.keys(operation.responses)[0]}.`);
      const query = operation.parameters.filter((one) => one.in === "query").map(({ name }) => name);
      expect(namesIn(section, "query").toSorted()).toEqual(query.toSorted());
      const body = operation.requestBody?.content["application/json"]?.schema;
      expect(namesIn(section, "body").toSorted()).toEqual(Object.keys(body?.properties ?? {}).toSorted());
      const needed = tableRowsOfBody(section).filter(([, meaning = ""]) => meaning.startsWith("needed."));
      expect(needed.map(([name = ""]) => codeSpans(name)[0])).toEqual(body?.required ?? []);
    },
  );

  it("explains every code of its errors", () => {
    const codes = tableRows(page, ["code", "status", "meaning"]).map(([code = ""]) => codeSpans(code)[0]);
    expect(codes).toEqual([...apiErrorCodes]);
  });
});

function tableRowsOfBody(section: string) {
  return section.includes("| body | meaning |") ? tableRows(section, ["body", "meaning"]) : [];
}
