import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readDoc, root } from "../../support/markdown.ts";

const { dependencies, version } = JSON.parse(readDoc("package.json")) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

const lock = JSON.parse(readDoc("package-lock.json")) as {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly devOptional?: boolean }>>;
};

it("sbom.mjs lists every production package and no tool", () => {
  const { stdout } = spawnSync(process.execPath, ["deploy/supply-chain/sbom.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  const sbom = JSON.parse(stdout) as {
    readonly bomFormat: string;
    readonly components: readonly {
      readonly name: string;
      readonly version: string;
      readonly purl: string;
    }[];
  };
  expect(sbom.bomFormat).toBe("CycloneDX");
  const found = new Set(sbom.components.map(({ purl }) => decodeURIComponent(purl)));
  const missing = Object.entries(dependencies).filter(([name, own]) => !found.has(`pkg:npm/${name}@${own}`));
  expect(missing).toEqual([]);
  // npm installs these without its tools too, and marks them in another way.
  const shared = Object.entries(lock.packages).flatMap(([at, one]) =>
    one.devOptional === true ? [`pkg:npm/${at.replace(/^.*node_modules\//, "")}@${one.version}`] : [],
  );
  expect(shared.filter((purl) => !found.has(purl))).toEqual([]);
  const tools = /^pkg:npm\/(vitest|typescript|oxlint)@/;
  expect([...found].filter((purl) => tools.test(purl))).toEqual([]);
});

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
