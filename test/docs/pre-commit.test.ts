import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runHere as ask } from "../support/cli.ts";
import { createFolder } from "../support/command.ts";
import { codeBlocks, readDoc } from "../support/markdown.ts";

interface Hook {
  readonly id: string;
  readonly language: string;
  readonly entry: string;
  readonly files: string;
}

const [hook] = parse(readDoc(".pre-commit-hooks.yaml")) as readonly [Hook];
const head = "version: 1\nsources: { default: {} }\n";
const good = `${head}drains: { a: { rules: [{ name: all, when: any, then: hold }] } }\n`;
const hidden = good.replace("}] } }", "}, { name: never, when: { host: a }, then: park }] } }");

/** As pre-commit runs it: the entry, then the files that are to be committed. */
function check(files: readonly string[], ...args: readonly string[]) {
  const [program, ...words] = hook.entry.split(" ");
  expect(program).toBe("redriver");
  return ask([...words, ...args, ...files]);
}

describe("the pre-commit hook", () => {
  it("is a command of the package, which is built where pre-commit installs it, and not by npm ci", () => {
    const { bin, scripts, files } = JSON.parse(readDoc("package.json")) as Record<string, unknown>;
    expect(hook).toMatchObject({ id: "redriver-rules-check", language: "node" });
    expect(bin).toEqual({ redriver: "dist/main.js" });
    expect(files).toContain("dist");
    const { prepare } = scripts as Record<"prepare", string>;
    expect(prepare).toMatch(/^\[ "\$npm_config_global" != true \] \|\| .*npm run build/);
    expect(spawnSync("/bin/sh", ["-c", prepare], { env: { PATH: "/nowhere" } }).status).toBe(0);
  });

  it("checks files named drains, unless it is told others", () => {
    const files = new RegExp(hook.files);
    const names = ["drains.yaml", "config/drains.yml", "a/b/drains-eu.yaml"];
    const others = ["old-drains.yaml", "drains.md", "drains/README.md", "drains.yaml.bak"];
    expect([...names, ...others].filter((name) => files.test(name))).toEqual(names);
  });

  it("reports each file that is wrong, whatever the others are, and ends with the worst exit code", async () => {
    const folder = createFolder();
    const fine = folder.write("drains.yaml", good);
    const warned = folder.write("drains-2.yaml", hidden);
    const broken = folder.write("drains-3.yaml", "version: 2\n");
    const worse = folder.write("drains-4.yaml", `${head}drains: { a: { mod: live } }\n`);
    const missing = `${folder.path}/drains-5.yaml`;

    const all = await check([broken, fine, worse, missing, warned]);
    expect(all).toMatchObject({ exitCode: 78, err: "" });
    for (const [file, text] of [
      [broken, ":1:10: error: version: "],
      [worse, ':3:16: error: drains.a: unknown key "mod"'],
      [missing, ": error: "],
      [warned, ":3:"],
    ] as const) {
      expect(all.out).toContain(`${file}${text}`);
    }
    expect(all.out).toMatch(new RegExp(`^ok: ${fine}`, "m"));

    expect(await check([fine, warned])).toMatchObject({ exitCode: 0 });
    expect(await check([fine, warned], "--strict")).toMatchObject({ exitCode: 1 });
    expect(JSON.parse((await check([fine, broken], "--json")).out)).toMatchObject([
      { v: 1, file: fine, ok: true },
      { v: 1, file: broken, ok: false },
    ]);
  });

  it("is what docs/cookbook.md configures", () => {
    const texts = codeBlocks(readDoc("docs/cookbook.md")).map(({ text }) => text);
    const [config = ""] = texts.filter((text) => text.startsWith("repos:"));
    expect(parse(config)).toMatchObject({ repos: [{ hooks: [{ id: hook.id }] }] });
  });
});
