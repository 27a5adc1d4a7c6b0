// node test/run.mjs [--built] PROGRAM [PART] [options]: compiles a program of the tests without a check of its types, and runs it.
// What tries the built command builds it first; `--built` takes what was built and compiled before. `compile` alone compiles.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

/** Per program and part: its steps. A file is compiled and run with the options. The part "" needs no name. */
const programs = {
  bench: {
    "": ["build", "test/bench/main.ts"],
    console: ["build", "test/bench/console/main.ts"],
    redis: ["build", "test/bench/redis-memory.ts"],
  },
  pages: {
    incident: ["build", "test/pages/write-incident-page.ts"],
    metrics: ["test/pages/write-metrics-page.ts"],
    screenshots: ["build", "test/pictures/console/take.ts"],
    terminal: ["build", "test/pictures/terminal/record.ts"],
  },
  fault: { "": ["test/fault/command.ts"] },
  image: { "": ["test/image/main.ts"] },
  lanes: { "": ["build", "test/lanes/main.ts"] },
  memory: { "": ["build", "test/memory/main.ts"] },
  soak: { "": ["build", "test/soak/main.ts"] },
  compile: { "": ["tsc --noCheck -p test/rig"] },
  trials: { "": ["build", "test/fault/trials/main.ts"] },
};

const root = resolve(import.meta.dirname, "..");
const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`;

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, PATH: path },
    stdio: "inherit",
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** The programs that share the rig are compiled together. Any other has its project in a folder above it. */
const rig = "test/rig";

function compile(file) {
  let project = dirname(file);
  while (!existsSync(join(root, project, "tsconfig.json"))) project = dirname(project);
  if (project === ".") project = rig;
  const { compilerOptions } = JSON.parse(readFileSync(join(root, project, "tsconfig.json"), "utf8"));
  const compiled = join(root, project, compilerOptions.outDir, file.replace(/\.ts$/, ".js"));
  if (!isBuilt || !existsSync(compiled)) run("tsc", "--noCheck", "-p", project);
  return compiled;
}

const words = process.argv.slice(2);
const isBuilt = words[0] === "--built" && words.shift() !== undefined;
const parts = programs[words.shift()] ?? {};
const steps = Object.hasOwn(parts, words[0] ?? "") ? parts[words.shift() ?? ""] : parts[""];
if (steps === undefined) {
  const known = Object.entries(programs).map(([name, of]) =>
    [name, ...Object.keys(of).filter(Boolean)].join(" "),
  );
  process.stderr.write(`expected a program and one of its parts:\n${known.join("\n")}\n`);
  process.exit(2);
}
for (const step of steps) {
  if (step === "build") {
    if (!isBuilt) run("npm", "run", "build");
  } else if (step.endsWith(".ts") && !step.includes(" ")) run(process.execPath, compile(step), ...words);
  else run(...step.split(" "));
}
