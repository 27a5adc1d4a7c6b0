import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readDoc, root } from "../../support/markdown.ts";

const { dependencies, version } = JSON.parse(readDoc("package.json")) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

it("the VEX statement is about the versions that are used, and what it says of the code is so", () => {
  const vex = JSON.parse(readDoc("deploy/supply-chain/redriver.openvex.json")) as {
    readonly statements: readonly {
      readonly products: readonly {
        readonly "@id": string;
        readonly subcomponents: readonly { "@id": string }[];
      }[];
    }[];
  };
  for (const { products } of vex.statements) {
    expect(products.map((one) => one["@id"])).toEqual([`pkg:npm/redriver@${version}`]);
    const parts = products.flatMap(({ subcomponents }) => subcomponents.map((one) => one["@id"]));
    expect(parts).toEqual([`pkg:npm/convict@${dependencies["convict"]}`]);
  }
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(path.join(root, "src", name), "utf8"))
    .filter((text) => /from "convict"/.test(text));
  expect(sources).toHaveLength(1);
  expect(sources[0]).not.toMatch(/config\.set\(/);
});
