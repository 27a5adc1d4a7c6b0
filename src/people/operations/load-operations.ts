/** Every operation is a file of acts/, named after what is typed: `lanes probe` is lanes-probe.ts, `plan --keep` plan-keep.ts. */
import { readdirSync } from "node:fs";
import { RedriverError } from "../../job/contracts/errors.ts";
import type { Operation } from "./define.ts";

const folder = new URL("./acts/", import.meta.url);
const isModule = /^[a-z-]+\.[jt]s$/;

/** Files of operations, without loading one. */
export const operationFiles = (): readonly string[] =>
  readdirSync(folder)
    .filter((file) => isModule.test(file))
    .toSorted();

/** `pause` of pause.js, `lanes` of lanes-probe.js. */
export function firstWordOf(file: string): string {
  return file.split(/[-.]/, 1)[0] ?? file;
}

export function nameOf({ words }: Pick<Operation, "words">): string {
  return words.replaceAll(/\W+/g, "-");
}

export async function loadOperation(file: string): Promise<Operation> {
  const exports: Readonly<Record<string, unknown>> = await import(new URL(file, folder).href);
  const [operation, ...others] = Object.values(exports);
  const name = file.replace(/\.[jt]s$/, "");
  if (others.length > 0 || nameOf(operation as Operation) !== name) {
    throw new RedriverError("invariant-broken", `${file} has to export one operation, by its name`);
  }
  return operation as Operation;
}

export function loadOperations(): Promise<readonly Operation[]> {
  return Promise.all(operationFiles().map(loadOperation));
}
