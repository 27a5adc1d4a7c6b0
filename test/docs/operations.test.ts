/** docs/operations.md is written from the declarations: `npx vitest run test/docs/operations.test.ts -u`. */
import { expect, it } from "vitest";
import { toOperationLine } from "../../src/people/operations/command-line.ts";
import { fieldsOf, type Operation } from "../../src/people/operations/define.ts";
import { operations } from "../../src/people/operations/operations.ts";

const head = `# What people order

Each act here is declared once. Its command, its path of the [HTTP API](console-api.md), its form in the [console](console.md) and this page follow from the
declaration (\`people/operations/acts\`). A test tries each on all three, with each role. The [audit](audit.md) has who did it and why before it is done.

- A command takes \`--by\` for who, and \`--json\` for one object per line. A program sends \`by\` if the console does not know who asks.
- Where a reason is asked, it is \`--reason\` of the command, and \`reason\` of the body and the form.
- Names of fields are those of the body. The value of a field without a flag stands behind the command's name.
`;

it("docs/operations.md has every operation as it is declared", async () => {
  const page = [head, ...operations.map(toSection)].join("\n");
  await expect(page).toMatchFileSnapshot("../../docs/operations.md");
});

function toSection(operation: Operation): string {
  const { words, about, costs, path, role, reasonOf, consentTo, example } = operation;
  const notes = [
    `${about[0]?.toUpperCase()}${about.slice(1)}.`,
    costs ?? "",
    consentTo === undefined ? "" : "Without a terminal the command needs `--yes`.",
  ];
  const fields = fieldsOf(operation).map(
    ([name, schema, face]) =>
      `| \`${name}\` | ${schema.isOptional() ? "" : "needed; "}${face.about}${face.isArgument === true ? "; without a flag" : ""} |`,
  );
  const asked = reasonOf === null ? "no reason is asked" : "with a reason";
  return `## ${words}

${notes.filter(Boolean).join(" ")} Needs \`${role}\`, ${asked}. API: \`POST ${path.replaceAll(/:(\w+)/g, "{$1}")}\`.

| field | meaning |
|---|---|
${fields.join("\n")}

\`\`\`sh
${toOperationLine(operation, example)}
\`\`\`
`;
}
